//! Estimates how many registers a kernel needs: the most that are live at any one time.
//!
//! PTX declares a register for every value, and an assembler packs them into few. A value is live
//! from if it is written to if it is last read, which the usual backward dataflow over the
//! basic blocks finds. The estimate leaves out what the hardware stores elsewhere, and what an
//! assembler recomputes:
//!
//! - predicates, constants, special registers and the kernel's parameters;
//! - values that are uniform in a warp, which have registers of their own: everything computed from
//!   the former, and not from `%tid` or memory. (This ignores that diverged lanes may have computed
//!   them on different paths.)
//! - half of each value unpacked from a pair, which stays in its pair, and of each 64-bit value
//!   widened from 32 bits.
//!
//! It does not model what scheduling adds, such as loads moved up and unrolled loops.

use std::collections::{HashMap, HashSet};

use crate::access::{Accesses, Register};
use crate::flow::Blocks;
use crate::ir::{Alu, Kernel, Num, Op, R32, R64, Space, Special, SpecialSlot};

/// Sizes are in 16-bit halves of registers: this many per register.
const HALVES: u32 = 2;
/// The largest product of blocks and registers for which the dataflow is computed; it stores a bit
/// for each.
pub(crate) const LARGEST: usize = 1 << 28;

impl Kernel {
    /// Returns the most registers that hold values at any one time, in units of 32 bits. For a
    /// kernel too large to analyse, returns the number of declared registers.
    pub fn live_registers(&self) -> u32 {
        if let Some(known) = self.live_before {
            return known;
        }
        let accesses: Vec<Accesses> = self.code.iter().map(Accesses::of).collect();
        let mut values = Values::of(self, &accesses);
        let steps = self.code.iter().zip(&accesses);
        let steps: Vec<Step> = steps
            .map(|(instruction, accesses)| Step {
                kills: instruction.guard.is_none(),
                writes: values.counted(&accesses.writes),
                reads: values.counted(&accesses.reads),
            })
            .collect();
        let blocks = Blocks::of(&self.code);
        if blocks.successors.len() * values.sizes.len() > LARGEST {
            return self.declared_registers;
        }
        live(&blocks, &steps, &values.sizes).1.div_ceil(HALVES)
    }
}

/// The effect of an instruction on the set of live values.
pub(crate) struct Step {
    /// False under a guard: the old value may stay.
    pub kills: bool,
    /// The written values, by number.
    pub writes: Vec<usize>,
    /// The read values, by number.
    pub reads: Vec<usize>,
}

impl Step {
    /// Goes from the values that are live after the instruction to those live before it. Returns
    /// how much is live at once.
    fn back(&self, live: &mut Live, sizes: &[u32]) -> u32 {
        // A value needs a register even if no instruction reads it.
        self.writes.iter().for_each(|&v| live.insert(v, sizes));
        let after = live.size;
        if self.kills {
            self.writes.iter().for_each(|&v| live.remove(v, sizes));
        }
        self.reads.iter().for_each(|&v| live.insert(v, sizes));
        after.max(live.size)
    }
}

/// A set of values, one bit each, and their total size.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Live {
    bits: Vec<u64>,
    size: u32,
}

impl Live {
    fn none(sizes: &[u32]) -> Self {
        let bits = vec![0; sizes.len().div_ceil(64)];
        Self { bits, size: 0 }
    }

    fn insert(&mut self, value: usize, sizes: &[u32]) {
        let (word, bit) = (&mut self.bits[value / 64], 1 << (value % 64));
        if *word & bit == 0 {
            *word |= bit;
            self.size += sizes[value];
        }
    }

    fn remove(&mut self, value: usize, sizes: &[u32]) {
        let (word, bit) = (&mut self.bits[value / 64], 1 << (value % 64));
        if *word & bit != 0 {
            *word &= !bit;
            self.size -= sizes[value];
        }
    }

    /// Iterates over the values.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        let words = self.bits.iter().enumerate();
        words.flat_map(|(index, &word)| {
            let bits = (0..64).filter(move |bit| word >> bit & 1 == 1);
            bits.map(move |bit| 64 * index + bit)
        })
    }

    fn insert_all(&mut self, other: &Self, sizes: &[u32]) {
        for (index, (mine, theirs)) in self.bits.iter_mut().zip(&other.bits).enumerate() {
            let mut new = theirs & !*mine;
            *mine |= new;
            while new != 0 {
                self.size += sizes[64 * index + new.trailing_zeros() as usize];
                new &= new - 1;
            }
        }
    }
}

/// Returns the live values at the start of each block, and the largest size that is live at once
/// anywhere.
pub(crate) fn live(blocks: &Blocks, steps: &[Step], sizes: &[u32]) -> (Vec<Live>, u32) {
    let count = blocks.successors.len();
    // The sets grow until nothing changes.
    let mut entries = vec![Live::none(sizes); count];
    let (mut most, mut changed) = (0, true);
    while changed {
        changed = false;
        for block in (0..count).rev() {
            let mut live = Live::none(sizes);
            let successors = blocks.successors[block].iter();
            for entry in successors.filter_map(|&next| entries.get(next)) {
                live.insert_all(entry, sizes);
            }
            let steps = &steps[blocks.starts[block]..blocks.starts[block + 1]];
            for step in steps.iter().rev() {
                most = most.max(step.back(&mut live, sizes));
            }
            changed |= live != entries[block];
            entries[block] = live;
        }
    }
    (entries, most)
}

/// The registers of a kernel that count, numbered in the order of their use.
struct Values {
    numbers: HashMap<Register, usize>,
    /// The sizes by number.
    sizes: Vec<u32>,
    /// Registers whose values differ within a warp. Only these count.
    varying: HashSet<Register>,
    /// Registers that count half their width.
    half: HashSet<Register>,
}

impl Values {
    fn of(kernel: &Kernel, accesses: &[Accesses]) -> Self {
        Self {
            numbers: HashMap::new(),
            sizes: Vec::new(),
            varying: varying(kernel, accesses),
            half: kernel.code.iter().flat_map(|i| halved(&i.op)).collect(),
        }
    }

    /// Returns the numbers of the registers that count.
    fn counted(&mut self, registers: &[Register]) -> Vec<usize> {
        let numbers = registers.iter().filter_map(|&r| self.number(r));
        numbers.collect()
    }

    fn number(&mut self, register: Register) -> Option<usize> {
        let width = match register {
            Register::R32(_) => HALVES,
            Register::R64(_) => 2 * HALVES,
            Register::Pred(_) => return None,
        };
        if !self.varying.contains(&register) {
            return None;
        }
        let halved = self.half.contains(&register);
        Some(*self.numbers.entry(register).or_insert_with(|| {
            self.sizes.push(if halved { width / 2 } else { width });
            self.sizes.len() - 1
        }))
    }
}

/// Returns the registers to which an operation writes half of an existing value.
fn halved(op: &Op) -> Vec<Register> {
    let halves = |all: &[Option<R32>]| all.iter().flatten().map(|&r| r.into()).collect();
    let wide = |d: R64| vec![d.into()];
    match *op {
        Op::Alu(Alu::Unpack32 { lo, hi, .. }) => halves(&[lo, hi]),
        Op::Alu(Alu::Unpack64x4 { d, .. }) => halves(&d),
        Op::Alu(Alu::MulWide { d, .. }) => wide(d),
        Op::Alu(Alu::Cvt { from: Num::U32 | Num::S32, to: Num::U64 | Num::S64, d, .. }) => {
            vec![d.into()]
        }
        _ => Vec::new(),
    }
}

/// Returns the registers, including predicates, whose values may differ between the lanes of a
/// warp.
fn varying(kernel: &Kernel, accesses: &[Accesses]) -> HashSet<Register> {
    let lanes_own = kernel.specials.iter().filter(|s| differs(s.1));
    let mut varying: HashSet<Register> = lanes_own
        .map(|&(slot, _)| match slot {
            SpecialSlot::R32(r) => r.into(),
            SpecialSlot::R64(r) => r.into(),
        })
        .collect();
    let mut known = usize::MAX;
    while known != varying.len() {
        known = varying.len();
        for (instruction, accesses) in kernel.code.iter().zip(accesses) {
            let differs = if let Op::Ld(load) = &instruction.op {
                load.space != Space::Param
            } else {
                let is_alu = matches!(instruction.op, Op::Alu(_));
                !is_alu || accesses.reads.iter().any(|read| varying.contains(read))
            };
            if differs {
                varying.extend(&accesses.writes);
            }
        }
    }
    varying
}

/// Whether a special register differs between the lanes of a warp.
fn differs(special: Special) -> bool {
    match special {
        Special::Tid(_)
        | Special::LaneId
        | Special::LaneMaskEq
        | Special::LaneMaskLt
        | Special::LaneMaskLe
        | Special::LaneMaskGt
        | Special::LaneMaskGe => true,
        Special::Ntid(_)
        | Special::Ctaid(_)
        | Special::Nctaid(_)
        | Special::WarpId
        | Special::NwarpId
        | Special::SmId
        | Special::NsmId
        | Special::GridId
        | Special::ClusterId(_)
        | Special::NclusterId(_)
        | Special::ClusterCtaid(_)
        | Special::ClusterNctaid(_)
        | Special::ClusterCtarank
        | Special::ClusterNctarank
        | Special::IsExplicitCluster
        | Special::DynamicSharedSize
        | Special::TotalSharedSize
        | Special::EnvReg(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    /// Checks the most registers live in a kernel of these instructions, where `%rd1` is a pointer.
    #[track_caller]
    fn check(body: &str, expected: u32) {
        let text = format!(
            ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n\
             .reg .pred %p<9>;\n.reg .b16 %h<99>;\n.reg .b32 %r<99>;\n.reg .b64 %rd<99>;\n\
             ld.param.u64 %rd1, [p];\n{body}\nret;\n}}\n"
        );
        let module = crate::parse(&text).unwrap();
        assert_eq!(module.kernels[0].live_registers(), expected, "{body}");
    }

    #[test]
    fn values_that_overlap() {
        check("", 0);
        check("ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd1], %r1;", 1);
        check("ld.global.u64 %rd2, [%rd1]; st.global.u64 [%rd1], %rd2;", 2);
        // The second value reuses the register of the first.
        check("ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; st.global.u32 [%rd1], %r2;", 1);
        check("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];", 4);
    }

    #[test]
    fn many_at_once() {
        let (mut loads, mut stores) = (String::new(), String::new());
        for i in 1..=40 {
            write!(loads, "ld.global.u32 %r{i}, [%rd1+{}];", 4 * i).unwrap();
            write!(stores, "st.global.u32 [%rd1+{}], %r{i};", 4 * i).unwrap();
        }
        check(&(loads + &stores), 40);
    }

    #[test]
    fn the_same_in_a_whole_warp() {
        let load =
            "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; ld.global.u32 %r2, [%rd3];";
        check(&format!("mov.u32 %r1, %ctaid.x; {load}"), 1);
        check(&format!("mov.u32 %r1, %tid.x; {load}"), 2);
    }

    #[test]
    fn halves_stay_in_their_pair() {
        let unpack = "ld.global.u32 %r1, [%rd1]; mov.b32 {%h1, %h2}, %r1;";
        let store = "st.global.u16 [%rd1], %h2; st.global.u16 [%rd1+2], %h1;";
        check(&format!("{unpack} {store}"), 1);
        let four = "ld.global.u64 %rd2, [%rd1]; mov.b64 {%h1, %h2, %h3, %h4}, %rd2;";
        let rest = "st.global.u16 [%rd1+4], %h3; st.global.u16 [%rd1+6], %h4;";
        check(&format!("{four} {store} {rest}"), 2);
    }

    #[test]
    fn around_a_loop() {
        let load = "ld.global.u32 %r1, [%rd1]; mov.u32 %r2, %tid.x;";
        let count = "L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 9; @%p1 bra L;";
        // The first value is read behind the loop, so it is live within it. The second is read
        // within the loop, so it is live throughout.
        check(&format!("{load} {count} st.global.u32 [%rd1], %r1;"), 2);
        let within = "L: st.global.u32 [%rd1], %r1; add.u32 %r2, %r2, 1; ld.global.u32 %r3, [%rd1];
            setp.lt.u32 %p1, %r2, %r3; @%p1 bra L;";
        check(&format!("{load} {within}"), 3);
    }

    #[test]
    fn a_long_ladder_takes_no_time() {
        let (mut rungs, mut sum) = (String::new(), String::new());
        for i in 1..=4000 {
            write!(
                rungs,
                "ld.global.u32 %s{i}, [%rd1]; setp.eq.u32 %p1, %s{i}, 0; @%p1 bra L{i}; L{i}: "
            )
            .unwrap();
            write!(sum, "st.global.u32 [%rd1], %s{i};").unwrap();
        }
        check(&format!(".reg .b32 %s<4001>; {rungs} {sum}"), 4000);
    }

    #[test]
    fn a_guard_keeps_the_old_value() {
        let guarded = "ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4];
            setp.eq.u32 %p1, %r2, 0;";
        let store = "st.global.u32 [%rd1], %r1; st.global.u32 [%rd1], %r2;";
        check(&format!("{guarded} @%p1 mov.u32 %r1, 5; {store}"), 2);
        check(&format!("ld.global.u32 %r2, [%rd1+4]; mov.u32 %r1, %r2; {store}"), 2);
    }
}
