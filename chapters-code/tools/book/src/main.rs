//! `cargo run --bin book -- build`: the book, with nothing installed.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use book::serve::{self, Browser, Earlier, Editor};
use book::{Strictness, build, capture, directives, offline, readme, test, words};
use clap::{Parser, Subcommand};

/// Builds the book and what else is drawn from its recorded runs.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build the book as HTML, after checking its includes, formulas, code blocks and figures
    Build {
        /// Where to, instead of target/book
        #[arg(long, value_name = "DIR")]
        dest: Option<PathBuf>,
        /// Refuse figures that are not recorded yet, and text that waits for them
        #[arg(long)]
        strict: bool,
    },
    /// Show the book in a browser, and build it again whenever one of its sources is saved
    Serve {
        /// Where on this machine; 0 takes any port that is free
        #[arg(short, long, default_value_t = 3000)]
        port: u16,
        /// Open the browser
        #[arg(short, long)]
        open: bool,
        /// Edit kernels in their labs, and do exercises, in the page; needs `cargo exercise setup`. Your texts stay in
        /// the browser, and no file is changed
        #[arg(long)]
        edit: bool,
        /// Build the book although nothing has changed since it was built
        #[arg(long)]
        rebuild: bool,
    },
    /// Check all of the book that can be checked without a browser, and say what that is
    Test,
    /// Print how many words each page has, by its depth: on the main path, deeper, or in an appendix
    Words,
    /// Pack the built book into a zip file, which can be read without a network
    Zip {
        /// Instead of target/warp-by-warp.zip
        file: Option<PathBuf>,
        /// Where the book has been built, instead of building it
        #[arg(long, value_name = "DIR")]
        pages: Option<PathBuf>,
    },
    /// Have a browser print the book as a PDF
    Pdf {
        /// Instead of target/warp-by-warp.pdf
        file: Option<PathBuf>,
        /// Chromium or Chrome, if it is not found under its usual names
        #[arg(long, value_name = "PATH")]
        browser: Option<PathBuf>,
        /// Where the book has been built, instead of building it
        #[arg(long, value_name = "DIR")]
        pages: Option<PathBuf>,
    },
    /// Draw README.md's table from the recorded runs
    Readme {
        /// Change nothing; fail if the table is not current
        #[arg(long)]
        check: bool,
    },
    /// Run the programs whose output the book shows, and keep what they print
    Capture {
        /// Change nothing; fail if what is kept is not what they print
        #[arg(long)]
        check: bool,
    },
    /// Serve `mdbook build` as the preprocessor `directives` (mdBook starts this itself)
    #[command(hide = true)]
    Preprocess { supports: Option<String>, renderer: Option<String> },
    /// Compile one kernel (`serve --edit` starts this)
    #[command(name = serve::WORKER, hide = true)]
    Compile,
    /// Execute one recorded run (`serve --edit` starts this)
    #[command(name = serve::GPU_WORKER, hide = true)]
    Execute,
    /// Execute one run for what its kernels print (`serve --edit` starts this)
    #[command(name = serve::PRINTER, hide = true)]
    Print,
    /// Check one submission (`serve --edit` starts this)
    #[command(name = exercise::check::WORKER, hide = true)]
    Check,
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<()> {
    match command {
        Command::Build { dest, strict } => {
            let strictness = if strict { Strictness::Strict } else { Strictness::Draft };
            let built = build(&root()?, dest.as_deref(), strictness)?;
            println!("built {}", built.join("index.html").display());
            Ok(())
        }
        Command::Serve { port, open, edit, rebuild } => {
            let browser = if open { Browser::Open } else { Browser::Leave };
            let editor = if edit { Editor::Offered } else { Editor::Absent };
            let earlier = if rebuild { Earlier::Rebuilt } else { Earlier::Kept };
            serve::serve(&root()?, port, browser, editor, earlier)
        }
        Command::Compile => serve::work(),
        Command::Execute => serve::execute_one(),
        Command::Print => serve::print_one(),
        Command::Check => exercise::check::work(),
        Command::Zip { file, pages } => {
            let packed = offline::zip(&root()?, pages.as_deref(), file.as_deref())?;
            println!("packed {}", packed.display());
            Ok(())
        }
        Command::Pdf { file, browser, pages } => {
            let (pages, file) = (pages.as_deref(), file.as_deref());
            let printed = offline::pdf(&root()?, pages, file, browser.as_deref())?;
            println!("printed {}", printed.display());
            Ok(())
        }
        Command::Test => test::run(&root()?),
        Command::Words => {
            print!("{}", words::table(&root()?)?);
            Ok(())
        }
        Command::Readme { check: true } => readme::check(&root()?),
        Command::Readme { check: false } => readme::update(&root()?),
        Command::Capture { check: true } => capture::check(&root()?),
        Command::Capture { check: false } => capture::update(&root()?),
        Command::Preprocess { supports: Some(_), .. } => Ok(()),
        Command::Preprocess { supports: None, .. } => {
            directives::serve(std::io::stdin(), std::io::stdout())
        }
    }
}

/// The nearest folder, from the current one upwards, that holds a book.toml.
fn root() -> Result<PathBuf> {
    let here = std::env::current_dir()?;
    here.ancestors()
        .find(|folder| folder.join("book.toml").is_file())
        .map(Path::to_path_buf)
        .with_context(|| format!("there is no book.toml in {} or above it", here.display()))
}
