//! What each instruction decodes to, by the examples in `instructions/`.
//!
//! An example is a line of PTX followed by the operations that it has to give, indented; after
//! `error:` stands the message of one that is refused. The registers `%r0` to `%r7`, `%rd0` to
//! `%rd7` and `%p0` to `%p3` are the first of their files, so that they keep their numbers;
//! constants come behind them. To write the expectations anew after a change, and review them as
//! a difference: `PTX_BLESS=1 cargo test -p warpsim-ptx --test tests instructions`.

use std::fmt::Write;

/// Around each example: registers in order, variables, and a function to call.
const BEFORE: &str = "
.version 8.8
.target sm_90
.address_size 64
.extern .func (.param .b32 func_retval0) vprintf(.param .b64 p0, .param .b64 p1);
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.extern .func (.param .b64 r) malloc(.param .b64 size);
.global .align 4 .u32 counter;
.const .align 4 .f32 weights[4];
.extern .shared .align 16 .b8 dynamic[];
.extern .global .u32 elsewhere;
.func (.param .b32 result) twice(.param .b32 x) {
  .reg .b32 v;
  ld.param.b32 v, [x];
  add.s32 v, v, v;
  st.param.b32 [result], v;
  ret;
}
.entry k(.param .u32 first, .param .u64 second, .param .align 4 .b8 third[12]) {
  .reg .pred %p<4>;
  .reg .b16 %h<4>;
  .reg .f32 %f<4>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  .reg .f64 %d<4>;
  .shared .align 8 .b8 tile[64];
  .local .align 4 .b8 frame[12];
";

fn prelude() -> (String, usize) {
    let mut text = String::new();
    for index in 0..8 {
        writeln!(text, "mov.b32 %r{index}, %r{index}; mov.b64 %rd{index}, %rd{index};").unwrap();
    }
    for index in 0..4 {
        writeln!(text, "mov.pred %p{index}, %p{index}; mov.b16 %h{index}, %h{index};").unwrap();
        writeln!(text, "mov.f32 %f{index}, %f{index}; mov.f64 %d{index}, %d{index};").unwrap();
    }
    (text, 32)
}

/// What an example decodes to, a line an operation, with the constants that it refers to.
fn decoded(example: &str) -> String {
    let (prelude, skipped) = prelude();
    let text = format!("{BEFORE}{prelude}{example}\nret;\n}}\n");
    let module = match ptx::parse(&text) {
        Ok(module) => module,
        Err(error) => return format!("    error: {}\n", error.kind),
    };
    let kernel = &module.kernels[0];
    if let Some(error) = &kernel.unsupported {
        return format!("    error: {}\n", error.kind);
    }
    let mut lines = String::new();
    for instruction in &kernel.code[skipped..kernel.code.len() - 1] {
        let guard = match instruction.guard {
            Some(guard) => format!("@{}{:?} ", if guard.negated { "!" } else { "" }, guard.pred),
            None => String::new(),
        };
        let op = format!("{:?}", instruction.op);
        let op = match op.strip_prefix("Alu(") {
            Some(alu) => alu.trim_end_matches(')').to_owned(),
            None => op,
        };
        let op = op.replace(", limits: Limits { first: 0, end: 4294967295 }", "");
        writeln!(lines, "    {guard}{}", shorten(&op)).unwrap();
    }
    for (register, value) in &kernel.constants32 {
        writeln!(lines, "    {register:?} = {value:?}").unwrap();
    }
    for (register, value) in &kernel.constants64 {
        writeln!(lines, "    {register:?} = {value:?}").unwrap();
    }
    for (register, value) in &kernel.constant_predicates {
        writeln!(lines, "    {register:?} = {value:?}").unwrap();
    }
    for (slot, special) in &kernel.specials {
        writeln!(lines, "    {slot:?} = {special:?}").unwrap();
    }
    lines
}

/// Drops what every operation repeats.
fn shorten(op: &str) -> String {
    ["R32(r", "R64(r"].iter().fold(op.to_owned(), |op, wrapper| {
        let mut short = String::new();
        let mut rest = op.as_str();
        while let Some((before, after)) = rest.split_once(wrapper) {
            let (register, behind) = after.split_once(')').unwrap();
            write!(short, "{before}r{register}").unwrap();
            rest = behind;
        }
        short + rest
    })
}

fn check(path: &str) {
    let text = std::fs::read_to_string(path).unwrap();
    let mut found = String::new();
    for line in text.lines() {
        if line.starts_with('#') || line.is_empty() {
            writeln!(found, "{line}").unwrap();
        } else if !line.starts_with(' ') {
            write!(found, "{line}\n{}", decoded(line)).unwrap();
        }
    }
    if std::env::var_os("PTX_BLESS").is_some() {
        return std::fs::write(path, found).unwrap();
    }
    let differs = text.lines().zip(found.lines()).position(|(expected, found)| expected != found);
    if let Some(at) = differs {
        let around = |text: &str| {
            text.lines().skip(at.saturating_sub(3)).take(8).collect::<Vec<_>>().join("\n")
        };
        panic!("{path}, line {}: expected\n{}\nfound\n{}", at + 1, around(&text), around(&found));
    }
    assert_eq!(text.lines().count(), found.lines().count(), "{path}");
}

macro_rules! families {
    ($($name:ident),*) => {
        $(#[test]
        fn $name() {
            check(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/instructions/", stringify!($name), ".txt"));
        })*
    };
}

families!(
    integers,
    floats,
    halves,
    compare,
    convert,
    moves,
    memory,
    atomics,
    asynchronous,
    warp,
    control,
    clusters,
    calls
);
