//! Names of variables, held to what a reader of source and PTX finds, over kernels of all chapters.

use std::collections::BTreeMap;
use std::path::Path;

use chapter_1_reduce::chapter::Reduce;
use lab::Lab;
use lab::data::File;
use lab::names::Names;
use lab::replay::Options;
use lab::source;

use crate::replays::run;
use crate::reports::{opened, sum};

/// Chapter, rung, kernel, and all parameters and variables that have a register, each with the first register that holds it.
const ANNOTATED: [(&str, &str, &str, &str); 23] = [
    ("chapter_0_setup", "vector_add", "vector_add", "n=%rd5 i=%rd1"),
    ("chapter_1_reduce", "sequential", "sum_f32", "n=%rd7 tid=%r6 i=%rd3 stride=%r11"),
    (
        "chapter_1_reduce",
        "interleaved_strided",
        "sum_f32",
        "n=%rd6 tid=%r6 i=%rd3 stride=%r11 k=%r4",
    ),
    ("chapter_1_reduce", "first_add", "sum_f32", "n=%rd8 tid=%r7 i=%rd4 j=%rd5 stride=%r12"),
    ("chapter_1_reduce", "grid_stride", "sum_f32", "n=%rd11 tid=%r2 i=%rd39"),
    // The stride is computed anew in each round, from what %r29 keeps of the round before.
    ("chapter_1_reduce", "shuffle", "sum_f32", "n=%rd12 tid=%r5 grid=%rd5 i=%rd25 stride=%r3"),
    (
        "chapter_1_reduce",
        "finish_last_block",
        "sum_f32",
        "n=%rd12 grid=%rd4 i=%rd33 i=%r99 lane=%r1 warp=%r32",
    ),
    (
        "chapter_1_reduce",
        "rows_warp",
        "sum_f32",
        "rows=%rd11 cols=%rd10 lane=%r1 row=%rd1 col=%rd22",
    ),
    (
        "chapter_2_histogram",
        "shared_atomics",
        "histogram_u32",
        "n=%rd12 c=%r17 grid=%rd5 i=%rd32 c=%r18",
    ),
    ("chapter_3_scan", "hillis_steele", "inclusive_sum_f32", "n=%rd12 tid=%r5 i=%rd4 offset=%r12"),
    ("chapter_3_scan", "shuffle", "inclusive_sum_f32", "n=%rd5 i=%rd2 before=%r49"),
    ("chapter_3_scan", "chained", "inclusive_sum_f32", "n=%rd16 tile=%r2 first=%rd22"),
    (
        "chapter_3_scan",
        "lookback",
        "inclusive_sum_f32",
        "n=%rd23 tile=%r2 first=%rd29 known=%r226 nearest=%r6",
    ),
    ("chapter_4_compact", "scan_then_scatter", "bits_b32", "n=%rd6 capacity=%rd7 i=%rd1 x=%r11"),
    ("chapter_4_compact", "unordered", "bits_b32", "n=%rd11 capacity=%rd8 i=%rd1 ballot=%r5"),
    ("chapter_5_segmented_scan", "thread_per_segment", "inclusive_sum_f32", "s=%rd3"),
    ("chapter_5_segmented_scan", "spmv_warp_per_row", "multiply_f32", "rows=%rd36 r=%rd4 end=%r6"),
    ("chapter_7_coalescing", "strided_loads", "strided_loads", "n=%rd5 stride=%rd4 i=%rd1"),
    ("chapter_7_coalescing", "gather", "gather", "n=%rd5 i=%rd1"),
    ("chapter_7_coalescing", "aos_packs", "aos_packs", "n=%rd3 dt=%f1 i=%rd1"),
    (
        "chapter_6_transpose",
        "diagonal",
        "transpose_4",
        "rows=%rd23 cols=%rd24 ld_in=%rd25 ld_out=%rd26 across=%r12 down=%r13 row=%r17 col=%r1 x=%r19",
    ),
    ("chapter_8_multi_gpu", "ring", "sum", "n=%rd10 threads=%rd3 i=%rd17"),
    (
        "chapter_8_multi_gpu",
        "one_shot",
        "one_shot_2",
        "device=%r7 n=%rd22 threads=%rd7 thread=%rd8 pack=%rd65 i=%rd66",
    ),
];

/// The sources that a module names, the rung's own first.
fn sources(ptx: &str, rung: &str) -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let named = ptx.lines().filter_map(|line| line.trim().strip_prefix(".file")?.split('"').nth(1));
    let known = named.filter(|name| name.starts_with("chapters-code/"));
    let mut files: Vec<File> = known
        .map(|name| File {
            name: name.to_owned(),
            text: std::fs::read_to_string(root.join(name)).expect("a source"),
        })
        .collect();
    files.sort_by_key(|file| !file.name.ends_with(&format!("/{rung}.cu")));
    files
}

fn names(chapter: &str, rung: &str, kernel: &str) -> Names {
    let found = chapters::find(chapter).and_then(|chapter| chapter.find(rung));
    let ptx = found.unwrap_or_else(|| panic!("{rung} of {chapter}")).ptx;
    assert!(ptx.contains(&format!(".entry {kernel}(")), "{kernel} of {rung}");
    of(&ptx, kernel, rung)
}

/// The names of a kernel of a rung, with the parameters that its sources declare.
fn of(ptx: &str, kernel: &str, rung: &str) -> Names {
    let files = sources(ptx, rung);
    let kernels = ptx::parse(ptx).expect("PTX").kernels;
    let known = kernels.iter().find(|known| known.name == kernel).expect("a kernel");
    Names::of(ptx, kernel, &files, &source::parameters(&files, known).unwrap_or_default())
}

#[test]
fn names_are_those_that_a_reader_finds() {
    let mut found = BTreeMap::new();
    let mut expected = BTreeMap::new();
    for (chapter, rung, kernel, variables) in ANNOTATED {
        let names = names(chapter, rung, kernel);
        let named = names.all().iter().map(|one| format!("{}={}", one.name, one.registers[0]));
        let named: Vec<String> = named.collect();
        found.insert((chapter, rung), named.join(" "));
        expected.insert((chapter, rung), variables.to_owned());
    }
    assert_eq!(found, expected);
}

/// Most kernels have a variable with a name, and every kernel can be read.
#[test]
fn most_kernels_have_names() {
    let (mut with_names, mut without) = (0, Vec::new());
    for chapter in chapters::ALL {
        for rung in chapter.rungs() {
            let kernel =
                rung.ptx.lines().find_map(|line| line.split_once(".entry ")?.1.split('(').next());
            let kernel = kernel.expect("a kernel");
            let names = of(&rung.ptx, kernel, rung.name);
            match names.all().is_empty() {
                true => without.push(rung.name),
                false => with_names += 1,
            }
        }
    }
    assert!(with_names > 2 * without.len(), "{with_names} have names, and not {without:?}");
}

/// The kernel `sequential` on 64 elements, traced.
fn traced() -> Lab {
    let mut lab = opened(&Reduce, "sequential", &sum(64));
    run(&mut lab, Options { trace: true, ..Options::default() });
    lab
}

#[test]
fn steps_by_lines_go_through_the_source() {
    let steps = traced().steps(0, 0).expect("it was traced");
    let stops = steps.iter().filter(|step| step.is_stop && step.warp == Some(0));
    let lines = stops.filter_map(|step| step.line.rsplit_once(':')?.1.parse::<u32>().ok());
    let lines: Vec<u32> = lines.take(12).collect();
    assert_eq!(lines, [15, 16, 17, 18, 21, 22, 23, 25, 21, 22, 23, 25]);
}

#[test]
fn a_step_has_variables_and_arrays() {
    let lab = traced();
    let steps = lab.steps(0, 0).expect("it was traced");
    let at = |end: &str| {
        let is_it = |warp, line: &str| warp == Some(0) && line.ends_with(end);
        let step = steps.iter().find(|step| step.is_stop && is_it(step.warp, &step.line));
        lab.view(0, 0, step.expect("a step").event, 5).expect("it was traced")
    };
    let view = at(":22");
    let variables = view.variables.iter().map(|one| format!("{}={}", one.name, one.value));
    let variables: Vec<String> = variables.collect();
    assert_eq!(variables, ["n=64", "tid=5", "i=5", "stride=128"]);
    assert!(view.registers.iter().any(|register| register.value == "in+0"), "{:?}", view.registers);
    let pictures = at(":17").pictures.concat();
    for said in ["in[0]: 3", "shared[5]", "out[0]: "] {
        assert!(pictures.contains(said), "{said} in {pictures}");
    }
    let names = lab.names(0).expect("it was traced").all();
    assert!(names.iter().any(|one| one.name == "stride"));
}
