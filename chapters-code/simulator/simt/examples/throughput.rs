//! How fast the machine executes: a row a kernel, on one core plain, with counters and with the
//! race check, and on all cores with counters.
//!
//! `cargo run --release -p warpsim-simt --example throughput [ELEMENTS] [KERNEL]`
//!
//! The time on one core is the thread's own, which other programs on the machine disturb less than
//! they do a clock on the wall; the time on all cores is the wall's, and wants an idle machine. The
//! rows are gone through in rounds, so that a slow spell of the machine does not hit all samples of
//! one figure; the fastest of each figure's samples counts.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use cpu_time::ThreadTime;
use simt::{Launch, LoadedModule, Memory, Options};

/// Threads a block, in every row.
const BLOCK: u32 = 256;
/// How often each row is run in each way.
const ROUNDS: usize = 20;

/// A kernel with the signature `(const T* in, T* out, size_t n)`.
struct Row {
    name: &'static str,
    ptx: String,
    entry: &'static str,
    /// Elements that a thread handles.
    per_thread: u32,
    shared: u32,
}

/// The kernels of the book's first chapter, elements that a thread handles, and words of dynamic shared memory.
const LADDER: [(&str, u32, u32); 11] = [
    ("interleaved_modulo", 1, BLOCK),
    ("interleaved_mask", 1, BLOCK),
    ("interleaved_strided", 1, BLOCK),
    ("sequential", 1, BLOCK),
    ("first_add", 2, BLOCK),
    ("unrolled_warp", 2, BLOCK),
    ("unrolled", 2, 0),
    ("grid_stride", 64, 0),
    ("shuffle", 64, BLOCK),
    ("block_reduce", 64, 0),
    ("vectorized", 64, 0),
];

/// Kernels of this crate.
const OWN: [&str; 5] = ["strided", "divergent", "shared_atomics", "histogram", "wide"];

/// The book's kernels, where the crate lies in the book's workspace, and its own.
fn rows() -> Vec<Row> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |folder: &str, name: &str| {
        fs::read_to_string(here.join(folder).join(name).with_extension("ptx")).ok()
    };
    let of_the_book = LADDER.iter().filter_map(|&(name, per_thread, words)| {
        let ptx = read("../../chapter_1_reduce/kernels", name)?;
        Some(Row { name, ptx, entry: "sum_f32", per_thread, shared: 4 * words })
    });
    let own = OWN.iter().filter_map(|&name| {
        Some(Row { name, ptx: read("kernels", name)?, entry: "run", per_thread: 1, shared: 0 })
    });
    of_the_book.chain(own).collect()
}

/// What one run took.
struct Sample {
    warp_instructions: u64,
    wall: Duration,
    thread: Duration,
}

impl Sample {
    /// The time that counts: the thread's own if there was but one.
    fn seconds(&self, options: &Options) -> f64 {
        let time = if options.threads == 1 { self.thread } else { self.wall };
        time.as_secs_f64()
    }
}

fn run(row: &Row, n: u64, options: &Options) -> Result<Sample, Box<dyn std::error::Error>> {
    let memory = Memory::new(1 << 34);
    let module = LoadedModule::load(ptx::parse(&row.ptx)?, &memory)?;
    let kernel = module.kernel(row.entry).ok_or("no such kernel")?;
    let blocks = n.div_ceil(u64::from(BLOCK * row.per_thread)) as u32;
    let input = memory.allocate(8 * n)?;
    let output = memory.allocate(8 * n)?;
    let data: Vec<u8> = (0..n).flat_map(|i| (i as f32 * 0.37 - 1e3).to_le_bytes()).collect();
    memory.write(input, &data)?;
    let params: Vec<u8> = [input, output, n].iter().flat_map(|p| p.to_le_bytes()).collect();
    let launch = Launch::new(&kernel, [blocks, 1, 1], [BLOCK, 1, 1], &params);
    let launch = Launch { dynamic_shared: row.shared, ..launch };
    let (start, thread_start) = (Instant::now(), ThreadTime::now());
    let report = simt::launch(&memory, &launch, options);
    let (wall, thread) = (start.elapsed(), thread_start.elapsed());
    if let Some(fault) = report.fault {
        return Err(fault.into());
    }
    let warp_instructions = report.counters.map_or(0, |c| c.warp_instructions);
    Ok(Sample { warp_instructions, wall, thread })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let n = arguments.next().map_or(Ok(1 << 20), |n| {
        n.parse().map_err(|e| format!("ELEMENTS is a number such as 1048576, not `{n}`: {e}"))
    })?;
    let only = arguments.next();
    let mut rows = rows();
    rows.retain(|row| only.as_deref().is_none_or(|name| name == row.name));
    if rows.is_empty() {
        return Err(format!("no kernel `{}`", only.unwrap_or_default()).into());
    }
    let one = Options::default().with(|options| options.threads = 1);
    let modes = [
        one.clone().with(|options| options.counters = false),
        one.clone(),
        one.clone().with(|options| options.races = true),
        Options::default(),
    ];
    let mut instructions = vec![0; rows.len()];
    let mut fastest = vec![[f64::INFINITY; 4]; rows.len()];
    for round in 0..ROUNDS {
        eprint!("\rround {} of {ROUNDS}", round + 1);
        for ((row, instructions), fastest) in rows.iter().zip(&mut instructions).zip(&mut fastest) {
            for (options, fastest) in modes.iter().zip(fastest) {
                let sample = run(row, n, options)?;
                *fastest = fastest.min(sample.seconds(options));
                *instructions = sample.warp_instructions.max(*instructions);
            }
        }
    }
    eprintln!();

    println!("1e6 warp instructions a second, n = {n}");
    println!(
        "{:20} {:>12} {:>8} {:>8} {:>8} {:>9} {:>8}",
        "kernel", "instructions", "plain", "counters", "races", "all cores", "of one"
    );
    let mut columns = vec![Vec::new(); 5];
    for ((row, &instructions), seconds) in rows.iter().zip(&instructions).zip(&fastest) {
        let [plain, counters, races, all] = seconds.map(|s| instructions as f64 / s / 1e6);
        let figures = [plain, counters, races, all, all / counters];
        print!("{:20} {instructions:>12}", row.name);
        println!("{}", figures_of(&figures));
        for (column, figure) in columns.iter_mut().zip(figures) {
            column.push(figure);
        }
    }
    let medians: Vec<f64> = columns.into_iter().map(median).collect();
    println!("{:20} {:>12}{}", "median", "", figures_of(&medians));
    Ok(())
}

fn figures_of(figures: &[f64]) -> String {
    let [plain, counters, races, all, speedup] = figures else {
        return String::new();
    };
    format!(" {plain:>8.1} {counters:>8.1} {races:>8.1} {all:>9.1} {speedup:>8.2}")
}

/// The middle one, or the mean of the two in the middle.
fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    let middle = figures.len() / 2;
    if figures.len().is_multiple_of(2) {
        (figures[middle - 1] + figures[middle]) / 2.0
    } else {
        figures[middle]
    }
}
