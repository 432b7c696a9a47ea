//! Instructions that order threads, and masks of warps, and kernels without some of them.

use std::collections::BTreeSet;

use ptx::ir::{BarKind, BulkWait, CollectiveOp, CpAsyncWait, Instruction, Module, Op, SourceLine};
use serde::Serialize;

/// A line of source with something that can be left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Removable {
    /// `file.cu:12`.
    pub line: String,
    /// What stands there, in words.
    pub what: &'static str,
}

/// The lines of a module that can be left out, each once for each kind of instruction.
pub fn removable(module: &Module) -> Vec<Removable> {
    let mut found: Vec<Removable> = Vec::new();
    for instruction in module.kernels.iter().flat_map(|kernel| &kernel.code) {
        let line = name(&module.files, instruction.source);
        if let (Some(what), Some(line)) = (what(instruction), line) {
            let one = Removable { line, what };
            if !found.contains(&one) {
                found.push(one);
            }
        }
    }
    found
}

/// Replaces the instructions of these lines that order threads by nothing.
pub fn remove(module: &mut Module, lines: &[String]) {
    let files = module.files.clone();
    for instruction in module.kernels.iter_mut().flat_map(|kernel| &mut kernel.code) {
        let line = name(&files, instruction.source);
        if is_order(instruction) && line.is_some_and(|line| lines.contains(&line)) {
            instruction.op = Op::Nop;
        }
    }
}

/// The PTX of a module without the masks in these lines: what they masked takes the lanes that happen to be active,
/// as `__activemask()` gives them. None where there is no such mask.
pub fn without_masks(text: &str, module: &Module, lines: &[String]) -> Option<String> {
    let code = module.kernels.iter().flat_map(|kernel| &kernel.code);
    let is_struck = |instruction: &&Instruction| {
        let line = name(&module.files, instruction.source);
        has_mask(instruction) && line.is_some_and(|line| lines.contains(&line))
    };
    let struck: BTreeSet<u32> = code.filter(is_struck).map(|one| one.ptx_line).collect();
    if struck.is_empty() {
        return None;
    }
    let mut changed = String::with_capacity(text.len() + 64 * struck.len());
    let mut is_entry = false;
    for (number, line) in (1..).zip(text.lines()) {
        is_entry |= line.contains(".entry ");
        // The mask is the last operand.
        match line.rsplit_once(',').filter(|_| struck.contains(&number)) {
            Some((others, _)) => {
                let guard = line.split_whitespace().next().filter(|word| word.starts_with('@'));
                changed.push_str(guard.unwrap_or_default());
                changed.push_str("\tactivemask.b32 %struck;\n");
                changed.push_str(others);
                changed.push_str(", %struck;\n");
            }
            None => {
                changed.push_str(line);
                changed.push('\n');
            }
        }
        if is_entry && line.trim() == "{" {
            changed.push_str("\t.reg .b32 %struck;\n");
            is_entry = false;
        }
    }
    Some(changed)
}

/// Whether an instruction orders threads and has no other effect.
fn is_order(instruction: &Instruction) -> bool {
    what(instruction).is_some() && !has_mask(instruction)
}

/// Whether an instruction takes values from the lanes of a mask.
fn has_mask(instruction: &Instruction) -> bool {
    match &instruction.op {
        Op::Warp(warp) => !matches!(warp.op, CollectiveOp::Sync),
        _ => false,
    }
}

/// What an instruction is called that orders threads and has no other effect, or that has a mask.
fn what(instruction: &Instruction) -> Option<&'static str> {
    match &instruction.op {
        Op::Bar(bar) => matches!(bar.kind, BarKind::Sync).then_some("barrier of the block"),
        Op::Warp(warp) => Some(match warp.op {
            CollectiveOp::Sync => "barrier of the warp",
            CollectiveOp::Shfl(_) => "mask of the shuffle",
            CollectiveOp::Vote(_) => "mask of the vote",
            CollectiveOp::MatchAny { .. } | CollectiveOp::MatchAll { .. } => "mask of the match",
            CollectiveOp::Redux { .. } => "mask of the reduction",
            CollectiveOp::Elect { .. } => "mask of the election",
        }),
        Op::Fence(_) => Some("fence"),
        Op::ProxyFence(_) => Some("fence between proxies"),
        Op::CpAsyncWait(wait) => {
            (!matches!(wait, CpAsyncWait::Commit)).then_some("wait for copies")
        }
        Op::BulkWait(wait) => (!matches!(wait, BulkWait::Commit)).then_some("wait for bulk copies"),
        _ => None,
    }
}

/// The line as reports name it; none for one of the PTX text.
fn name(files: &[String], source: SourceLine) -> Option<String> {
    let file = files.get(usize::from(source.file?))?;
    Some(format!("{file}:{}", source.line))
}
