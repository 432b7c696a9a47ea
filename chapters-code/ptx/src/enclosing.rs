//! Which function a line of a text belongs to, for a message about it.

use crate::lexer::{self, Kind, Token};

/// The name of the kernel or function that a line lies in, whether or not the text is PTX from
/// there on: from its head to its closing brace, or to the end of a text without one.
pub fn enclosing_function(text: &str, line: u32) -> Option<&str> {
    let tokens = lexer::tokens(text);
    let (mut found, mut depth) = (None, 0usize);
    for (index, token) in tokens.iter().enumerate() {
        if token.line > line {
            break;
        }
        match token.kind {
            Kind::Dotted if depth == 0 && matches!(token.text, ".entry" | ".func") => {
                found = name(&tokens[index + 1..]);
            }
            Kind::Symbol('{') => depth += 1,
            Kind::Symbol('}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 && token.line < line {
                    found = None;
                }
            }
            _ => {}
        }
    }
    found
}

/// The name after `.entry` or `.func`: past the returned values, if any.
fn name<'a>(tokens: &[Token<'a>]) -> Option<&'a str> {
    let after = match tokens.first()?.kind {
        Kind::Symbol('(') => 1 + tokens.iter().position(|t| t.kind == Kind::Symbol(')'))?,
        _ => 0,
    };
    let name = tokens.get(after)?;
    (name.kind == Kind::Word).then_some(name.text)
}

#[cfg(test)]
mod tests {
    use super::enclosing_function;

    const TEXT: &str = ".version 8.0
.func (.param .b32 r) twice(.param .b32 x)
{
	ret;
}
.global .u32 counter;
.visible .entry count()
{
	{ ret; }
	frobnicate;";

    #[test]
    fn by_line() {
        let cases = [
            None,
            Some("twice"),
            Some("twice"),
            Some("twice"),
            Some("twice"),
            None,
        ];
        for (line, expected) in (1..).zip(cases) {
            assert_eq!(enclosing_function(TEXT, line), expected, "line {line}");
        }
        for line in 7..12 {
            assert_eq!(enclosing_function(TEXT, line), Some("count"), "line {line}");
        }
    }

    #[test]
    fn of_no_text() {
        for text in ["", "}", ".entry", ".func (", "\0\u{fffd}"] {
            assert_eq!(enclosing_function(text, 1), None, "{text}");
        }
    }
}
