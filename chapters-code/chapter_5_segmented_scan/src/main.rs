//! `cargo run --bin chapter_5`: the ladders of segmented scans, reductions and sparse products.

use std::{path::Path, process::ExitCode, sync::Arc};

use chapter_5_segmented_scan::{Matrix, chapter::Segmented, market, market::Market};
use harness::Shape;
use report::{CommandLine, Program};

const PROGRAM: Program = Program {
    name: "chapter_5",
    about: "Runs, checks and times every rung of the ladders over segments",
    examples: "\
Examples, after `cargo run --bin chapter_5 --`:
  (nothing)                             every rung, on the best device
  --device sim -n 1023,2^20             on the simulator, two sizes
  --segments 1,512,giant,power-law      scans and reductions of other segments
  --kind exclusive --dtype i64          the other kind of scan, another type
  --op affine --dtype i64               an operator that does not commute
  --convert to-offsets --segments empty from head flags back to offsets
  --matrix long-row                     a sparse matrix whose rows are unequal
  --matrix bcsstk01.mtx                 a matrix from a file
  --broken                              also the kernels that are wrong on purpose
  --json rows.jsonl --plot ladder.svg   results to files",
};

fn main() -> ExitCode {
    report::exit(run(report::parse::<Segmented>(PROGRAM)))
}

fn run(mut command_line: CommandLine) -> anyhow::Result<bool> {
    let chapter = chapter(&mut command_line)?;
    report::run_chapter(&chapter, &command_line)
}

/// The chapter with the matrix of a file, if --matrix names one: the file then also says how many elements there are.
fn chapter(CommandLine { options, asked, .. }: &mut CommandLine) -> anyhow::Result<Segmented> {
    let named = asked.values("matrix").first();
    let path = named.filter(|name| !Matrix::MADE.iter().any(|made| made.name() == *name));
    let Some(path) = path else {
        return Ok(Segmented::DEFAULT);
    };
    let Market { matrix, notes } = market::read(Path::new(path))?;
    notes.iter().for_each(|note| eprintln!("{note}"));
    options.elements = vec![Shape::Vector { n: matrix.values.len() as u64 }];
    Ok(Segmented { file: Some(Arc::new(matrix)) })
}
