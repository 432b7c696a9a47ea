//! The instructions of a kernel's PTX text, and what they compute on samples.

use std::collections::{BTreeMap, BTreeSet};

use super::dtypes::{Declared, bits, integer, is_float};
use super::values::{Operator, Type, Values, apply, constant, unknown};

/// Passes over the instructions. One is enough, except where a definition stands behind a use in the text.
const PASSES: usize = 8;

/// An instruction of the text.
#[derive(Debug)]
pub struct Instruction<'a> {
    /// The index among the kernel's instructions.
    pub index: usize,
    /// The line in the module's text, from 1.
    pub ptx_line: u32,
    /// Such as `add.s32`.
    pub opcode: &'a str,
    /// Whether a predicate decides if it is executed.
    pub is_guarded: bool,
    /// The registers that it writes.
    pub written: Vec<&'a str>,
    /// The other operands.
    pub operands: Vec<&'a str>,
    /// The file and the line of the source; none if no line is known.
    pub source: Option<(&'a str, u32)>,
    /// The number of the basic block.
    pub block: usize,
}

impl Instruction<'_> {
    /// The part of the opcode before the first dot.
    pub fn root(&self) -> &str {
        self.opcode.split('.').next().unwrap_or_default()
    }

    /// Whether it is of vectors, whose elements are operands.
    pub fn is_of_vectors(&self) -> bool {
        self.opcode.split('.').any(|part| matches!(part, "v2" | "v4" | "v8"))
    }

    /// Whether it is of floats.
    pub fn is_float(&self) -> bool {
        self.opcode.split('.').any(is_float)
    }

    /// Whether the opcode has this part.
    pub fn has(&self, part: &str) -> bool {
        self.opcode.split('.').any(|other| other == part)
    }
}

/// A kernel's instructions.
#[derive(Debug, Default)]
pub struct Code<'a> {
    /// In the order of the text.
    pub instructions: Vec<Instruction<'a>>,
    /// The line at which the kernel begins: that of its head, or of the macro that makes it.
    pub head: Option<(&'a str, u32)>,
    declared: Declared<'a>,
    /// For each register the indices of the instructions that write it.
    definitions: BTreeMap<&'a str, Vec<usize>>,
    /// What each register with one definition comes to.
    known: BTreeMap<&'a str, Values>,
    /// What the first definition of each other register comes to.
    first: BTreeMap<&'a str, Values>,
    /// The indices behind the labels.
    labels: BTreeMap<&'a str, usize>,
    /// Branches back: the index of the branch, and that of its target.
    back: Vec<(usize, usize)>,
}

impl<'a> Code<'a> {
    /// Reads a kernel of a module; no instructions if the module has no such kernel.
    pub fn of(module: &'a str, kernel: &str) -> Self {
        let mut code = Self::default();
        let files: BTreeMap<&str, &str> = module.lines().filter_map(file).collect();
        let entry = format!(".entry {kernel}(");
        let (mut source, mut block) = (None, 0);
        let lines = module.lines().enumerate().skip_while(|(_, line)| !line.contains(&entry));
        for (index, line) in lines.take_while(|(_, line)| *line != "}") {
            let line = line.trim();
            if let Some(location) = line.strip_prefix(".loc") {
                source = located(location, &files);
                // A column of 0 is that of a function as a whole.
                code.head = code.head.or(source.filter(|_| location.ends_with(" 0")));
            } else if code.declared.add(line) {
                // It is no instruction.
            } else if let Some(label) = line.strip_suffix(':') {
                code.labels.insert(label, code.instructions.len());
                block += 1;
            } else if let Some(instruction) = instruction(line) {
                let ptx_line = index as u32 + 1;
                let is_branch = matches!(instruction.root(), "bra" | "brx" | "ret" | "exit");
                let index = code.instructions.len();
                code.push(Instruction { index, ptx_line, source, block, ..instruction });
                block += usize::from(is_branch);
            }
        }
        code.find_loops();
        code.evaluate();
        code
    }

    fn find_loops(&mut self) {
        for one in &self.instructions {
            let target = one.operands.last().and_then(|label| self.labels.get(label));
            match (one.root(), target) {
                ("bra", Some(&to)) if to <= one.index => self.back.push((one.index, to)),
                // The targets of a table are not followed: it may lead anywhere.
                ("brx", _) => self.back.push((one.index, 0)),
                _ => {}
            }
        }
    }

    fn push(&mut self, instruction: Instruction<'a>) {
        let index = self.instructions.len();
        for register in &instruction.written {
            self.definitions.entry(register).or_default().push(index);
        }
        self.instructions.push(instruction);
    }

    /// The instructions that write a register.
    pub fn definitions(&self, register: &str) -> impl Iterator<Item = &Instruction<'a>> {
        let indices = self.definitions.get(register).map_or(&[][..], Vec::as_slice);
        indices.iter().map(|&index| &self.instructions[index])
    }

    /// The registers with one definition that have these values, in the order of their names.
    pub fn equal_to(&self, values: &Values) -> Vec<&'a str> {
        let equal = self.known.iter().filter(|(_, known)| *known == values);
        equal.map(|(register, _)| *register).collect()
    }

    /// The numbers that a constant of the source may be, as the instructions have them: also as shifts and masks.
    pub fn numbers(&self) -> BTreeSet<u64> {
        let operands = self.instructions.iter().flat_map(|one| &one.operands);
        let numbers = operands.filter_map(|operand| operand.parse::<u32>().ok());
        let of = |number: u32| {
            let power = 1u64.checked_shl(number).filter(|_| number < 32);
            [Some(number.into()), Some(u64::from(number) + 1), power]
        };
        numbers.flat_map(of).flatten().filter(|number| *number > 1).collect()
    }

    /// The bits of a register.
    pub fn bits(&self, register: &str) -> u32 {
        self.declared.of(register).and_then(bits).unwrap_or(32)
    }

    /// Whether a register may hold the type that a source's word names. Most words may stand for any type.
    pub fn is_of(&self, register: &str, word: &str) -> bool {
        let declared = self.declared.of(register).unwrap_or_default();
        match word {
            "float" | "f32" => declared == "f32",
            "double" | "f64" => declared == "f64",
            _ => true,
        }
    }

    /// Whether a register is declared for floats.
    pub fn is_float(&self, register: &str) -> bool {
        self.declared.of(register).is_some_and(is_float)
    }

    /// What a register or number comes to, whenever it is read.
    pub fn value(&self, operand: &str) -> Values {
        if let Some(known) = self.known.get(operand) {
            return *known;
        }
        number(operand).map_or_else(|| unknown(operand, self.bits(operand)), constant)
    }

    /// What an operand comes to where an instruction reads it: a register that only its first definition can have
    /// written by then has that value.
    fn value_at(&self, operand: &str, at: usize) -> Values {
        let first = self.first.get(operand).filter(|_| {
            let definitions = &self.definitions[operand];
            let is_repeated = self.back.iter().any(|&(from, to)| from >= at && to <= at);
            !is_repeated && definitions.iter().filter(|&&index| index < at).count() == 1
        });
        first.copied().unwrap_or_else(|| self.value(operand))
    }

    /// What an instruction writes into its first register.
    pub fn result(&self, instruction: &Instruction<'_>) -> Values {
        let register = instruction.written.first().copied().unwrap_or_default();
        let computed = match instruction {
            Instruction { is_guarded: false, written, .. } if written.len() == 1 => {
                self.computed(instruction, None)
            }
            _ => None,
        };
        // Each execution of a load may give another value, so that each has a name of its own.
        computed.unwrap_or_else(|| {
            let is_only = self.definitions(register).nth(1).is_none();
            let line = instruction.ptx_line;
            let name = if is_only { register.to_owned() } else { format!("{register} {line}") };
            unknown(&name, self.bits(register))
        })
    }

    fn evaluate(&mut self) {
        for _ in 0..PASSES {
            let before = self.known.len();
            for index in 0..self.instructions.len() {
                let instruction = &self.instructions[index];
                if !instruction.operands.iter().all(|operand| self.is_ready(operand)) {
                    continue;
                }
                if let [one] = instruction.written[..]
                    && self.definitions[one].len() > 1
                    && self.definitions[one][0] == index
                {
                    let result = self.result(instruction);
                    self.first.insert(one, result);
                    continue;
                }
                let is_only = |register: &&&str| self.definitions[**register].len() == 1;
                let only: Vec<&str> = instruction.written.iter().filter(is_only).copied().collect();
                if only.iter().all(|register| self.known.contains_key(register)) {
                    continue;
                }
                let values: Vec<(&str, Values)> = match &only[..] {
                    [one] if instruction.written.len() == 1 => {
                        vec![(*one, self.result(instruction))]
                    }
                    all => all.iter().map(|one| (*one, unknown(one, self.bits(one)))).collect(),
                };
                self.known.extend(values);
            }
            if self.known.len() == before {
                break;
            }
        }
    }

    /// Whether an operand is no register with one definition that is still to be evaluated.
    fn is_ready(&self, operand: &str) -> bool {
        let is_only = self.definitions.get(operand).is_some_and(|all| all.len() == 1);
        !is_only || self.known.contains_key(operand)
    }

    /// What an instruction computes from its operands, of which one may have other values than are known; none for an
    /// instruction that is not followed.
    pub fn computed(
        &self,
        instruction: &Instruction<'_>,
        other: Option<(&str, &Values)>,
    ) -> Option<Values> {
        let parts: Vec<&str> = instruction.opcode.split('.').collect();
        let at = instruction.index;
        let operand = |index: usize| {
            let text = *instruction.operands.get(index)?;
            let other = other.filter(|(register, _)| *register == text);
            Some(other.map_or_else(|| self.value_at(text, at), |(_, values)| *values))
        };
        let mut types = parts.iter().filter_map(|part| integer(part));
        let first = types.next();
        let of = types.next_back().or(first);
        let binary = |operator| Some(apply(operator, of?, &operand(0)?, &operand(1)?));
        match (parts[0], *parts.get(1)?) {
            ("ld", "param") => {
                let location = instruction.operands.first().filter(|text| !text.contains('%'))?;
                Some(unknown(location, bits(parts.last()?)?))
            }
            ("mov" | "cvta", _) => {
                let bits = bits(parts.last()?)?;
                instruction.operands.first().filter(|text| !text.starts_with('{'))?;
                Some(operand(0)?.map(|value| Type { bits, is_signed: false }.masked(value)))
            }
            ("cvt", _) if parts.len() == 3 => {
                let [to, from] = [integer(parts[1])?, integer(parts[2])?];
                Some(from.converted(&operand(0)?, to))
            }
            ("mul" | "mad", "wide") => {
                let (narrow, wide) = (of?, Type { bits: 2 * of?.bits, ..of? });
                let [a, b] = [operand(0)?, operand(1)?].map(|one| narrow.converted(&one, wide));
                Some(self.plus(apply(Operator::Mul, wide, &a, &b), wide, operand(2)))
            }
            ("mul" | "mad", "lo") => Some(self.plus(binary(Operator::Mul)?, of?, operand(2))),
            ("neg", _) => Some(apply(Operator::Sub, of?, &constant(0), &operand(0)?)),
            ("not", _) => Some(operand(0)?.map(|value| of.map_or(0, |of| of.masked(!value)))),
            ("popc", _) => Some(operand(0)?.map(|value| value.count_ones().into())),
            ("clz", _) => {
                let unused = 64 - of?.bits;
                Some(operand(0)?.map(|value| u64::from(value.leading_zeros() - unused)))
            }
            (root, _) => binary(operator(root)?),
        }
    }

    fn plus(&self, product: Values, of: Type, addend: Option<Values>) -> Values {
        addend.map_or(product, |addend| apply(Operator::Add, of, &product, &addend))
    }
}

/// The number and the name of a `.file` line.
fn file(line: &str) -> Option<(&str, &str)> {
    let (number, name) = line.trim().strip_prefix(".file")?.trim().split_once(" \"")?;
    Some((number, name.split('"').next()?))
}

/// The file and line of a `.loc` line; none if it has line 0, or its file has no name.
fn located<'a>(location: &str, files: &BTreeMap<&str, &'a str>) -> Option<(&'a str, u32)> {
    let mut words = location.split_whitespace();
    let file = *files.get(words.next()?)?;
    let line = words.next()?.parse().ok()?;
    (line > 0).then_some((file, line))
}

/// The instruction of a line; none for a directive or a brace.
fn instruction(line: &str) -> Option<Instruction<'_>> {
    let is_other = line.starts_with(['.', '{', '}', '/', '(']);
    let text = line.strip_suffix(';').filter(|_| !is_other)?;
    let (is_guarded, text) = match text.strip_prefix('@') {
        Some(guarded) => (true, guarded.split_once(char::is_whitespace)?.1.trim_start()),
        None => (false, text),
    };
    let (opcode, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let mut operands = split(operands);
    let mut written = Vec::new();
    if writes(opcode) && operands.first().is_some_and(|first| !first.starts_with('[')) {
        let first = operands.remove(0).trim_matches(['{', '}']);
        let names = first.split(['|', ',']).map(|name| name.trim().trim_matches(['{', '}']));
        written = names.filter(|name| !matches!(*name, "" | "_")).collect();
    }
    let (index, ptx_line, source, block) = (0, 0, None, 0);
    Some(Instruction { index, ptx_line, opcode, is_guarded, written, operands, source, block })
}

/// Whether the first operand of an instruction is what it writes, unless that is an address.
fn writes(opcode: &str) -> bool {
    !matches!(
        opcode.split('.').next().unwrap_or_default(),
        "st" | "red"
            | "bra"
            | "brx"
            | "bar"
            | "barrier"
            | "ret"
            | "exit"
            | "membar"
            | "fence"
            | "cp"
            | "trap"
            | "nanosleep"
            | "prefetch"
            | "call"
    )
}

/// The parts between commas that stand in no brackets.
fn split(operands: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, letter) in operands.char_indices() {
        match letter {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(operands[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(operands[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

fn operator(name: &str) -> Option<Operator> {
    Some(match name {
        "add" => Operator::Add,
        "sub" => Operator::Sub,
        "div" => Operator::Div,
        "rem" => Operator::Rem,
        "and" => Operator::And,
        "or" => Operator::Or,
        "xor" => Operator::Xor,
        "shl" => Operator::Shl,
        "shr" => Operator::Shr,
        _ => return None,
    })
}

/// The number that an operand is, of integers and of floats as bits.
fn number(operand: &str) -> Option<u64> {
    if let Some(bits) = operand.strip_prefix("0x").or_else(|| operand.strip_prefix("0f")) {
        return u64::from_str_radix(bits, 16).ok();
    }
    match operand.strip_prefix("0d") {
        Some(bits) => u64::from_str_radix(bits, 16).ok(),
        None => operand.parse().ok().or_else(|| operand.parse::<i64>().ok().map(|n| n as u64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = ".visible .entry other(\n)\n{\n\tret;\n}\n.visible .entry k(\n\t.param .u64 k_param_0\n)\n{\n\
        \t.reg .pred %p<3>;\n\t.reg .b32 %r<12>;\n\t.reg .b64 %rd<20>;\n\
        \t.loc\t1 5 0\n\tld.param.u64 %rd1, [k_param_0];\n\tmov.u32 %r1, %tid.x;\n\
        \t.loc\t1 6 14\n\tshr.u32 %r2, %r1, 5;\n\tshl.b32 %r3, %r2, 8;\n\tshl.b32 %r4, %r1, 3;\n\
        \tand.b32  %r5, %r4, -256;\n\tmul.wide.u32 %rd2, %r1, 4;\n\tcvt.u64.u32 %rd3, %r1;\n\
        \tshl.b64 %rd4, %rd3, 2;\n\tmov.u32 %r6, 1;\n$L1:\n\t.loc\t1 0 14\n\tadd.s32 %r6, %r6, %r1;\n\
        \t@%p1 bra $L1;\n\tld.global.v2.u32 {%r7, %r8}, [%rd4+8];\n\tst.global.u32 [%rd4], %r7;\n}\n\
        \t.file\t1 \"k.cu\"\n";

    #[test]
    fn instructions_have_locations_and_registers() {
        let code = Code::of(PTX, "k");
        assert_eq!(code.instructions.len(), 14);
        let load = &code.instructions[12];
        assert_eq!(
            (&load.written[..], &load.operands[..]),
            (&["%r7", "%r8"][..], &["[%rd4+8]"][..])
        );
        assert_eq!(code.instructions[13].written, [""; 0]);
        assert_eq!(code.instructions[2].source, Some(("k.cu", 6)));
        assert_eq!(load.source, None, "of line 0");
        assert_eq!(
            PTX.lines().nth(load.ptx_line as usize - 1),
            Some("\tld.global.v2.u32 {%r7, %r8}, [%rd4+8];")
        );
        assert!(code.instructions[11].is_guarded && code.instructions[10].block < load.block);
        assert_eq!(code.definitions("%r6").map(|one| one.index).collect::<Vec<_>>(), [9, 10]);
        assert!(Code::of(PTX, "missing").instructions.is_empty());
    }

    #[test]
    fn a_register_has_its_first_value_until_another_can_be_there() {
        let line = |text: &str| format!("\t{text}\n");
        let code = [
            "mov.u32 %r1, %tid.x;",
            "and.b32 %r2, %r1, 31;",
            "$L1:",
            "and.b32 %r3, %r1, 31;",
            "add.s32 %r1, %r1, 1;",
            "@%p1 bra $L1;",
            "and.b32 %r4, %r1, 31;",
        ];
        let text = format!(".entry k(\n)\n{{\n{}}}\n", code.map(line).concat());
        let code = Code::of(&text, "k");
        let lane = [31, 63].map(|mask| {
            let of = Type::UNSIGNED;
            apply(Operator::And, of, &unknown("%tid.x", 32), &constant(mask))
        });
        assert_eq!(code.value("%r2"), lane[0]);
        assert_ne!(code.value("%r2"), lane[1]);
        assert_ne!(code.value("%r3"), lane[0]);
        assert_ne!(code.value("%r4"), lane[0]);
    }

    #[test]
    fn what_is_computed_in_two_ways_is_equal() {
        let code = Code::of(PTX, "k");
        assert_eq!(code.equal_to(&code.value("%r3")), ["%r3", "%r5"]);
        assert_eq!(code.equal_to(&code.value("%rd2")), ["%rd2", "%rd4"]);
        assert_eq!(code.equal_to(&code.value("%r1")), ["%r1", "%rd3"]);
        assert_ne!(code.value("%r7"), code.value("%r8"));
        assert!(code.numbers().contains(&256) && code.numbers().contains(&8));
    }
}
