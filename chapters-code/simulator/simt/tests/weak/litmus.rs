//! Litmus tests: small programs, and all outcomes that PTX's memory model allows them.
//!
//! A program is a list of threads. A thread is a block and its statements. Threads of one block are
//! in warps of their own.
//!
//! | statement | PTX |
//! | --- | --- |
//! | `W x 1`, `W.release.gpu x 1`, `W.volatile x 1`, `W.weak x 1` | a store, `.relaxed.gpu` if nothing else is named |
//! | `R 0 x`, `R.acquire.gpu 0 x`, … | a load into result 0 |
//! | `A 0 x 1`, `A.acq_rel.gpu 0 x 1`, … | an `atom.add`, the old value into result 0 |
//! | `copy 0 y` | a store of result 0 |
//! | `fence.sc.gpu`, `membar.gl`, `bar.sync 0` | itself |

use std::collections::BTreeSet;

use simt::{BarrierOrder, Options, WeakMemory};

use crate::device::{Device, pointer, shape};

/// A litmus test.
pub struct Litmus {
    pub name: &'static str,
    pub threads: &'static [(u32, &'static str)],
    /// The values of the results, then of `x` and `y` at the end if there are more: all outcomes that
    /// the mode shows.
    pub seen: &'static [&'static [u32]],
}

/// Seeds under which each program runs.
const LEAST: u64 = 600;
/// Seeds under which it runs at most, until all its outcomes are found.
const MOST: u64 = 60_000;
/// Bytes between variables.
const APART: u64 = 128;

fn place(name: &str) -> u64 {
    match name {
        "x" => 0,
        "y" => APART,
        "z" => 2 * APART,
        _ => panic!("there is no variable {name}"),
    }
}

fn statement(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (what, order) = words[0].split_once('.').unwrap_or((words[0], "relaxed.gpu"));
    match (what, &words[1..]) {
        ("W", [at, value]) => format!("st.{order}.global.u32 [%rd1+{}], {value};", place(at)),
        ("R", [to, at]) => format!("ld.{order}.global.u32 %r1{to}, [%rd1+{}];", place(at)),
        ("A", [to, at, by]) => {
            format!("atom.{order}.global.add.u32 %r1{to}, [%rd1+{}], {by};", place(at))
        }
        ("copy", [from, at]) => {
            format!("st.relaxed.gpu.global.u32 [%rd1+{}], %r1{from};", place(at))
        }
        _ => format!("{text};"),
    }
}

/// Returns the results that a thread loads.
fn results(thread: &str) -> impl Iterator<Item = &str> {
    let statements = thread.split(';').map(|s| s.split_whitespace().collect::<Vec<_>>());
    statements.filter(|words| words[0].starts_with(['R', 'A'])).map(|words| words[1])
}

fn kernel(threads: &[(u32, &str)]) -> String {
    let mut text = String::from(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .visible .entry k(.param .u64 p0)\n{\n\
         .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<8>; .shared .align 4 .b8 s[256];\n\
         ld.param.u64 %rd1, [p0];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n\
         shl.b32 %r2, %r2, 16;\nadd.u32 %r1, %r1, %r2;\n",
    );
    let mut bodies = String::new();
    for (number, (block, thread)) in threads.iter().enumerate() {
        let warp = threads[..number].iter().filter(|(other, _)| other == block).count();
        let index = (block << 16) + 32 * warp as u32;
        text += &format!("setp.eq.u32 %p1, %r1, {index};\n@%p1 bra T{number};\n");
        bodies += &format!("T{number}:\n");
        for part in thread.split(';') {
            bodies += &(statement(part) + "\n");
        }
        for result in results(thread) {
            let at = 4 * APART + 4 * result.parse::<u64>().expect("a number");
            bodies += &format!("st.global.u32 [%rd1+{at}], %r1{result};\n");
        }
        bodies += "exit;\n";
    }
    text + "exit;\n" + &bodies + "}\n"
}

/// Returns the outcomes of a program, seed by seed: its results, then `x` and `y`.
fn outcomes(
    threads: &[(u32, &str)],
    barriers: BarrierOrder,
    mut each: impl FnMut(u64, Vec<u32>) -> bool,
) {
    let last = threads.iter().map(|(block, _)| *block).max().expect("there is a thread");
    let reversed: Vec<_> = threads.iter().map(|(block, thread)| (last - block, *thread)).collect();
    // Blocks start in the order of their numbers, so every second run has them in the other order.
    let devices = [threads, &reversed].map(|threads| {
        let device = Device::of(&kernel(threads));
        let array = device.unwritten(8 * APART as usize);
        (device, array)
    });
    let warps = (0..=last).map(|b| threads.iter().filter(|(block, _)| *block == b).count()).max();
    let count = threads.iter().flat_map(|(_, thread)| results(thread)).count();
    let shape = shape(last + 1, 32 * warps.unwrap_or(0) as u32);
    let run = |seed: u64| {
        let (device, array) = &devices[seed as usize % 2];
        device.memory.fill(array.address, &[0], 8 * APART).expect("it is mapped");
        let weak = WeakMemory { seed, barriers, ..WeakMemory::default() };
        let options = Options::default().with(|options| options.weak_memory = Some(weak));
        let report = device.launch("k", shape, &[pointer(*array)], &options);
        assert_eq!(report.fault, None);
        let words = device.read::<u32>(*array);
        let word = |at: u64| words[at as usize / 4];
        let results = (0..count as u64).map(|result| word(4 * APART + 4 * result));
        results.chain([word(0), word(APART)]).collect()
    };
    let mut seeds = 1u64..;
    while seeds.next().is_some_and(|seed| each(seed, run(seed))) {}
}

/// Returns how the outcomes of a program differ from those that it should have.
pub fn difference(litmus: &Litmus, barriers: BarrierOrder) -> Option<String> {
    let length = litmus.seen[0].len();
    let expected: BTreeSet<Vec<u32>> = litmus.seen.iter().map(|outcome| outcome.to_vec()).collect();
    let mut found = BTreeSet::new();
    outcomes(litmus.threads, barriers, |seed, outcome| {
        found.insert(outcome[..length].to_vec());
        seed < LEAST || seed < MOST && !found.is_superset(&expected)
    });
    let differ = found != expected;
    differ.then(|| format!("{}: {found:?}, expected {expected:?}", litmus.name))
}
