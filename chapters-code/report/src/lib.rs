//! Runs the rungs of a chapter as its program, the recorder and the tests ask for: the command line, the plan of
//! what runs on what, the table, JSON, pictures and recorded runs.
//!
//! What a rung does is in its chapter, and how one rung runs is in [`mod@harness::rung`]. A rung needs nothing of this
//! crate; the file `chapter.rs` of a chapter implements its trait [`Chapter`], and its `main` calls [`parse`] and [`run_chapter`].

mod any;
pub mod asked;
pub mod chapter;
pub mod cli;
pub mod json;
pub mod plan;
pub mod planned;
pub mod plot;
mod program;
pub mod progress;
pub mod recorded;
mod replay;
pub mod row;
mod run;
pub mod runner;
pub mod table;
pub mod terminal;
pub mod trace;

pub use any::{AnyCase, AnyChapter, AnyParameter, AnyRung};
pub use asked::Asked;
pub use chapter::Chapter;
pub use cli::{Options, TypeOptions};
pub use planned::{Planned, Scope};
pub use program::{CommandLine, Program, parse, parse_with};
pub use row::Row;
pub use run::{exit, run_chapter};
