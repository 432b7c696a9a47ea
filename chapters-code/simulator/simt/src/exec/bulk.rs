//! `cp.async.bulk`: how copies start and advance, and how threads wait for their groups.

use ptx::ir::{BulkCopy, BulkDirection, BulkWait, Limits, ProxyFence, Space};

use super::memory::addresses;
use super::view::{Bytes, Device, View};
use super::{Exec, Flow};
use crate::access::{AccessKind, AccessSpace};
use crate::counters::lanes;
use crate::fault::{FaultKind, Step, Trap};
use crate::grid::Grid;
use crate::memory::Region;
use crate::observe::Observer;
use crate::proxy::{Bulk, Completion, Direction, Proxy, ProxyEvent};
use crate::registers::LaneMask;

/// The size and the addresses of a copy must be multiples of this.
const UNIT: u32 = 16;

/// Pending copies per block. A copy that starts beyond this limit waits until the oldest one has
/// ended.
const MOST_UNDER_WAY: usize = 1024;

/// The instruction's name in reports.
const NAME: &str = "cp.async.bulk";

impl<'a, O: Observer<'a>> Exec<'_, 'a, O> {
    /// Executes `cp.async.bulk`: starts one copy per active lane.
    #[inline(never)]
    pub(super) fn bulk(&mut self, copy: &BulkCopy, active: LaneMask) -> Step {
        self.warp.has_changed = true;
        let (to, from) =
            (addresses(&self.warp.registers, copy.dst), addresses(&self.warp.registers, copy.src));
        let objects = match copy.direction {
            BulkDirection::Load { mbarrier } => Some(addresses(&self.warp.registers, mbarrier)),
            BulkDirection::Store => None,
        };
        for lane in lanes(active) {
            let i = lane as usize;
            let direction = match objects {
                Some(objects) => {
                    let mbarrier = self.object_offset(Space::Shared, objects[i], lane, NAME)?;
                    self.expect_object(mbarrier, lane, NAME)?;
                    Direction::Load { mbarrier }
                }
                None => {
                    let group = self.proxy.copies.open_group((self.warp.index, lane));
                    Direction::Store { group }
                }
            };
            let (shared, global) = match direction {
                Direction::Load { .. } => (to[i], from[i]),
                Direction::Store { .. } => (from[i], to[i]),
            };
            let bytes = self.warp.registers.r32(copy.bytes)[i];
            while self.proxy.copies.count() >= MOST_UNDER_WAY {
                self.step(0)?;
            }
            self.check_bulk(direction, shared, global, bytes, lane)?;
            self.check_variable(copy, shared, bytes, lane)?;
            let bulk = self.proxy.copies.start(Bulk {
                id: 0,
                direction,
                shared: shared as u32,
                global,
                bytes,
                warp: self.warp.index,
                lane,
                pc: self.pc,
            });
            self.notify(ProxyEvent::Started(bulk));
        }
        Ok(())
    }

    /// Advances one pending bulk copy by a step.
    fn step(&mut self, index: usize) -> Step {
        let (grid, proxy) = (self.grid, &mut *self.proxy);
        self.warp.has_changed = true;
        step(grid, proxy, index, self.shared, self.observer).map_err(|(_, trap)| trap)
    }

    /// Checks the addresses and the size of a copy.
    fn check_bulk(
        &self,
        direction: Direction,
        shared: u64,
        global: u64,
        bytes: u32,
        lane: u32,
    ) -> Step {
        let fail = |kind, space: AccessSpace, cause: String| {
            Err(Trap::new(kind, Some(lane), cause).within(Some(space.into())))
        };
        let verbs = match direction {
            Direction::Load { .. } => ["write", "read"],
            Direction::Store { .. } => ["read", "write"],
        };
        let spaces = [(AccessSpace::Shared, shared), (AccessSpace::Global, global)];
        for ((space, address), verb) in spaces.into_iter().zip(verbs) {
            if !address.is_multiple_of(UNIT.into()) {
                let cause = format!(
                    "misaligned {verb} of `{NAME}` in {space} memory at {address:#x}: the address must be a multiple of {UNIT}"
                );
                return fail(FaultKind::MisalignedAddress, space, cause);
            }
        }
        if !bytes.is_multiple_of(UNIT) {
            let cause = format!("`{NAME}` of {bytes} bytes: the size must be a multiple of {UNIT}");
            return Err(Trap::new(FaultKind::IllegalInstruction, Some(lane), cause));
        }
        let size = self.shared.len() as u64;
        if bytes > 0 && shared.saturating_add(bytes.into()) > size {
            let verb = verbs[0];
            let cause = format!(
                "out-of-bounds {verb} of {bytes} bytes by `{NAME}` in shared memory at {shared:#x}: there are {size} bytes"
            );
            return fail(FaultKind::IllegalAddress, AccessSpace::Shared, cause);
        }
        let memory = &self.grid.memory;
        let region = memory.region(global);
        if bytes > 0 && region.is_none_or(|r| !r.contains(global, bytes.into())) {
            let (verb, end) = (verbs[1], global.saturating_add(u64::from(bytes) - 1));
            let outside = if region.is_some() { end } else { global };
            let location = memory.describe(outside);
            let cause = if memory.is_freed(global) {
                format!(
                    "{verb} of {bytes} bytes by `{NAME}` in freed global memory at {global:#x}: {location}"
                )
            } else {
                format!(
                    "out-of-bounds {verb} of {bytes} bytes by `{NAME}` in global memory at {global:#x}: its end, {end:#x}, {location}"
                )
            };
            let failed = fail(FaultKind::IllegalAddress, AccessSpace::Global, cause);
            return failed.map_err(|trap: Box<Trap>| trap.detailed(memory.leaves(outside)));
        }
        match direction {
            Direction::Load { .. } => Ok(()),
            Direction::Store { .. } => {
                self.check_protected(AccessKind::Store, bytes, || [global; 32], 1 << lane)
            }
        }
    }

    /// Checks that a copy stays within the variable in shared memory that its address comes from.
    fn check_variable(&mut self, copy: &BulkCopy, shared: u64, bytes: u32, lane: u32) -> Step {
        let (address, verb) = match copy.direction {
            BulkDirection::Load { .. } => (copy.dst, "write"),
            BulkDirection::Store => (copy.src, "read"),
        };
        let Limits { first, end } = address.limits;
        if bytes == 0 || shared >= first.into() && shared + u64::from(bytes) <= end.into() {
            return Ok(());
        }
        let view = Bytes::shared_within(self.shared, address.limits, self.grid.kernel);
        let cause = format!(
            "out-of-bounds {verb} of {bytes} bytes by `{NAME}` in shared memory at {shared:#x}: {}",
            view.describe(shared, bytes)
        );
        let trap = Trap::new(FaultKind::IllegalAddress, Some(lane), cause);
        Err(trap.within(Some(simt_report::Space::Shared)))
    }

    /// Executes `fence.proxy.async` and `fence.mbarrier_init`, which matter only to checking
    /// observers.
    #[inline(never)]
    pub(super) fn proxy_fence(&mut self, fence: ProxyFence, lanes: LaneMask) {
        let warp = self.warp.index;
        self.notify(ProxyEvent::Fenced { fence, warp, lanes });
    }

    /// Executes `cp.async.bulk.commit_group` and `wait_group`. The awaited copies complete now, as
    /// they might have done earlier.
    #[inline(never)]
    pub(super) fn bulk_wait(&mut self, wait: BulkWait, active: LaneMask) -> Step<Flow> {
        for lane in lanes(active) {
            let at = self.at(lane);
            let thread = (at.warp, at.lane);
            let committed = self.proxy.copies.open_group(thread) - 1;
            let (most, written) = match wait {
                BulkWait::Commit => {
                    self.proxy.copies.commit(thread);
                    continue;
                }
                BulkWait::Group(most) => (most, true),
                BulkWait::GroupRead(most) => (most, false),
            };
            let group = committed.saturating_sub(most);
            loop {
                let copies = &self.proxy.copies;
                let next = if written {
                    copies.of_groups(thread, group)
                } else {
                    copies.of_groups_unread(thread, group)
                };
                let Some(index) = next else { break };
                self.step(index)?;
            }
            self.notify(ProxyEvent::Waited { at, group, written });
        }
        self.pc += 1;
        Ok(Flow::Next)
    }
}

/// Advances one pending bulk copy by a step: it reads its source or, after that, writes its
/// destination and is done. It fails if its mbarrier was overwritten.
pub(crate) fn step<'a, O: Observer<'a>>(
    grid: &'a Grid<'a>,
    proxy: &mut Proxy,
    index: usize,
    shared: &mut [u8],
    observer: &mut O,
) -> Result<(), (Bulk, Box<Trap>)> {
    let copy = proxy.copies.get_mut(index);
    let bulk = copy.bulk;
    let mut region = Region::EMPTY;
    let mut memory = Memory {
        device: Device { memory: &grid.memory, region: &mut region },
        shared: Bytes::shared(shared),
    };
    let Some(data) = copy.data.take() else {
        copy.data = Some(memory.read(&bulk));
        return Ok(());
    };
    memory.write(&bulk, &data);
    proxy.copies.remove(index);
    let Direction::Load { mbarrier } = bulk.direction else {
        return Ok(());
    };
    match complete(proxy, mbarrier, bulk.bytes, shared) {
        Ok(completion) if O::CHECKS => observer.proxy(&ProxyEvent::Loaded { bulk, completion }),
        Ok(_) => {}
        Err(cause) => {
            let location = grid.kernel.shared_location(mbarrier);
            let cause = format!("the end of `{NAME}` is counted at {location}{cause}");
            let kind = FaultKind::IllegalInstruction;
            return Err((bulk, Trap::new(kind, Some(bulk.lane), cause)));
        }
    }
    Ok(())
}

/// Subtracts completed bytes from the mbarrier's count, or describes what is wrong with the object.
fn complete(
    proxy: &mut Proxy,
    mbarrier: u32,
    bytes: u32,
    shared: &mut [u8],
) -> Result<Completion, String> {
    let found = proxy.mbarriers.get(mbarrier, shared);
    let mut object = found.map_err(|absent| format!(", {absent}"))?;
    let completion = object.complete(bytes);
    let completion = completion.map_err(|misuse| format!(": {misuse}"))?;
    proxy.mbarriers.put(mbarrier, object, shared);
    Ok(completion)
}

/// The two memories of a copy. Its start has checked that the bytes are mapped.
struct Memory<'m> {
    device: Device<'m>,
    shared: Bytes<'m>,
}

impl Memory<'_> {
    fn read(&mut self, bulk: &Bulk) -> Vec<u8> {
        let mut data = Vec::with_capacity(bulk.bytes as usize);
        for at in (0..u64::from(bulk.bytes)).step_by(UNIT as usize) {
            let part: Option<[u8; UNIT as usize]> = match bulk.direction {
                Direction::Load { .. } => self.device.load(bulk.global + at),
                Direction::Store { .. } => self.shared.load(u64::from(bulk.shared) + at),
            };
            data.extend(part.unwrap_or_default());
        }
        data
    }

    fn write(&mut self, bulk: &Bulk, data: &[u8]) {
        let written = match bulk.direction {
            Direction::Load { .. } => self.shared.write(bulk.shared.into(), data),
            Direction::Store { .. } => self.device.write(bulk.global, data),
        };
        debug_assert!(written.is_some() || data.is_empty());
    }
}
