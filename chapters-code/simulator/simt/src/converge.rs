//! How the lanes of a warp part and meet again.
//!
//! A warp is a set of **paths**: lanes at one instruction. A branch that lanes take differently
//! splits a path, and a **meeting** is noted: the branch's immediate post-dominator, and the lanes
//! expected there. A path that gets there waits for the others; when all have come (or exited)
//! they go on as one path. This is what compilers for Volta and later do with convergence
//! barriers.
//!
//! Each path makes progress independently of the others: a path that waits at a meeting while others
//! of its warp keep polling memory goes on alone at last. So a lane that holds a lock is never held
//! up for good by lanes that spin on it.
//!
//! Invariants: the masks of a warp's paths are disjoint, none is empty, and their union is the set
//! of lanes that have not exited. A meeting's `arrived` is the union of the paths that wait at it,
//! and a subset of `expected`.

use crate::registers::LaneMask;

/// No meeting.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// Why a path does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// It can run.
    No,
    /// At its meeting, for the other lanes.
    Meeting,
    /// At a block barrier.
    Barrier(u8),
    /// At `bar.warp.sync`, for these lanes.
    WarpSync(LaneMask),
    /// At a shuffle, vote, match or reduction, for these lanes.
    Collective(LaneMask),
}

/// Lanes at one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Path {
    pub pc: u32,
    pub mask: LaneMask,
    /// Index of the meeting that this path is on its way to, or [`NOWHERE`].
    pub meeting: u32,
    pub waiting: Waiting,
}

/// A place where lanes meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Meeting {
    pc: u32,
    expected: LaneMask,
    arrived: LaneMask,
    /// Where the lanes are expected after this one.
    outer: u32,
}

/// The paths of a warp, and their meetings. A meeting with no lanes expected is free.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Paths {
    paths: Vec<Path>,
    meetings: Vec<Meeting>,
}

impl Paths {
    /// All lanes of `mask` at the first instruction.
    pub fn restart(&mut self, mask: LaneMask) {
        self.meetings.clear();
        self.paths.clear();
        self.paths.push(Path {
            pc: 0,
            mask,
            meeting: NOWHERE,
            waiting: Waiting::No,
        });
    }

    /// The lanes that have not exited.
    pub fn alive(&self) -> LaneMask {
        self.paths.iter().fold(0, |all, p| all | p.mask)
    }

    pub fn is_finished(&self) -> bool {
        self.paths.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter()
    }

    pub fn get_mut(&mut self, index: usize) -> &mut Path {
        &mut self.paths[index]
    }

    pub fn get(&self, index: usize) -> Path {
        self.paths[index]
    }

    /// The instruction at which a path is expected, or [`NOWHERE`].
    #[inline(always)]
    pub fn meeting_pc(&self, meeting: u32) -> u32 {
        if meeting == NOWHERE {
            NOWHERE
        } else {
            self.meetings[meeting as usize].pc
        }
    }

    /// True if it takes another warp for any of these to run again, if there are any. May be false
    /// all the same where there are several.
    #[inline(always)]
    pub fn is_stuck(&self) -> bool {
        match self.paths[..] {
            [] => true,
            [only] => !matches!(only.waiting, Waiting::No | Waiting::Meeting),
            _ => false,
        }
    }

    /// A path that can run: the latest one. If all wait and some of them at a meeting, those go on
    /// alone.
    #[inline(always)]
    pub fn runnable(&mut self) -> Option<usize> {
        match self.paths[..] {
            [only] if only.waiting == Waiting::No => Some(0),
            _ => self.runnable_of_several(),
        }
    }

    #[inline(never)]
    fn runnable_of_several(&mut self) -> Option<usize> {
        loop {
            let ready = self.paths.iter().rposition(|p| p.waiting == Waiting::No);
            if ready.is_some() || !self.give_up_meeting() {
                return ready;
            }
        }
    }

    /// Puts a path behind the others, so that they get their turn.
    pub fn rotate(&mut self, index: usize) {
        let path = self.paths.remove(index);
        self.paths.insert(0, path);
    }

    pub fn is_diverged(&self) -> bool {
        self.paths.len() > 1
    }

    /// Splits a path: `taken` goes to the first of two places, the rest to the other. They meet at
    /// `meet`, if anywhere.
    pub fn split(
        &mut self,
        index: usize,
        taken: LaneMask,
        [target, other]: [u32; 2],
        meet: Option<u32>,
    ) {
        let path = self.paths[index];
        let meeting = self.meeting_for(path, meet);
        self.paths[index] = Path {
            pc: target,
            mask: taken,
            meeting,
            waiting: Waiting::No,
        };
        let rest = path.mask & !taken;
        self.paths.push(Path {
            pc: other,
            mask: rest,
            meeting,
            waiting: Waiting::No,
        });
    }

    /// The meeting at `meet` of the lanes of `path`: that which it is on its way to if it is the
    /// same place, or else a new one.
    fn meeting_for(&mut self, path: Path, meet: Option<u32>) -> u32 {
        let Some(pc) = meet.filter(|pc| *pc != self.meeting_pc(path.meeting)) else {
            return path.meeting;
        };
        let new = Meeting {
            pc,
            expected: path.mask,
            arrived: 0,
            outer: path.meeting,
        };
        match self.meetings.iter().position(|m| m.expected == 0) {
            Some(free) => {
                self.meetings[free] = new;
                free as u32
            }
            None => {
                self.meetings.push(new);
                self.meetings.len() as u32 - 1
            }
        }
    }

    /// A path has got to its meeting. Paths that have all come become one.
    pub fn arrive(&mut self, index: usize) {
        let path = &mut self.paths[index];
        path.waiting = Waiting::Meeting;
        let meeting = path.meeting;
        self.meetings[meeting as usize].arrived |= path.mask;
        self.merge_if_complete(meeting);
    }

    fn merge_if_complete(&mut self, meeting: u32) {
        let m = self.meetings[meeting as usize];
        if m.arrived != m.expected || m.expected == 0 {
            return;
        }
        self.paths
            .retain(|p| !(p.meeting == meeting && p.waiting == Waiting::Meeting));
        let waiting = Waiting::No;
        self.paths.push(Path {
            pc: m.pc,
            mask: m.expected,
            meeting: m.outer,
            waiting,
        });
        self.meetings[meeting as usize].expected = 0;
    }

    /// Lanes of a path exit. Returns true if the path is gone.
    pub fn exit(&mut self, index: usize, lanes: LaneMask) -> bool {
        let path = &mut self.paths[index];
        path.mask &= !lanes;
        let gone = path.mask == 0;
        if gone {
            self.paths.remove(index);
        }
        for meeting in 0..self.meetings.len() {
            if self.meetings[meeting].expected & lanes != 0 {
                self.meetings[meeting].expected &= !lanes;
                self.merge_if_complete(meeting as u32);
            }
        }
        gone
    }

    /// Lets the path that has waited longest at a meeting go on alone. False if there is none.
    pub fn give_up_meeting(&mut self) -> bool {
        let waits = |p: &Path| p.waiting == Waiting::Meeting;
        let Some(index) = self.paths.iter().position(waits) else {
            return false;
        };
        let path = self.paths[index];
        let meeting = &mut self.meetings[path.meeting as usize];
        meeting.expected &= !path.mask;
        meeting.arrived &= !path.mask;
        let outer = meeting.outer;
        self.paths[index] = Path {
            meeting: outer,
            waiting: Waiting::No,
            ..path
        };
        self.merge_if_complete(path.meeting);
        true
    }

    /// The lanes that wait for the same thing as `waiting` says.
    pub fn waiting_for(&self, waiting: Waiting) -> LaneMask {
        self.paths
            .iter()
            .filter(|p| p.waiting == waiting)
            .fold(0, |all, p| all | p.mask)
    }

    /// Lets the paths that wait for this go on, at the instruction after the one where they wait.
    #[inline(always)]
    pub fn release(&mut self, waiting: Waiting) {
        if let [only] = &mut self.paths[..] {
            if only.waiting == waiting {
                only.waiting = Waiting::No;
                only.pc += 1;
            }
            return;
        }
        self.release_several(waiting);
    }

    #[inline(never)]
    fn release_several(&mut self, waiting: Waiting) {
        for path in self.paths.iter_mut().filter(|p| p.waiting == waiting) {
            path.waiting = Waiting::No;
            path.pc += 1;
        }
        if self.is_diverged() {
            self.join_equal();
        }
    }

    /// Joins paths that can run, are at the same instruction and go to the same meeting.
    fn join_equal(&mut self) {
        let mut i = 0;
        while i < self.paths.len() {
            let a = self.paths[i];
            let twin =
                |b: &Path| b.waiting == Waiting::No && (b.pc, b.meeting) == (a.pc, a.meeting);
            let later = self.paths[i + 1..].iter().position(twin);
            match later.filter(|_| a.waiting == Waiting::No) {
                Some(offset) => {
                    let b = self.paths.remove(i + 1 + offset);
                    self.paths[i].mask |= b.mask;
                }
                None => i += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start() -> Paths {
        let mut paths = Paths::default();
        paths.restart(LaneMask::MAX);
        paths
    }

    fn at(paths: &mut Paths, index: usize, pc: u32) {
        paths.get_mut(index).pc = pc;
    }

    #[test]
    fn lanes_that_part_meet_again() {
        let mut paths = start();
        paths.split(0, 0xff, [10, 6], Some(20));
        assert_eq!(
            paths.iter().map(|p| (p.pc, p.mask)).collect::<Vec<_>>(),
            [(10, 0xff), (6, !0xff)]
        );
        at(&mut paths, 1, 20);
        paths.arrive(1);
        assert_eq!(paths.runnable(), Some(0));
        at(&mut paths, 0, 20);
        paths.arrive(0);
        let whole = paths.get(0);
        assert_eq!(
            (whole.pc, whole.mask, whole.meeting),
            (20, LaneMask::MAX, NOWHERE)
        );
    }

    #[test]
    fn exited_lanes_are_not_waited_for() {
        let mut paths = start();
        paths.split(0, 0xff, [10, 1], Some(20));
        at(&mut paths, 1, 20);
        paths.arrive(1);
        assert!(paths.exit(0, 0xff));
        assert_eq!(paths.get(0).mask, !0xff);
        assert_eq!(paths.get(0).waiting, Waiting::No);
    }

    #[test]
    fn a_loop_needs_one_meeting_however_often_lanes_leave_it() {
        let mut paths = start();
        for lane in 0..31 {
            let running = paths.runnable().unwrap();
            let mask = paths.get(running).mask;
            // The backward branch at 7: all but one lane go back to 3.
            paths.split(running, mask & !(1 << lane), [3, 8], Some(8));
            let left = paths.runnable().unwrap();
            assert_eq!(paths.get(left).pc, 8);
            paths.arrive(left);
        }
        assert_eq!(paths.meetings.len(), 1);
        let last = paths.runnable().unwrap();
        at(&mut paths, last, 8);
        paths.arrive(last);
        assert_eq!(
            (paths.get(0).mask, paths.is_diverged()),
            (LaneMask::MAX, false)
        );
    }

    #[test]
    fn a_path_that_waits_in_vain_goes_on() {
        let mut paths = start();
        paths.split(0, 0xff, [10, 1], Some(20));
        at(&mut paths, 1, 20);
        paths.arrive(1);
        paths.get_mut(0).waiting = Waiting::Barrier(0);
        assert_eq!(paths.runnable(), Some(1));
        paths.release(Waiting::Barrier(0));
        at(&mut paths, 0, 20);
        paths.arrive(0);
        assert_eq!(paths.get(paths.paths.len() - 1).mask, 0xff);
    }

    #[test]
    fn equal_paths_join_at_a_release() {
        let mut paths = start();
        paths.split(0, 0xff, [6, 1], None);
        for index in 0..2 {
            at(&mut paths, index, 9);
            paths.get_mut(index).waiting = Waiting::WarpSync(LaneMask::MAX);
        }
        assert_eq!(
            paths.waiting_for(Waiting::WarpSync(LaneMask::MAX)),
            LaneMask::MAX
        );
        paths.release(Waiting::WarpSync(LaneMask::MAX));
        assert_eq!((paths.get(0).pc, paths.get(0).mask), (10, LaneMask::MAX));
    }
}
