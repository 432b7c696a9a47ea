//! Which source line an instruction comes from.
//!
//! An instruction of an inlined function has a chain of places: its own line, the line of the
//! call, and so on outwards. The innermost one helps a reader most, unless it lies in a header of
//! the toolkit. So it is the innermost place among the kernel's own files: those in the folder of
//! the kernel's file, or below it.

use super::context::Context;
use crate::ir::SourceLine;
use crate::syntax::{Location, Place};
use std::collections::HashMap;

/// Chains of inlined calls are followed this far.
const LONGEST_CHAIN: usize = 32;

/// The locations seen so far in a kernel.
#[derive(Default)]
pub(super) struct Locations<'a> {
    /// The folder of the kernel's file: that of its first location.
    home: Option<&'a str>,
    /// Where the function was called that a place lies in, as last seen.
    callers: HashMap<Place, Place>,
    current: Option<Place>,
}

impl<'a> Locations<'a> {
    /// Instructions come from here, from now on.
    pub fn set(&mut self, location: Location, context: &Context<'_, 'a>) {
        let Location { place, inlined_at } = location;
        match inlined_at {
            Some(caller) => drop(self.callers.insert(place, caller)),
            None => drop(self.callers.remove(&place)),
        }
        if self.home.is_none() {
            self.home = context.path(place.file).map(folder);
        }
        self.current = Some(self.own(place, context).unwrap_or(place));
    }

    /// The current place, to be put back after an inlined function.
    pub fn current(&self) -> Option<Place> {
        self.current
    }

    pub fn restore(&mut self, place: Option<Place>) {
        self.current = place;
    }

    /// The current place in the decoded module's numbering.
    pub fn source(&self, context: &Context<'_, 'a>) -> Option<SourceLine> {
        let place = self.current?;
        Some(SourceLine {
            file: Some(context.file_index(place.file)?),
            line: place.line,
        })
    }

    /// `reduce.cu:48`, for an error.
    pub fn describe(&self, context: &Context<'_, 'a>) -> Option<String> {
        let place = self.current?;
        let path = context.path(place.file)?;
        let name = &path[folder(path).len()..];
        Some(format!(
            "{}:{}",
            name.trim_start_matches(['/', '\\']),
            place.line
        ))
    }

    /// The innermost place of a chain among the kernel's own files.
    fn own(&self, innermost: Place, context: &Context<'_, 'a>) -> Option<Place> {
        let home = self.home?;
        std::iter::successors(Some(innermost), |place| self.callers.get(place).copied())
            .take(LONGEST_CHAIN)
            .find(|place| {
                context
                    .path(place.file)
                    .is_some_and(|path| is_below(path, home))
            })
    }
}

/// A path without its file name.
fn folder(path: &str) -> &str {
    path.rfind(['/', '\\']).map_or("", |end| &path[..end])
}

/// True for a file in a folder, or in one below it.
fn is_below(path: &str, home: &str) -> bool {
    let folder = folder(path);
    match folder.strip_prefix(home) {
        Some(rest) => rest.is_empty() || home.is_empty() != rest.starts_with(['/', '\\']),
        None => false,
    }
}
