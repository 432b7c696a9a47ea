//! The functions of a CUDA C++ source, found by their words.
//!
//! This is no compiler: a declaration whose form is not known here declares no variable that gets a name. What a macro
//! stands for is not looked into.

use std::ops::{Range, RangeInclusive};

use super::tokens::{Token, integer_type, integer_word, is_name, tokens};
use super::values::Type;
use super::variables::{Changing, Variable};

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
    /// The parameters, of which the values and types are not known.
    pub parameters: Vec<Variable<'a>>,
    /// The names of template parameters that are numbers.
    pub constants: Vec<&'a str>,
    /// The numbers of the parameters that are references through which something can be changed; of a list of any
    /// length the largest number there is.
    pub changed: Vec<usize>,
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
    /// The tokens of preprocessor lines.
    pub directives: Vec<Token<'a>>,
    /// The functions.
    pub functions: Vec<Function<'a>>,
    /// The constants outside of functions: name, type and tokens of the value.
    pub constants: Vec<(&'a str, Type, Range<usize>)>,
}

/// Functions of C++ that change what they are given.
const LIBRARY: [&str; 3] = ["swap", "exchange", "tie"];

impl<'a> Source<'a> {
    /// Reads texts without comments. The functions of each may change what those of another one give them.
    pub fn all(texts: impl IntoIterator<Item = &'a str>) -> Vec<Self> {
        let mut all: Vec<Self> = texts.into_iter().map(Self::with_functions).collect();
        let functions = all.iter().flat_map(|source| &source.functions);
        let mut changing = Changing::default();
        for function in functions {
            changing.add(function.name, function.changed.iter().copied());
        }
        for name in LIBRARY {
            changing.add(name, [usize::MAX]);
        }
        for source in &mut all {
            for index in 0..source.functions.len() {
                let mut function = source.functions[index].clone();
                source.find_variables(&mut function, changing.clone());
                source.functions[index] = function;
            }
        }
        all
    }

    /// Reads one text.
    #[cfg(test)]
    pub fn of(text: &'a str) -> Self {
        Self::all([text]).remove(0)
    }

    fn with_functions(text: &'a str) -> Self {
        let [tokens, directives] = tokens(text);
        let (functions, constants) = (Vec::new(), Vec::new());
        let mut source = Self { tokens, directives, functions, constants };
        source.find_functions();
        source
    }

    /// The text of a token; empty behind the last one.
    pub fn text(&self, index: usize) -> &'a str {
        self.tokens.get(index).map_or("", |token| token.text)
    }

    /// The line of a token; that of the last one behind it.
    pub fn line(&self, index: usize) -> u32 {
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
        let lines = self.line(start)..=self.line(end);
        let parameter = |part: &Range<usize>| {
            let at = self.last_name(part)?;
            let (name, line) = (self.text(at), self.line(at));
            Some(Variable { line, ..Variable::unknown(name, start..end, lines.clone()) })
        };
        let before = (head.start..open.saturating_sub(1)).rev();
        let returned = before.take_while(|&at| integer_word(self.text(at))).last();
        Function {
            name: self.text(open.saturating_sub(1)),
            lines: lines.clone(),
            body: start + 1..end,
            returns: returned.and_then(|at| self.dtype(at).0),
            parameters: parameters.iter().filter_map(parameter).collect(),
            constants: self.template_numbers(head),
            changed: self.changed(&parameters),
            variables: Vec::new(),
            shared: Vec::new(),
        }
    }

    /// [`Function::changed`] for these parameters.
    pub fn changed(&self, parameters: &[Range<usize>]) -> Vec<usize> {
        let number = |(number, parameter): (usize, &Range<usize>)| {
            let has = |word: &str| parameter.clone().any(|at| self.text(at) == word);
            let is_changing = (has("&") || has("&&")) && !has("const");
            is_changing.then_some(if has(".") { usize::MAX } else { number })
        };
        parameters.iter().enumerate().filter_map(number).collect()
    }

    /// The index of the name that a parameter declares: the last one that is no extent.
    pub fn last_name(&self, parameter: &Range<usize>) -> Option<usize> {
        let end = parameter.clone().find(|&at| self.text(at) == "=").unwrap_or(parameter.end);
        let mut depth = 0;
        (parameter.start..end).rev().find(|&at| {
            match self.text(at) {
                "]" => depth += 1,
                "[" => depth -= 1,
                _ => {}
            }
            depth == 0 && is_name(self.text(at))
        })
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
    pub fn parts(&self, list: Range<usize>) -> Vec<Range<usize>> {
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
    pub fn opening(&self, close: usize) -> usize {
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
        let (mut depth, mut round) = (0, 0);
        for at in open..self.tokens.len() {
            match self.text(at) {
                "<" => depth += 1,
                ">" => depth -= 1,
                ">>" => depth -= 2,
                text if is_name(text) || text.starts_with(|c: char| c.is_ascii_digit()) => {}
                "(" => round += 1,
                ")" if round > 0 => round -= 1,
                "," | "::" | "*" | "&" | "=" => {}
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::variables::names_of;

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
            (&reduce.constants[..], names_of(&reduce.parameters)),
            (&["block"][..], vec!["in", "out", "n"])
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
            "int f() { ) x = [](",
            "int f(int x[",
        ] {
            Source::of(text);
        }
    }
}
