//! What Nsight Compute writes with `--csv --page raw`: a header, a row of units, and a row a launch.

use std::collections::HashMap;

use anyhow::{Context, Result, bail};

/// One launch, as the profiler saw it.
#[derive(Clone, Debug)]
pub struct Counted {
    /// The kernel's name.
    pub kernel: String,
    /// The value of each metric.
    pub metrics: HashMap<String, f64>,
}

/// Parses the profiler's output, skipping lines before the header.
///
/// # Errors
/// Where there is no header, or a row has another number of fields.
pub fn parse(text: &str) -> Result<Vec<Counted>> {
    let mut lines = text.lines().skip_while(|line| !line.starts_with("\"ID\""));
    let header = fields(lines.next().context("no line that begins with \"ID\"")?);
    let kernel = header.iter().position(|name| name == "Kernel Name");
    let kernel = kernel.context("no column `Kernel Name`")?;
    // The row of units has no ID.
    let rows = lines.filter(|line| line.starts_with('"') && !line.starts_with("\"\""));
    rows.map(|line| row(&header, kernel, &fields(line)))
        .collect()
}

fn row(header: &[String], kernel: usize, values: &[String]) -> Result<Counted> {
    if values.len() != header.len() {
        bail!("{} fields under {} headings", values.len(), header.len());
    }
    let number = |text: &str| text.replace(',', "").parse().ok();
    let metrics = header.iter().zip(values);
    Ok(Counted {
        kernel: values[kernel].clone(),
        metrics: metrics
            .filter_map(|(name, v)| Some((name.clone(), number(v)?)))
            .collect(),
    })
}

/// The fields of a line in which every one is quoted, and none holds a quote.
fn fields(line: &str) -> Vec<String> {
    let inner = line.trim().trim_start_matches('"').trim_end_matches('"');
    inner.split("\",\"").map(str::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_rows_and_skips_units() {
        let text = "==PROF== Connected\n\"ID\",\"Kernel Name\",\"a.sum\"\n\"\",\"\",\"sector\"\n\"0\",\"sum_f32\",\"1,024\"\n";
        let rows = parse(text).unwrap();
        assert_eq!(rows.len(), 1);
        assert_eq!(
            (rows[0].kernel.as_str(), rows[0].metrics["a.sum"]),
            ("sum_f32", 1024.0)
        );
        assert!(parse("nothing").is_err());
    }
}
