//! Runs the rungs of a chapter as its program, the recorder and the tests ask for: the command line, the plan of
//! what runs on what, the table, JSON, pictures and recorded runs.
//!
//! What a rung does is in its chapter, and how one rung runs is in [`mod@harness::rung`]. A rung needs nothing of this
//! crate; the file `chapter.rs` of a chapter implements its trait [`Chapter`].

mod chapter;
pub mod cli;
pub mod json;
pub mod plan;
pub mod plot;
pub mod progress;
pub mod recorded;
pub mod replay;
pub mod row;
mod run;
pub mod runner;
pub mod table;
pub mod terminal;
pub mod testing;
pub mod trace;
pub mod values;

pub use chapter::Chapter;
pub use cli::{Options, TypeOptions};
pub use row::Row;
pub use run::{exit, run_chapter};
