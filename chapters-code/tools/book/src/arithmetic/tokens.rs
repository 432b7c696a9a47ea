//! The numbers, units and signs of a page's prose and formulas.

/// To which powers bytes and seconds are in a unit.
pub(super) type Dimension = [i32; 2];

/// A number as it is printed, in bytes and seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number {
    pub(super) value: f64,
    /// One unit of its last digit.
    pub(super) last_digit: f64,
    /// What its unit is; 1 without one.
    pub(super) unit: f64,
    pub(super) dimension: Dimension,
}

/// What arithmetic on a page is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token {
    Number(Number),
    /// `+`, `-`, `*`, `/`, `^`, `%` for the remainder, or `f` for a fraction, whose two operands follow.
    Sign(char),
    /// `(`; `[` and `<` where what is inside is rounded down and up.
    Open(char),
    Close,
    /// A sign of equality.
    Equals,
    /// A word such as *makes*, which may also say something else.
    Is,
    /// A sign of approximate equality.
    About,
    /// A variable, or what else has no value here.
    Unknown,
    /// A word or a mark that ends an expression.
    Boundary,
}

/// Stands for code, a directive, or what else has no value.
pub(super) const UNKNOWN: char = '\u{1}';

/// Units with what they are in bytes and seconds. One that begins with another stands before it.
pub(super) const UNITS: [(&str, f64, Dimension); 27] = [
    ("KiB", 1024.0, [1, 0]),
    ("MiB", 1_048_576.0, [1, 0]),
    ("GiB", 1_073_741_824.0, [1, 0]),
    ("MB/s", 1e6, [1, -1]),
    ("GB/s", 1e9, [1, -1]),
    ("TB/s", 1e12, [1, -1]),
    ("KB", 1e3, [1, 0]),
    ("MB", 1e6, [1, 0]),
    ("GB", 1e9, [1, 0]),
    ("TB", 1e12, [1, 0]),
    ("million bytes", 1e6, [1, 0]),
    ("bytes", 1.0, [1, 0]),
    ("byte", 1.0, [1, 0]),
    ("B", 1.0, [1, 0]),
    ("million", 1e6, [0, 0]),
    ("billion", 1e9, [0, 0]),
    ("microseconds", 1e-6, [0, 1]),
    ("milliseconds", 1e-3, [0, 1]),
    ("seconds", 1.0, [0, 1]),
    ("ns", 1e-9, [0, 1]),
    ("µs", 1e-6, [0, 1]),
    ("ms", 1e-3, [0, 1]),
    ("s", 1.0, [0, 1]),
    ("GHz", 1e9, [0, -1]),
    ("\\%", 0.01, [0, 0]),
    ("%", 0.01, [0, 0]),
    ("×", 1.0, [0, 0]),
];

/// What stands between tokens: LaTeX's spaces, emphasis, and the marks of a comment, which may hold an equation.
const NOTHING: [&str; 15] = [
    "&",
    "~",
    "*",
    "\u{a0}",
    "\\,",
    "\\;",
    "\\:",
    "\\!",
    "\\ ",
    "\\left",
    "\\right",
    "\\mathrm",
    "<!--",
    "-->",
    "\\displaystyle",
];

/// Signs. One that begins with another stands before it.
const SIGNS: [(&str, Token); 33] = [
    ("\\begin{aligned}", Token::Boundary),
    ("\\end{aligned}", Token::Boundary),
    ("\\quad", Token::Boundary),
    ("\\cdot", Token::Sign('*')),
    ("\\times", Token::Sign('*')),
    ("\\bmod", Token::Sign('%')),
    ("\\frac", Token::Sign('f')),
    ("\\tfrac", Token::Sign('f')),
    ("\\approx", Token::About),
    ("\\lfloor", Token::Open('[')),
    ("\\rfloor", Token::Close),
    ("\\lceil", Token::Open('<')),
    ("\\rceil", Token::Close),
    ("⌊", Token::Open('[')),
    ("⌋", Token::Close),
    ("⌈", Token::Open('<')),
    ("⌉", Token::Close),
    ("(", Token::Open('(')),
    ("{", Token::Open('(')),
    (")", Token::Close),
    ("}", Token::Close),
    ("+", Token::Sign('+')),
    ("−", Token::Sign('-')),
    ("·", Token::Sign('*')),
    ("×", Token::Sign('*')),
    ("/", Token::Sign('/')),
    ("^", Token::Sign('^')),
    ("=", Token::Equals),
    ("≈", Token::About),
    (": as ", Token::Equals),
    ("_", Token::Unknown),
    ("!", Token::Unknown),
    ("\\", Token::Unknown),
];

/// Words of the prose that are signs.
const WORDS: [(&str, Token); 11] = [
    ("mod", Token::Sign('%')),
    ("times", Token::Sign('*')),
    ("are", Token::Is),
    ("is", Token::Is),
    ("make", Token::Is),
    ("makes", Token::Is),
    ("give", Token::Is),
    ("gives", Token::Is),
    ("about", Token::About),
    ("a", Token::Boundary),
    ("I", Token::Boundary),
];

/// The tokens of `text`, each with the byte at which it begins.
pub(super) fn tokens(text: &str) -> Vec<(usize, Token)> {
    let mut lexer = Lexer { text, at: 0, in_formula: false, single_digits: 0, tokens: Vec::new() };
    while lexer.at < text.len() {
        lexer.step();
    }
    lexer.tokens
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    in_formula: bool,
    /// How many operands of a fraction may still be digits without braces, `\frac12`.
    single_digits: u8,
    tokens: Vec<(usize, Token)>,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn push(&mut self, token: Token, length: usize) {
        self.tokens.push((self.at, token));
        self.at += length;
    }

    fn step(&mut self) {
        let rest = self.rest();
        if rest.starts_with('$') {
            self.in_formula = !self.in_formula;
            self.at += if rest.starts_with("$$") { 2 } else { 1 };
        } else if rest.starts_with("\\text{") {
            self.push(Token::Boundary, rest.find('}').map_or(rest.len(), |end| end + 1));
        } else if rest.starts_with("\n\n") || rest.starts_with("\\\\") {
            self.push(Token::Boundary, 2);
        } else if let Some(nothing) = NOTHING.iter().find(|word| rest.starts_with(**word)) {
            self.at += nothing.len();
        } else if let Some((word, token)) = SIGNS.iter().find(|(word, _)| rest.starts_with(word)) {
            self.sign(word, *token);
        } else {
            self.other();
        }
    }

    fn sign(&mut self, word: &str, token: Token) {
        self.single_digits = if token == Token::Sign('f') { 2 } else { 0 };
        self.push(token, word.len());
        if word == "\\" {
            let is_name = |letter: char| letter.is_alphabetic();
            self.at += self.rest().find(|letter| !is_name(letter)).unwrap_or(0);
        }
    }

    fn other(&mut self) {
        let rest = self.rest();
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        match rest.chars().next() {
            None => {}
            Some(' ' | '\n') => self.at += 1,
            Some('0'..='9') => self.number(),
            Some('-') if self.begins_line() => self.push(Token::Boundary, 1),
            Some('-') if self.in_formula || rest.starts_with("- ") => {
                self.push(Token::Sign('-'), 1);
            }
            Some(UNKNOWN) => self.push(Token::Unknown, UNKNOWN.len_utf8()),
            Some(letter) if letter.is_alphabetic() => {
                self.word(rest.find(|letter| !is_part(letter)).unwrap_or(rest.len()));
            }
            Some(mark) => self.push(Token::Boundary, mark.len_utf8()),
        }
    }

    fn begins_line(&self) -> bool {
        let before = self.text[..self.at].trim_end_matches(' ');
        before.is_empty() || before.ends_with('\n')
    }

    fn word(&mut self, length: usize) {
        let word = &self.rest()[..length];
        let behind = self.rest()[length..].trim_start();
        let multiplies =
            behind.starts_with(|c: char| c.is_ascii_digit() || ['(', UNKNOWN].contains(&c));
        // Not *1.5 times as long*.
        let is_sign = |token: &Token| !matches!(token, Token::Sign(_)) || multiplies;
        let mut signs = WORDS.iter().filter(|(_, token)| !self.in_formula && is_sign(token));
        let sign = signs.find(|(name, _)| *name == word);
        let is_name = |letter: char| letter.is_ascii_digit() || letter == '_';
        let is_variable = self.in_formula || word.len() == 1 || word.contains(is_name);
        let other = if is_variable { Token::Unknown } else { Token::Boundary };
        self.push(sign.map_or(other, |(_, token)| *token), length);
    }

    fn number(&mut self) {
        let rest = self.rest();
        let (digits, length) = match self.single_digits {
            0 => digits(rest),
            _ => (rest[..1].to_owned(), 1),
        };
        self.single_digits = self.single_digits.saturating_sub(1);
        let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let behind = &rest[length..];
        let Unit { factor, dimension, length: of_unit } = unit(behind);
        let number = Number {
            value: digits.parse().unwrap_or(f64::NAN) * factor,
            last_digit: 0.1f64.powi(decimals as i32) * factor,
            unit: factor,
            dimension,
        };
        self.in_formula ^= behind[..of_unit].contains('$');
        // 2D, or 4x.
        let is_name = of_unit == 0 && behind.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let is_name = is_name && !self.in_formula;
        let token = if is_name { Token::Unknown } else { Token::Number(number) };
        self.push(token, length + of_unit);
    }
}

/// The digits that `text` begins with, without separators of thousands, and how many bytes they take.
fn digits(text: &str) -> (String, usize) {
    let mut digits = String::new();
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let is_digit = |index: usize| rest.as_bytes().get(index).is_some_and(u8::is_ascii_digit);
        let is_whole = !digits.contains('.');
        let separates = |mark: &str| {
            let end = mark.len() + 3;
            is_whole && rest.starts_with(mark) && (mark.len()..end).all(is_digit) && !is_digit(end)
        };
        at += match rest {
            _ if is_digit(0) || (is_whole && rest.starts_with('.') && is_digit(1)) => {
                digits.push_str(&rest[..1]);
                1
            }
            _ if separates(",") => 1,
            _ if separates("{,}") => 3,
            _ => return (digits, at),
        };
    }
}

struct Unit {
    factor: f64,
    dimension: Dimension,
    /// How many bytes of text it takes, with what stands before it.
    length: usize,
}

/// The unit that `text` begins with.
fn unit(text: &str) -> Unit {
    const BLANKS: [&str; 6] = ["\\,", "~", "\u{a0}", " ", "\n", "$"];
    let mut start = 0;
    while let Some(blank) = BLANKS.iter().find(|blank| text[start..].starts_with(**blank)) {
        start += blank.len();
    }
    let open = ["\\text{", "\\mathrm{"].into_iter().find(|open| text[start..].starts_with(open));
    let (open, close) = open.map_or((0, ""), |open| (open.len(), "}"));
    for (name, factor, dimension) in UNITS {
        let Some(behind) = text[start + open..].strip_prefix(name) else { continue };
        if ends_unit(name, behind) && behind.starts_with(close) {
            return Unit { factor, dimension, length: start + open + name.len() + close.len() };
        }
    }
    Unit { factor: 1.0, dimension: [0, 0], length: 0 }
}

/// Whether the unit `name` ends before `behind`. A sign of multiplication is a unit, *times as much*, if nothing follows that
/// it could multiply.
fn ends_unit(name: &str, behind: &str) -> bool {
    let next = behind.trim_start_matches([' ', '\u{a0}', '$']).chars().next().unwrap_or(' ');
    match name {
        "×" => !(next.is_alphanumeric() || ['(', '{', '\\', UNKNOWN].contains(&next)),
        "%" | "\\%" => true,
        _ => !behind.starts_with(|c: char| c.is_alphanumeric() || c == '/' && name.ends_with('B')),
    }
}
