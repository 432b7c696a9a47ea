//! `cargo run --bin chapter_5`: the ladders of segmented scans, reductions and sparse products.

use std::{path::Path, process::ExitCode, sync::Arc};

use chapter_5_segmented_scan::{Matrix, chapter::Segmented, market, market::Market};
use clap::Parser;
use harness::Shape;

mod arguments;

use arguments::Arguments;

fn main() -> ExitCode {
    report::exit(run(Arguments::parse()))
}

fn run(arguments: Arguments) -> anyhow::Result<bool> {
    let (parameters, matrix) = (arguments.parameters(), arguments.matrix());
    let mut chapter = Segmented::DEFAULT;
    let mut options = arguments.options;
    if let (Some(path), Matrix::File) = (&arguments.matrix, matrix) {
        let Market { matrix: file, notes } = market::read(Path::new(path))?;
        notes.iter().for_each(|note| eprintln!("{note}"));
        let n = file.values.len() as u64;
        options.elements = vec![Shape::Vector { n }];
        chapter.file = Some(Arc::new(file));
    }
    report::run_chapter(&chapter, &options, &arguments.types, parameters)
}
