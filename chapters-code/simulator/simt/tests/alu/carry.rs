//! Chains through the carry flag, against integers of 128 bits.
//!
//! A chain is PTX text, so that `mad…cc`, which decoding takes apart, is among what is tested.

use std::fmt::Write;

use proptest::prelude::*;
use simt::Options;

use crate::device::{Device, pointer, shape};

/// Threads that run a chain, each on operands of its own.
const THREADS: usize = 32;
/// 64-bit operands of a thread.
const OPERANDS: usize = 9;

/// The operands of all threads.
type Rows = Vec<[u64; OPERANDS]>;

/// How one instruction combines its operands, before the flag is added or subtracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Add,
    Sub,
    MadLo,
    MadHi,
}

/// One instruction of a chain. Operands are numbers of values: the thread's operands, then the results
/// of the instructions before. One of 32 bits reads the low halves.
#[derive(Clone, Debug)]
struct Link {
    operation: Operation,
    bits: u32,
    signed: bool,
    uses: bool,
    sets: bool,
    operands: [usize; 3],
}

impl Link {
    /// `sub.cc.u32 %w3, %w0, %w1;`, with its operands brought to its width and its result to 64 bits.
    fn text(&self, result: usize) -> String {
        let (letter, name) = match self.operation {
            Operation::Add => ("", "add"),
            Operation::Sub => ("", "sub"),
            Operation::MadLo => (".lo", "mad"),
            Operation::MadHi => (".hi", "mad"),
        };
        let uses = if self.uses { "c" } else { "" };
        let sets = if self.sets { ".cc" } else { "" };
        let ty = if self.signed { "s" } else { "u" };
        let opcode = format!("{name}{uses}{letter}{sets}.{ty}{}", self.bits);
        let count = if name == "mad" { 3 } else { 2 };
        let operands = &self.operands[..count];
        if self.bits == 64 {
            let list: String = operands.iter().map(|i| format!(", %v{i}")).collect();
            return format!("{opcode} %v{result}{list};\n");
        }
        let narrowed = operands.iter().enumerate();
        let narrowed: String =
            narrowed.map(|(n, i)| format!("cvt.u32.u64 %w{n}, %v{i}; ")).collect();
        let list: String = (0..count).map(|n| format!(", %w{n}")).collect();
        format!("{narrowed}{opcode} %w3{list}; cvt.u64.u32 %v{result}, %w3;\n")
    }

    /// Its result, with `flag` as it finds and leaves it.
    fn model(&self, values: &[u64], flag: &mut bool) -> u64 {
        let ones = u64::MAX >> (64 - self.bits);
        let [a, b, c] = self.operands.map(|i| u128::from(values[i] & ones));
        let extended = |x: u128| ((x as i128) << (128 - self.bits)) >> (128 - self.bits);
        let high = match self.signed {
            true => (extended(a) * extended(b)) as u128 >> self.bits & u128::from(ones),
            false => (a * b) >> self.bits,
        };
        let (first, second) = match self.operation {
            Operation::Add => (a, b),
            Operation::MadLo => (a.wrapping_mul(b) & u128::from(ones), c),
            Operation::MadHi => (high, c),
            Operation::Sub => {
                let borrow = self.uses && !*flag;
                let is_covered = a >= b + u128::from(borrow);
                if self.sets {
                    *flag = is_covered;
                }
                return (a.wrapping_sub(b).wrapping_sub(borrow.into())) as u64 & ones;
            }
        };
        let sum = first + second + u128::from(self.uses && *flag);
        if self.sets {
            *flag = sum > u128::from(ones);
        }
        sum as u64 & ones
    }
}

/// What each thread's chain gives, an array per instruction.
fn run(chain: &[Link], rows: &Rows) -> Vec<[u64; THREADS]> {
    let results = chain.len();
    let mut body = String::new();
    for i in 0..OPERANDS {
        writeln!(body, "ld.global.b64 %v{i}, [%in+{}];", 8 * i).expect("a string grows");
    }
    for (i, link) in chain.iter().enumerate() {
        body.push_str(&link.text(OPERANDS + i));
    }
    for i in 0..results {
        let value = OPERANDS + i;
        writeln!(body, "st.global.b64 [%out+{}], %v{value};", 8 * i).expect("a string grows");
    }
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n\
         .visible .entry chain(.param .u64 rows, .param .u64 results)\n{{\n\
         .reg .b32 %w<4>, %i; .reg .b64 %v<{}>, %in, %out;\n\
         mov.u32 %i, %tid.x;\n\
         ld.param.u64 %in, [rows]; mad.wide.u32 %in, %i, {}, %in;\n\
         ld.param.u64 %out, [results]; mad.wide.u32 %out, %i, {}, %out;\n{body}ret;\n}}\n",
        OPERANDS + results,
        8 * OPERANDS,
        8 * results,
    );
    let device = Device::of(&text);
    let arrays = [device.array(rows.as_flattened()), device.array(&vec![0u64; results * THREADS])];
    let shape = shape(1, THREADS as u32);
    let report = device.launch("chain", shape, &arrays.map(pointer), &Options::default());
    assert_eq!(report.fault, None, "{text}");
    let values = device.read::<u64>(arrays[1]);
    let value = |thread: usize, i: usize| values[thread * results + i];
    (0..results).map(|i| std::array::from_fn(|thread| value(thread, i))).collect()
}

/// 64-bit words that produce carries and borrows: random ones, and ones near 0, 2^32, 2^63 and 2^64.
fn word() -> impl Strategy<Value = u64> {
    let near = (0..4u64, -2..3i64).prop_map(|(base, by)| {
        let base = [0, 1 << 32, 1 << 63, 0xffff_ffff_0000_0000][base as usize];
        u64::wrapping_add_signed(base, by)
    });
    prop_oneof![any::<u64>(), near]
}

fn rows() -> impl Strategy<Value = Rows> {
    let row = proptest::collection::vec(word(), OPERANDS);
    let row = row.prop_map(|words| std::array::from_fn(|i| words[i]));
    proptest::collection::vec(row, THREADS)
}

/// Pairs of 128-bit integers, a pair per thread.
fn pairs() -> impl Strategy<Value = Vec<[u128; 2]>> {
    let wide = || (word(), word()).prop_map(|(high, low)| u128::from(high) << 64 | u128::from(low));
    // Differences in one word alone are as frequent as others.
    let near = (wide(), word()).prop_map(|(x, by)| [x, x ^ u128::from(by)]);
    let pair = prop_oneof![(wide(), wide()).prop_map(|(x, y)| [x, y]), near];
    proptest::collection::vec(pair, THREADS)
}

/// An instruction at this index of a chain. The first one finds no flag to use.
fn link(index: usize) -> impl Strategy<Value = Link> {
    use Operation::*;
    let operation = proptest::sample::select(vec![Add, Sub, Sub, MadLo, MadHi]);
    let values = proptest::array::uniform3(0..OPERANDS + index);
    (operation, any::<[bool; 3]>(), any::<bool>(), values).prop_map(
        move |(operation, [is_wide, signed, sets], uses, operands)| {
            let uses = uses && index > 0;
            Link {
                operation,
                bits: if is_wide { 64 } else { 32 },
                signed,
                uses,
                // One that does neither has no carry in its name.
                sets: sets || !uses,
                operands,
            }
        },
    )
}

fn chain() -> impl Strategy<Value = Vec<Link>> {
    (2..24usize).prop_flat_map(|length| (0..length).map(link).collect::<Vec<_>>())
}

/// Widths whose sum is 128.
fn widths() -> impl Strategy<Value = Vec<u32>> {
    let all = [vec![64, 64], vec![64, 32, 32], vec![32, 64, 32], vec![32, 32, 64], vec![32; 4]];
    proptest::sample::select(all.to_vec())
}

/// The words of a 128-bit integer, the lowest first.
fn words_of(x: u128, widths: &[u32]) -> impl Iterator<Item = u64> {
    widths.iter().scan(0, move |at, bits| {
        let word = (x >> *at) as u64 & u64::MAX >> (64 - bits);
        *at += bits;
        Some(word)
    })
}

/// Checks a chain of `operation` over the words of 128-bit integers. At last `addc` adds the flag to
/// zeros, which must give `flag`.
fn check_wide(
    operation: Operation,
    widths: &[u32],
    pairs: &[[u128; 2]],
    expected: impl Fn(u128, u128) -> (u128, bool),
) -> Result<(), TestCaseError> {
    const ZERO: usize = 8;
    let link = |i: usize, bits: u32| Link {
        operation,
        bits,
        signed: false,
        uses: i > 0,
        sets: true,
        operands: [i, 4 + i, ZERO],
    };
    let mut chain: Vec<Link> = widths.iter().enumerate().map(|(i, b)| link(i, *b)).collect();
    chain.push(Link { operation: Operation::Add, operands: [ZERO; 3], ..link(1, 32) });
    let mut rows = vec![[0; OPERANDS]; THREADS];
    for (row, [x, y]) in rows.iter_mut().zip(pairs) {
        let words = words_of(*x, widths).zip(words_of(*y, widths));
        for (i, (a, b)) in words.enumerate() {
            (row[i], row[4 + i]) = (a, b);
        }
    }
    let found = run(&chain, &rows);
    for (thread, [x, y]) in pairs.iter().enumerate() {
        let (wide, flag) = expected(*x, *y);
        let wanted: Vec<u64> = words_of(wide, widths).chain([flag.into()]).collect();
        let found: Vec<u64> = found.iter().map(|values| values[thread]).collect();
        prop_assert_eq!(
            found,
            wanted,
            "{:?} of {:#x} and {:#x} in words of {:?} bits",
            operation,
            x,
            y,
            widths
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Every mixture of these instructions passes the flag on, subtractions and then additions among it.
    #[test]
    fn the_flag_passes_from_each_instruction_to_the_next(chain in chain(), rows in rows()) {
        let found = run(&chain, &rows);
        for thread in 0..THREADS {
            let (mut values, mut flag) = (rows[thread].to_vec(), false);
            for (link, found) in chain.iter().zip(&found) {
                let expected = link.model(&values, &mut flag);
                prop_assert_eq!(found[thread], expected, "{} of {:#x?}", link.text(0), values);
                values.push(expected);
            }
        }
    }

    #[test]
    fn chains_add_128_bits(widths in widths(), pairs in pairs()) {
        check_wide(Operation::Add, &widths, &pairs, |x, y| x.overflowing_add(y))?;
    }

    /// The flag is 1 after a difference that is not negative, and an addition takes it as it is.
    #[test]
    fn chains_subtract_128_bits(widths in widths(), pairs in pairs()) {
        check_wide(Operation::Sub, &widths, &pairs, |x, y| (x.wrapping_sub(y), x >= y))?;
    }

    /// The product of 64-bit integers from products of their halves.
    #[test]
    fn chains_multiply_64_bits(rows in rows()) {
        use Operation::{Add, MadHi, MadLo};
        // Operands: the halves of both factors, and zero; then the results.
        let [a0, a1, b0, b1, zero] = [0, 1, 2, 3, 4];
        let result = |i: usize| OPERANDS + i;
        let link = |operation, operands, uses, sets| Link {
            operation, bits: 32, signed: false, uses, sets, operands,
        };
        let chain = [
            link(MadLo, [a0, b0, zero], false, false),
            link(MadHi, [a0, b0, zero], false, false),
            link(MadLo, [a0, b1, result(1)], false, true),
            link(MadHi, [a0, b1, zero], true, false),
            link(MadLo, [a1, b0, result(2)], false, true),
            link(MadHi, [a1, b0, result(3)], true, true),
            link(Add, [zero; 3], true, false),
            link(MadLo, [a1, b1, result(5)], false, true),
            link(MadHi, [a1, b1, result(6)], true, false),
        ];
        let halves = |x: u64| [x & 0xffff_ffff, x >> 32];
        let split = |row: &[u64; OPERANDS]| {
            let ([a0, a1], [b0, b1]) = (halves(row[0]), halves(row[1]));
            [a0, a1, b0, b1, 0, 0, 0, 0, 0]
        };
        let found = run(&chain, &rows.iter().map(split).collect());
        for (thread, row) in rows.iter().enumerate() {
            let product = u128::from(row[0]) * u128::from(row[1]);
            let words = [0, 4, 7, 8].map(|i| found[i][thread]);
            let words = words.iter().rev().fold(0, |all, word| all << 32 | u128::from(*word));
            prop_assert_eq!(words, product, "{:#x} times {:#x}", row[0], row[1]);
        }
    }
}
