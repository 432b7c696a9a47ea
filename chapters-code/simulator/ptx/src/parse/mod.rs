//! Parses tokens into the syntax tree.
//!
//! Each layer of the grammar has a file; this one has the cursor that they share. Every method
//! either consumes what it is named after or fails. Nesting is bounded, so that no text can exhaust
//! the stack.

mod constant;
mod function;
mod module;
mod operand;
mod variable;

use crate::error::{Error, ErrorKind};
use crate::lexer::{self, Kind, Token};
use crate::syntax::Module;

/// The deepest nesting of scopes and parentheses.
const DEEPEST: u32 = 100;

/// Parses a module.
pub(crate) fn module(text: &str) -> Result<Module<'_>, Error> {
    let tokens = lexer::tokens(text);
    let mut parser = Parser { text, tokens: &tokens, at: 0, depth: 0, function: None };
    parser.module().map_err(|kind| Error {
        function: parser.function.map(str::to_owned),
        ..kind.at(parser.line())
    })
}

type Parsed<T> = Result<T, ErrorKind>;

struct Parser<'t, 'a> {
    text: &'a str,
    tokens: &'t [Token<'a>],
    at: usize,
    depth: u32,
    /// The function that is being parsed.
    function: Option<&'a str>,
}

impl<'a> Parser<'_, 'a> {
    fn peek(&self) -> Token<'a> {
        self.tokens[self.at]
    }

    /// Returns the token after the next.
    fn peek_second(&self) -> Token<'a> {
        self.tokens[(self.at + 1).min(self.tokens.len() - 1)]
    }

    /// Returns the next token and moves past it, but never past the end.
    fn advance(&mut self) -> Token<'a> {
        let token = self.peek();
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }

    fn line(&self) -> u32 {
        self.peek().line
    }

    /// Returns the error that something else was found.
    fn expected<T>(&self, expected: &'static str) -> Parsed<T> {
        let found = self.peek();
        Err(match found.kind {
            Kind::End => ErrorKind::Syntax { expected, found: "the end of the text".into() },
            _ => ErrorKind::syntax(expected, found.text),
        })
    }

    /// Consumes a symbol if it is next.
    fn eat(&mut self, symbol: char) -> bool {
        let here = self.peek().kind == Kind::Symbol(symbol);
        self.at += usize::from(here);
        here
    }

    /// Consumes a dotted word if it is next.
    fn eat_dotted(&mut self, word: &str) -> bool {
        let here = self.peek().kind == Kind::Dotted && self.peek().text == word;
        self.at += usize::from(here);
        here
    }

    fn expect(&mut self, symbol: char, expected: &'static str) -> Parsed<()> {
        if self.eat(symbol) { Ok(()) } else { self.expected(expected) }
    }

    fn semicolon(&mut self) -> Parsed<()> {
        self.expect(';', "`;`")
    }

    fn word(&mut self, expected: &'static str) -> Parsed<&'a str> {
        if self.peek().kind == Kind::Word {
            Ok(self.advance().text)
        } else {
            self.expected(expected)
        }
    }

    /// Parses items separated by commas up to and including `close`.
    fn list<T>(
        &mut self,
        close: char,
        expected: &'static str,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        while !self.eat(close) {
            if !items.is_empty() {
                self.expect(',', expected)?;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Skips the statement that begins at a token, including its semicolon.
    fn skip_statement(&mut self, start: usize) -> Parsed<()> {
        self.at = start;
        let mut depth = 0u32;
        loop {
            match self.peek().kind {
                Kind::Symbol('{') => depth += 1,
                Kind::Symbol('}') if depth > 0 => depth -= 1,
                Kind::Symbol(';') if depth == 0 => break,
                Kind::Symbol('}') | Kind::End => return self.expected("`;`"),
                _ => {}
            }
            self.at += 1;
        }
        self.semicolon()
    }

    /// Runs `inner` one nesting level deeper.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == DEEPEST {
            return Err(ErrorKind::TooMany("nested scopes or parentheses"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }
}
