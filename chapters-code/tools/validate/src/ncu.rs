//! What Nsight Compute writes with `--csv --page raw`: a header, a row of units, and one row per launch.

use std::collections::HashMap;

use anyhow::{Context, Result};
use csv::StringRecord;

/// One launch, as the profiler saw it.
#[derive(Clone, Debug)]
pub struct Counted {
    /// The kernel's name.
    pub kernel: String,
    /// The value of each metric.
    pub metrics: HashMap<String, f64>,
}

/// A kernel of the harness, with which it compares memory: no rung launches it.
const OF_THE_HARNESS: &str = "fingerprint";

/// Parses the profiler's output, skipping lines before the header and kernels that are no rung's.
///
/// # Errors
/// If there is no header, or a row has another number of fields.
pub fn parse(text: &str) -> Result<Vec<Counted>> {
    let start = text.find("\"ID\"").context("no line that begins with \"ID\"")?;
    let mut reader = csv::Reader::from_reader(&text.as_bytes()[start..]);
    let header = reader.headers()?.clone();
    let kernel = header.iter().position(|name| name == "Kernel Name");
    let kernel = kernel.context("no column `Kernel Name`")?;
    // The row of units has no ID.
    let rows = reader
        .into_records()
        .filter(|row| row.as_ref().is_ok_and(|row| !row[0].is_empty()) || row.is_err());
    let rows = rows.filter(|row| row.as_ref().map_or(true, |row| &row[kernel] != OF_THE_HARNESS));
    rows.map(|row| Ok(counted(&header, kernel, &row?))).collect()
}

fn counted(header: &StringRecord, kernel: usize, values: &StringRecord) -> Counted {
    let number = |text: &str| text.replace(',', "").parse().ok();
    let metrics = header.iter().zip(values);
    Counted {
        kernel: values[kernel].to_string(),
        metrics: metrics.filter_map(|(name, v)| Some((name.to_string(), number(v)?))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_rows_and_skips_units_and_the_harness() {
        let text = "==PROF== Connected\n\"ID\",\"Kernel Name\",\"a.sum\"\n\"\",\"\",\"sector\"\n\"0\",\"sum_f32\",\"1,024\"\n\"1\",\"fingerprint\",\"8\"\n";
        let rows = parse(text).unwrap();
        assert_eq!(rows.len(), 1);
        assert_eq!((rows[0].kernel.as_str(), rows[0].metrics["a.sum"]), ("sum_f32", 1024.0));
        assert!(parse("nothing").is_err());
        assert!(parse("\"ID\",\"Kernel Name\"\n\"0\"\n").is_err());
    }
}
