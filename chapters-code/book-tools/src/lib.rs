//! Builds the book out of `book/`, refusing what a plain mdBook lets pass: an include that finds
//! nothing, a formula that KaTeX rejects, project code typed into a page, a figure that no recorded
//! run holds.
//!
//! Figures come from `book/measurements/` through the `measured` directives ([`measured`]). The
//! host code that makes such records is not here: that is `record`.

mod builder;
pub mod capture;
pub mod check;
pub mod measured;
mod problem;
pub mod readme;

pub use builder::{Strictness, build};
pub use problem::{Problem, Problems};
