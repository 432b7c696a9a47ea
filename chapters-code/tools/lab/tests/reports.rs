//! Reports of races name what the source names, and the repair that fits.

use chapter_1_reduce::chapter::Reduce;
use harness::simulator::Missing;
use harness::{Case, Dtype, Input, Op};
use lab::Lab;
use lab::data::File;
use lab::replay::Options;
use lab::reports::Reported;
use lab::source;
use report::{AnyCase, AnyChapter};

use crate::replays::{data, lines_of, recorded_of, run};

/// The lab of a kernel of a chapter, with the sources that the book gives it.
pub fn opened(chapter: &dyn AnyChapter, kernel: &str, case: &AnyCase) -> Lab {
    let recorded = recorded_of(chapter, kernel, case);
    let mut data = data(&recorded);
    let root = format!("{}/../../..", env!("CARGO_MANIFEST_DIR"));
    let folder = format!("chapters-code/{}/kernels", chapter.name());
    let own = ["", "broken/"].map(|at| format!("{folder}/{at}{kernel}.cu"));
    for name in own.into_iter().chain([format!("{folder}/operators.cuh")]) {
        if let Ok(text) = std::fs::read_to_string(format!("{root}/{name}")) {
            data.files.push(File { name, text });
        }
    }
    data.arrays = source::shared_arrays(&data.files);
    for text in &data.modules {
        let kernels = ptx::parse(text).expect("PTX").kernels;
        let known = kernels.iter().filter_map(|kernel| {
            Some((kernel.name.clone(), source::parameters(&data.files, kernel)?))
        });
        data.parameters.push(known.collect());
    }
    Lab::open(data).expect("PTX")
}

pub fn sum(n: u64) -> AnyCase {
    let case: Case = Case { input: Input::Digits, ..Case::vector(n, Dtype::F32, Op::Sum) };
    case.erased()
}

/// The chapter of histograms.
fn histogram() -> &'static dyn AnyChapter {
    chapters::find("chapter_2_histogram").expect("a chapter")
}

fn keys(n: u64) -> AnyCase {
    let case = histogram().sample_cases(report::chapter::EVEN).remove(0);
    let shape = harness::Shape::Vector { n };
    Case { shape, input: Input::Digits, ..case }
}

fn reports(lab: &mut Lab, removed: &[String]) -> Vec<Reported> {
    let options = Options { races: true, removed: removed.to_vec(), ..Options::default() };
    run(lab, options).reports
}

#[test]
fn lost_updates_need_an_atomic() {
    for (kernel, array) in [("racy", "out"), ("same_warp", "counters")] {
        let all = reports(&mut opened(histogram(), kernel, &keys(4096)), &[]);
        let first = all.first().unwrap_or_else(|| panic!("{kernel} has races"));
        assert!(first.race.is_update, "{kernel}: {:?}", first.race);
        let location = first.location.as_deref().unwrap_or_default();
        assert!(location.starts_with(&format!("{array}[")), "{kernel}: {location}");
        let html = figures::race::draw_as(
            &first.race,
            ["", ""],
            first.words(&|line| line.to_owned()),
            &first.message(),
        );
        assert!(html.contains("an atomic operation is missing"), "{html}");
        assert!(!html.contains("__syncwarp()") && !html.contains("the allocation of"), "{html}");
    }
}

#[test]
fn a_missing_barrier_is_no_lost_update() {
    let all = reports(&mut opened(&Reduce, "missing_first_barrier", &sum(1024)), &[]);
    assert!(!all.is_empty() && all.iter().all(|one| !one.race.is_update), "{all:?}");
    let location = all[0].location.as_deref().unwrap_or_default();
    let index = location.strip_prefix("shared[").and_then(|rest| rest.strip_suffix(']'));
    assert_eq!(index.map(str::parse), Some(Ok(all[0].race.offset / 4)), "{location}");
    assert!(all[0].message().contains(&format!("`{location}`: ")), "{}", all[0].message());
}

#[test]
fn the_race_of_a_struck_line_comes_first_with_that_line_as_its_repair() {
    for kernel in [
        "interleaved_modulo",
        "interleaved_strided",
        "sequential",
        "first_add",
        "grid_stride",
        "unrolled",
    ] {
        let mut lab = opened(&Reduce, kernel, &sum(4096));
        assert_eq!(reports(&mut lab, &[]), [], "{kernel}");
        let barriers = lab.removable();
        let mut found = 0;
        for barrier in barriers.iter().filter(|one| one.what == "barrier of the block") {
            let all = reports(&mut lab, std::slice::from_ref(&barrier.line));
            // A barrier that another one makes superfluous has none.
            let Some(first) = all.first() else { continue };
            found += 1;
            assert_eq!(first.struck.as_ref(), Some(barrier), "{kernel}: {first:?}");
            let gap = first.words(&|line| line.to_owned()).gap.expect("a repair");
            assert!(gap.contains(&barrier.line), "{kernel}: {gap}");
            let suggests_other = all.iter().any(|one| one.message().contains("__syncwarp"));
            assert!(!suggests_other, "{kernel}: {all:?}");
        }
        assert!(found > 0, "{kernel} has a barrier that orders something: {barriers:?}");
    }
}

/// Where a warp and the block miss something, the block's comes first.
#[test]
fn of_two_struck_lines_each_has_its_races() {
    let mut lab = opened(&Reduce, "sequential", &sum(4096));
    let lines: Vec<String> = lab.removable().into_iter().map(|one| one.line).collect();
    assert_eq!(lines.len(), 2);
    let all = reports(&mut lab, &lines);
    assert!(all.len() > 1, "{all:?}");
    let struck = |line: &String| {
        all.iter().any(|one| one.struck.as_ref().is_some_and(|struck| struck.line == *line))
    };
    assert!(lines.iter().all(struck), "{all:?}");
    assert_ne!(all[0].race.missing, Missing::Syncwarp);
}

#[test]
fn a_struck_fence_is_the_repair() {
    let mut lab = opened(&Reduce, "finish_last_block", &sum(4096));
    let file = "chapters-code/chapter_1_reduce/kernels/finish_last_block.cu";
    let fence = lines_of(file, "__threadfence()");
    let all = reports(&mut lab, &fence[..1]);
    let first = all.first().expect("nothing orders the partials and the count");
    assert_eq!(first.struck.as_ref().map(|struck| &struck.line), Some(&fence[0]));
    assert_eq!(first.location.as_deref(), Some("partials[14]"));
}
