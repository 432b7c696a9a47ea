//! What a profiler counted on a GPU, kept beside the names of the launches, and compared with what
//! the simulator counts for them.

use std::collections::{HashMap, HashSet};

use anyhow::{Context, Result, ensure};
use harness::simulator::Counters;

use crate::launches::Launch;
use crate::ncu::Counted;

/// How near the simulator's count must come to the profiler's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nearness {
    /// Equal.
    Exact,
    /// Equal to it, or to the column's `…_raw`: the profiler computes this one from addresses, and
    /// for some wide loads not as the hardware serves them.
    Computed,
    /// Equal but for the hardware's arbitration, which adds up to 2 %.
    Noisy,
    /// Of another thing: PTX instructions here, machine instructions there.
    Ratio,
}

/// One thing that is counted.
#[derive(Clone, Copy)]
pub struct Column {
    /// Its name in the recorded files.
    pub name: &'static str,
    /// The profiler's metrics, to be added up.
    pub metrics: &'static [&'static str],
    /// The simulator's counter.
    pub ours: fn(&Counters) -> u64,
    /// How near they must be.
    pub nearness: Nearness,
}

macro_rules! columns {
    ($($name:ident = $counter:ident, $nearness:ident: $($metric:literal)*;)*) => {
        [$(Column {
            name: stringify!($name),
            metrics: &[$(concat!($metric, ".sum")),*],
            ours: |counters| counters.$counter,
            nearness: Nearness::$nearness,
        }),*]
    };
}

/// All that is compared. `…_raw` is what the memory pipeline itself counted, noise included; the
/// column without it, what the profiler computes in code that it patches into the kernel.
pub const COLUMNS: [Column; 15] = columns! {
    global_load_requests = global_load_requests, Exact:
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld";
    global_load_sectors = global_load_sectors, Exact:
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld";
    global_store_requests = global_store_requests, Exact:
        "l1tex__t_requests_pipe_lsu_mem_global_op_st";
    global_store_sectors = global_store_sectors, Exact:
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st";
    global_atomic_requests = global_atomic_requests, Exact:
        "l1tex__t_requests_pipe_lsu_mem_global_op_atom"
        "l1tex__t_requests_pipe_lsu_mem_global_op_red";
    shared_load_requests = shared_load_requests, Exact:
        "smsp__sass_inst_executed_op_shared_ld";
    shared_load_wavefronts = shared_load_wavefronts, Computed:
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld";
    shared_load_wavefronts_raw = shared_load_wavefronts, Noisy:
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld";
    shared_store_requests = shared_store_requests, Exact:
        "smsp__sass_inst_executed_op_shared_st";
    shared_store_wavefronts = shared_store_wavefronts, Computed:
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st";
    shared_store_wavefronts_raw = shared_store_wavefronts, Noisy:
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st";
    shared_bank_conflicts = shared_bank_conflicts, Noisy:
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld"
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st";
    shared_atomic_wavefronts = shared_atomic_wavefronts, Computed:
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom";
    shared_atomic_wavefronts_raw = shared_atomic_wavefronts, Noisy:
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom";
    warp_instructions = warp_instructions, Ratio:
        "smsp__inst_executed";
};

/// A launch, as the profiler counted it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What was launched, as [`Launch::name`].
    pub name: String,
    /// The kernel's name.
    pub kernel: String,
    /// The count of each column that was recorded.
    pub counts: HashMap<String, u64>,
}

/// The launches of rungs that the rows have at all: a rung may be recorded later than others.
pub fn of_recorded_rungs(launches: Vec<Launch>, rows: &[Row]) -> Vec<Launch> {
    let recorded: HashSet<_> = rows.iter().map(|row| rung(&row.name)).collect();
    let is_recorded = |launch: &Launch| recorded.contains(rung(&launch.name));
    launches.into_iter().filter(is_recorded).collect()
}

/// The chapter and the rung of a launch's name, such as `chapter_0_setup/copy` of
/// `chapter_0_setup/copy/2^16`.
pub fn rung(name: &str) -> &str {
    let end = name.match_indices('/').nth(1);
    end.map_or(name, |(at, _)| &name[..at])
}

/// Puts the launches' names to what the profiler counted.
///
/// # Errors
/// If the launches are not the same.
pub fn join(launches: &[Launch], counted: &[Counted]) -> Result<Vec<Row>> {
    let (ours, theirs) = (launches.len(), counted.len());
    ensure!(ours == theirs, "{ours} launches here, {theirs} there");
    let pairs = launches.iter().zip(counted);
    pairs
        .map(|(launch, counted)| {
            let (name, kernel) = (&launch.name, &launch.kernel);
            ensure!(*kernel == counted.kernel, "{name}: not {}", counted.kernel);
            let count = |column: Column| Some((column.name.to_string(), sum(counted, &column)?));
            Ok(Row {
                name: name.clone(),
                kernel: kernel.clone(),
                counts: COLUMNS.into_iter().filter_map(count).collect(),
            })
        })
        .collect()
}

fn sum(counted: &Counted, column: &Column) -> Option<u64> {
    let values = column.metrics.iter().map(|name| counted.metrics.get(*name));
    values.sum::<Option<f64>>().map(|value| value as u64)
}

/// Writes rows as CSV, with the columns that the first one has.
///
/// # Errors
/// Where writing fails.
pub fn write(rows: &[Row], to: impl std::io::Write) -> Result<()> {
    let first = rows.first().context("no launches")?;
    let columns = COLUMNS.iter().map(|column| column.name);
    let columns: Vec<&str> = columns.filter(|c| first.counts.contains_key(*c)).collect();
    let mut writer = csv::Writer::from_writer(to);
    writer.write_record(["name", "kernel"].iter().chain(&columns))?;
    for row in rows {
        let counts = columns.iter().map(|column| row.counts[*column].to_string());
        let names = [row.name.clone(), row.kernel.clone()];
        writer.write_record(names.into_iter().chain(counts))?;
    }
    Ok(writer.flush()?)
}

/// Reads what [`write()`] wrote. Lines that begin with `#` are left out.
///
/// # Errors
/// If it is no such file.
pub fn read(text: &str) -> Result<Vec<Row>> {
    let mut builder = csv::ReaderBuilder::new();
    let mut reader = builder.comment(Some(b'#')).from_reader(text.as_bytes());
    let header = reader.headers()?.clone();
    let row = |record: csv::StringRecord| {
        let counts = header.iter().zip(&record).skip(2);
        let counts = counts.map(|(column, count)| Ok((column.to_string(), count.parse()?)));
        Ok(Row {
            name: record[0].to_string(),
            kernel: record[1].to_string(),
            counts: counts.collect::<Result<_>>()?,
        })
    };
    reader.into_records().map(|record| row(record?)).collect()
}

/// A count of the simulator's that is not near enough to the profiler's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The column.
    pub column: &'static str,
    /// The simulator's count.
    pub ours: u64,
    /// The profiler's.
    pub theirs: u64,
}

/// What differs between a launch and its recorded row.
pub fn differences(launch: &Launch, row: &Row) -> Vec<Difference> {
    let differs = |column: Column| {
        let ours = (column.ours)(&launch.counters);
        let theirs = *row.counts.get(column.name)?;
        let allowed = match column.nearness {
            Nearness::Exact => 0,
            Nearness::Computed if raw(row, &column) == Some(ours) => return None,
            Nearness::Computed => 0,
            Nearness::Noisy => noise(launch),
            Nearness::Ratio => return None,
        };
        (ours.abs_diff(theirs) > allowed).then_some(Difference {
            column: column.name,
            ours,
            theirs,
        })
    };
    COLUMNS.into_iter().filter_map(differs).collect()
}

/// True if the profiler's computed counts are not the hardware's, and the simulator agrees with the
/// latter.
pub fn is_disputed(launch: &Launch, row: &Row) -> bool {
    let disputed = |column: &Column| {
        let ours = (column.ours)(&launch.counters);
        let theirs = row.counts.get(column.name).copied();
        column.nearness == Nearness::Computed
            && theirs != Some(ours)
            && raw(row, column) == Some(ours)
    };
    COLUMNS.iter().any(disputed)
}

fn raw(row: &Row, column: &Column) -> Option<u64> {
    row.counts.get(&format!("{}_raw", column.name)).copied()
}

/// 2 % of the launch's wavefronts, to which arbitration adds.
fn noise(launch: &Launch) -> u64 {
    let c = &launch.counters;
    (c.shared_load_wavefronts + c.shared_store_wavefronts + c.shared_atomic_wavefronts) / 50
}
