//! Instructions and their operands.

use super::{Parsed, Parser};
use crate::decode;
use crate::error::ErrorKind;
use crate::lexer::Kind;
use crate::syntax::{Instruction, Operand};

impl<'a> Parser<'_, 'a> {
    /// Parses `@p opcode.modifier operand, operand;`.
    pub(super) fn instruction(&mut self) -> Parsed<Instruction<'a>> {
        let guard = self.guard()?;
        let first = self.peek();
        let base = self.word("an instruction")?;
        let mut modifiers = Vec::new();
        let mut end = first.start + first.text.len();
        while self.peek().kind == Kind::Dotted {
            let modifier = self.advance();
            modifiers.push(&modifier.text[1..]);
            end = modifier.start + modifier.text.len();
        }
        let opcode = &self.text[first.start..end];
        let operands = self.list(';', "`,` or `;`", Self::operand);
        // Instructions outside the dialect may have other kinds of operands.
        let operands = operands.map_err(|error| {
            if !decode::is_known(base) {
                decode::unknown(base, opcode)
            } else if modifiers.contains(&"tensor") {
                ErrorKind::UnsupportedInstruction(opcode.into())
            } else {
                error
            }
        })?;
        Ok(Instruction { guard, opcode, base, modifiers, operands, line: first.line })
    }

    fn guard(&mut self) -> Parsed<Option<(&'a str, bool)>> {
        if !self.eat('@') {
            return Ok(None);
        }
        let negated = self.eat('!');
        Ok(Some((self.word("a predicate")?, negated)))
    }

    fn operand(&mut self) -> Parsed<Operand<'a>> {
        match self.peek().kind {
            Kind::Word if self.peek().text != "WARP_SZ" => self.named(),
            Kind::Symbol('!') if self.peek_second().kind == Kind::Word => {
                self.advance();
                Ok(Operand::Not(self.word("a predicate")?))
            }
            Kind::Symbol('[') => self.address(),
            Kind::Symbol('{') => {
                self.advance();
                let vector = |parser: &mut Self| parser.list('}', "`,` or `}`", Self::operand);
                Ok(Operand::Vector(self.nested(vector)?))
            }
            Kind::Symbol('(') if self.peek_second().kind != Kind::Number => {
                self.advance();
                let name = |parser: &mut Self| parser.word("a parameter's name");
                Ok(Operand::List(self.list(')', "`,` or `)`", name)?))
            }
            _ => Ok(Operand::Immediate(self.immediate()?)),
        }
    }

    /// Parses an operand that begins with a name.
    fn named(&mut self) -> Parsed<Operand<'a>> {
        let name = self.word("an operand")?;
        match self.peek().kind {
            Kind::Symbol('|') => {
                self.advance();
                Ok(Operand::Pair(name, self.word("a predicate")?))
            }
            Kind::Symbol('+' | '-') => Ok(Operand::Offset(name, self.integer()?)),
            Kind::Dotted => Ok(Operand::Component(name, &self.advance().text[1..])),
            _ => Ok(Operand::Name(name)),
        }
    }

    /// Parses `[name]`, `[name+8]` or `[16]`.
    fn address(&mut self) -> Parsed<Operand<'a>> {
        self.advance();
        let base = match self.peek().kind {
            Kind::Word => Some(self.word("an address")?),
            _ => None,
        };
        let offset = match self.peek().kind {
            Kind::Symbol(']') if base.is_some() => 0,
            _ => self.integer()?,
        };
        self.expect(']', "`]`")?;
        Ok(Operand::Address { base, offset })
    }
}
