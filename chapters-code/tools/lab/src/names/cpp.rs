//! The functions of a CUDA C++ source, with the variables that they declare and assign, found by their words.
//!
//! This is no compiler: a declaration whose form is not known here declares no variable that gets a name. What a macro
//! stands for is not looked into.

use std::ops::{Range, RangeInclusive};

use super::values::Type;

/// A word, number, string or sign of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// The text.
    pub text: &'a str,
    /// The line, from 1.
    pub line: u32,
}

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

/// A function with a body.
#[derive(Clone, Debug)]
pub struct Function<'a> {
    /// The name.
    pub name: &'a str,
    /// The lines of the body.
    pub lines: RangeInclusive<u32>,
    /// The tokens of the body, without its braces.
    pub body: Range<usize>,
    /// The type that it returns, if it is one of integers.
    pub returns: Option<Type>,
    /// The names of the parameters.
    pub parameters: Vec<&'a str>,
    /// The names of template parameters that are numbers.
    pub constants: Vec<&'a str>,
    /// Whether a parameter is a reference through which something can be changed.
    pub changes_arguments: bool,
    /// The variables, in order.
    pub variables: Vec<Variable<'a>>,
    /// The names of shared variables that are no arrays.
    pub shared: Vec<&'a str>,
}

/// A source.
#[derive(Debug)]
pub struct Source<'a> {
    /// The tokens outside of preprocessor lines.
    pub tokens: Vec<Token<'a>>,
    /// The functions.
    pub functions: Vec<Function<'a>>,
    /// The constants outside of functions: name, type and tokens of the value.
    pub constants: Vec<(&'a str, Type, Range<usize>)>,
}

/// Words that begin no declaration.
const KEYWORDS: [&str; 22] = [
    "return", "if", "else", "for", "while", "do", "switch", "case", "break", "continue", "goto",
    "asm", "using", "struct", "class", "enum", "template", "typedef", "delete", "new", "throw",
    "operator",
];

impl<'a> Source<'a> {
    /// Reads a text without comments.
    pub fn of(text: &'a str) -> Self {
        let tokens = tokens(text);
        let mut source = Self { tokens, functions: Vec::new(), constants: Vec::new() };
        source.find_functions();
        source
    }

    /// The text of a token; empty behind the last one.
    pub fn text(&self, index: usize) -> &'a str {
        self.tokens.get(index).map_or("", |token| token.text)
    }

    fn line(&self, index: usize) -> u32 {
        self.tokens.get(index).or(self.tokens.last()).map_or(0, |token| token.line)
    }

    fn find_functions(&mut self) {
        let (mut at, mut start) = (0, 0);
        while at < self.tokens.len() {
            match self.text(at) {
                ";" => {
                    self.constants.extend(self.constant(start));
                    start = at + 1;
                }
                "}" => start = at + 1,
                "{" if self.is_function(start..at) => {
                    let end = self.closing(at);
                    let function = self.function(start..at, end);
                    self.functions.push(function);
                    (at, start) = (end, end + 1);
                }
                "{" => start = at + 1,
                _ => {}
            }
            at += 1;
        }
        let changing: Vec<&str> =
            self.functions.iter().filter(|one| one.changes_arguments).map(|one| one.name).collect();
        for index in 0..self.functions.len() {
            let mut function = self.functions[index].clone();
            self.find_variables(&mut function, &changing);
            self.functions[index] = function;
        }
    }

    /// A constant of integers that a statement outside of functions declares.
    fn constant(&self, start: usize) -> Option<(&'a str, Type, Range<usize>)> {
        let mut at = start;
        while matches!(self.text(at), "static" | "__device__" | "inline") {
            at += 1;
        }
        if !matches!(self.text(at), "constexpr" | "const") {
            return None;
        }
        let (dtype, name) = self.dtype(at + 1);
        let is_value = self.text(name + 1) == "=";
        let (dtype, value) = (dtype.filter(|_| is_value)?, name + 2);
        Some((self.text(name), dtype, value..self.expression_end(value)))
    }

    fn is_function(&self, head: Range<usize>) -> bool {
        let Some(last) = head.clone().next_back() else { return false };
        let mut outside =
            head.clone().filter(|&at| matches!(self.text(at), "struct" | "enum" | "="));
        let has_end = matches!(self.text(last), ")" | "const");
        let open = head.rev().find(|&at| self.text(at) == ")").map(|close| self.opening(close));
        has_end && open.is_some_and(|open| outside.all(|at| at < open))
    }

    fn function(&self, head: Range<usize>, end: usize) -> Function<'a> {
        let start = head.end;
        let close = head.clone().rev().find(|&at| self.text(at) == ")").unwrap_or(head.start);
        let open = self.opening(close);
        let parameters = self.parts(open + 1..close);
        let is_changing = |part: &Range<usize>| {
            let words = || part.clone().map(|at| self.text(at));
            words().any(|word| word == "&") && !words().any(|word| word == "const")
        };
        let last_name = |part: &Range<usize>| {
            let names = part.clone().rev().map(|at| self.text(at));
            names.take_while(|word| *word != "=").find(|word| is_name(word))
        };
        let before = (head.start..open.saturating_sub(1)).rev();
        let returned = before.take_while(|&at| integer_word(self.text(at))).last();
        Function {
            name: self.text(open.saturating_sub(1)),
            lines: self.line(start)..=self.line(end),
            body: start + 1..end,
            returns: returned.and_then(|at| self.dtype(at).0),
            parameters: parameters.iter().filter_map(last_name).collect(),
            constants: self.template_numbers(head),
            changes_arguments: parameters.iter().any(is_changing),
            variables: Vec::new(),
            shared: Vec::new(),
        }
    }

    /// The names of the numbers among the template parameters of a head.
    fn template_numbers(&self, head: Range<usize>) -> Vec<&'a str> {
        let Some(start) = head.clone().find(|&at| self.text(at) == "template") else {
            return Vec::new();
        };
        let end = self.angle_end(start + 1).unwrap_or(start + 2);
        let numbers = self.parts(start + 2..end.saturating_sub(1)).into_iter();
        let numbers = numbers.filter(|part| integer_word(self.text(part.start)));
        numbers.map(|part| self.text(self.dtype(part.start).1)).collect()
    }

    /// The parts of a list between commas in no brackets.
    fn parts(&self, list: Range<usize>) -> Vec<Range<usize>> {
        let (mut parts, mut depth, mut start) = (Vec::new(), 0, list.start);
        for at in list.clone() {
            match self.text(at) {
                "(" | "[" | "{" | "<" => depth += 1,
                ")" | "]" | "}" | ">" => depth -= 1,
                "," if depth == 0 => {
                    parts.push(start..at);
                    start = at + 1;
                }
                _ => {}
            }
        }
        parts.push(start..list.end);
        parts.retain(|part| !part.is_empty());
        parts
    }

    /// The index of the bracket that closes the one at an index; that of the last token if none does.
    pub fn closing(&self, open: usize) -> usize {
        let mut depth = 0;
        for at in open..self.tokens.len() {
            match self.text(at) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return at;
            }
        }
        self.tokens.len().saturating_sub(1)
    }

    /// The index of the bracket that the one at an index closes.
    fn opening(&self, close: usize) -> usize {
        let mut depth = 0;
        for at in (0..=close).rev() {
            match self.text(at) {
                ")" | "]" | "}" => depth += 1,
                "(" | "[" | "{" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return at;
            }
        }
        0
    }

    /// The index behind template arguments that begin at an index; none if these are none.
    pub fn angle_end(&self, open: usize) -> Option<usize> {
        let mut depth = 0;
        for at in open..self.tokens.len() {
            match self.text(at) {
                "<" => depth += 1,
                ">" => depth -= 1,
                ">>" => depth -= 2,
                text if is_name(text) || text.starts_with(|c: char| c.is_ascii_digit()) => {}
                "," | "::" | "*" | "&" | "=" | "(" | ")" => {}
                _ => return None,
            }
            if depth <= 0 {
                return (at > open).then_some(at + 1);
            }
        }
        None
    }

    /// The type at an index, and the index behind it; no type if it is none of integers.
    pub fn dtype(&self, start: usize) -> (Option<Type>, usize) {
        let mut at = start;
        while integer_word(self.text(at)) {
            at += 1;
        }
        let words: Vec<&str> = (start..at).map(|at| self.text(at)).collect();
        (integer_type(&words), at)
    }

    /// The index at which the expression that begins at one ends.
    pub fn expression_end(&self, start: usize) -> usize {
        let mut at = start;
        while at < self.tokens.len() {
            match self.text(at) {
                "(" | "[" | "{" => at = self.closing(at),
                ")" | "]" | "}" | ";" | "," => return at,
                _ => {}
            }
            at += 1;
        }
        at
    }

    /// The index behind the statement that begins at one.
    fn statement_end(&self, start: usize) -> usize {
        match self.text(start) {
            "{" => self.closing(start) + 1,
            "for" | "while" | "if" => self.statement_end(self.closing(start + 1) + 1),
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

    fn find_variables(&self, function: &mut Function<'a>, changing: &[&str]) {
        let mut scopes = vec![function.body.end];
        let mut at = function.body.start;
        while at < function.body.end {
            match self.text(at) {
                "{" => scopes.push(self.closing(at)),
                "}" => _ = scopes.pop(),
                _ => {}
            }
            let before = if at == function.body.start { ";" } else { self.text(at - 1) };
            let is_loop = before == "(" && at >= 2 && self.text(at - 2) == "for";
            if is_loop || matches!(before, "{" | "}" | ";" | ")") {
                let end = match is_loop {
                    true => self.statement_end(at - 2),
                    false => scopes.last().copied().unwrap_or(function.body.end),
                };
                self.declare(function, at, end);
            }
            at += 1;
        }
        for at in function.body.clone() {
            self.note_change(function, at, changing);
        }
    }

    /// Notes the variables of a declaration at an index, whose scope ends at another one.
    fn declare(&self, function: &mut Function<'a>, start: usize, end: usize) {
        let mut at = start;
        let mut is_shared = false;
        while matches!(self.text(at), "const" | "constexpr" | "static" | "extern" | "__shared__") {
            is_shared |= self.text(at) == "__shared__";
            at += 1;
        }
        let Some((dtype, mut at)) = self.declared_type(at) else { return };
        loop {
            let is_pointer = matches!(self.text(at), "*" | "&");
            while matches!(self.text(at), "*" | "&" | "__restrict__" | "const") {
                at += 1;
            }
            let (name, next) = (self.text(at), self.text(at + 1));
            if !is_name(name) || !matches!(next, "=" | ";" | "," | "[" | "(" | "{") {
                return;
            }
            let first = (next == "=").then(|| at + 2..self.expression_end(at + 2));
            let is_doubtful = is_pointer || is_shared || matches!(next, "[" | "(" | "{");
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
    fn note_change(&self, function: &mut Function<'a>, at: usize, changing: &[&str]) {
        let name = self.text(at);
        let is_it = |one: &&mut Variable<'a>| one.name == name && one.scope.contains(&at);
        let Some(variable) = function.variables.iter_mut().rev().find(is_it) else { return };
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
        let is_address = before == "&" && matches!(two_before, "(" | "," | "=" | "return" | "{");
        let is_output =
            before == "(" && (two_before.starts_with("\"=") || two_before.starts_with("\"+"));
        variable.is_doubtful |= is_address || is_output || self.is_changed_argument(at, changing);
    }

    /// Whether a variable at an index is an argument of a function that may change it.
    fn is_changed_argument(&self, at: usize, changing: &[&str]) -> bool {
        let is_argument =
            matches!(self.text(at - 1), "(" | ",") && matches!(self.text(at + 1), ")" | ",");
        if !is_argument {
            return false;
        }
        let start = (0..at).rev().find(|&at| matches!(self.text(at), ";" | "{" | "}")).unwrap_or(0);
        (start..at).any(|at| changing.contains(&self.text(at)))
    }
}

/// Whether a token that ends in `=` compares.
fn is_comparison(token: &str) -> bool {
    matches!(token, "==" | "!=" | "<=" | ">=")
}

/// Whether a token is a name or keyword.
pub fn is_name(token: &str) -> bool {
    token.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
}

/// Whether a token is a word of a type of integers. That of truth values is none: it keeps no number.
pub fn integer_word(token: &str) -> bool {
    matches!(
        token,
        "unsigned"
            | "signed"
            | "int"
            | "long"
            | "short"
            | "char"
            | "size_t"
            | "u8"
            | "u16"
            | "u32"
            | "u64"
            | "i32"
            | "i64"
            | "uint32_t"
            | "uint64_t"
            | "int32_t"
            | "int64_t"
    )
}

/// The type that words stand for.
pub fn integer_type(words: &[&str]) -> Option<Type> {
    let has = |word: &str| words.contains(&word);
    let bits = match words {
        [] => return None,
        _ if has("long") || has("size_t") || has("u64") || has("i64") => 64,
        _ if has("uint64_t") || has("int64_t") => 64,
        _ if has("short") || has("u16") => 16,
        _ if has("char") || has("u8") => 8,
        _ => 32,
    };
    let is_unsigned = words.iter().any(|word| word.starts_with('u') || *word == "size_t");
    Some(Type { bits, is_signed: !is_unsigned })
}

/// Signs of several letters, the longer ones first.
const SIGNS: [&str; 22] = [
    "<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=",
    "&=", "|=", "^=", "++", "--", "->", "::",
];

/// The tokens of a text, without lines of the preprocessor.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut is_directive = false;
    for (index, line) in text.lines().enumerate() {
        let continues = is_directive || line.trim_start().starts_with('#');
        is_directive = continues && line.trim_end().ends_with('\\');
        if continues {
            continue;
        }
        let mut rest = line.trim_start();
        while !rest.is_empty() {
            let length = token_length(rest);
            tokens.push(Token { text: &rest[..length], line: index as u32 + 1 });
            rest = rest[length..].trim_start();
        }
    }
    tokens
}

/// The bytes of the token that a text begins with.
fn token_length(text: &str) -> usize {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if text.starts_with('"') {
        return text[1..].find('"').map_or(text.len(), |end| end + 2);
    }
    if text.starts_with(|letter: char| letter.is_ascii_digit()) {
        let is_other = |letter: char| !is_word(letter) && !matches!(letter, '.' | '\'');
        return text.find(is_other).unwrap_or(text.len());
    }
    if text.starts_with(is_word) {
        return text.find(|letter| !is_word(letter)).unwrap_or(text.len());
    }
    let sign = SIGNS.iter().find(|sign| text.starts_with(**sign));
    sign.map_or_else(|| text.chars().next().map_or(1, char::len_utf8), |sign| sign.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "#define F(x) \\\n  { x; }\nconstexpr unsigned ROWS = 4 * 2;\n\
        __device__ inline unsigned lane_id() { return threadIdx.x % 32; }\n\
        template <typename T> __device__ T result(T& prefix, T x) { return x; }\n\
        template <typename Op, unsigned block, typename T>\n\
        __device__ void reduce(const T* in, Acc<T>* out, size_t n) {\n\
            __shared__ bool last;\n\
            unsigned x = threadIdx.x, y = f<Op>(threadIdx.y);\n\
            for (size_t i = x; i < n; i += 2 * block) {\n\
                T value = in[i];\n\
                result(y, value);\n\
            }\n\
            long long *p, mine;\n\
            mine = -1;\n\
            y++;\n\
        }\n";

    #[test]
    fn functions_have_variables() {
        let source = Source::of(TEXT);
        let names: Vec<&str> = source.functions.iter().map(|one| one.name).collect();
        assert_eq!(names, ["lane_id", "result", "reduce"]);
        assert_eq!(source.functions[0].returns, Some(Type::UNSIGNED));
        let [(name, dtype, _)] = &source.constants[..] else { panic!("{:?}", source.constants) };
        assert_eq!((*name, *dtype), ("ROWS", Type::UNSIGNED));
        let reduce = &source.functions[2];
        assert_eq!(reduce.lines, 7..=17);
        assert_eq!(
            (&reduce.constants[..], &reduce.parameters[..]),
            (&["block"][..], &["in", "out", "n"][..])
        );
        assert_eq!(reduce.shared, ["last"]);
        let of = |name: &str| {
            let found = reduce.variables.iter().find(|one| one.name == name);
            found.unwrap_or_else(|| panic!("{name} in {:?}", reduce.variables))
        };
        assert_eq!(of("i").lines, 10..=13);
        assert_eq!((&of("i").updates[0].operator[..], of("i").updates[0].line), ("+", 10));
        assert_eq!(
            (of("x").dtype, of("x").updates.len(), of("x").is_doubtful),
            (Some(Type::UNSIGNED), 0, false)
        );
        assert!(of("y").is_doubtful, "a function may change it");
        assert_eq!(of("y").updates[0].operator, "++");
        assert_eq!((of("value").dtype, of("value").line), (None, 11));
        assert!(of("p").is_doubtful && !of("mine").is_doubtful);
        assert_eq!(of("mine").dtype, Some(Type { bits: 64, is_signed: true }));
        assert_eq!((of("mine").updates.len(), of("mine").first.clone()), (1, None));
    }

    #[test]
    fn any_text_is_read() {
        for text in [
            "",
            "{",
            "}",
            "f(",
            "a<b",
            "x = \"",
            "for (",
            "int f() { for (",
            "template <",
            "{ } ) ( int f() {",
        ] {
            Source::of(text);
        }
    }
}
