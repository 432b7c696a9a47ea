//! How the detectors handle events of mbarriers and bulk copies.

use super::proxy::{self, ProxyFinding};
use super::{Event, Finding, Races};
use crate::access::{AccessKind, AccessSpace, Strength};
use crate::counters::lanes;
use crate::proxy::{At, Bulk, Completion, Direction, MBARRIER_BYTES, ProxyEvent};

impl Races<'_> {
    /// Handles an event of mbarriers or bulk copies.
    #[inline(never)]
    pub(super) fn proxy_event(&mut self, event: &ProxyEvent) {
        match *event {
            ProxyEvent::Initialised { mbarrier, at, was_live } => {
                self.initialised(mbarrier, at, was_live)
            }
            ProxyEvent::Invalidated { mbarrier, at } => {
                self.touch_object(mbarrier, at, AccessKind::Store);
            }
            ProxyEvent::Overwritten { mbarrier } => self.overwritten(mbarrier),
            ProxyEvent::Counted { mbarrier, at, completion } => {
                self.arrived(mbarrier, at, false, completion)
            }
            ProxyEvent::Arrived { mbarrier, at, releases, completion } => {
                self.arrived(mbarrier, at, releases, completion)
            }
            ProxyEvent::Tested { mbarrier, at, acquires, .. } => {
                self.tested(mbarrier, at, acquires)
            }
            ProxyEvent::Fenced { fence, warp, lanes: mask } => {
                for lane in lanes(mask) {
                    self.proxy.fenced(32 * warp + lane);
                    proxy::fence(&mut self.clocks, fence, warp, lane);
                }
                self.clocks.advance(warp);
            }
            ProxyEvent::Started(bulk) => self.started(&bulk),
            ProxyEvent::Loaded { bulk, completion } => self.proxy.loaded(&bulk, completion),
            ProxyEvent::Waited { at, group, written } => {
                self.proxy.waited(&mut self.clocks, at, group, written);
            }
            ProxyEvent::Ended => {
                let findings = &mut self.findings;
                let mut found = |finding| super::add(findings, Finding::Proxy(finding));
                self.proxy.ended(&self.clocks, &mut found);
            }
        }
    }

    /// Notes an access to an object by an mbarrier instruction.
    fn touch_object(&mut self, mbarrier: u32, at: At, kind: AccessKind) -> Event {
        let strength = match kind {
            AccessKind::Store => Strength::Weak,
            AccessKind::Load | AccessKind::Atomic => Strength::Strong,
        };
        let epoch = self.clocks.epoch(at.warp);
        let event = Event::new(at.pc, epoch, at.warp, kind, strength).by(at.lane, 0);
        let range = (u64::from(mbarrier), MBARRIER_BYTES);
        let race = self.shared.range(&self.clocks, range, event);
        // The history forgets the initialising thread at the first arrival.
        let race = race.or_else(|| self.proxy.init_race(&self.clocks, mbarrier, event));
        race.into_iter().for_each(|finding| self.add(finding));
        event
    }

    fn initialised(&mut self, mbarrier: u32, at: At, was_live: bool) {
        let init = self.touch_object(mbarrier, at, AccessKind::Store);
        self.proxy.initialised(mbarrier, init);
        // A new epoch separates what precedes the fence from what follows it.
        self.clocks.advance(at.warp);
        if was_live {
            let finding = ProxyFinding::Reinitialised { init, mbarrier };
            self.add(Finding::Proxy(finding));
        }
    }

    fn overwritten(&mut self, mbarrier: u32) {
        let words = [mbarrier, mbarrier + 4];
        let writes = words.map(|word| self.shared.writer(word.into()));
        let plain = |write: &Event| write.is_some() && write.kind() == AccessKind::Store;
        if let Some(write) = writes.into_iter().flatten().find(plain) {
            let finding = ProxyFinding::Overwritten { write, mbarrier };
            self.add(Finding::Proxy(finding));
        }
    }

    fn arrived(&mut self, mbarrier: u32, at: At, releases: bool, completion: Completion) {
        self.touch_object(mbarrier, at, AccessKind::Atomic);
        let clocks = releases.then_some(&mut self.clocks);
        self.proxy.arrived(mbarrier, at, clocks, completion);
        if releases {
            self.clocks.advance(at.warp);
        }
    }

    fn tested(&mut self, mbarrier: u32, at: At, acquires: bool) {
        if acquires && let Some(learned) = self.proxy.completed(mbarrier) {
            self.clocks.learn(at.warp, at.lane, learned);
        }
        self.touch_object(mbarrier, at, AccessKind::Load);
    }

    fn started(&mut self, bulk: &Bulk) {
        let Some(accesses) = self.proxy.started(bulk) else {
            return;
        };
        if let Direction::Load { mbarrier } = bulk.direction {
            let copy = accesses.shared;
            let unseen = self.proxy.unfenced_init(&self.clocks, mbarrier, copy);
            unseen.into_iter().for_each(|finding| self.add(finding));
        }
        let (shared, global) = ((u64::from(bulk.shared), bulk.bytes), (bulk.global, bulk.bytes));
        let found = [
            self.shared.range(&self.clocks, shared, accesses.shared),
            self.global.range(&self.clocks, global, accesses.global),
        ];
        for finding in found.into_iter().flatten() {
            let finding = self.fence_or_race(finding);
            self.add(finding);
        }
        let sides = [
            (AccessSpace::Shared, shared, accesses.shared),
            (AccessSpace::Global, global, accesses.global),
        ];
        for (space, range, event) in sides {
            let unwritten = self.uninitialised.range(space, range, event);
            unwritten.into_iter().for_each(|finding| self.add(finding));
        }
    }

    /// If everything but a fence orders a copy after an ordinary access, reports the missing fence.
    fn fence_or_race(&self, finding: Finding) -> Finding {
        let (earlier, copy, space, at) = match finding {
            Finding::Shared { first, second, offset } => {
                (first, second, AccessSpace::Shared, u64::from(offset))
            }
            Finding::Global { first, second, address, first_block, .. }
                if first_block == self.block =>
            {
                (first, second, AccessSpace::Global, address)
            }
            other => return other,
        };
        if earlier.is_asynchronous() || !self.clocks.precedes(&earlier, &copy) {
            return finding;
        }
        Finding::Proxy(ProxyFinding::Unfenced { earlier, copy, space, at })
    }
}
