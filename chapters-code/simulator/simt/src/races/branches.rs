//! Where the two sides of a branch lead: round a barrier, or to it.

use std::collections::HashMap;

use ptx::ir::{Instruction, Op};

/// The branches of a kernel.
pub(super) struct Branches<'a> {
    code: &'a [Instruction],
    /// Whether a side of a branch leads round a barrier, by barrier, branch, and whether it is
    /// taken.
    leads_round: HashMap<(u32, u32, bool), bool>,
}

impl<'a> Branches<'a> {
    pub fn new(code: &'a [Instruction]) -> Self {
        Self { code, leads_round: HashMap::new() }
    }

    /// Whether a branch reconverges only at the end of the kernel.
    pub fn meet_at_end(&self, branch: u32) -> bool {
        let Op::Bra(op) = &self.code[branch as usize].op else {
            return true;
        };
        op.reconverge.is_none_or(|meet| matches!(self.code[meet as usize].op, Op::Exit))
    }

    /// Whether this side of a branch leads round a barrier to which the other side may lead.
    pub fn goes_round(&mut self, barrier: u32, branch: u32, taken: bool) -> bool {
        if let Some(known) = self.leads_round.get(&(barrier, branch, taken)) {
            return *known;
        }
        let answer = self.finds_goes_round(barrier, branch, taken);
        self.leads_round.insert((barrier, branch, taken), answer);
        answer
    }

    fn finds_goes_round(&self, barrier: u32, branch: u32, taken: bool) -> bool {
        let Some(Op::Bra(op)) = self.code.get(branch as usize).map(|i| &i.op) else {
            return false;
        };
        let Some(meet) = op.reconverge else {
            return false;
        };
        let (way, other) = if taken { (op.target, branch + 1) } else { (branch + 1, op.target) };
        !self.reaches(way, barrier, meet) && self.reaches(other, barrier, meet)
    }

    /// Whether `here` is between a branch and its reconvergence point.
    pub fn is_within(&self, here: u32, branch: u32) -> bool {
        let Op::Bra(op) = &self.code[branch as usize].op else {
            return false;
        };
        let meet = op.reconverge.unwrap_or(u32::MAX);
        self.reaches(op.target, here, meet) || self.reaches(branch + 1, here, meet)
    }

    /// Whether control can reach one instruction from another without passing `meet`.
    fn reaches(&self, from: u32, to: u32, meet: u32) -> bool {
        let mut seen = vec![false; self.code.len()];
        let mut open = vec![from];
        while let Some(pc) = open.pop() {
            if pc == meet || seen.get(pc as usize).is_none_or(|seen| *seen) {
                continue;
            }
            if pc == to {
                return true;
            }
            seen[pc as usize] = true;
            successors(self.code, pc, &mut open);
        }
        false
    }
}

/// Appends the instructions that may follow this one.
fn successors(code: &[Instruction], pc: u32, to: &mut Vec<u32>) {
    let instruction = &code[pc as usize];
    to.extend(instruction.targets());
    if instruction.falls_through() {
        to.push(pc + 1);
    }
}
