//! Draws figures and charts as SVG, from data alone.
//!
//! This crate runs no kernel, reads no file and starts no thread, so it also builds for WebAssembly.
//! [`arrays`], [`banks`], [`links`], [`look_back`], [`memory`], [`order`], [`ring`], [`roles`], [`sectors`], [`shuffles`], [`strip`], [`tiles`], [`timeline`] and [`tree`] draw an execution as a [`Picture`], and [`race`]
//! puts a report into words. [`machine`] and [`threads`] draw what every kernel runs on. [`page`] makes HTML of a picture. [`chart`] draws rates as curves and bars.
//! Colours belong to the stylesheet: shapes only have classes.

pub mod arrays;
pub mod banks;
pub mod chart;
pub mod links;
pub mod look_back;
pub mod machine;
pub mod memory;
pub mod number;
pub mod order;
pub mod page;
pub mod race;
pub mod ring;
pub mod roles;
pub mod sectors;
pub mod shapes;
pub mod shuffles;
mod status;
pub mod strip;
pub mod threads;
pub mod tiles;
pub mod timeline;
pub mod tree;

pub use shapes::{Frame, Picture};

/// A memory instruction of a warp.
#[derive(Clone, Debug)]
pub struct Access<'a> {
    /// The lanes that take part, a bit per lane.
    pub lanes: u32,
    /// The address that each of these lanes accesses, in the order of the lanes.
    pub addresses: &'a [u64],
    /// The address at which the array begins.
    pub base: u64,
    /// Bytes that each lane accesses.
    pub bytes: u32,
    /// Wavefronts of shared memory, or sectors of global memory, that the machine counts.
    pub cost: u64,
    /// The verb for the lanes: read, write or update.
    pub verb: &'a str,
    /// The line of source, with code between backquotes.
    pub line: String,
}

/// The lanes of a mask, in order.
pub fn lanes(mask: u32) -> impl Iterator<Item = u32> {
    (0..32).filter(move |lane| mask >> lane & 1 == 1)
}
