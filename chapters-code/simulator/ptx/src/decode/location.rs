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
    /// The place of the latest location itself, whichever file it lies in.
    innermost: Option<Place>,
    /// The chains of the calls that are being inlined here, one after another.
    calls: Vec<Place>,
    /// The chains that [`Self::origin`] has numbered.
    origins: HashMap<Vec<Place>, u32>,
}

/// Where a function was called that is inlined here.
pub(super) struct Caller {
    current: Option<Place>,
    innermost: Option<Place>,
    calls: usize,
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
        self.innermost = Some(place);
    }

    /// A function is inlined here. What is returned goes to [`Self::leave`] at its end.
    pub fn enter(&mut self) -> Caller {
        let calls = self.calls.len();
        let chain: Vec<Place> = self.chain(self.innermost).collect();
        self.calls.extend(chain);
        Caller {
            current: self.current,
            innermost: self.innermost,
            calls,
        }
    }

    /// The function ends.
    pub fn leave(&mut self, caller: Caller) {
        self.current = caller.current;
        self.innermost = caller.innermost;
        self.calls.truncate(caller.calls);
    }

    /// A number for the current place and the calls that led there; the same for the same place.
    pub fn origin(&mut self) -> Option<u32> {
        // Line 0 stands for code that no line of the source asks for.
        let innermost = self.innermost.filter(|place| place.line > 0)?;
        let mut chain = self.calls.clone();
        chain.extend(self.chain(Some(innermost)));
        let next = self.origins.len() as u32;
        Some(*self.origins.entry(chain).or_insert(next))
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

    /// A place, where its function was called, and so on outwards.
    fn chain(&self, innermost: Option<Place>) -> impl Iterator<Item = Place> {
        std::iter::successors(innermost, |place| self.callers.get(place).copied())
            .take(LONGEST_CHAIN)
    }

    /// The innermost place of a chain among the kernel's own files.
    fn own(&self, innermost: Place, context: &Context<'_, 'a>) -> Option<Place> {
        let home = self.home?;
        self.chain(Some(innermost)).find(|place| {
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
