//! How fast the machine executes: a row a kernel, on one core plain, with counters and with the
//! race check, and on all cores with counters.
//!
//! `cargo run --release -p simt --example throughput [ELEMENTS] [KERNEL]`
//!
//! The time on one core is the thread's own, which other programs on the machine disturb less than
//! they do a clock on the wall; the time on all cores is the wall's, and wants an idle machine.

use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use simt::{Launch, LoadedModule, Memory, Options};

/// Threads a block, in every row.
const BLOCK: u32 = 256;
/// How often each row is run; the fastest counts.
const REPEATS: usize = 5;

/// A kernel with the signature `(const T* in, T* out, size_t n)`.
struct Row {
    name: &'static str,
    ptx: &'static str,
    entry: &'static str,
    /// Elements that a thread handles.
    per_thread: u32,
    shared: u32,
}

macro_rules! ladder {
    ($name:literal, $per_thread:literal, $shared:expr) => {
        Row {
            name: $name,
            ptx: include_str!(concat!("../../chapter_1_reduce/kernels/", $name, ".ptx")),
            entry: "sum_f32",
            per_thread: $per_thread,
            shared: $shared,
        }
    };
}

macro_rules! own {
    ($name:literal) => {
        Row {
            name: $name,
            ptx: include_str!(concat!("../kernels/", $name, ".ptx")),
            entry: "run",
            per_thread: 1,
            shared: 0,
        }
    };
}

fn rows() -> Vec<Row> {
    vec![
        ladder!("interleaved_modulo", 1, 4 * BLOCK),
        ladder!("interleaved_mask", 1, 4 * BLOCK),
        ladder!("interleaved_strided", 1, 4 * BLOCK),
        ladder!("sequential", 1, 4 * BLOCK),
        ladder!("first_add", 2, 4 * BLOCK),
        ladder!("unrolled_warp", 2, 4 * BLOCK),
        ladder!("unrolled", 2, 0),
        ladder!("grid_stride", 64, 0),
        ladder!("shuffle", 64, 4 * BLOCK),
        ladder!("block_reduce", 64, 0),
        ladder!("vectorized", 64, 0),
        own!("strided"),
        own!("divergent"),
        own!("shared_atomics"),
        own!("histogram"),
        own!("wide"),
    ]
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
        let time = if options.threads == 1 {
            self.thread
        } else {
            self.wall
        };
        time.as_secs_f64()
    }
}

fn run(row: &Row, n: u64, options: &Options) -> Result<Sample, Box<dyn std::error::Error>> {
    let memory = Memory::new(1 << 34);
    let module = LoadedModule::load(ptx::parse(row.ptx)?, &memory)?;
    let kernel = module.kernel(row.entry).ok_or("no such kernel")?;
    let blocks = n.div_ceil(u64::from(BLOCK * row.per_thread)) as u32;
    let input = memory.allocate(8 * n)?;
    let output = memory.allocate(8 * n)?;
    let data: Vec<u8> = (0..n)
        .flat_map(|i| (i as f32 * 0.37 - 1e3).to_le_bytes())
        .collect();
    memory.write(input, &data)?;
    let params: Vec<u8> = [input, output, n]
        .iter()
        .flat_map(|p| p.to_le_bytes())
        .collect();
    let launch = Launch {
        kernel: &kernel,
        grid: [blocks, 1, 1],
        block: [BLOCK, 1, 1],
        dynamic_shared: row.shared,
        params: &params,
    };
    let (start, thread_start) = (Instant::now(), ThreadTime::now());
    let outcome = simt::launch(&memory, &launch, options);
    let (wall, thread) = (start.elapsed(), thread_start.elapsed());
    if let Some(fault) = outcome.fault {
        return Err(fault.into());
    }
    let warp_instructions = outcome.report.counters.map_or(0, |c| c.warp_instructions);
    Ok(Sample {
        warp_instructions,
        wall,
        thread,
    })
}

/// Warp instructions a second: the instructions of a counted run over the fastest run's time.
fn rate(
    row: &Row,
    n: u64,
    instructions: u64,
    options: &Options,
) -> Result<f64, Box<dyn std::error::Error>> {
    let mut fastest = f64::INFINITY;
    for _ in 0..REPEATS {
        fastest = fastest.min(run(row, n, options)?.seconds(options));
    }
    Ok(instructions as f64 / fastest)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n = std::env::args().nth(1).map_or(Ok(1 << 20), |n| n.parse())?;
    let one = Options {
        threads: 1,
        ..Options::default()
    };
    let modes = [
        Options {
            counters: false,
            ..one.clone()
        },
        one.clone(),
        Options {
            races: true,
            ..one.clone()
        },
        Options::default(),
    ];
    println!("1e6 warp instructions a second, n = {n}");
    println!(
        "{:20} {:>12} {:>8} {:>8} {:>8} {:>9}",
        "kernel", "instructions", "plain", "counters", "races", "all cores"
    );
    let mut columns = vec![Vec::new(); modes.len()];
    let only = std::env::args().nth(2);
    for row in rows()
        .iter()
        .filter(|row| only.as_deref().is_none_or(|name| name == row.name))
    {
        let instructions = run(row, n, &one)?.warp_instructions;
        print!("{:20} {instructions:>12}", row.name);
        for (mode, column) in modes.iter().zip(&mut columns) {
            let rate = rate(row, n, instructions, mode)? / 1e6;
            column.push(rate);
            print!(" {rate:>8.1}");
        }
        println!();
    }
    print!("{:20} {:>12}", "median", "");
    for mut column in columns {
        column.sort_by(f64::total_cmp);
        print!(" {:>8.1}", column[column.len() / 2]);
    }
    println!();
    Ok(())
}
