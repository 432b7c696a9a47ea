//! Instructions that order threads, orders of accesses to memory, and masks of warps; and kernels without some of them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use ptx::ir::{
    BarKind, BulkWait, ClusterOp, CollectiveOp, CpAsyncWait, Instruction, MbarrierOp, Module, Op,
    Order, Phase, SourceLine,
};
use serde::Serialize;

/// What [`Removable::what`] says of `__syncthreads()`.
pub(crate) const BARRIER: &str = "barrier of the block";

/// A line of source with something that can be left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Removable {
    /// `file.cu:12`.
    pub line: String,
    /// What stands there, in words.
    pub what: Cow<'static, str>,
}

/// How something is left out of the PTX.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Removal {
    /// The instruction is replaced by nothing.
    Whole,
    /// The lanes of the mask are those that happen to be active, as `__activemask()` gives them.
    Mask,
    /// `.acquire`, `.release` or `.acq_rel` becomes `.relaxed`.
    Order,
    /// The test for the end of a phase always succeeds.
    Wait,
}

/// The lines of a module that can be left out, each once for each kind of instruction.
pub fn removable(module: &Module) -> Vec<Removable> {
    let mut found: Vec<Removable> = Vec::new();
    for instruction in module.kernels.iter().flat_map(|kernel| &kernel.code) {
        let line = name(&module.files, instruction.source);
        if let (Some((what, _)), Some(line)) = (what(instruction), line) {
            let one = Removable { line, what: what.into() };
            if !found.contains(&one) {
                found.push(one);
            }
        }
    }
    found
}

/// All that can be left out of a line, as one; none if that is nothing. Where a barrier of the block is part of it, that is
/// what the others serve.
pub fn of_line(all: &[Removable], line: &str) -> Option<Removable> {
    let mut kinds: Vec<&str> =
        all.iter().filter(|one| one.line == line).map(|one| &*one.what).collect();
    if kinds.contains(&BARRIER) {
        kinds = vec![BARRIER];
    }
    let what = kinds.join(" and the ").into();
    (!kinds.is_empty()).then(|| Removable { line: line.to_owned(), what })
}

/// Replaces the instructions of these lines that order threads by nothing.
pub fn remove(module: &mut Module, lines: &[String]) {
    let files = module.files.clone();
    for instruction in module.kernels.iter_mut().flat_map(|kernel| &mut kernel.code) {
        let line = name(&files, instruction.source);
        let is_whole = matches!(what(instruction), Some((_, Removal::Whole)));
        if is_whole && line.is_some_and(|line| lines.contains(&line)) {
            instruction.op = Op::Nop;
        }
    }
}

/// The PTX of a module without the masks, the orders and the tests of mbarriers in these lines. None
/// where these lines have none.
pub fn rewritten(text: &str, module: &Module, lines: &[String]) -> Option<String> {
    let code = module.kernels.iter().flat_map(|kernel| &kernel.code);
    let struck = code.filter_map(|instruction| {
        let (_, removal) = what(instruction).filter(|&(_, removal)| removal != Removal::Whole)?;
        let line = name(&module.files, instruction.source)?;
        lines.contains(&line).then_some((instruction.ptx_line, removal))
    });
    let struck: BTreeMap<u32, Removal> = struck.collect();
    if struck.is_empty() {
        return None;
    }
    let mut changed = String::with_capacity(text.len() + 64 * struck.len());
    let mut is_entry = false;
    for (number, line) in (1..).zip(text.lines()) {
        is_entry |= line.contains(".entry ");
        match struck.get(&number) {
            Some(removal) => changed.push_str(&without(line, *removal)),
            None => changed.push_str(line),
        }
        changed.push('\n');
        if is_entry && line.trim() == "{" {
            changed.push_str("\t.reg .b32 %struck;\n");
            is_entry = false;
        }
    }
    Some(changed)
}

/// A line of PTX without its mask, its order or its wait.
fn without(line: &str, removal: Removal) -> String {
    let guard = line.split_whitespace().next().filter(|word| word.starts_with('@'));
    let guard = guard.unwrap_or_default();
    match (removal, line.rsplit_once(',')) {
        // The mask is the last operand.
        (Removal::Mask, Some((others, _))) => {
            format!("{guard}\tactivemask.b32 %struck;\n{others}, %struck;")
        }
        (Removal::Wait, Some((others, parity))) => {
            let done = others.split_once(',').map_or(others, |(first, _)| first);
            let done = done.split_whitespace().last().unwrap_or_default();
            let parity = parity.trim().trim_end_matches(';');
            format!("{guard}\tsetp.eq.u32 {done}, {parity}, {parity};")
        }
        (Removal::Order, _) => {
            ORDERS.iter().fold(line.to_owned(), |line, order| line.replacen(order, ".relaxed", 1))
        }
        (Removal::Whole | Removal::Mask | Removal::Wait, _) => line.to_owned(),
    }
}

/// What an access's order is called in PTX.
const ORDERS: [&str; 3] = [".acquire", ".release", ".acq_rel"];

/// What an instruction is called of which something can be left out, and how.
fn what(instruction: &Instruction) -> Option<(&'static str, Removal)> {
    use Removal::{Mask, Wait, Whole};
    match &instruction.op {
        Op::Bar(bar) => matches!(bar.kind, BarKind::Sync).then_some((BARRIER, Whole)),
        Op::Cluster(ClusterOp::Arrive { .. } | ClusterOp::Wait) => {
            Some(("barrier of the cluster", Whole))
        }
        Op::Warp(warp) => Some(match warp.op {
            CollectiveOp::Sync => ("barrier of the warp", Whole),
            CollectiveOp::Shfl(_) => ("mask of the shuffle", Mask),
            CollectiveOp::Vote(_) => ("mask of the vote", Mask),
            CollectiveOp::MatchAny { .. } | CollectiveOp::MatchAll { .. } => {
                ("mask of the match", Mask)
            }
            CollectiveOp::Redux { .. } => ("mask of the reduction", Mask),
            CollectiveOp::Elect { .. } => ("mask of the election", Mask),
        }),
        Op::Mbarrier(mbarrier) => {
            let is_test = matches!(mbarrier.op, MbarrierOp::Wait { phase: Phase::Parity(_), .. });
            is_test.then_some(("wait at an mbarrier", Wait))
        }
        Op::Ld(load) => order(load.order, "order of the load"),
        Op::St(store) => order(store.order, "order of the store"),
        Op::Atom(atom) => order(atom.order, "order of the atomic operation"),
        Op::Fence(_) => Some(("fence", Whole)),
        Op::ProxyFence(_) => Some(("fence between proxies", Whole)),
        Op::CpAsyncWait(wait) => {
            (!matches!(wait, CpAsyncWait::Commit)).then_some(("wait for copies", Whole))
        }
        Op::BulkWait(wait) => {
            (!matches!(wait, BulkWait::Commit)).then_some(("wait for bulk copies", Whole))
        }
        _ => None,
    }
}

/// The order of an access, if the access has one.
fn order(order: Order, what: &'static str) -> Option<(&'static str, Removal)> {
    match order {
        Order::Weak | Order::Volatile | Order::Relaxed(_) => None,
        Order::Acquire(_) | Order::Release(_) | Order::AcqRel(_) => Some((what, Removal::Order)),
    }
}

/// The line as reports name it; none for one of the PTX text.
fn name(files: &[String], source: SourceLine) -> Option<String> {
    let file = files.get(usize::from(source.file?))?;
    Some(format!("{file}:{}", source.line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_several_kinds_has_one_name() {
        let one =
            |line: &str, what: &'static str| Removable { line: line.into(), what: what.into() };
        let all = [
            one("k.cu:3", "fence"),
            one("k.cu:3", BARRIER),
            one("k.cu:4", "fence"),
            one("k.cu:4", "order of the store"),
        ];
        let named = |line| of_line(&all, line).map(|one| one.what.into_owned());
        assert_eq!(named("k.cu:3").as_deref(), Some(BARRIER));
        assert_eq!(named("k.cu:4").as_deref(), Some("fence and the order of the store"));
        assert_eq!(named("k.cu:5"), None);
    }

    #[test]
    fn lines_of_ptx_without_what_orders_threads() {
        let check =
            |line: &str, removal, expected: &str| assert_eq!(without(line, removal), expected);
        check(
            "\tst.release.gpu.u64 [%rd1], %rd2;",
            Removal::Order,
            "\tst.relaxed.gpu.u64 [%rd1], %rd2;",
        );
        check(
            "ld.acquire.gpu.u64 %rd2, [%rd1];",
            Removal::Order,
            "ld.relaxed.gpu.u64 %rd2, [%rd1];",
        );
        check(
            "\tatom.acq_rel.gpu.inc.u32 %r1, [%rd1], %r2;",
            Removal::Order,
            "\tatom.relaxed.gpu.inc.u32 %r1, [%rd1], %r2;",
        );
        check(
            "@%p1\tshfl.sync.down.b32 %r1|%p2, %r2, 16, 31, -1;",
            Removal::Mask,
            "@%p1\tactivemask.b32 %struck;\n@%p1\tshfl.sync.down.b32 %r1|%p2, %r2, 16, 31, %struck;",
        );
        check(
            "mbarrier.try_wait.parity.shared.b64 p, [%r1], %r2;",
            Removal::Wait,
            "\tsetp.eq.u32 p, %r2, %r2;",
        );
    }
}
