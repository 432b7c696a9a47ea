//! Parses declarations of variables, parameters and registers.

use super::{Parsed, Parser};
use crate::error::ErrorKind;
use crate::lexer::Kind;
use crate::syntax::{Initialiser, Registers, Type, Variable, VariableSpace};

impl<'a> Parser<'_, 'a> {
    /// Returns the space that the dotted word at the cursor names.
    pub(super) fn variable_space(&self) -> Option<VariableSpace> {
        match self.peek().text {
            ".global" => Some(VariableSpace::Global),
            ".const" => Some(VariableSpace::Const),
            ".shared" => Some(VariableSpace::Shared),
            ".local" => Some(VariableSpace::Local),
            ".param" => Some(VariableSpace::Param),
            _ => None,
        }
    }

    /// Parses a declaration from its space to its semicolon.
    pub(super) fn variable(
        &mut self,
        space: VariableSpace,
        is_extern: bool,
    ) -> Parsed<Variable<'a>> {
        let start = self.at;
        self.advance();
        let mut variable = self.declarator(space)?;
        variable.is_extern = is_extern;
        if self.eat('=') {
            match self.initialiser() {
                Err(kind) if kind.is_unsupported() => variable.unsupported = Some(kind),
                result => variable.init = result?,
            }
        }
        match variable.unsupported {
            Some(_) => self.skip_statement(start)?,
            None => self.semicolon()?,
        }
        Ok(variable)
    }

    /// Parses a parameter in a function's parentheses.
    pub(super) fn param(&mut self) -> Parsed<Variable<'a>> {
        if self.eat_dotted(".reg") {
            return Err(ErrorKind::Unsupported("a parameter in a register".into()));
        }
        if !self.eat_dotted(".param") {
            return self.expected("`.param`");
        }
        self.declarator(VariableSpace::Param)
    }

    /// Parses `.align 8 .b8 name[24]`.
    fn declarator(&mut self, space: VariableSpace) -> Parsed<Variable<'a>> {
        let line = self.line();
        let (mut align, mut lanes, mut ty, mut unsupported) = (None, 1, None, None);
        while self.peek().kind == Kind::Dotted {
            match self.advance().text {
                ".align" => align = Some(self.alignment()?),
                ".v2" => lanes = 2,
                ".v4" => lanes = 4,
                ".ptr" => self.pointer_attributes()?,
                ".attribute" => self.attribute()?,
                word => match variable_type(word) {
                    Err(kind) if kind.is_unsupported() => {
                        unsupported = Some(kind);
                        ty = Some(Type::B64);
                    }
                    result => ty = Some(result?),
                },
            }
        }
        let Some(ty) = ty else {
            return self.expected("a type");
        };
        let element = ty.bytes() * lanes;
        let name = self.word("a name")?;
        let bytes = self.array_bytes(u64::from(element))?;
        let align = align.unwrap_or(element);
        Ok(Variable {
            name,
            space,
            ty,
            bytes,
            align,
            init: Vec::new(),
            is_extern: false,
            unsupported,
            line,
        })
    }

    fn alignment(&mut self) -> Parsed<u32> {
        let here = self.peek();
        let align = self.count("an alignment")?;
        if align.is_power_of_two() && align <= 1 << 16 {
            Ok(align)
        } else {
            Err(ErrorKind::syntax("a power of two as alignment", here.text))
        }
    }

    /// Skips `.ptr .global .align 4`, which describes a parameter's target and has no effect on
    /// execution.
    fn pointer_attributes(&mut self) -> Parsed<()> {
        if self.variable_space().is_some() {
            self.advance();
        }
        if self.eat_dotted(".align") {
            self.alignment()?;
        }
        Ok(())
    }

    /// Parses `.attribute(.managed)`. Managed memory is device memory here.
    fn attribute(&mut self) -> Parsed<()> {
        self.expect('(', "`(`")?;
        while !self.eat(')') {
            if self.peek().kind == Kind::End {
                return self.expected("`)`");
            }
            self.advance();
        }
        Ok(())
    }

    /// Parses `[4][2]`, and returns the product with the size of an element, or `None` for `[]`.
    fn array_bytes(&mut self, element: u64) -> Parsed<Option<u64>> {
        let mut bytes = Some(element);
        while self.eat('[') {
            if self.eat(']') {
                bytes = None;
                continue;
            }
            let extent = u64::from(self.count("an array's length")?);
            bytes = match bytes {
                Some(bytes) => {
                    Some(bytes.checked_mul(extent).ok_or(ErrorKind::TooMany("elements"))?)
                }
                None => None,
            };
            self.expect(']', "`]`")?;
        }
        Ok(bytes)
    }

    /// Parses `{1, 2}`, or a single element.
    fn initialiser(&mut self) -> Parsed<Vec<Initialiser<'a>>> {
        if !self.eat('{') {
            return Ok(vec![self.element()?]);
        }
        self.list('}', "`,` or `}`", |parser| {
            if parser.peek().kind == Kind::Symbol('{') {
                return Err(ErrorKind::Unsupported("nested braces in an initialiser".into()));
            }
            parser.element()
        })
    }

    fn element(&mut self) -> Parsed<Initialiser<'a>> {
        if self.peek().kind != Kind::Word || self.peek().text == "WARP_SZ" {
            return Ok(Initialiser::Value(self.immediate()?));
        }
        let mut name = self.word("a name")?;
        let generic = name == "generic" && self.eat('(');
        if generic {
            name = self.word("a variable's name")?;
            self.expect(')', "`)`")?;
        }
        let addend = match self.peek().kind {
            Kind::Symbol('+' | '-') => self.integer()?,
            _ => 0,
        };
        Ok(Initialiser::Address { name, addend, generic })
    }

    /// Parses `.reg .b32 %r<8>, x;`.
    pub(super) fn registers(&mut self) -> Parsed<Vec<Registers<'a>>> {
        self.advance();
        let word = self.advance();
        let ty = variable_type(word.text)?;
        let mut declared = Vec::new();
        loop {
            let line = self.line();
            let name = self.word("a register's name")?;
            let mut count = None;
            if self.eat('<') {
                count = Some(self.count("the number of registers")?);
                self.expect('>', "`>`")?;
            }
            declared.push(Registers { ty, name, count, line });
            if self.eat(';') {
                return Ok(declared);
            }
            self.expect(',', "`,` or `;`")?;
        }
    }
}

fn variable_type(word: &str) -> Parsed<Type> {
    match word {
        ".texref" | ".samplerref" | ".surfref" | ".b128" | ".v2" | ".v4" => {
            Err(ErrorKind::Unsupported(format!("`{word}` in a declaration")))
        }
        _ => Type::named(word.trim_start_matches('.'))
            .ok_or_else(|| ErrorKind::syntax("a type", word)),
    }
}
