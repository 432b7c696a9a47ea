//! Builds the book out of `book/`, refusing what a plain mdBook lets pass: an include that finds
//! nothing, a formula that KaTeX rejects, project code typed into a page, a figure that no recorded
//! run holds.
//!
//! Numbers come from `book/measurements/` through the `measured` directives ([`measured`]). The
//! host code that makes such records is not here: that is `record`. Pictures of what a kernel does
//! are drawn from its execution on the simulator, through the chapters' own libraries ([`figure`]).

mod address;
mod anchor;
mod arithmetic;
mod bibliography;
mod brief;
mod builder;
pub mod capture;
pub mod check;
mod constructs;
mod course;
pub mod directives;
mod evidence;
mod expand;
pub mod figure;
mod filtered;
pub mod lab;
mod glossary;
mod lesson;
mod listing;
mod mathematics;
pub mod measured;
pub mod offline;
mod opcodes;
mod place;
mod problem;
mod prose;
pub mod readme;
pub mod search;
pub mod serve;
pub mod site;
pub mod test;
pub mod verdict;
pub mod words;

pub use builder::{Builder, Strictness, build};
pub use listing::Links;
pub use problem::{Problem, Problems};
