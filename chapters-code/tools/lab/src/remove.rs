//! Instructions that order threads, and kernels without some of them.

use ptx::ir::{BarKind, BulkWait, CollectiveOp, CpAsyncWait, Instruction, Module, Op, SourceLine};
use serde::Serialize;

/// A line of source that orders threads, and can be left out.
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
        if what(instruction).is_some() && line.is_some_and(|line| lines.contains(&line)) {
            instruction.op = Op::Nop;
        }
    }
}

/// What an instruction is called that orders threads and has no other effect.
fn what(instruction: &Instruction) -> Option<&'static str> {
    match &instruction.op {
        Op::Bar(bar) => matches!(bar.kind, BarKind::Sync).then_some("barrier of the block"),
        Op::Warp(warp) => matches!(warp.op, CollectiveOp::Sync).then_some("barrier of the warp"),
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
