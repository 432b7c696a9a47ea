//! `.entry`, `.func` and their bodies.

use super::{Parsed, Parser};
use crate::error::ErrorKind;
use crate::ir::Clusters;
use crate::lexer::Kind;
use crate::syntax::{Block, Function, Location, Place, Statement};

/// Directives between a function's head and its body that take constants and have no effect here.
const IGNORED: [&str; 3] = [".maxnreg", ".noreturn", ".maxnctapersm"];

impl<'a> Parser<'_, 'a> {
    /// Parses a function that starts with `.entry` or `.func`.
    pub(super) fn function(&mut self) -> Parsed<Function<'a>> {
        let is_entry = self.advance().text == ".entry";
        let returns = self.params()?;
        let line = self.line();
        let name = self.word("a function's name")?;
        self.function = Some(name);
        let params = self.params()?;
        let mut function = Function {
            name,
            is_entry,
            returns,
            params,
            body: None,
            max_threads: None,
            min_blocks: None,
            clusters: Clusters::default(),
            line,
        };
        let unsupported = self.function_directives(&mut function)?;
        if !self.eat(';') {
            self.expect('{', "`{` or `;`")?;
            let mut body = self.block()?;
            body.statements.splice(0..0, unsupported);
            function.body = Some(body);
        }
        self.function = None;
        Ok(function)
    }

    fn params(&mut self) -> Parsed<Vec<crate::syntax::Variable<'a>>> {
        if self.eat('(') { self.list(')', "`,` or `)`", Self::param) } else { Ok(Vec::new()) }
    }

    /// Parses the directives between a function's head and its body. Returns those that are outside
    /// the dialect.
    fn function_directives(&mut self, function: &mut Function<'a>) -> Parsed<Vec<Statement<'a>>> {
        let mut unsupported = Vec::new();
        while self.peek().kind == Kind::Dotted {
            let line = self.line();
            let directive = self.advance().text;
            match directive {
                ".maxntid" | ".reqntid" => {
                    let threads = self.numbers()?.iter().try_fold(1u32, |n, &m| n.checked_mul(m));
                    function.max_threads = Some(threads.ok_or(ErrorKind::TooMany("threads"))?);
                }
                ".minnctapersm" => function.min_blocks = self.numbers()?.first().copied(),
                ".explicitcluster" => function.clusters.explicit = true,
                ".reqnctapercluster" => {
                    let mut shape = [1; 3];
                    for (extent, number) in shape.iter_mut().zip(self.numbers()?) {
                        *extent = number;
                    }
                    function.clusters.required = Some(shape);
                }
                ".maxclusterrank" => function.clusters.most = self.numbers()?.first().copied(),
                ".pragma" => self.skip_pragma()?,
                _ if IGNORED.contains(&directive) => drop(self.numbers()?),
                _ => {
                    let kind = ErrorKind::Unsupported(format!("directive `{directive}`"));
                    unsupported.push(Statement::Unsupported { kind, line });
                    self.numbers()?;
                }
            }
        }
        Ok(unsupported)
    }

    /// Parses constants separated by commas, or none.
    fn numbers(&mut self) -> Parsed<Vec<u32>> {
        let mut numbers = Vec::new();
        while self.peek().kind == Kind::Number {
            numbers.push(self.count("a count")?);
            if !self.eat(',') {
                break;
            }
        }
        Ok(numbers)
    }

    /// Skips the rest of a pragma, such as `"nounroll";`.
    pub(super) fn skip_pragma(&mut self) -> Parsed<()> {
        self.list(';', "`,` or `;`", |parser| match parser.advance().kind {
            Kind::Text => Ok(()),
            _ => parser.expected("a string"),
        })?;
        Ok(())
    }

    /// Parses statements up to and including the closing brace.
    fn block(&mut self) -> Parsed<Block<'a>> {
        let mut block = Block::default();
        while !self.eat('}') {
            let (start, line) = (self.at, self.line());
            match self.statement(&mut block.statements) {
                Err(kind) if kind.is_unsupported() => {
                    self.skip_statement(start)?;
                    block.statements.push(Statement::Unsupported { kind, line });
                }
                result => result?,
            }
        }
        Ok(block)
    }

    fn statement(&mut self, statements: &mut Vec<Statement<'a>>) -> Parsed<()> {
        let token = self.peek();
        match token.kind {
            Kind::Dotted => return self.directive(statements),
            Kind::Symbol('{') => {
                self.advance();
                statements.push(Statement::Block(self.nested(Self::block)?));
            }
            Kind::Symbol(';') => drop(self.advance()),
            Kind::Word if self.peek_second().kind == Kind::Symbol(':') => {
                self.at += 2;
                statements.push(self.label(token.text, token.line)?);
            }
            Kind::Word | Kind::Symbol('@') => {
                statements.push(Statement::Instruction(self.instruction()?));
            }
            _ => return self.expected("a statement or `}`"),
        }
        Ok(())
    }

    /// Parses what follows `name:`: a table of targets, or nothing for a plain label.
    fn label(&mut self, name: &'a str, line: u32) -> Parsed<Statement<'a>> {
        if self.eat_dotted(".branchtargets") {
            let targets = self.list(';', "`,` or `;`", |parser| parser.word("a label"))?;
            return Ok(Statement::BranchTargets { name, targets });
        }
        if matches!(self.peek().text, ".callprototype" | ".calltargets") {
            return Err(ErrorKind::Unsupported("indirect calls".into()));
        }
        Ok(Statement::Label { name, line })
    }

    fn directive(&mut self, statements: &mut Vec<Statement<'a>>) -> Parsed<()> {
        if let Some(space) = self.variable_space() {
            statements.push(Statement::Variable(self.variable(space, false)?));
            return Ok(());
        }
        match self.peek().text {
            ".reg" => statements.extend(self.registers()?.into_iter().map(Statement::Registers)),
            ".loc" => statements.push(Statement::Location(self.location()?)),
            ".pragma" => {
                self.advance();
                self.skip_pragma()?;
            }
            word => return Err(ErrorKind::Unsupported(format!("directive `{word}`"))),
        }
        Ok(())
    }

    /// Parses `.loc 1 24 71, function_name sym, inlined_at 1 26 12`.
    fn location(&mut self) -> Parsed<Location> {
        self.advance();
        let mut location = Location { place: self.place()?, inlined_at: None };
        while self.eat(',') {
            match self.word("`function_name` or `inlined_at`")? {
                "function_name" => {
                    self.word("a label")?;
                    if self.peek().kind == Kind::Symbol('+') {
                        self.integer()?;
                    }
                }
                "inlined_at" => location.inlined_at = Some(self.place()?),
                _ => return self.expected("`inlined_at` before"),
            }
        }
        Ok(location)
    }

    fn place(&mut self) -> Parsed<Place> {
        let file = self.count("a file's number")?;
        let line = self.count("a line")?;
        Ok(Place { file, line, column: self.count("a column")? })
    }
}
