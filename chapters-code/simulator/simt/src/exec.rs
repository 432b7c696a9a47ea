//! Executes one warp: the loop over its instructions.
//!
//! The loop, in [`run`], handles control flow. [`crate::alu`] executes register instructions,
//! [`memory`] memory accesses, and [`collective`] what lanes do together. The loop runs one split
//! of the warp (see [`crate::converge`]) until the split has to wait, diverges, ends, or has used
//! up its time slice.

mod atomic;
pub(crate) mod bulk;
mod checks;
mod cluster;
pub(crate) mod code;
mod collective;
mod control;
mod independent;
mod mbarrier;
mod memory;
mod protected;
mod quads;
mod rows;
mod run;
mod runtime;
mod shuffle;
mod transfer;
mod view;
mod weak;
mod words;

use ptx::ir::{Atom, ClusterOp, Load, Op, R32, R64, Shuffle, Store};

use crate::alu::multiversion;
use crate::barrier::Barriers;
use crate::cluster::Peers;
use crate::converge::{NOWHERE, Splits, Waiting};
use crate::fault::{FaultKind, Step, Trap};
use crate::grid::Grid;
use crate::memory::Region;
use crate::observe::Observer;
use crate::proxy::Proxy;
use crate::registers::{LaneMask, Registers};
use independent::Parting;
use transfer::Shape;

/// The state of one warp of a block.
pub(crate) struct Warp {
    /// The warp's number in the block.
    pub index: u32,
    /// The number of the block.
    pub block: u64,
    pub registers: Registers,
    pub splits: Splits,
    /// Local memory of all lanes, one lane after the other.
    pub local: Vec<u8>,
    /// The allocation that the last access went to.
    region: Region,
    /// The warp's clock: the instructions that it has executed in all blocks so far.
    clock: u64,
    /// Atomics and strong loads since the warp was last known to be converged. Through these a
    /// split may wait for another.
    polls: u32,
    /// The instruction that polled last, or [`NOWHERE`].
    pub polled_at: u32,
    /// Consecutive polls between which the warp has changed nothing.
    spins: u32,
    /// Whether, since its last poll, the warp has done something that may let others continue.
    pub has_changed: bool,
    /// Whether, before its last poll, the warp had done something that may let others continue.
    had_changed: bool,
    /// The lanes that have arrived at the barrier of the cluster in its present phase.
    arrived_in_cluster: LaneMask,
    /// The lanes that have arrived at the barrier of the cluster and not waited since.
    owes_cluster_wait: LaneMask,
    /// When its lanes part at accesses to memory.
    parting: Parting,
}

impl Warp {
    pub fn new(index: u32, grid: &Grid<'_>) -> Self {
        let mut registers = Registers::new(grid.kernel.ir());
        for &(r, value) in grid.kernel.constants32() {
            registers.write32(r, LaneMask::MAX, &[value; 32]);
        }
        for &(r, value) in grid.kernel.constants64() {
            registers.write64(r, LaneMask::MAX, &[value; 32]);
        }
        for &(p, value) in &grid.kernel.ir().constant_predicates {
            registers.set_pred(p, if value { LaneMask::MAX } else { 0 }, LaneMask::MAX);
        }
        let local = vec![0; 32 * grid.kernel.ir().local_bytes as usize];
        let splits = Splits::default();
        Self {
            index,
            block: 0,
            registers,
            splits,
            local,
            region: Region::EMPTY,
            clock: 0,
            polls: 0,
            polled_at: NOWHERE,
            spins: 0,
            has_changed: false,
            had_changed: false,
            arrived_in_cluster: 0,
            owes_cluster_wait: 0,
            parting: Parting::default(),
        }
    }

    /// Starts with these lanes in the block of this number.
    pub fn start(&mut self, block: u64, lanes: LaneMask) {
        self.block = block;
        self.splits.restart(lanes);
        (self.arrived_in_cluster, self.owes_cluster_wait) = (0, 0);
        self.parting = Parting::default();
    }

    /// Returns the lanes that have arrived at the barrier of the cluster in its present phase.
    pub fn arrived_in_cluster(&self) -> LaneMask {
        self.arrived_in_cluster
    }

    /// Begins the next phase of the barrier of the cluster: lanes that wait there continue.
    pub fn pass_cluster_barrier(&mut self) {
        for split in self.splits.iter().filter(|p| p.waiting == Waiting::ClusterBarrier) {
            self.owes_cluster_wait &= !split.mask;
        }
        self.arrived_in_cluster = 0;
        self.splits.release(Waiting::ClusterBarrier);
    }

    /// Notes that the instruction at `pc` reads what the warp may be waiting for.
    fn note_poll(&mut self, pc: u32) {
        self.polls += 1;
        self.polled_at = pc;
        self.spins += 1;
        if std::mem::take(&mut self.has_changed) {
            self.had_changed = true;
            self.spins = 0;
        }
    }

    /// Returns the number of consecutive polls between which the warp has changed nothing.
    pub fn spins(&self) -> u32 {
        if self.has_changed { 0 } else { self.spins }
    }

    /// Whether, since the last call, the warp has done something that may let others continue.
    pub fn take_change(&mut self) -> bool {
        std::mem::take(&mut self.has_changed) | std::mem::take(&mut self.had_changed)
    }
}

/// Why a warp stopped running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pause {
    /// All its lanes have exited.
    Finished,
    /// All its paths wait.
    Blocked,
    /// Its time slice is over.
    SliceOver,
    /// It seems to wait for other threads to change memory, so it gives up the rest of its time
    /// slice.
    Spinning,
    /// It lets other blocks run.
    Yielding,
    /// Lanes have arrived at this block barrier. They wait there, unless the barrier is only an
    /// arrival.
    Arrived(u8),
    /// These lanes have arrived at the barrier of the cluster, and continue.
    ArrivedInCluster(LaneMask),
    /// Lanes have exited, which may complete a barrier. Other lanes continue.
    Exited(LaneMask),
}

/// What an instruction does to the split that executes it.
enum Flow {
    /// Continue with the next instruction.
    Next,
    /// The splits have changed: select again which one runs.
    Switch,
    /// Leave the warp, for the reason noted in [`Exec::pause`]. It is not in here: what is put together
    /// from parts and taken out as a whole makes the CPU wait.
    Pause,
}

/// A warp that is being executed, and its surroundings.
pub(crate) struct Exec<'b, 'a, O> {
    pub grid: &'a Grid<'a>,
    pub warp: &'b mut Warp,
    pub shared: &'b mut [u8],
    pub barriers: &'b mut Barriers,
    pub proxy: &'b mut Proxy,
    pub observer: &'b mut O,
    /// The other blocks of the cluster.
    pub peers: &'b mut Peers<O>,
    /// Instructions left in the time slice.
    pub budget: u32,
    /// The instruction that is being executed.
    pub pc: u32,
    /// Why the warp has paused.
    pub pause: &'b mut Pause,
}

impl<'a, O: Observer<'a>> Exec<'_, 'a, O> {
    /// Runs the warp until it pauses.
    pub fn run(&mut self) -> Step {
        self.warp.clock += u64::from(self.budget);
        let ran = self.run_splits();
        self.warp.clock -= u64::from(self.budget);
        ran
    }

    /// Makes the warp pause.
    #[inline(always)]
    fn pause(&mut self, pause: Pause) -> Flow {
        *self.pause = pause;
        Flow::Pause
    }

    multiversion! {
        impl ['a, O: Observer<'a>] Exec<'_, 'a, O>, isa: |exec| exec.grid.isa;
        /// Executes `ld`.
        fn load(load: &Load, shape: Shape, mask: LaneMask) -> Step = load_inline;
        /// Fast path for contiguous 32-bit loads. Returns false if it is not applicable.
        fn load_words(load: &Load, read_only: bool, mask: LaneMask) -> bool = load_words_inline;
        /// Fast path for contiguous 32-bit stores. Returns false if it is not applicable.
        fn store_words(store: &Store, mask: LaneMask) -> bool = store_words_inline;
        /// Executes `st`.
        fn store(store: &Store, shape: Shape, mask: LaneMask) -> Step = store_inline;
        /// Executes `atom` and `red`.
        fn atomic(atom: &Atom, mask: LaneMask) -> Step = atomic_inline;
        /// Executes `shfl.sync` for lanes that have all arrived.
        fn shuffle(shuffle: &Shuffle, active: LaneMask) -> () = shuffle_inline;
        /// Sets a 32-bit register to the same value in all lanes.
        fn fill(d: R32, value: u32, mask: LaneMask) -> () = fill_inline;
        /// Sets a 64-bit register to the same value in all lanes.
        fn fill64(d: R64, value: u64, mask: LaneMask) -> () = fill64_inline;
        /// Runs the splits of the warp until it pauses.
        fn run_splits() -> Step = run_splits_inline;
    }

    #[inline(always)]
    fn fill_inline(&mut self, d: R32, value: u32, mask: LaneMask) {
        self.warp.registers.write32(d, mask, &[value; 32]);
    }

    #[inline(always)]
    fn fill64_inline(&mut self, d: R64, value: u64, mask: LaneMask) {
        self.warp.registers.write64(d, mask, &[value; 32]);
    }

    /// Executes any operation. The loop in [`run`] calls it only for those that are not frequent.
    #[inline(never)]
    fn execute(&mut self, split: usize, active: LaneMask, mask: LaneMask) -> Step<Flow> {
        let grid = self.grid;
        let op = &grid.kernel.ir().code[self.pc as usize].op;
        match op {
            Op::Alu(alu) => {
                let registers = &mut self.warp.registers;
                grid.isa.execute(alu, registers, active, &grid.windows);
            }
            Op::Ld(_) | Op::St(_) | Op::Atom(_) | Op::CpAsync { .. } if self.may_part(mask) => {
                return Ok(self.part(split, mask));
            }
            Op::Ld(load) => {
                self.load_weakly(load, active)?;
                return Ok(self.accessed(split, active));
            }
            Op::St(store) => {
                self.store_weakly(store, active)?;
                return Ok(self.accessed(split, active));
            }
            Op::Atom(atom) => {
                self.atomic_weakly(atom, active)?;
                return Ok(self.accessed(split, active));
            }
            Op::Bra(branch) => {
                let Some(next) = self.branch(split, branch, mask, (self.pc, self.budget)) else {
                    return Ok(Flow::Switch);
                };
                self.pc = next;
                return Ok(Flow::Next);
            }
            Op::CpAsync { dst, src, bytes, src_bytes } => {
                self.copy_async(*dst, *src, u32::from(*bytes), *src_bytes, active)?;
            }
            Op::Nop | Op::Nanosleep { .. } => {}
            Op::CpAsyncWait(wait) => self.observer.copies_waited(self.warp.index, *wait, active),
            Op::Fence(fence) => {
                self.fence(fence.scope, active);
                if self.fence_weakly(*fence, active) {
                    self.warp.splits.get_mut(split).pc = self.pc + 1;
                    self.end_slice(split);
                    return Ok(self.pause(Pause::Yielding));
                }
            }
            Op::Mbarrier(mbarrier) => return self.mbarrier(split, mbarrier, active),
            Op::Bulk(copy) => self.bulk(copy, active)?,
            Op::BulkWait(wait) => return self.bulk_wait(*wait, active),
            Op::ProxyFence(fence) => self.proxy_fence(*fence, active),
            Op::Exit => return Ok(self.exit(split, active)),
            Op::Trap => {
                let lane = Some(active.trailing_zeros());
                return Err(Trap::new(FaultKind::Trap, lane, "executed `trap`"));
            }
            Op::BrxIdx { index, targets, reconverge } => {
                return self.branch_indexed(split, *index, targets, *reconverge, active);
            }
            Op::Cluster(op) if !matches!(op, ClusterOp::Wait) => {
                return self.in_cluster(split, op, active);
            }
            // The guard is false in some lanes. Those continue, and the others execute this again.
            op if active != mask && !self.proceeds_alone(op, active) => {
                let targets = [self.pc, self.pc + 1];
                self.warp.splits.diverge(split, active, targets, None);
                return Ok(Flow::Switch);
            }
            Op::Bar(bar) => return self.barrier(split, bar, active),
            Op::Cluster(op) => return self.in_cluster(split, op, active),
            Op::Warp(collective) => return self.collective(split, collective, active),
            Op::ActiveMask { d } => self.active_mask(*d, active),
            Op::ReadClock { d, high } => {
                self.warp.has_changed = true;
                let clock = self.clock_now();
                let value = if *high { clock >> 32 } else { clock } as u32;
                self.write32(*d, active, &[value; 32]);
            }
            Op::ReadClock64 { d, global_timer } => {
                self.warp.has_changed = true;
                let now = if *global_timer { runtime::nanoseconds() } else { self.clock_now() };
                self.warp.registers.write64(*d, active, &[now; 32]);
            }
            Op::Vprintf { d, format, args } => {
                self.warp.has_changed = true;
                self.vprintf(*d, *format, *args, active)?;
            }
            Op::AssertFail { message, file, line, function } => {
                return Err(self.assert_fail(*message, *file, *line, *function, active));
            }
        }
        self.pc += 1;
        Ok(Flow::Next)
    }

    #[inline(always)]
    fn write32(&mut self, d: R32, mask: LaneMask, values: &[u32; 32]) {
        self.warp.registers.write32(d, mask, values);
    }

    /// Returns the value of a 32-bit register in the first active lane.
    fn first32(&self, r: R32, active: LaneMask) -> u32 {
        self.warp.registers.r32(r)[active.trailing_zeros() as usize & 31]
    }

    fn first64(&self, r: R64, active: LaneMask) -> u64 {
        self.warp.registers.r64(r)[active.trailing_zeros() as usize & 31]
    }

    /// Returns the warp's clock, which its own instructions advance.
    fn clock_now(&self) -> u64 {
        self.warp.clock - u64::from(self.budget)
    }
}
