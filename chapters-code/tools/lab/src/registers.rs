//! The registers of a thread in a traced launch, with the names that they have in the PTX, and the variables of the source
//! that they certainly hold.

use std::collections::BTreeMap;

use serde::Serialize;
use simt_report::{Event, Executed, Trace};

use crate::arrays::Arrays;
use crate::names::Names;
use crate::names::dtypes::{Declared, bits};
use crate::value;

/// A register that has been written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Register {
    /// The name in the PTX.
    pub name: String,
    /// The value.
    pub value: String,
    /// Whether the current instruction has written it.
    pub is_new: bool,
}

/// A variable of the source, or a parameter, that a register holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Variable {
    /// The name in the source.
    pub name: String,
    /// The name of the register in the PTX.
    pub register: String,
    /// The value.
    pub value: String,
    /// Whether the current instruction has written it.
    pub is_new: bool,
}

/// A thread of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Thread {
    /// The block's number in the grid.
    pub block: u64,
    /// The warp's number in the block.
    pub warp: u32,
    /// The lane's number in the warp.
    pub lane: u32,
}

/// The PTX of a launch: its lines, the type of the registers that begin with a name, and the arrays that addresses point
/// into.
pub struct Text<'a> {
    lines: Vec<&'a str>,
    declared: Declared<'a>,
    arrays: &'a Arrays,
}

impl<'a> Text<'a> {
    /// Reads the declarations of a module.
    pub fn new(ptx: &'a str, arrays: &'a Arrays) -> Self {
        let lines: Vec<&str> = ptx.lines().collect();
        let mut declared = Declared::default();
        for line in &lines {
            declared.add(line);
        }
        Self { lines, declared, arrays }
    }

    /// The instruction in a line, such as `add.f32 %f6, %f5, %f4;`.
    pub fn instruction(&self, line: u32) -> String {
        let text = self.lines.get((line as usize).wrapping_sub(1)).copied().unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The type of a register: that of the instruction if it is as wide as the declared one, which may be of bits.
    fn dtype<'t>(&self, register: &str, instruction: &'t str, dtype: &'t str) -> &'t str
    where
        'a: 't,
    {
        let declared = self.declared.of(register).unwrap_or("b32");
        let bytes = bytes(declared);
        let opcode = instruction.split(' ').find(|word| !word.starts_with('@')).unwrap_or_default();
        let parts = || opcode.trim_end_matches(';').split('.').skip(1);
        let own = parts().find(|part| self::bytes(part) == bytes);
        // A load or a copy of a signed number has the same name as that of an unsigned one.
        let is_copy = ["ld.", "mov."].iter().any(|name| opcode.starts_with(name));
        let is_unsigned = own.is_some_and(|own| own.starts_with('u'));
        match (declared, own) {
            ("pred", _) => declared,
            _ if is_copy && is_unsigned && bytes == 8 && value::size(dtype) == 8 => dtype,
            _ if is_copy && is_unsigned && bytes == 8 => "s64",
            (_, Some(own)) if !own.starts_with('b') => own,
            // The wide product of 32 bits has 64.
            (_, None) if bytes == 8 && parts().any(|part| part == "s32") => "s64",
            _ if value::size(dtype) == bytes => dtype,
            _ => declared,
        }
    }

    fn text(&self, register: &str, instruction: &str, dtype: &str, bits: u64) -> String {
        match self.dtype(register, instruction, dtype) {
            "pred" if bits == 0 => "false".into(),
            "pred" => "true".into(),
            own => match bytes(own) {
                // Addresses.
                8 if own != "f64" && bits >> 40 != 0 && bits >> 63 == 0 => {
                    self.arrays.in_words(bits).unwrap_or_else(|| format!("{bits:#x}"))
                }
                bytes => value::text(value_type(own), bits, bytes as u32),
            },
        }
    }
}

/// The bytes of a type of PTX or of the host; 0 for what is no type, and for a predicate.
fn bytes(dtype: &str) -> usize {
    match dtype {
        "i32" => 4,
        "i64" => 8,
        _ => bits(dtype).map_or(0, |bits| bits as usize / 8),
    }
}

/// The type as [`value::text`] knows it.
fn value_type(dtype: &str) -> &str {
    match dtype {
        "f16x2" | "bf16x2" => "u32",
        other => other,
    }
}

/// The first operands of an instruction, without those that stand for nothing.
fn operands(instruction: &str) -> impl Iterator<Item = &str> {
    let behind = match instruction.starts_with('@') {
        true => instruction.split_once(' ').map_or("", |(_, rest)| rest),
        false => instruction,
    };
    let operands = behind.split_once(' ').map_or("", |(_, rest)| rest);
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "%_$.".contains(letter);
    operands.split(move |letter| !is_name(letter)).filter(|name| !matches!(*name, "" | "_"))
}

/// What an instruction has written, by register.
fn written<'e>(
    executed: &'e Executed,
    instruction: &str,
) -> impl Iterator<Item = (String, &'e [u64])> {
    let names: Vec<String> = operands(instruction).map(str::to_owned).collect();
    names.into_iter().zip(executed.written.iter().map(Vec::as_slice))
}

/// What each lane has in the first register that an instruction of a trace writes, in words; none if it writes none.
pub fn results(
    trace: &Trace,
    text: &Text<'_>,
    event: usize,
    dtype: &str,
) -> Option<(u32, Vec<String>)> {
    let (executed, active) = executed(trace, event)?;
    let instruction = text.instruction(executed.ptx_line);
    let (name, bits) = written(executed, &instruction).next()?;
    let words = bits.iter().map(|&bits| text.text(&name, &instruction, dtype, bits));
    Some((active, words.collect()))
}

/// The PTX of an instruction of a trace.
pub fn instruction(trace: &Trace, text: &Text<'_>, event: usize) -> Option<String> {
    executed(trace, event).map(|(executed, _)| text.instruction(executed.ptx_line))
}

/// What a trace has of an instruction, and the lanes that execute it.
fn executed(trace: &Trace, event: usize) -> Option<(&Executed, u32)> {
    let index = trace.executed.binary_search_by_key(&(event as u64), |executed| executed.event);
    let executed = &trace.executed[index.ok()?];
    match trace.events.get(event)? {
        Event::Instruction { active, .. } => Some((executed, *active)),
        _ => None,
    }
}

/// The registers of a thread after an event, in the order of their names.
pub fn registers(
    trace: &Trace,
    text: &Text<'_>,
    thread: Thread,
    event: usize,
    dtype: &str,
) -> Vec<Register> {
    let mut last: BTreeMap<(String, u32), (&Executed, u64)> = BTreeMap::new();
    let until = trace.executed.iter().take_while(|executed| executed.event <= event as u64);
    for executed in until {
        let Some(Event::Instruction { place, active, .. }) =
            trace.events.get(executed.event as usize)
        else {
            continue;
        };
        let is_own = (place.block, place.warp) == (thread.block, thread.warp);
        if !is_own || active >> thread.lane & 1 == 0 {
            continue;
        }
        let index = (active & ((1 << thread.lane) - 1)).count_ones() as usize;
        let instruction = text.instruction(executed.ptx_line);
        for (name, bits) in written(executed, &instruction) {
            last.insert(in_order(&name), (executed, bits[index]));
        }
    }
    let registers = last.into_iter().map(|((prefix, number), (executed, bits))| {
        let name = if number == u32::MAX { prefix } else { format!("{prefix}{number}") };
        let instruction = text.instruction(executed.ptx_line);
        let value = text.text(&name, &instruction, dtype, bits);
        Register { name, value, is_new: executed.event == event as u64 }
    });
    registers.collect()
}

/// The variables in scope whose registers are among `registers`, in the order of the source.
pub fn variables(
    names: &Names,
    trace: &Trace,
    thread: Thread,
    event: usize,
    registers: &[Register],
) -> Vec<Variable> {
    let known: BTreeMap<&str, &Register> =
        registers.iter().map(|register| (&register.name[..], register)).collect();
    let variable = |named: &crate::names::Named| {
        let Register { name, value, is_new } =
            named.registers.iter().find_map(|name| known.get(&name[..]))?;
        let (register, value, is_new) = (name.clone(), value.clone(), *is_new);
        Some(Variable { name: named.name.clone(), register, value, is_new })
    };
    names.in_scope(trace, thread, event).into_iter().filter_map(variable).collect()
}

/// A name by which registers can be sorted: letters, and a number.
fn in_order(name: &str) -> (String, u32) {
    let prefix = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let number = name[prefix.len()..].parse().unwrap_or(u32::MAX);
    (prefix.to_owned(), number)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = ".reg .pred %p<3>;\n.reg .f32 %f<9>;\n.reg .b32 %r<12>;\n.reg .b64 %rd<20>;\n\
        \tadd.rn.f32 \t%f6, %f5, %f4;\n@%p1 bra $L;\n\tsetp.lt.u32 %p2|_, %r1, 3;\n\
        \t@!%p1 ld.global.v4.f32 {%f1, _, %f3, %f4}, [%rd4];\n\tshfl.sync.down.b32 %r9|%p2, %r8, 16, 31, -1;";

    #[test]
    fn registers_are_named_by_the_first_operands() {
        let arrays = Arrays::default();
        let text = Text::new(PTX, &arrays);
        assert_eq!(text.instruction(5), "add.rn.f32 %f6, %f5, %f4;");
        for (line, expected) in [
            (5, vec!["%f6", "%f5", "%f4"]),
            (7, vec!["%p2", "%r1", "3"]),
            (8, vec!["%f1", "%f3", "%f4", "%rd4"]),
            (9, vec!["%r9", "%p2", "%r8", "16", "31", "1"]),
        ] {
            assert_eq!(operands(&text.instruction(line)).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn a_long_value_has_the_sign_that_is_known() {
        let arrays = Arrays::default();
        let text = Text::new(PTX, &arrays);
        for (instruction, dtype, expected) in [
            ("ld.global.u64 %rd4, [%rd5];", "i64", "−1"),
            ("ld.global.u64 %rd4, [%rd5];", "u64", "18446744073709551615"),
            ("ld.global.u64 %rd4, [%rd5];", "f32", "−1"),
            ("max.u64 %rd4, %rd5, %rd6;", "i64", "18446744073709551615"),
        ] {
            assert_eq!(text.text("%rd4", instruction, dtype, u64::MAX), expected, "{instruction}");
        }
    }

    #[test]
    fn values_have_the_type_of_the_instruction() {
        let arrays = Arrays::default();
        let text = Text::new(PTX, &arrays);
        let float = u64::from(2.5f32.to_bits());
        for (register, instruction, bits, expected) in [
            ("%f6", "add.rn.f32 %f6, %f5, %f4;", float, "2.5"),
            ("%r9", "shfl.sync.down.b32 %r9|%p2, %r8, 16, 31, -1;", float, "2.5"),
            ("%r9", "mov.u32 %r9, %tid.x;", float, "1075838976"),
            ("%r9", "@%p1 sub.s32 %r9, %r1, %r2;", 0xffff_ffff, "−1"),
            ("%rd4", "mul.wide.s32 %rd4, %r1, 4;", 8, "8"),
            ("%rd4", "ld.param.u64 %rd4, [p];", 0x1000_0000_3400, "0x100000003400"),
            ("%p2", "setp.lt.u32 %p2, %r1, 3;", 1, "true"),
        ] {
            assert_eq!(text.text(register, instruction, "f32", bits), expected, "{instruction}");
        }
    }
}
