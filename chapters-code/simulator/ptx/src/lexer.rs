//! Splits text into tokens.

/// A token's kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An identifier, register or opcode: `add`, `%r1`, `$L__BB0_2`.
    Word,
    /// A word behind a dot, such as `.u32` or `.L2::128B`.
    Dotted,
    /// A literal that begins with a digit.
    Number,
    /// `"…"`, quotes included.
    Text,
    /// Any other single character.
    Symbol(char),
    /// The end of the text.
    End,
}

/// A token: its kind, its text and its line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    /// The byte offset of `text`.
    pub start: usize,
    pub line: u32,
}

/// Splits a text into tokens without comments. The last one is [`Kind::End`].
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut lexer = Lexer { text, at: 0, line: 1 };
    let mut tokens = Vec::with_capacity(text.len() / 4);
    loop {
        let token = lexer.next();
        tokens.push(token);
        if token.kind == Kind::End {
            return tokens;
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
}

impl<'a> Lexer<'a> {
    fn next(&mut self) -> Token<'a> {
        self.skip_blanks();
        let (start, line) = (self.at, self.line);
        let kind = self.scan();
        Token { kind, text: &self.text[start..self.at], start, line }
    }

    /// Skips one token.
    fn scan(&mut self) -> Kind {
        let Some(first) = self.text[self.at..].chars().next() else {
            return Kind::End;
        };
        self.at += first.len_utf8();
        match first {
            '.' if self.peek().is_some_and(is_word) => {
                self.skip_dotted();
                Kind::Dotted
            }
            '0'..='9' => {
                self.skip_number();
                Kind::Number
            }
            '"' => {
                self.skip_text();
                Kind::Text
            }
            '%' | '$' | '_' | 'a'..='z' | 'A'..='Z' => {
                self.skip_while(is_word);
                Kind::Word
            }
            other => Kind::Symbol(other),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_while(&mut self, wanted: fn(u8) -> bool) {
        while self.peek().is_some_and(wanted) {
            self.at += 1;
        }
    }

    /// Skips the rest of `.word` or `.word::word`.
    fn skip_dotted(&mut self) {
        self.skip_while(is_word);
        while self.text[self.at..].starts_with("::") {
            self.at += 2;
            self.skip_while(is_word);
        }
    }

    /// Skips the rest of a literal, including a fraction if a digit follows the dot.
    fn skip_number(&mut self) {
        self.skip_while(is_word);
        let rest = &self.text.as_bytes()[self.at..];
        if rest.first() == Some(&b'.') && rest.get(1).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
            self.skip_while(is_word);
        }
    }

    fn skip_text(&mut self) {
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'"' => return,
                b'\n' => self.line += 1,
                _ => {}
            }
        }
    }

    /// Skips white space and comments.
    fn skip_blanks(&mut self) {
        while let Some(byte) = self.peek() {
            let rest = &self.text[self.at..];
            if byte == b'\n' {
                self.line += 1;
                self.at += 1;
            } else if byte.is_ascii_whitespace() || byte == 0 {
                self.at += 1;
            } else if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                self.skip_comment(rest);
            } else {
                return;
            }
        }
    }

    fn skip_comment(&mut self, rest: &str) {
        let length = rest[2..].find("*/").map_or(rest.len(), |end| end + 4);
        self.line += rest[..length].bytes().filter(|&byte| byte == b'\n').count() as u32;
        self.at += length;
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%')
}
