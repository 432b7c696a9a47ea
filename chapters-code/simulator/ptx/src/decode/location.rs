//! The source line of an instruction.
//!
//! An instruction of an inlined function has a chain of locations: its own line, the line of the
//! call, and so on outwards. The innermost location is the most useful one, unless it is in a
//! header of the toolkit. The location is therefore the innermost one in the kernel's own files,
//! which are those in the folder of the kernel's file or below it.

use super::context::Context;
use crate::ir::SourceLine;
use crate::syntax::{Location, Place};
use std::collections::HashMap;

/// The greatest number of inlined calls that are followed.
const LONGEST_CHAIN: usize = 32;

/// The locations seen so far in a kernel.
#[derive(Default)]
pub(super) struct Locations<'a> {
    /// The folder of the kernel's file, which is that of its first location.
    home: Option<&'a str>,
    /// For each location, the location of the call that inlined its function, as last seen.
    callers: HashMap<Place, Place>,
    current: Option<Place>,
    /// The latest location itself, in any file.
    innermost: Option<Place>,
    /// The chains of the calls that are being inlined, one after another.
    calls: Vec<Place>,
    /// The chains to which [`Self::origin`] has given numbers.
    origins: HashMap<Vec<Place>, u32>,
}

/// The location of a call that is inlined here.
pub(super) struct Caller {
    current: Option<Place>,
    innermost: Option<Place>,
    calls: usize,
}

impl<'a> Locations<'a> {
    /// Sets the location of the instructions that follow.
    pub fn set(&mut self, location: Location, context: &Context<'_, 'a>) {
        let Location { place, inlined_at } = location;
        match inlined_at {
            Some(caller) => drop(self.callers.insert(place, caller)),
            None => drop(self.callers.remove(&place)),
        }
        if self.home.is_none() {
            self.home = context.path(place.file).map(folder);
        }
        // Line 0 marks code that belongs to no line of the source; then the one before is the nearest.
        let own = self.own(place, context).unwrap_or(place);
        if own.line > 0 || self.current.is_none() {
            self.current = Some(own);
        }
        self.innermost = Some(place);
    }

    /// Notes that a function is inlined here. The result is passed to [`Self::leave`] at its end.
    pub fn enter(&mut self) -> Caller {
        let calls = self.calls.len();
        let chain: Vec<Place> = self.chain(self.innermost).collect();
        self.calls.extend(chain);
        Caller { current: self.current, innermost: self.innermost, calls }
    }

    /// Notes the end of an inlined function.
    pub fn leave(&mut self, caller: Caller) {
        self.current = caller.current;
        self.innermost = caller.innermost;
        self.calls.truncate(caller.calls);
    }

    /// Returns a number for the current location and its calls. Equal chains have equal numbers.
    pub fn origin(&mut self) -> Option<u32> {
        // Line 0 marks code that belongs to no line of the source.
        let innermost = self.innermost.filter(|place| place.line > 0)?;
        let mut chain = self.calls.clone();
        chain.extend(self.chain(Some(innermost)));
        let next = self.origins.len() as u32;
        Some(*self.origins.entry(chain).or_insert(next))
    }

    /// Returns the current location in the decoded module's numbering.
    pub fn source(&self, context: &Context<'_, 'a>) -> Option<SourceLine> {
        let place = self.current?;
        Some(SourceLine { file: Some(context.file_index(place.file)?), line: place.line })
    }

    /// Returns the location as `reduce.cu:48`, for an error.
    pub fn describe(&self, context: &Context<'_, 'a>) -> Option<String> {
        let place = self.current?;
        let path = context.path(place.file)?;
        let name = &path[folder(path).len()..];
        Some(format!("{}:{}", name.trim_start_matches(['/', '\\']), place.line))
    }

    /// Iterates over a location, the location of its function's call, and so on outwards.
    fn chain(&self, innermost: Option<Place>) -> impl Iterator<Item = Place> {
        std::iter::successors(innermost, |place| self.callers.get(place).copied())
            .take(LONGEST_CHAIN)
    }

    /// Returns the innermost location of a chain in the kernel's own files.
    fn own(&self, innermost: Place, context: &Context<'_, 'a>) -> Option<Place> {
        let home = self.home?;
        self.chain(Some(innermost))
            .find(|place| context.path(place.file).is_some_and(|path| is_below(path, home)))
    }
}

/// Returns a path without its file name.
fn folder(path: &str) -> &str {
    path.rfind(['/', '\\']).map_or("", |end| &path[..end])
}

/// Whether a file is in a folder or below it.
fn is_below(path: &str, home: &str) -> bool {
    let folder = folder(path);
    match folder.strip_prefix(home) {
        Some(rest) => rest.is_empty() || home.is_empty() != rest.starts_with(['/', '\\']),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    /// Code that belongs to no line of the source is on the line before it.
    #[test]
    fn line_0_is_not_a_line() {
        let text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n.reg .b32 %r<2>;\n.loc 1 7 3\nmov.u32 %r0, 1;\n.loc 1 0 3\nmov.u32 %r1, 2;\nret;\n}\n.file 1 \"a.cu\"\n";
        let module = crate::parse(text).expect("it is PTX");
        let lines: Vec<u32> = module.kernels[0].code.iter().map(|inst| inst.source.line).collect();
        assert!(lines.iter().all(|line| *line == 7), "{lines:?}");
    }
}
