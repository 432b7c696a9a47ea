//! Which functions of the sources call which, by the names in their bodies.

use std::collections::{BTreeMap, BTreeSet};

use super::cpp::{Function, Source};
use super::ptx::Code;
use super::tokens::Token;

/// A file and a function of it, by their indices.
pub(super) type Of = (usize, usize);

/// Calls that are followed from the kernel to a function.
const DEEPEST: usize = 4;

/// The functions that have instructions, and those that they call.
pub(super) struct Calls {
    /// The functions that have instructions, in order.
    pub present: Vec<Of>,
    /// For each of these, all of these that it calls, at first or second hand.
    pub reached: Vec<BTreeSet<usize>>,
}

impl Calls {
    /// Reads the calls of the functions that have instructions.
    pub fn of(code: &Code<'_>, sources: &[(&str, Source<'_>)]) -> Self {
        let lines: BTreeSet<(&str, u32)> =
            code.instructions.iter().filter_map(|one| one.source).collect();
        let functions = sources.iter().enumerate().flat_map(|(file, (_, source))| {
            source.functions.iter().enumerate().map(move |(index, of)| ((file, index), of))
        });
        let all: Vec<(Of, &Function<'_>)> = functions.collect();
        let mut named: BTreeMap<&str, Vec<Of>> = BTreeMap::new();
        for (of, function) in &all {
            named.entry(function.name).or_default().push(*of);
        }
        let called = all.iter().map(|(of, function)| {
            let words = sources[of.0].1.tokens[function.body.clone()].iter();
            let called = words.filter_map(|token| named.get(token.text)).flatten();
            (*of, called.copied().collect())
        });
        let called: BTreeMap<Of, BTreeSet<Of>> = called.collect();
        let has_instructions = |(of, function): &&(Of, &Function<'_>)| {
            let name = sources[of.0].0;
            function.lines.clone().any(|line| lines.contains(&(name, line)))
        };
        let present = all.iter().filter(has_instructions).map(|(of, _)| *of);
        let present: Vec<Of> = present.collect();
        let reached = present.iter().map(|of| {
            let from = reached(&called, *of);
            (0..present.len()).filter(|&index| from.contains(&present[index])).collect()
        });
        let reached = reached.collect();
        Self { present, reached }
    }

    /// Whether a function's parameter is the kernel's parameter of the same name: in each call known of it that one is
    /// passed on.
    pub fn passes_on(
        &self,
        sources: &[(&str, Source<'_>)],
        kernel: &str,
        of: Of,
        name: &str,
    ) -> bool {
        passes_on(sources, kernel, of, name, DEEPEST)
    }
}

/// All that are called from one, at first or second hand.
fn reached(called: &BTreeMap<Of, BTreeSet<Of>>, of: Of) -> BTreeSet<Of> {
    let (mut found, mut open) = (BTreeSet::new(), vec![of]);
    while let Some(next) = open.pop() {
        open.extend(called[&next].iter().filter(|one| found.insert(**one)));
    }
    found
}

fn passes_on(
    sources: &[(&str, Source<'_>)],
    kernel: &str,
    (file, index): Of,
    name: &str,
    depth: usize,
) -> bool {
    let function = &sources[file].1.functions[index];
    if function.name == kernel {
        return true;
    }
    let Some(number) = function.parameters.iter().position(|one| one.name == name) else {
        return false;
    };
    // A call with another number of arguments is that of another function of the name.
    let count = function.parameters.len();
    let calls = |tokens: &[Token<'_>]| -> Vec<bool> {
        let all = named(tokens, function.name).into_iter();
        let all = all.map(|at| arguments(tokens, at)).filter(|all| all.len() == count);
        all.map(|all| all[number] == Some(name)).collect()
    };
    let mut is_called = false;
    for (of, (_, source)) in sources.iter().enumerate() {
        // In a macro, which may be the kernel.
        let mut passing = calls(&source.directives);
        for (by, caller) in source.functions.iter().enumerate() {
            let inside = calls(&source.tokens[caller.body.clone()]);
            if inside.is_empty() {
                continue;
            }
            let is_hidden = caller.variables.iter().any(|one| one.name == name);
            let is_kernels =
                !is_hidden && depth > 0 && passes_on(sources, kernel, (of, by), name, depth - 1);
            passing.extend(inside.into_iter().map(|passes| passes && is_kernels));
        }
        is_called |= !passing.is_empty();
        if passing.contains(&false) {
            return false;
        }
    }
    is_called
}

/// The indices of a name.
fn named(tokens: &[Token<'_>], name: &str) -> Vec<usize> {
    (0..tokens.len()).filter(|&at| tokens[at].text == name).collect()
}

/// The arguments of the call at an index, each if it is one word.
fn arguments<'a>(tokens: &[Token<'a>], call: usize) -> Vec<Option<&'a str>> {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
    let is_end = |at: &usize| matches!(text(*at), "(" | ";" | "{" | "}");
    let open = (call + 1..tokens.len()).find(is_end).filter(|&at| text(at) == "(");
    let Some(open) = open else { return Vec::new() };
    let (mut all, mut depth, mut start) = (Vec::new(), 0, open + 1);
    for at in open..tokens.len() {
        match text(at) {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 || depth == 1 && text(at) == "," {
            all.push((at == start + 1).then(|| text(start)));
            start = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    all
}
