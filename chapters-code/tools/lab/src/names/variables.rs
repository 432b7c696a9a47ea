//! The variables that a function of a source declares, and the assignments to them.
//!
//! In any doubt a variable is one that may change. What is declared in a form that is not known here has no register, but
//! where its name is certain it hides what else has the name.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Range, RangeInclusive};

use super::cpp::{Function, Source};
use super::tokens::{integer_word, is_name};
use super::values::Type;

/// A value that a variable gets after its declaration.
#[derive(Clone, Debug)]
pub struct Update {
    /// The operator before `=`; empty for a plain assignment, and `++` or `--` for these.
    pub operator: String,
    /// The tokens of the expression.
    pub value: Range<usize>,
    /// The line.
    pub line: u32,
}

/// A variable of a function.
#[derive(Clone, Debug)]
pub struct Variable<'a> {
    /// The name.
    pub name: &'a str,
    /// The type, if it is one of integers.
    pub dtype: Option<Type>,
    /// The line of the declaration.
    pub line: u32,
    /// The tokens of the first value; none for a declaration without one.
    pub first: Option<Range<usize>>,
    /// The other values.
    pub updates: Vec<Update>,
    /// The tokens in which the name means this variable.
    pub scope: Range<usize>,
    /// The lines of the scope.
    pub lines: RangeInclusive<u32>,
    /// Whether something else may change the variable, or it is no plain variable.
    pub is_doubtful: bool,
}

/// Words that begin no declaration.
const KEYWORDS: [&str; 22] = [
    "return", "if", "else", "for", "while", "do", "switch", "case", "break", "continue", "goto",
    "asm", "using", "struct", "class", "enum", "template", "typedef", "delete", "new", "throw",
    "operator",
];

/// Words before the type of a declaration.
const SPECIFIERS: [&str; 9] = [
    "const",
    "constexpr",
    "static",
    "extern",
    "volatile",
    "typename",
    "alignas",
    "__align__",
    "__shared__",
];

/// Which arguments functions change, by the names of the functions.
#[derive(Clone, Debug, Default)]
pub struct Changing<'a>(BTreeMap<&'a str, BTreeSet<usize>>);

impl<'a> Changing<'a> {
    /// Notes the numbers of the arguments that a function changes.
    pub fn add(&mut self, name: &'a str, changed: impl IntoIterator<Item = usize>) {
        self.0.entry(name).or_default().extend(changed);
    }

    /// Whether a call by a name may change an argument.
    fn changes(&self, name: &str, number: usize) -> bool {
        let changes = |of: &BTreeSet<usize>| of.contains(&number) || of.contains(&usize::MAX);
        let is_plain = KEYWORDS.contains(&name) || integer_word(name);
        match self.0.get(name) {
            Some(of) => changes(of),
            // Where nothing has the name, it may be that of an object: the name of `operator()` ends in a bracket.
            None if !is_plain => self.0.get(")").is_some_and(changes),
            None => false,
        }
    }
}

impl<'a> Source<'a> {
    /// Finds the variables of a function, of which `changing` are the functions that change what they are given.
    pub fn find_variables(&self, function: &mut Function<'a>, mut changing: Changing<'a>) {
        // The brackets around a token, each with whether it is a block, and with its end.
        let mut around = vec![(true, function.body.end)];
        for at in function.body.clone() {
            let (is_block, end) = around.last().copied().unwrap_or((true, function.body.end));
            if let Some(head) = self.head(at) {
                self.declare(function, at, self.statement_end(head), true);
            } else if is_block && self.is_statement(at, function.body.start) {
                self.declare(function, at, end, false);
            }
            match self.text(at) {
                "{" => around.push((self.is_block(at), self.closing(at))),
                "(" | "[" => around.push((false, self.closing(at))),
                "}" | ")" | "]" => _ = around.pop(),
                _ => {}
            }
            if let Some((name, changed)) = self.declare_lambda(function, at) {
                changing.add(name, changed);
            }
        }
        for at in function.body.clone() {
            self.note_change(function, at, &changing);
        }
    }

    /// The index of the `for`, `while`, `if` or `switch` whose bracket begins before an index.
    fn head(&self, at: usize) -> Option<usize> {
        let open = at.checked_sub(1).filter(|&open| self.text(open) == "(")?;
        let head = open.checked_sub(1)?;
        let head = if self.text(head) == "constexpr" { head.checked_sub(1)? } else { head };
        matches!(self.text(head), "for" | "while" | "if" | "switch").then_some(head)
    }

    /// Whether a statement may begin at an index in a block. What stands behind a cast is none.
    fn is_statement(&self, at: usize, start: usize) -> bool {
        match at.checked_sub(1).map_or("", |before| self.text(before)) {
            _ if at == start => true,
            "{" | "}" | ";" | "else" | "do" => true,
            ")" => self.head(self.opening(at - 1) + 1).is_some(),
            _ => false,
        }
    }

    /// Whether a brace begins a block, and not a list of values.
    fn is_block(&self, open: usize) -> bool {
        let before = |back: usize| open.checked_sub(back).map_or("", |at| self.text(at));
        let is_first = matches!(
            before(1),
            "" | ")" | "]" | "{" | "}" | ";" | "else" | "do" | "mutable" | "noexcept"
        );
        // A lambda's type.
        let words = (1..).map(before).take_while(|word| is_name(word) || *word == "::");
        is_first || before(1 + words.count()) == "->"
    }

    /// Hides what has the name of a parameter of a lambda that begins at an index, inside of it. Returns the name of the
    /// lambda, and the numbers of the arguments that it changes.
    fn declare_lambda(
        &self,
        function: &mut Function<'a>,
        at: usize,
    ) -> Option<(&'a str, Vec<usize>)> {
        let before = at.checked_sub(1).map_or("", |before| self.text(before));
        let is_index = is_name(before) && before != "return" || matches!(before, ")" | "]" | ">");
        if self.text(at) != "[" || is_index {
            return None;
        }
        let open = self.closing(at) + 1;
        if self.text(open) != "(" {
            return None;
        }
        let close = self.closing(open);
        let body = (close..self.tokens.len()).find(|&at| matches!(self.text(at), "{" | ";"))?;
        if self.text(body) != "{" {
            return None;
        }
        let end = self.closing(body);
        let parameters = self.parts(open + 1..close);
        for name in parameters.iter().filter_map(|part| self.last_name(part)) {
            function.variables.push(self.hiding(name, end));
        }
        let has_name = before == "=" && at >= 2;
        has_name.then(|| (self.text(at - 2), self.changed(&parameters)))
    }

    /// A variable of which only the name, at an index, and the end of the scope are known.
    fn hiding(&self, name: usize, end: usize) -> Variable<'a> {
        let lines = self.line(name)..=self.line(end.saturating_sub(1));
        let variable = Variable::unknown(self.text(name), name..end, lines);
        Variable { is_doubtful: true, ..variable }
    }

    /// The index behind the statement that begins at one.
    fn statement_end(&self, start: usize) -> usize {
        match self.text(start) {
            "{" => self.closing(start) + 1,
            "for" | "while" | "switch" => self.statement_end(self.closing(start + 1) + 1),
            "if" => {
                let open = start + 1 + usize::from(self.text(start + 1) == "constexpr");
                let end = self.statement_end(self.closing(open) + 1);
                if self.text(end) == "else" { self.statement_end(end + 1) } else { end }
            }
            _ => {
                let mut at = start;
                while at < self.tokens.len() && self.text(at) != ";" {
                    at = if matches!(self.text(at), "(" | "[" | "{") {
                        self.closing(at)
                    } else {
                        at
                    };
                    at += 1;
                }
                at + 1
            }
        }
    }

    /// Notes the variables of a declaration at an index, whose scope ends at another one, perhaps in the head of a
    /// statement.
    fn declare(&self, function: &mut Function<'a>, start: usize, end: usize, is_in_head: bool) {
        let mut at = start;
        let mut is_shared = false;
        while SPECIFIERS.contains(&self.text(at)) {
            is_shared |= self.text(at) == "__shared__";
            let has_argument = self.text(at + 1) == "(";
            at = if has_argument { self.closing(at + 1) + 1 } else { at + 1 };
        }
        let Some((dtype, mut at)) = self.declared_type(at) else { return };
        loop {
            let is_pointer = matches!(self.text(at), "*" | "&" | "&&");
            let is_reference = matches!(self.text(at), "&" | "&&");
            while matches!(self.text(at), "*" | "&" | "&&" | "__restrict__" | "const") {
                at += 1;
            }
            let (name, next) = (self.text(at), self.text(at + 1));
            let (close, behind) = (self.closing(at), self.text(self.closing(at) + 1));
            // Several names, or a reference to an array.
            let is_list = name == "[" && (start..at).any(|at| self.text(at) == "auto");
            let is_array = name == "(" && next == "&" && close == at + 3;
            if (is_list || is_array) && matches!(behind, "=" | ":" | "[") {
                for name in (at + 1..close).filter(|&at| is_name(self.text(at))) {
                    if let Some(other) = function.known(self.text(name), name).filter(|_| is_array)
                    {
                        other.is_doubtful = true;
                    }
                    function.variables.push(self.hiding(name, end));
                }
                return;
            }
            let is_range = next == ":" && is_in_head;
            let is_end = is_range || matches!(next, "=" | ";" | "," | "[" | "(" | "{");
            if !is_name(name) || !is_end {
                return;
            }
            let first = (next == "=").then(|| at + 2..self.expression_end(at + 2));
            if is_reference {
                self.note_references(function, at + 1);
            }
            let is_doubtful = is_pointer || is_shared || matches!(next, "[" | "(" | "{" | ":");
            if is_shared && !matches!(next, "[" | "(") {
                function.shared.push(name);
            }
            let behind = first.as_ref().map_or_else(
                || if matches!(next, "[" | "(" | "{") { self.closing(at + 1) + 1 } else { at + 1 },
                |first| first.end,
            );
            function.variables.push(Variable {
                name,
                dtype: dtype.filter(|_| !is_pointer),
                line: self.line(at),
                first,
                updates: Vec::new(),
                scope: at..end,
                lines: self.line(at)..=self.line(end.saturating_sub(1)),
                is_doubtful,
            });
            if self.text(behind) != "," {
                return;
            }
            at = behind + 1;
        }
    }

    /// Notes that a reference whose first value begins at an index may change each variable that stands there, other than
    /// in an index.
    fn note_references(&self, function: &mut Function<'a>, start: usize) {
        let end = match self.text(start) {
            "(" | "{" => self.closing(start),
            _ => self.expression_end(start + 1),
        };
        let mut at = start + 1;
        while at < end {
            let name = self.text(at);
            if let Some(variable) = function.known(name, at) {
                variable.is_doubtful = true;
            }
            at = if name == "[" { self.closing(at) } else { at + 1 };
        }
    }

    /// The type of a declaration that may begin at an index, and the index behind it.
    fn declared_type(&self, start: usize) -> Option<(Option<Type>, usize)> {
        let (dtype, at) = self.dtype(start);
        if at > start {
            return Some((dtype, at));
        }
        let word = self.text(start);
        if !is_name(word) || KEYWORDS.contains(&word) {
            return None;
        }
        let mut at = start + 1;
        while self.text(at) == "::" {
            at += 2;
        }
        if self.text(at) == "<" {
            at = self.angle_end(at)?;
        }
        Some((None, at))
    }

    /// Notes an assignment to a variable at an index, or that something else may change it.
    fn note_change(&self, function: &mut Function<'a>, at: usize, changing: &Changing<'_>) {
        let Some(variable) = function.known(self.text(at), at) else { return };
        let [before, next] = [self.text(at.wrapping_sub(1)), self.text(at + 1)];
        if variable.scope.start == at || matches!(before, "." | "->" | "::") {
            return;
        }
        let line = self.line(at);
        let operator = next.strip_suffix('=').filter(|_| !is_comparison(next));
        if let Some(operator) = operator {
            let value = at + 2..self.expression_end(at + 2);
            variable.updates.push(Update { operator: operator.into(), value, line });
        } else if let Some(step) = [before, next].into_iter().find(|s| matches!(*s, "++" | "--")) {
            variable.updates.push(Update { operator: step.into(), value: at..at, line });
        }
        let two_before = self.text(at.wrapping_sub(2));
        let is_cast = two_before == ")" && self.text(at.wrapping_sub(3)) == "*";
        let is_operand =
            is_cast || matches!(two_before, "(" | "," | "=" | "return" | "{" | "?" | ":");
        let is_address = before == "&" && is_operand;
        // A variable with members has no single register.
        let is_structure = matches!(next, "." | "->");
        let is_output =
            before == "(" && (two_before.starts_with("\"=") || two_before.starts_with("\"+"));
        variable.is_doubtful |=
            is_address || is_structure || is_output || self.is_changed_argument(at, changing);
    }

    /// Whether a variable at an index is an argument of a function that may change it.
    fn is_changed_argument(&self, at: usize, changing: &Changing<'_>) -> bool {
        let is_argument =
            matches!(self.text(at - 1), "(" | ",") && matches!(self.text(at + 1), ")" | ",");
        is_argument
            && self.call_around(at).is_some_and(|(name, index)| changing.changes(name, index))
    }

    /// The name of the function whose argument is at an index, and the argument's number; none if it is in no round
    /// brackets.
    fn call_around(&self, at: usize) -> Option<(&'a str, usize)> {
        let (mut depth, mut number) = (0, 0);
        let mut before = (0..at).rev();
        let open = before.find(|&at| {
            match self.text(at) {
                ")" | "]" | "}" => depth += 1,
                "(" | "[" | "{" => depth -= 1,
                "," if depth == 0 => number += 1,
                _ => {}
            }
            depth < 0
        });
        let open = open.filter(|&open| self.text(open) == "(")?;
        let mut depth = 0;
        let name = (0..open).rev().find(|&at| {
            match self.text(at) {
                ">" => depth += 1,
                ">>" => depth += 2,
                "<" => depth -= 1,
                _ => return depth <= 0,
            }
            false
        });
        Some((name.map_or("", |name| self.text(name)), number))
    }
}

impl<'a> Variable<'a> {
    /// A variable of which only the name and the scope are known.
    pub fn unknown(name: &'a str, scope: Range<usize>, lines: RangeInclusive<u32>) -> Self {
        let (dtype, first, updates) = (None, None, Vec::new());
        let line = *lines.start();
        Self { name, dtype, line, first, updates, scope, lines, is_doubtful: false }
    }

    /// Whether it may have another value than its first one.
    pub fn may_change(&self) -> bool {
        self.is_doubtful || !self.updates.is_empty()
    }
}

impl<'a> Function<'a> {
    /// The variable or parameter that a name means at a token: the one that was declared last.
    fn known(&mut self, name: &str, at: usize) -> Option<&mut Variable<'a>> {
        let is_it = |one: &&mut Variable<'a>| one.name == name && one.scope.contains(&at);
        let variables = self.variables.iter_mut().rev();
        variables.chain(&mut self.parameters).find(is_it)
    }
}

/// Whether a token that ends in `=` compares.
fn is_comparison(token: &str) -> bool {
    matches!(token, "==" | "!=" | "<=" | ">=")
}

/// The names of variables.
#[cfg(test)]
pub fn names_of<'a>(variables: &[Variable<'a>]) -> Vec<&'a str> {
    variables.iter().map(|one| one.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The variables and parameters of a function with this body that may change, with those that are only hidden.
    fn changed(body: &str) -> Vec<String> {
        let others = "void result(T& a, T b) {} bool operator()(T a, T& b) {} void all(T&... a) {}";
        let text = format!(
            "{others} void g(T a) {{}} void f(unsigned n, unsigned x) {{\nunsigned y = n;\n{body}\n}}\n"
        );
        let source = Source::of(&text);
        let function = &source.functions[4];
        let all = function.parameters.iter().chain(&function.variables);
        all.filter(|one| one.may_change()).map(|one| one.name.to_owned()).collect()
    }

    #[test]
    fn what_may_change_is_found() {
        for (body, expected) in [
            ("g(x);", &[][..]),
            ("n = 3;", &["n"]),
            ("unsigned& z = y;", &["y", "z"]),
            ("auto&& z{y};", &["y", "z"]),
            ("unsigned& z = table[y];", &["z"]),
            ("result(x, y);", &["x"]),
            ("result<A<B>, 3>(x, y);", &["x"]),
            ("f.result(y, g(x));", &["y"]),
            ("object(x, y);", &["y"]),
            ("all(n, x, y);", &["n", "x", "y"]),
            ("swap(x, y);", &["x", "y"]),
            ("auto step = [&](unsigned& z) { z += 1; }; step(y);", &["y", "z"]),
            ("g((unsigned*)&y);", &["y"]),
            ("for (unsigned& z : y) g(z);", &["y", "z"]),
        ] {
            assert_eq!(changed(body), expected, "{body}");
        }
    }

    #[test]
    fn a_function_of_another_file_may_change_what_it_is_given() {
        let text = "void f() { unsigned x = 0; step(x); }";
        let all = Source::all(["void step(unsigned& x) { x += 1; }", text]);
        assert!(all[1].functions[0].variables[0].is_doubtful);
    }

    #[test]
    fn declarations_are_told_from_expressions() {
        let declared = |body: &str| {
            let text = format!("void f() {{\n{body}\n}}\n");
            let all = names_of(&Source::of(&text).functions[0].variables);
            all.into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        for (body, expected) in [
            ("unsigned y = (unsigned) a * b; b += 2;", &["y"][..]),
            ("if (c) unsigned y = a * b;", &["y"]),
            ("for (unsigned m = 1; m & b; m *= 2) g();", &["m"]),
            ("Pair y = {a * b, c};", &["y"]),
            ("if (a < b) c = d > e;", &[]),
            ("if (unsigned y = g()) h();", &["y"]),
            ("auto [y, z] = g();", &["y", "z"]),
            ("const T (&y)[4] = g();", &["y"]),
            ("a[y] = b;", &[]),
            ("volatile unsigned y;", &["y"]),
            ("each([&](unsigned y) { unsigned z = y; });", &["y", "z"]),
            ("auto g = [=](auto y) -> unsigned { unsigned z = y; };", &["g", "y", "z"]),
        ] {
            assert_eq!(declared(body), expected, "{body}");
        }
    }
}
