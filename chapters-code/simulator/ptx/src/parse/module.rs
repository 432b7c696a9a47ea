//! Parses directives at module level.

use super::{Parsed, Parser};
use crate::error::ErrorKind;
use crate::lexer::Kind;
use crate::syntax::Module;

/// The newest major version of the PTX ISA that this parser supports.
const NEWEST_MAJOR: u32 = 9;

impl<'a> Parser<'_, 'a> {
    /// Parses the whole text.
    pub(super) fn module(&mut self) -> Parsed<Module<'a>> {
        let mut module = Module::default();
        if !self.eat_dotted(".version") {
            return Err(ErrorKind::NotPtx);
        }
        module.version = self.version()?;
        while self.peek().kind != Kind::End {
            self.module_directive(&mut module)?;
        }
        Ok(module)
    }

    fn version(&mut self) -> Parsed<(u32, u32)> {
        let parts = self.peek().text.split_once('.');
        let parsed =
            parts.and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
        match parsed {
            Some((major, minor)) if major > NEWEST_MAJOR => Err(ErrorKind::TooNew(major, minor)),
            Some(version) => {
                self.advance();
                Ok(version)
            }
            None => self.expected("a version such as 8.0"),
        }
    }

    fn module_directive(&mut self, module: &mut Module<'a>) -> Parsed<()> {
        let linkage = self.linkage();
        if let Some(space) = self.variable_space() {
            let variable = self.variable(space, linkage == Some(".extern"))?;
            module.variables.push(variable);
            return Ok(());
        }
        match self.peek().text {
            ".entry" | ".func" => module.functions.push(self.function()?),
            _ if linkage.is_some() => return self.expected("a function or a variable"),
            ".target" => module.target = self.target()?,
            ".address_size" => self.address_size()?,
            ".file" => module.files.push(self.file()?),
            ".section" => self.skip_section()?,
            ".pragma" => {
                self.advance();
                self.skip_pragma()?;
            }
            word if self.peek().kind == Kind::Dotted => {
                return Err(ErrorKind::Unsupported(format!("directive `{word}`")));
            }
            _ => return self.expected("a directive"),
        }
        Ok(())
    }

    /// Parses `.visible`, `.extern` and similar words. Only the last one matters, and only if it is
    /// `.extern`.
    fn linkage(&mut self) -> Option<&'a str> {
        let mut found = None;
        while matches!(self.peek().text, ".visible" | ".extern" | ".weak" | ".common") {
            found = Some(self.advance().text);
        }
        found
    }

    /// Parses `sm_90a, texmode_independent`, and returns the number of the first.
    fn target(&mut self) -> Parsed<u32> {
        self.advance();
        let name = self.peek().text;
        let digits = name.trim_start_matches("sm_").trim_end_matches(['a', 'f']);
        let Ok(target) = digits.parse() else {
            return self.expected("a target such as sm_75");
        };
        self.advance();
        while self.eat(',') {
            self.word("a target")?;
        }
        Ok(target)
    }

    fn address_size(&mut self) -> Parsed<()> {
        self.advance();
        match self.count("an address size")? {
            64 => Ok(()),
            size => Err(ErrorKind::Unsupported(format!("{size}-bit addresses"))),
        }
    }

    /// Parses `.file 1 "path", timestamp, size`.
    fn file(&mut self) -> Parsed<(u32, &'a str)> {
        self.advance();
        let number = self.count("a file's number")?;
        if self.peek().kind != Kind::Text {
            return self.expected("a path");
        }
        let path = self.advance().text.trim_matches('"');
        while self.eat(',') {
            self.integer()?;
        }
        Ok((number, path))
    }

    /// Skips debug information: a name and a block in braces.
    fn skip_section(&mut self) -> Parsed<()> {
        while !matches!(self.peek().kind, Kind::Symbol('{') | Kind::End) {
            self.advance();
        }
        let mut depth = 0u32;
        loop {
            match self.peek().kind {
                Kind::Symbol('{') => depth += 1,
                Kind::Symbol('}') => depth -= 1,
                Kind::End => return self.expected("`}`"),
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return Ok(());
            }
        }
    }
}
