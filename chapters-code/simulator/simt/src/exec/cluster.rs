//! What a block does in its cluster: the barrier of the cluster, addresses in the shared memory of other
//! blocks, and accesses there.
//!
//! An address in the window of a cluster is an offset in the thread's own block if it is below
//! [`BLOCK_WINDOW`]. `mapa` returns such an offset for the own rank, and for another one it adds
//! (rank + 1) × [`BLOCK_WINDOW`]. On an H200 the own address has its rank in it as well, so that a thread
//! may give it to another block. Here another block needs `mapa` for that.

use ptx::ir::{Atom, ClusterOp, Space};

use super::collective::alike;
use super::rows::each_lane;
use super::transfer::{Elements, Shape, Transfer, aligned};
use super::view::Bytes;
use super::{Exec, Flow, Pause};
use crate::access::AccessSpace;
use crate::converge::Waiting;
use crate::counters::lanes;
use crate::fault::{FaultKind, Step, Trap};
use crate::module::{BLOCK_WINDOW, SHARED_WINDOW};
use crate::observe::Observer;
use crate::registers::LaneMask;

/// The bits of an address above the offset in a block.
const RANK: u32 = BLOCK_WINDOW.trailing_zeros();
/// The largest rank that an address can hold.
const MOST: u32 = (1 << (32 - RANK)) - 2;

impl<'a, O: Observer<'a>> Exec<'_, 'a, O> {
    /// Executes an instruction for the blocks of a cluster.
    #[inline(never)]
    pub(super) fn in_cluster(
        &mut self,
        split: usize,
        op: &ClusterOp,
        active: LaneMask,
    ) -> Step<Flow> {
        match *op {
            ClusterOp::Arrive { releases } => {
                return self.arrive_in_cluster(split, releases, active);
            }
            ClusterOp::Wait => return self.wait_in_cluster(split, active),
            ClusterOp::Mapa32 { d, a, rank } => {
                let (a, ranks) = (*self.warp.registers.r32(a), *self.warp.registers.r32(rank));
                let mapped = each_lane(|lane| self.mapped(a[lane].into(), ranks[lane]) as u32);
                self.write32(d, active, &mapped);
            }
            ClusterOp::Mapa64 { space, d, a, rank } => {
                let (a, ranks) = (*self.warp.registers.r64(a), *self.warp.registers.r32(rank));
                let base = base(space);
                let mapped = each_lane(|lane| {
                    base.wrapping_add(self.mapped(a[lane].wrapping_sub(base), ranks[lane]))
                });
                self.warp.registers.write64(d, active, &mapped);
            }
            ClusterOp::Rank32 { d, a } => {
                let a = *self.warp.registers.r32(a);
                let ranks = each_lane(|lane| self.rank_of(a[lane].into()));
                self.write32(d, active, &ranks);
            }
            ClusterOp::Rank64 { space, d, a } => {
                let (a, base) = (*self.warp.registers.r64(a), base(space));
                let ranks = each_lane(|lane| self.rank_of(a[lane].wrapping_sub(base)));
                self.write32(d, active, &ranks);
            }
        }
        self.pc += 1;
        Ok(Flow::Next)
    }

    /// Returns the address of the same byte in the block of this rank.
    fn mapped(&self, address: u64, rank: u32) -> u64 {
        let offset = address % BLOCK_WINDOW;
        match rank {
            own if own == self.peers.own_rank() => offset,
            other => u64::from(other.min(MOST) + 1) << RANK | offset,
        }
    }

    /// Returns the rank of the block that an address is in.
    pub(super) fn rank_of(&self, address: u64) -> u32 {
        match (address >> RANK) as u32 {
            0 => self.peers.own_rank(),
            above => above - 1,
        }
    }

    fn arrive_in_cluster(&mut self, split: usize, releases: bool, active: LaneMask) -> Step<Flow> {
        let again = active & self.warp.owes_cluster_wait;
        if again != 0 {
            let cause = "arrives twice at the barrier of the cluster without waiting in between, which \
                         PTX leaves undefined";
            let lane = Some(again.trailing_zeros());
            return Err(Trap::new(FaultKind::IllegalInstruction, lane, cause));
        }
        if O::CHECKS {
            self.observer.arrived_in_cluster(self.warp.index, active, releases);
        }
        self.warp.has_changed = true;
        self.warp.arrived_in_cluster |= active;
        self.warp.owes_cluster_wait |= active;
        self.warp.splits.get_mut(split).pc = self.pc + 1;
        Ok(self.pause(Pause::ArrivedInCluster(active)))
    }

    fn wait_in_cluster(&mut self, split: usize, active: LaneMask) -> Step<Flow> {
        let absent = active & !self.warp.owes_cluster_wait;
        if absent != 0 {
            let cause = "waits at the barrier of the cluster without having arrived there, which PTX \
                         leaves undefined";
            let lane = Some(absent.trailing_zeros());
            return Err(Trap::new(FaultKind::IllegalInstruction, lane, cause));
        }
        if active & self.warp.arrived_in_cluster != 0 {
            let split = self.warp.splits.get_mut(split);
            (split.pc, split.waiting) = (self.pc, Waiting::ClusterBarrier);
            return Ok(Flow::Switch);
        }
        self.warp.owes_cluster_wait &= !active;
        if O::CHECKS {
            self.observer.cluster_barrier_passed(self.warp.index, active);
        }
        self.pc += 1;
        Ok(Flow::Next)
    }

    /// Loads or stores at addresses in the window of the cluster.
    #[inline(never)]
    pub(super) fn transfer_in_cluster<T: Transfer>(
        &mut self,
        transfer: &T,
        shape: Shape,
        addresses: &[u64; 32],
        mask: LaneMask,
    ) -> Step {
        for (rank, part, offsets) in self.by_block(addresses, mask) {
            let at = Elements::new(&offsets, part, shape);
            if rank == self.peers.own_rank() {
                self.transfer_in_shared_apart(transfer, at)?;
                continue;
            }
            self.notify_peer(rank, at)?;
            let Some(peer) = self.peers.get(rank) else { return Err(absent_block(rank, part)) };
            if transfer.as_store().is_some() {
                peer.note_change();
            }
            let mut view = Bytes::shared(peer.shared_mut());
            transfer
                .by_lanes(&mut view, &mut self.warp.registers, at)
                .map_err(|trap| in_block(trap, rank))?;
        }
        Ok(())
    }

    /// Executes an atomic at addresses in the window of the cluster.
    #[inline(never)]
    pub(super) fn atomic_cluster(
        &mut self,
        atom: &Atom,
        addresses: &[u64; 32],
        mask: LaneMask,
    ) -> Step {
        for (rank, part, offsets) in self.by_block(addresses, mask) {
            if rank == self.peers.own_rank() {
                self.atomic_shared(atom, &offsets, part)?;
            } else {
                self.atomic_peer(rank, atom, &offsets, part)
                    .map_err(|trap| in_block(trap, rank))?;
            }
        }
        Ok(())
    }

    /// Returns the shared memory of another block, or the fault of lanes that access it although it
    /// is not there.
    pub(super) fn peer(&mut self, rank: u32, mask: LaneMask) -> Step<Bytes<'_>> {
        match self.peers.get(rank) {
            Some(block) if !block.is_finished() => Ok(Bytes::shared(block.shared_mut())),
            Some(_) => Err(exited(rank, mask)),
            None => Err(absent_block(rank, mask)),
        }
    }

    /// Notes a change of another block's shared memory.
    pub(super) fn peer_changed(&mut self, rank: u32) {
        if let Some(block) = self.peers.get(rank) {
            block.note_change();
        }
    }

    /// Checks a load or store in another block, and informs the observer.
    fn notify_peer(&mut self, rank: u32, at: Elements<'_>) -> Step {
        aligned(at.shape, &at.addresses.all(), at.mask)?;
        self.peer(rank, at.mask)?;
        let access = self.as_access(AccessSpace::Shared, at);
        self.observer.access_in_cluster(&access, rank);
        Ok(())
    }

    /// Returns the blocks that addresses are in: rank, lanes, and the offsets of all lanes.
    fn by_block(
        &self,
        addresses: &[u64; 32],
        mask: LaneMask,
    ) -> impl Iterator<Item = (u32, LaneMask, [u64; 32])> + use<'a, O> {
        let ranks = each_lane(|lane| self.rank_of(addresses[lane]));
        let offsets = each_lane(|lane| addresses[lane] % BLOCK_WINDOW);
        let mut rest = mask;
        std::iter::from_fn(move || {
            let rank = ranks[lanes(rest).next()? as usize];
            let part = alike(&ranks, rest, rank);
            rest &= !part;
            Some((rank, part, offsets))
        })
    }
}

/// Returns the generic address of address 0 of the window, for an address in this space.
fn base(space: Space) -> u64 {
    if space == Space::Generic { SHARED_WINDOW } else { 0 }
}

#[cold]
fn exited(rank: u32, mask: LaneMask) -> Box<Trap> {
    let cause = format!(
        "accesses the shared memory of the block of rank {rank} of its cluster, which has exited: a \
         barrier of the cluster before that block's end is missing"
    );
    unmapped(cause, mask)
}

#[cold]
fn absent_block(rank: u32, mask: LaneMask) -> Box<Trap> {
    let cause = format!(
        "accesses the shared memory of a block of rank {rank}, which its cluster does not have"
    );
    unmapped(cause, mask)
}

fn unmapped(cause: String, mask: LaneMask) -> Box<Trap> {
    let trap = Trap::new(FaultKind::ClusterAddress, Some(mask.trailing_zeros()), cause);
    trap.within(Some(simt_report::Space::Shared))
}

/// Adds to an illegal address in another block which one it is.
#[cold]
fn in_block(mut trap: Box<Trap>, rank: u32) -> Box<Trap> {
    if trap.kind == FaultKind::IllegalAddress {
        trap.kind = FaultKind::ClusterAddress;
        trap.cause += &format!(", in the block of rank {rank} of the cluster");
    }
    trap
}
