//! Line information, as short as what reads it allows.
//!
//! With `-lineinfo` NVRTC writes a `.loc` line for each call that is inlined around an instruction:
//! two fifths of a file. Reports name one line of the kernel's own files, so one line is kept: the
//! innermost in the kernel's folder, or below it. The detector of divergent barriers also tells the
//! calls apart through which a barrier is reached. So a barrier and a call keep all their lines, without
//! the names of the functions. Columns count only there.

use std::collections::{HashMap, HashSet};

/// Chains of inlined calls are followed this far, as `ptx` does.
const LONGEST_CHAIN: usize = 32;

/// The label of every function's name: PTX demands one.
const NAME: &str = "$L__name";

/// The section that defines the label, as an empty string.
const NAMES: &str = "\n\t.section\t.debug_str\n\t{\n$L__name:\n.b8 0\n\n\t}\n";

/// The PTX with the `.loc` lines that reports need. `home` is the kernel's folder as `.file` lines write it.
pub fn shorten(ptx: &str, home: &str) -> String {
    let mut shortener = Shortener {
        own_files: ptx.lines().filter_map(|line| file_in(line, home)).collect(),
        callers: HashMap::new(),
        innermost: None,
        current: Vec::new(),
        has_calls: false,
        text: String::with_capacity(ptx.len()),
    };
    let code = ptx.split("\t.section\t.debug_str").next().unwrap_or(ptx);
    code.trim_end().lines().for_each(|line| shortener.line(line));
    if shortener.has_calls {
        shortener.text += NAMES;
    }
    shortener.text
}

/// The number of a `.file` line's file, if the file is in `home` or below it.
fn file_in<'a>(line: &'a str, home: &str) -> Option<&'a str> {
    let (number, path) = line.strip_prefix("\t.file\t")?.split_once(" \"")?;
    path.strip_prefix(home)?.starts_with('/').then_some(number)
}

/// File, line and column, as a `.loc` line has them: `3 22 22`.
type Place<'a> = &'a str;

struct Shortener<'a> {
    /// The numbers of the kernel's own files.
    own_files: HashSet<&'a str>,
    /// Where the function was called that a place lies in, as last seen.
    callers: HashMap<Place<'a>, Place<'a>>,
    /// The place of the latest `.loc` line that was read.
    innermost: Option<Place<'a>>,
    /// The places in force in the text that is written, the innermost first.
    current: Vec<Place<'a>>,
    /// Whether a line that is written tells of a call.
    has_calls: bool,
    text: String,
}

impl<'a> Shortener<'a> {
    fn line(&mut self, line: &'a str) {
        if let Some((place, caller)) = location(line) {
            match caller {
                Some(caller) => drop(self.callers.insert(place, caller)),
                None => drop(self.callers.remove(place)),
            }
            self.innermost = Some(place);
            return;
        }
        if line.contains(".entry ") || line.contains(".func ") {
            self.callers.clear();
            self.innermost = None;
            self.current.clear();
        } else if is_instruction(line) {
            self.locate(line);
        }
        self.push(line);
    }

    /// Writes the `.loc` lines that an instruction needs and that are not in force already.
    fn locate(&mut self, instruction: &str) {
        let Some(innermost) = self.innermost else {
            return;
        };
        if needs_calls(instruction) {
            let chain = self.chain(innermost);
            if chain != self.current {
                for &place in chain.iter().rev() {
                    self.push_location(place);
                }
                self.current = chain;
            }
            return;
        }
        let shown = self.shown(&self.chain(innermost)).unwrap_or(innermost);
        if self.shown(&self.current).map(line_of) != Some(line_of(shown)) {
            self.push(&format!("\t.loc\t{shown}"));
            self.current = vec![shown];
        }
    }

    /// A place, where its function was called, and so on outwards.
    fn chain(&self, innermost: Place<'a>) -> Vec<Place<'a>> {
        std::iter::successors(Some(innermost), |place| self.callers.get(place).copied())
            .take(LONGEST_CHAIN)
            .collect()
    }

    /// The place of a chain that reports show.
    fn shown(&self, chain: &[Place<'a>]) -> Option<Place<'a>> {
        let is_own = |place: &&Place<'a>| {
            let file = place.split(' ').next();
            file.is_some_and(|file| self.own_files.contains(file))
        };
        chain.iter().find(is_own).or(chain.first()).copied()
    }

    /// A place with the call that led there.
    fn push_location(&mut self, place: Place<'a>) {
        let call = match self.callers.get(place) {
            Some(caller) => format!(", function_name {NAME}, inlined_at {caller}"),
            None => String::new(),
        };
        self.has_calls |= !call.is_empty();
        self.push(&format!("\t.loc\t{place}{call}"));
    }

    fn push(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }
}

/// The place of `.loc 1 24 71, function_name label, inlined_at 1 26 12`, and that of the call.
fn location(line: &str) -> Option<(Place<'_>, Option<Place<'_>>)> {
    let rest = line.strip_prefix("\t.loc\t")?;
    let caller = rest.split_once(", inlined_at ").map(|(_, caller)| caller);
    Some((rest.split(',').next()?, caller))
}

/// A place without its column.
fn line_of(place: Place<'_>) -> &str {
    place.rsplit_once(' ').map_or(place, |(line, _)| line)
}

/// False for labels, directives and braces. The `;` of a call comes a few lines later.
fn is_instruction(line: &str) -> bool {
    let is_statement = line.contains(';') || needs_calls(line);
    is_statement && !line.trim_start().starts_with('.')
}

/// Whether the calls are told apart through which an instruction is reached.
fn needs_calls(instruction: &str) -> bool {
    let mut words = instruction.split([' ', '\t', ';', '{', '}']);
    words.any(|word| {
        let is_barrier = word.starts_with("bar.") && !word.starts_with("bar.warp");
        is_barrier || word.starts_with("barrier.") || word.starts_with("call")
    })
}

#[cfg(test)]
mod tests {
    use super::shorten;

    const FILES: &str = "\t.file\t1 \"c/kernels/a.cu\"\n\t.file\t2 \"d/kernels/b.cuh\"\n";

    #[track_caller]
    fn check(code: &[&str], expected: &[&str]) {
        let text = |lines: &[&str]| format!("{FILES}.entry k(\n{}\n", lines.join("\n"));
        assert_eq!(shorten(&text(code), "c/kernels"), text(expected));
    }

    const INNER: &str = "\t.loc\t2 5 1, function_name $f, inlined_at 1 7 1";

    #[test]
    fn one_line_of_the_kernels_folder_is_kept() {
        check(
            &["\t.loc\t1 7 1", INNER, "\tadd;", "\t.loc\t1 7 9", "\tsub;"],
            &["\t.loc\t1 7 1", "\tadd;", "\tsub;"],
        );
    }

    #[test]
    fn a_line_without_an_own_one_is_kept() {
        check(&["\t.loc\t2 5 1", "\tadd;"], &["\t.loc\t2 5 1", "\tadd;"]);
    }

    #[test]
    fn a_barrier_keeps_its_calls() {
        let code = ["\t.loc\t1 7 1", INNER, "\tadd;", "\t@%p1 bar.sync 0;", "\tsub;"];
        let names = ["", "\t.section\t.debug_str", "\t{", "$f:", ".b8 102,0", "", "\t}"];
        let call = INNER.replace("$f", super::NAME);
        let short =
            ["\t.loc\t1 7 1", "\tadd;", "\t.loc\t1 7 1", &call, "\t@%p1 bar.sync 0;", "\tsub;"];
        let section: Vec<&str> = super::NAMES.trim_end().lines().collect();
        check(&[&code[..], &names].concat(), &[&short[..], &section].concat());
    }

    #[test]
    fn lines_that_are_in_force_are_not_repeated() {
        let again = ["\t.loc\t1 7 1", "\tadd;", "$L:", "\t.loc\t1 7 1", "\tsub;"];
        check(&again, &["\t.loc\t1 7 1", "\tadd;", "$L:", "\tsub;"]);
    }

    #[test]
    fn a_function_begins_anew() {
        let two = ["\t.loc\t1 7 1", "\tret;", ".entry l(", "\t.loc\t1 7 1", "\tret;"];
        check(&two, &two);
    }
}
