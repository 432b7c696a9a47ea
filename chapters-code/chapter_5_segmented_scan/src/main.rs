//! `cargo run --bin chapter_5`: the ladders of segmented scans, reductions and sparse products.

use std::{path::Path, process::ExitCode, sync::Arc};

use chapter_5_segmented_scan::{
    Matrix,
    chapter::Segmented,
    market::{self, MarketError},
};
use clap::Parser;
use harness::{Error, Shape};

mod arguments;

use arguments::Arguments;

fn unreadable(error: MarketError) -> Error {
    Error::usage(error, "give --matrix a whole file in Matrix Market's coordinate format")
}

fn main() -> ExitCode {
    report::exit(run(Arguments::parse()))
}

fn run(arguments: Arguments) -> anyhow::Result<bool> {
    let (parameters, matrix) = (arguments.parameters(), arguments.matrix());
    let mut chapter = Segmented::OF_SEED;
    let mut options = arguments.options;
    if let (Some(path), Matrix::File) = (&arguments.matrix, matrix) {
        let file = market::read(Path::new(path)).map_err(unreadable)?;
        let n = file.values.len() as u64;
        options.elements = vec![Shape::Vector { n }];
        chapter.file = Some(Arc::new(file));
    }
    report::run_chapter(&chapter, &options, &arguments.types, parameters)
}
