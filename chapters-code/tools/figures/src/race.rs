//! A report of the race detector in words: two accesses, and what is missing between them.

use crate::page::inline;

/// One of the two accesses.
#[derive(Clone, Debug)]
pub struct Side<'a> {
    /// The index of the block.
    pub block: [u32; 3],
    /// The warp in the block.
    pub warp: u32,
    /// The lane in the warp.
    pub lane: u32,
    /// The kind: `read`, `write`, `atomic`, or `absent` for a thread that has left.
    pub access: &'a str,
    /// The line of source, with code between backquotes.
    pub line: String,
}

/// A race.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// The two accesses, in the order of this run.
    pub sides: [Side<'a>; 2],
    /// The memory: `shared`, `global` or another.
    pub space: &'a str,
    /// The name of the array or the allocation.
    pub array: &'a str,
    /// The offset in the array in bytes.
    pub offset: u64,
    /// What would have ordered the two, such as `__syncthreads`.
    pub missing: &'a str,
    /// The whole report in a paragraph.
    pub message: &'a str,
}

/// The report as HTML: a list of the two accesses with the gap between them.
pub fn draw(report: &Report<'_>) -> String {
    let [first, second] = report.sides.each_ref().map(|one| side(report, one));
    format!(
        "<ol class=\"race\">\n{first}<li class=\"gap\"><strong>{}</strong></li>\n{second}</ol>\n\
         <details class=\"said\"><summary>The report</summary><p>{}</p></details>\n",
        inline(&gap(report.missing)),
        inline(report.message)
    )
}

fn side(report: &Report<'_>, side: &Side<'_>) -> String {
    let Side { warp, lane, .. } = side;
    let thread = 32 * warp + lane;
    let block = side.block.map(|index| index.to_string()).join(",");
    let place = match report.space {
        "shared" => format!(
            "byte {} of the shared array `{}`",
            report.offset, report.array
        ),
        "global" => format!("byte {} of {}", report.offset, report.array),
        _ => "a register".to_owned(),
    };
    let verb = match side.access {
        "read" => "reads",
        "write" => "writes",
        "atomic" => "updates",
        "absent" => "has left, and would have to give up",
        other => other,
    };
    let who = format!("Thread {thread} of block ({block}), warp {warp}, lane {lane},");
    format!(
        "<li><span class=\"who\">{who}</span> {verb} {}:<br/>{}</li>\n",
        inline(&place),
        inline(&side.line)
    )
}

fn gap(missing: &str) -> String {
    match missing.starts_with("__") {
        true => format!("Nothing orders the two: no `{missing}()` lies between them."),
        false => format!("What is missing: {missing}."),
    }
}
