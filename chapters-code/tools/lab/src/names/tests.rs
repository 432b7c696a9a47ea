//! What is certain of a variable, and what is not.

use super::*;

const HEAD: &str =
    "template <typename Op, unsigned block>\n__device__ void reduce(const u32* in, size_t n) {\n";

const NONE: [(String, String); 0] = [];

/// A module with a kernel of these instructions, each behind the line of `k.cu` that stands before it.
fn module(code: &[(u32, &str)]) -> String {
    let lines: String =
        code.iter().map(|(line, one)| format!("\t.loc\t1 {line} 5\n\t{one}\n")).collect();
    format!(
        ".visible .entry k(\n\t.param .u64 k_param_0,\n\t.param .u64 k_param_1\n)\n{{\n\t.reg .pred %p<9>;\n\
         \t.reg .b32 %r<99>;\n\t.reg .f32 %f<9>;\n\t.reg .b64 %rd<99>;\n\t.loc\t1 40 0\n\
         \tld.param.u64 %rd1, [k_param_1];\n{lines}\tret;\n}}\n\n\t.file\t1 \"k.cu\"\n"
    )
}

/// The names with their first registers.
fn names(source: &str, code: &[(u32, &str)]) -> Vec<(String, String)> {
    let files = [File { name: "k.cu".into(), text: format!("{HEAD}{source}}}\n") }];
    let parameter =
        |name: &str, declared: &str| Parameter { name: name.into(), declared: declared.into() };
    let parameters = [parameter("in", "const u32*"), parameter("n", "size_t")];
    let names = Names::of(&module(code), "k", &files, &parameters);
    let all = names.all().iter().map(|one| (one.name.clone(), one.registers[0].clone()));
    all.filter(|(name, _)| name != "n").collect()
}

fn named(name: &str, register: &str) -> Vec<(String, String)> {
    vec![(name.to_owned(), register.to_owned())]
}

#[test]
fn one_value_has_the_register_that_comes_to_it() {
    let lane = "unsigned lane = threadIdx.x % 32;\n";
    let code = [(3, "mov.u32 %r1, %tid.x;"), (4, "and.b32  %r2, %r1, 31;")];
    assert_eq!(names(lane, &code), named("lane", "%r2"));
    assert_eq!(names(lane, &[(3, "mov.u32 %r1, %tid.x;"), (4, "and.b32  %r2, %r1, 15;")]), NONE);
    assert_eq!(
        names(lane, &[(9, "mov.u32 %r1, %tid.x;"), (9, "and.b32  %r2, %r1, 31;")]),
        NONE,
        "not of this function"
    );
    assert_eq!(names(&format!("{lane}lane += 2;\n"), &code), NONE);
    assert_eq!(names("bool lane = threadIdx.x % 32;\n", &code), NONE);
    assert_eq!(names(&format!("{lane}asm(\"x\" : \"+r\"(lane));\n"), &code), NONE);
    let first = "size_t first = size_t(blockIdx.x) * 64 + lane;\n";
    let more = [
        (4, "mov.u32 %r3, %ctaid.x;"),
        (4, "mul.wide.u32 %rd2, %r3, 64;"),
        (4, "cvt.u64.u32 %rd3, %r2;"),
        (4, "add.s64 %rd4, %rd2, %rd3;"),
    ];
    let all = names(&format!("{lane}{first}"), &[&code[..], &more].concat());
    assert_eq!(all, [named("lane", "%r2"), named("first", "%rd4")].concat());
}

#[test]
fn a_template_parameter_is_the_only_number_that_fits() {
    let source = "size_t i = size_t(blockIdx.x) * block + threadIdx.x;\n";
    let code = |number: &'static str| {
        [
            (3, "mov.u32 %r1, %ctaid.x;"),
            (3, number),
            (3, "mov.u32 %r2, %tid.x;"),
            (3, "cvt.u64.u32 %rd3, %r2;"),
            (3, "add.s64 %rd4, %rd2, %rd3;"),
        ]
    };
    assert_eq!(names(source, &code("mul.wide.u32 %rd2, %r1, 256;")), named("i", "%rd4"));
    assert_eq!(names(source, &code("mov.u64 %rd2, 256;")), NONE);
}

#[test]
fn a_variable_changes_like_its_register() {
    let source = "for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {\nf();\n}\n";
    let code = |update: (u32, &'static str)| {
        [
            (3, "mov.u32 %r1, %ntid.x;"),
            (3, "shr.u32 %r2, %r1, 1;"),
            (3, "$L1:"),
            (4, "bar.sync 0;"),
            update,
            (3, "setp.ne.s32 %p1, %r2, 0;"),
            (3, "@%p1 bra $L1;"),
        ]
    };
    assert_eq!(names(source, &code((3, "shr.u32 %r2, %r2, 1;"))), named("stride", "%r2"));
    for update in
        [(3, "shr.u32 %r2, %r2, 2;"), (4, "shr.u32 %r2, %r2, 1;"), (3, "mov.u32 %r2, %r1;")]
    {
        assert_eq!(names(source, &code(update)), NONE, "{update:?}");
    }
    let mut early = code((3, "shr.u32 %r2, %r2, 1;"));
    early.swap(3, 4);
    assert_eq!(names(source, &early), NONE, "the round has not ended");
    let mut copied = code((3, "shr.u32 %r2, %r2, 1;")).to_vec();
    copied.insert(3, (4, "mov.u32 %r8, %r2;"));
    assert_eq!(names(source, &copied), NONE, "the round before is kept");
}

#[test]
fn a_register_is_computed_from_the_round_before() {
    let source = "for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {\nf();\n}\n";
    let code = |first: (u32, &'static str)| {
        [
            first,
            (3, "$L1:"),
            (3, "shr.u32 %r2, %r3, 1;"),
            (4, "bar.sync 0;"),
            (3, "setp.gt.u32 %p1, %r3, 1;"),
            (3, "mov.u32 %r3, %r2;"),
            (3, "@%p1 bra $L1;"),
        ]
    };
    assert_eq!(names(source, &code((3, "mov.u32 %r3, %ntid.x;"))), named("stride", "%r2"));
    assert_eq!(names(source, &code((3, "mov.u32 %r3, %ntid.y;"))), NONE);
}

#[test]
fn one_instruction_of_a_line_is_its_value() {
    let load = (3, "ld.global.nc.u32 %r3, [%rd4];");
    assert_eq!(names("u32 x = in[n];\n", &[load]), named("x", "%r3"));
    assert_eq!(names("T x = in[n];\n", &[load]), named("x", "%r3"));
    assert_eq!(names("u32 x = in[n];\n", &[load, (3, "ld.global.u32 %r5, [%rd4];")]), NONE);
    assert_eq!(names("u32 x = in[n] + 1;\n", &[load]), NONE);
    assert_eq!(names("u64 x = in[n];\n", &[load]), NONE);
    assert_eq!(names("float x = in[n];\n", &[load]), NONE);
    assert_eq!(
        names("float x = in[n];\n", &[(3, "ld.global.f32 %f3, [%rd4];")]),
        named("x", "%f3")
    );
    assert_eq!(names("u32 x = in[of[n]];\n", &[load]), NONE);
    let vector = "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd4];";
    assert_eq!(names("float4 x = in[n];\n", &[(3, vector)]), NONE);
    assert_eq!(names("T x = in[n];\n", &[(3, "ld.global.v2.f32 {%f1, _}, [%rd4];")]), NONE);
    assert_eq!(names("Pair x = in[n];\nf(x.a);\n", &[load]), NONE);
    assert_eq!(names("int x = in[n];\n", &[(3, "ld.global.f32 %f3, [%rd4];")]), NONE);
    let converted = [load, (3, "cvt.rn.f32.u32 %f1, %r3;")];
    assert_eq!(names("T x = in[n];\n", &converted), NONE);
    let shuffle = (3, "shfl.sync.down.b32 %r3|%p1, %r2, 1, 31, -1;");
    assert_eq!(names("u32 x = __shfl_down_sync(ALL, y, 1);\n", &[shuffle]), named("x", "%r3"));
    let ballot = (3, "vote.sync.ballot.b32 %r3, %p1, -1;");
    assert_eq!(names("unsigned all = __ballot_sync(ALL, x);\n", &[ballot]), named("all", "%r3"));
}

#[test]
fn a_name_is_there_in_its_scope() {
    let source =
        "unsigned x = threadIdx.x;\nfor (unsigned y = threadIdx.y; y < 3; y++) {\nf();\n}\ng();\n";
    let files = [File { name: "k.cu".into(), text: format!("{HEAD}{source}}}\n") }];
    let code = [
        (3, "mov.u32 %r1, %tid.x;"),
        (4, "mov.u32 %r2, %tid.y;"),
        (4, "$L1:"),
        (4, "add.s32 %r2, %r2, 1;"),
        (4, "setp.lt.u32 %p1, %r2, 3;"),
        (4, "@%p1 bra $L1;"),
        (7, "bar.sync 0;"),
    ];
    let names = Names::of(&module(&code), "k", &files, &[]);
    let event = |line: u32, warp| {
        let place = simt_report::Place { block: 0, warp, line: format!("k.cu:{line}") };
        Event::Instruction { place, class: simt_report::InstructionClass::Other, active: 1 }
    };
    let events = vec![event(40, 0), event(5, 0), event(40, 0), event(7, 1), event(7, 0)];
    let trace = Trace { events, ..Trace::default() };
    let thread = Thread { block: 0, warp: 0, lane: 0 };
    for (at, expected) in
        [(0, &[][..]), (1, &["x", "y"]), (2, &["x", "y"]), (3, &["x", "y"]), (4, &["x"])]
    {
        let scope = names.in_scope(&trace, thread, at);
        assert_eq!(scope.iter().map(|one| &one.name[..]).collect::<Vec<_>>(), expected, "{at}");
    }
}

/// The names in scope at each of these lines, executed one after the other.
fn scopes(text: &str, code: &[(u32, &str)], lines: &[u32]) -> Vec<String> {
    let files = [File { name: "k.cu".into(), text: text.into() }];
    let parameter =
        |name: &str, declared: &str| Parameter { name: name.into(), declared: declared.into() };
    let parameters = [parameter("in", "const u32*"), parameter("n", "size_t")];
    let names = Names::of(&module(code), "k", &files, &parameters);
    let event = |line: &u32| {
        let place = simt_report::Place { block: 0, warp: 0, line: format!("k.cu:{line}") };
        Event::Instruction { place, class: simt_report::InstructionClass::Other, active: 1 }
    };
    let trace = Trace { events: lines.iter().map(event).collect(), ..Trace::default() };
    let thread = Thread { block: 0, warp: 0, lane: 0 };
    let scope = |at| {
        let scope = names.in_scope(&trace, thread, at);
        scope.iter().map(|one| &one.name[..]).collect::<Vec<_>>().join(" ")
    };
    (0..lines.len()).map(scope).collect()
}

const KERNEL: &str = "extern \"C\" __global__ void k(const u32* in, size_t n) {\n";

#[test]
fn an_inner_declaration_hides_a_name() {
    let text = format!(
        "{KERNEL}unsigned x = threadIdx.x;\n{{\nT x = f();\ng();\n}}\nf([&](unsigned x) {{ h(x); }});\n\
         auto [x, y] = f();\n}}\n"
    );
    let code = [(2, "mov.u32 %r1, %tid.x;"), (5, "bar.sync 0;")];
    assert_eq!(scopes(&text, &code, &[2, 3, 5, 6, 7, 8]), ["n x", "n x", "n", "n x", "n", "n"]);
}

#[test]
fn a_helper_has_its_own_names() {
    let text = |call: &str| {
        format!(
            "__device__ unsigned helper(size_t n, unsigned x) {{\nunsigned y = threadIdx.y;\ng();\n}}\n\
             {KERNEL}unsigned x = threadIdx.x, z = threadIdx.z;\n{call};\ng();\n}}\n"
        )
    };
    let code = [
        (6, "mov.u32 %r1, %tid.x;"),
        (6, "mov.u32 %r3, %tid.z;"),
        (2, "mov.u32 %r2, %tid.y;"),
        (3, "bar.sync 0;"),
        (8, "bar.sync 0;"),
    ];
    let lines = [6, 2, 3, 8];
    assert_eq!(scopes(&text("helper(3, 4)"), &code, &lines), ["n x z", "z y", "z y", "n x z"]);
    assert_eq!(scopes(&text("helper(n, 4)"), &code, &lines), ["n x z", "n z y", "n z y", "n x z"]);
}

/// The kernel of a macro calls a function with its own parameters; that another macro calls another one is no matter.
#[test]
fn a_macros_kernel_passes_its_parameters_on() {
    let text = |calls: &str| {
        format!(
            "__device__ void work(const u32* in, size_t n) {{\nunsigned x = threadIdx.x;\n}}\n\
             #define KERNEL(name) \\\n{calls}\nKERNEL(k)\n"
        )
    };
    let code = [(2, "mov.u32 %r1, %tid.x;")];
    let names = |calls: &str| scopes(&text(calls), &code, &[2]);
    assert_eq!(names("work<T>(in, n);"), ["n x"]);
    assert_eq!(names("work(in, n); work(in, rows, cols); o.work(x);"), ["n x"]);
    assert_eq!(names("work(in, n); work(in, rows);"), ["x"]);
    assert_eq!(names("work(in, n + 1);"), ["x"]);
}

#[test]
fn a_parameter_that_is_assigned_has_no_name() {
    let text = |body: &str| format!("{KERNEL}g();\n{body}\n}}\n");
    let code = [(2, "bar.sync 0;"), (3, "cvt.u32.u64 %r2, %rd1;")];
    let names = |body: &str| scopes(&text(body), &code, &[3]);
    assert_eq!(names("unsigned m = n;"), ["n m"]);
    assert_eq!(names("unsigned m = n; n += 2;"), [""]);
}

#[test]
fn a_structure_has_no_single_value() {
    let files = [File { name: "k.cu".into(), text: format!("{KERNEL}}}\n") }];
    let names = |declared: &str| {
        let [skipped, n] = [("in", "const u32*"), ("n", declared)]
            .map(|(name, declared)| Parameter { name: name.into(), declared: declared.into() });
        Names::of(&module(&[]), "k", &files, &[skipped, n]).all().len()
    };
    assert_eq!(["size_t", "u64", "Bins"].map(names), [1, 1, 0]);
}

#[test]
fn what_is_computed_of_a_changing_variable_is_of_its_line() {
    let source = "unsigned i = threadIdx.x;\nfor (;;) {\nunsigned old = i + 1;\ni += 2;\n\
        unsigned now = i + 1;\n}\n";
    let code = [
        (3, "mov.u32 %r1, %tid.x;"),
        (4, "$L1:"),
        (5, "add.s32 %r5, %r1, 1;"),
        (6, "add.s32 %r1, %r1, 2;"),
        (7, "add.s32 %r6, %r1, 1;"),
        (4, "@%p1 bra $L1;"),
    ];
    let expected = [named("i", "%r1"), named("old", "%r5"), named("now", "%r6")].concat();
    assert_eq!(names(source, &code), expected);
}

/// What depends on a number that may be anything is not what it would be for most numbers.
#[test]
fn a_small_number_is_thought_of() {
    let code = [(3, "mov.u32 %r1, %tid.x;")];
    for value in ["threadIdx.x % n", "threadIdx.x + (1u << n)", "threadIdx.x + threadIdx.x / n"] {
        assert_eq!(names(&format!("unsigned a = {value};\n"), &code), NONE, "{value}");
    }
}

#[test]
fn address_arithmetic_is_told_from_other() {
    let text = module(&[
        (3, "mov.u32 %r1, %tid.x;"),
        (3, "mul.wide.u32 %rd2, %r1, 4;"),
        (3, "add.s64 %rd3, %rd1, %rd2;"),
        (3, "ld.global.u32 %r2, [%rd3];"),
        (3, "add.s32 %r3, %r2, %r1;"),
        (3, "st.global.u32 [%rd3], %r3;"),
    ]);
    let code = Code::of(&text, "k");
    let addresses = of_addresses(&code);
    let found = code.instructions.iter().filter(|one| addresses.contains(&one.ptx_line));
    let found: Vec<&str> = found.flat_map(|one| one.written.clone()).collect();
    assert_eq!(found, ["%rd1", "%rd2", "%rd3"]);
}
