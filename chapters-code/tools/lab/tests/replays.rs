//! A recorded run that is executed again gives the same results, counters and races.

use chapter_1_reduce::chapter::Reduce;
use harness::verify::Checker;
use harness::{Case, Device, DeviceChoice, Dtype, Input, Op, Shape};
use lab::Lab;
use lab::content::{Content, Element};
use lab::data::{Data, Label};
use lab::replay::{Options, Outcome};
use report::trace::{self, Recorded};
use report::{AnyCase, AnyChapter};

const SEED: u64 = 1;

fn case(n: u64) -> Case {
    Case { input: Input::Digits, seed: SEED, ..Case::vector(n, Dtype::F32, Op::Sum) }
}

fn recorded(kernel: &str, case: &Case) -> Recorded {
    recorded_of(&Reduce, kernel, &case.erased())
}

pub fn recorded_of(chapter: &dyn AnyChapter, kernel: &str, case: &AnyCase) -> Recorded {
    let device = Device::open(DeviceChoice::Sim).expect("the simulator");
    let cases = trace::cases(chapter, kernel, case).expect("the rung runs on it");
    let case = cases.last().expect("a case");
    trace::record(&device, chapter, kernel, case).expect("it is recorded")
}

pub fn data(recorded: &Recorded) -> Data {
    let mut data = Data {
        kernel: recorded.rung.name.into(),
        is_broken: recorded.rung.is_broken(),
        files: Vec::new(),
        modules: Vec::new(),
        parameters: Vec::new(),
        arrays: Default::default(),
        is_edited: false,
        choices: Vec::new(),
        family: Vec::new(),
        runs: Vec::new(),
    };
    let label = Label {
        size: "some".into(),
        chosen: None,
        elements: recorded.case.elements(),
        title: "a sum".into(),
        dtype: recorded.case.dtype.to_string(),
        op: recorded.case.op.to_string(),
        seed: recorded.case.seed,
    };
    let counters = recorded.report.counters().expect("they are counted");
    data.add(label, &recorded.recording, &recorded.right, counters);
    data
}

pub fn opened(recorded: &Recorded) -> Lab {
    // As it travels to a page.
    let json = serde_json::to_string(&data(recorded)).expect("JSON");
    Lab::open(serde_json::from_str(&json).expect("the same data")).expect("PTX")
}

pub fn run(lab: &mut Lab, options: Options) -> Outcome {
    lab.run(&options).expect("it is executed")
}

fn with_races() -> Options {
    Options { races: true, ..Options::default() }
}

/// The lines of a kernel's source that hold `text`, as reports name them.
fn lines(kernel: &str, text: &str) -> Vec<String> {
    lines_of(&format!("chapters-code/chapter_1_reduce/kernels/{kernel}.cu"), text)
}

/// The lines of a source that hold `text`.
pub fn lines_of(file: &str, text: &str) -> Vec<String> {
    let path = format!("{}/../../../{file}", env!("CARGO_MANIFEST_DIR"));
    let source = std::fs::read_to_string(path).expect("a source");
    let numbered = source.lines().enumerate().filter(|(_, line)| line.contains(text));
    numbered.map(|(index, _)| format!("{file}:{}", index + 1)).collect()
}

#[test]
fn every_kernel_of_chapter_1_gives_what_the_driver_gave() {
    for rung in Reduce.rungs() {
        let matrix = Case { shape: Shape::Matrix { rows: 33, cols: 100 }, ..case(0) };
        let integers = Case { dtype: Dtype::I32, ..case(3001) };
        let mut cases = [case(3001), integers, matrix].into_iter();
        let suits = |case: &Case| {
            let case = Reduce.case_for(rung.name, &case.erased());
            Reduce.refusal(rung.name, &case).is_none()
        };
        let case = cases.find(suits).expect("a case for the rung");
        let recorded = recorded(rung.name, &case);
        let name = rung.name;
        let races = rung.caught_by.contains(&Checker::Races);
        let outcome = run(&mut opened(&recorded), Options { races, ..Options::default() });
        assert_eq!(Some(outcome.counters), recorded.report.counters(), "{name}");
        let of = |launches: &mut dyn Iterator<Item = &harness::simulator::LaunchReport>| {
            let races = launches.flat_map(|launch| &launch.races);
            races
                .map(|race| (race.kind, race.first.clone(), race.second.clone()))
                .collect::<Vec<_>>()
        };
        let races = of(&mut recorded.report.launches.iter());
        assert_eq!(of(&mut outcome.launches.iter()), races, "{name}");
        match rung.is_broken() {
            false => assert_eq!(outcome.is_right, Some(true), "{name}: {:?}", outcome.differences),
            true => assert!(
                outcome.is_right != Some(true)
                    || !races.is_empty()
                    || recorded.report.fault().is_some(),
                "{name}"
            ),
        }
    }
}

#[test]
fn trees_grow_with_the_steps() {
    for (kernel, expected) in [
        ("sequential", "The tree in shared memory"),
        ("shuffle", "The tree in the registers of warp 0"),
    ] {
        let mut lab = opened(&recorded(kernel, &case(64)));
        run(&mut lab, Options { trace: true, ..Options::default() });
        let trees = lab.trees(0, 0).expect("it was traced");
        let tree = trees.iter().find(|tree| tree.title == expected);
        let tree = tree.unwrap_or_else(|| panic!("{kernel}: {:?}", trees));
        assert!(tree.ends.is_sorted(), "{:?}", tree.ends);
        assert!(tree.ends.len() >= 6, "{:?}", tree.ends);
        for stage in 1..=6 {
            assert!(tree.picture.contains(&format!("data-step=\"{stage}\"")), "{kernel}, {stage}");
        }
    }
}

#[test]
fn a_removed_barrier_is_a_race_at_its_lines() {
    let mut lab = opened(&recorded("sequential", &case(1024)));
    let barriers = lines("sequential", "__syncthreads");
    let known: Vec<String> = lab.removable().into_iter().map(|one| one.line).collect();
    assert_eq!(known, barriers);
    let removed = vec![barriers[1].clone()];
    let outcome = run(&mut lab, Options { removed, ..with_races() });
    let step = lines("sequential", "shared[tid] += ");
    let race = &outcome.launches[0].races[0];
    assert_eq!([&race.first.line, &race.second.line], [&step[0], &step[0]]);
    assert_eq!(run(&mut lab, with_races()).is_right, Some(true), "nothing stays removed");
}

#[test]
fn another_order_of_warps_shows_a_missing_barrier_in_the_result() {
    let mut lab = opened(&recorded("sequential", &case(1024)));
    let removed = lines("sequential", "__syncthreads");
    let is_wrong = |seed| {
        let options = Options { seed, removed: removed.clone(), ..Options::default() };
        run(&mut lab, options).is_right == Some(false)
    };
    assert!((1..20).any(is_wrong));
}

#[test]
fn a_struck_mask_takes_the_active_lanes() {
    let mut lab = opened(&recorded("early_return_shuffle", &case(64)));
    let masks = lab.removable();
    let masks = masks.iter().filter(|one| one.what == "mask of the shuffle");
    let removed: Vec<String> = masks.map(|one| one.line.clone()).collect();
    assert!(!removed.is_empty());
    let is_stopped =
        |outcome: &Outcome| outcome.launches.iter().any(|launch| launch.fault.is_some());
    let before = run(&mut lab, with_races());
    assert!(is_stopped(&before) || !before.launches[0].races.is_empty());
    let without = run(&mut lab, Options { removed, trace: true, ..with_races() });
    assert!(!is_stopped(&without), "{:?}", without.launches);
    let steps = lab::steps::steps(&lab.traced()[0], 0);
    let ptx: Vec<String> =
        steps.iter().map(|one| lab.view(0, 0, one.event, 0).expect("it was traced").ptx).collect();
    let mask =
        ptx.iter().position(|ptx| ptx == "activemask.b32 %struck;").expect("it stands there");
    assert!(ptx[mask + 1].starts_with("shfl.sync.") && ptx[mask + 1].ends_with(", %struck;"));
    let shuffle = recorded("shuffle", &case(1024));
    let mut lab = opened(&shuffle);
    let removed = lab
        .removable()
        .into_iter()
        .map(|one| one.line)
        .filter(|line| lines("shuffle", "__shfl").contains(line));
    let removed: Vec<String> = removed.collect();
    assert_eq!(removed.len(), 1);
    assert_eq!(run(&mut lab, Options { removed, ..with_races() }).is_right, Some(true));
}

#[test]
fn digits_are_those_of_the_harness() {
    for seed in [SEED, 2, 77] {
        let case = Case { seed, ..case(3001) };
        let floats: Vec<f32> = harness::inputs::generate(&case);
        let integers: Vec<i64> = harness::inputs::generate(&Case { dtype: Dtype::I64, ..case });
        let floats: Vec<u8> = floats.into_iter().flat_map(f32::to_le_bytes).collect();
        let integers: Vec<u8> = integers.into_iter().flat_map(i64::to_le_bytes).collect();
        for (element, bytes) in [(Element::F32, floats), (Element::I64, integers)] {
            let digits = Content::Digits { element, seed, count: 3001, device: None };
            assert!(digits.bytes() == bytes, "{element:?}, seed {seed}");
        }
    }
}

#[test]
fn other_digits_have_another_sum() {
    let mut lab = opened(&recorded("sequential", &case(1024)));
    let book = run(&mut lab, Options::default());
    let other = run(&mut lab, Options { input_seed: Some(SEED + 1), ..Options::default() });
    assert_ne!(book.hash, other.hash);
    assert_eq!(other.is_right, Some(true));
    let removed = lines("sequential", "__syncthreads");
    let seed = 3;
    let options = Options { input_seed: Some(SEED + 1), seed, removed, ..Options::default() };
    let broken = run(&mut lab, options);
    assert_eq!(broken.is_right, Some(false), "it is compared with the kernel without changes");
    assert!(broken.different > 0);
}

#[test]
fn steps_are_those_of_the_block_and_show_its_memory() {
    let mut lab = opened(&recorded("sequential", &case(64)));
    let outcome = run(&mut lab, Options { trace: true, ..Options::default() });
    assert!(outcome.launches[0].trace.is_none(), "it stays in the lab");
    let launch = &lab.traced()[0];
    let steps = lab::steps::steps(launch, 0);
    assert!(steps.windows(2).all(|pair| pair[0].event < pair[1].event));
    let step = lines("sequential", "shared[tid] += ");
    let store = steps.iter().find(|one| one.line == step[0] && one.class == "store");
    let store = store.expect("a step of the tree");
    let view = lab.view(0, 0, store.event, 0).expect("it was traced");
    assert!(view.pictures[0].contains("written by thread 0"), "{}", view.pictures[0]);
    assert!(view.pictures[1].contains("lanes write"), "{}", view.pictures[1]);
    assert!(!view.values[0].is_empty());
}

#[test]
fn blocks_begin_and_end_one_after_another() {
    let mut lab = opened(&recorded("sequential", &case(1024)));
    run(&mut lab, Options { trace: true, resident_blocks: 1, ..Options::default() });
    let steps = lab::steps::steps(&lab.traced()[0], 2);
    let view = lab.view(0, 2, steps[0].event, 0).expect("it was traced");
    let strip = view.pictures.last().expect("a picture");
    for said in ["block 1 has ended", "block 2 executes this instruction", "block 3 has not begun"]
    {
        assert!(strip.contains(said), "{said}: {strip}");
    }
}

#[test]
fn registers_have_the_names_of_the_ptx() {
    let mut lab = opened(&recorded("sequential", &case(64)));
    run(&mut lab, Options { trace: true, ..Options::default() });
    let steps = lab::steps::steps(&lab.traced()[0], 0);
    let step = lines("sequential", "shared[tid] += ");
    let views = |lane| {
        let own = steps.iter().filter(|one| one.line == step[0] && one.warp == Some(0));
        own.map(|one| lab.view(0, 0, one.event, lane).expect("it was traced")).collect::<Vec<_>>()
    };
    let (first, last) = (views(0), views(31));
    let others = (0..8).map(views);
    let add = first.iter().position(|view| view.ptx.starts_with("add.rn.f32")).expect("a sum");
    let value = |view: &lab::steps::View, name: &str| {
        let found = view.registers.iter().find(|register| register.name == name);
        let found = found.unwrap_or_else(|| panic!("{name} in {:?}", view.registers));
        (found.value.parse::<f64>().expect("a number"), found.is_new)
    };
    let names =
        first[add].ptx.trim_end_matches(';').split([' ', ',']).filter(|name| !name.is_empty());
    let names: Vec<&str> = names.skip(1).collect();
    let [sum, a, b] = names[..] else { panic!("{names:?}") };
    for view in [&first[add], &last[add]] {
        assert_eq!(value(view, sum).0, value(view, a).0 + value(view, b).0);
        assert_eq!([value(view, sum).1, value(view, a).1], [true, false]);
    }
    assert_eq!(value(&first[add], sum).0.to_string(), first[add].values[0]);
    let mut others = others.map(|views| value(&views[add], sum).0);
    assert!(others.any(|other| other != value(&first[add], sum).0), "other lanes have other sums");
    assert_eq!(value(&first[add + 1], sum), (value(&first[add], sum).0, false), "it stays");
}

#[test]
fn with_weak_memory_a_removed_fence_shows_in_the_result() {
    let mut lab = opened(&recorded("finish_last_block", &case(4096)));
    let fences = lines("finish_last_block", "__threadfence()");
    assert_eq!(fences.len(), 2);
    let weakly = |lab: &mut Lab, removed: &[String]| {
        let options = Options { weak_seeds: 12, removed: removed.to_vec(), ..Options::default() };
        let outcome = run(lab, options);
        assert_eq!(outcome.is_right, Some(true), "without weak memory nothing shows");
        outcome.weak.expect("it was tried").failed
    };
    assert!(weakly(&mut lab, &[]).is_none(), "with its fences it is right");
    let failed = weakly(&mut lab, &fences[..1]).expect("no fence publishes the partials");
    assert!(failed.outcome.is_right == Some(false) && failed.outcome.different > 0);
    let read = &failed.failure.stale_reads[0];
    let store = read.store.as_ref().expect("the kernel's");
    assert_eq!(store.line, lines("finish_last_block", "partials[blockIdx.x] = ")[0]);
    assert!(lines("finish_last_block", "partials[i]").contains(&read.load.line), "{read:?}");
    assert_eq!(read.cure, harness::simulator::Cure::WriterFence);
    let failed = weakly(&mut lab, &fences[1..]).expect("PTX does not promise it");
    assert!(failed.failure.is_promised_by_gpus(), "as NVIDIA's example");
}

#[test]
fn with_weak_memory_a_struck_order_shows_in_the_result() {
    let mut lab = opened(&recorded("single_pass_tiled", &case(1 << 16)));
    let orders = lab.removable().into_iter().filter(|one| one.what.starts_with("order of"));
    let orders: Vec<_> = orders.collect();
    let [order] = &orders[..] else { panic!("{orders:?}") };
    assert_eq!(order.what, "order of the atomic operation");
    assert!(order.line.contains("last_block.cuh:"), "{order:?}");
    let weak = Options { weak_seeds: 12, ..Options::default() };
    let failed = |outcome: Outcome| outcome.weak.expect("it was tried").failed;
    assert!(failed(run(&mut lab, weak.clone())).is_none(), "with its order it is right");
    let removed = vec![order.line.clone()];
    let failed = failed(run(&mut lab, Options { removed: removed.clone(), ..weak }));
    let failed = failed.expect("nothing orders the partials and the count");
    assert_eq!(failed.outcome.is_right, Some(false));
    let races = run(&mut lab, Options { removed: removed.clone(), ..with_races() });
    assert!(!races.launches[0].races.is_empty(), "the detector finds it on any schedule");
    run(&mut lab, Options { removed, trace: true, ..Options::default() });
    let steps = lab::steps::steps(&lab.traced()[0], 0);
    let mut ptx = steps.iter().map(|one| lab.view(0, 0, one.event, 0).expect("it was traced").ptx);
    assert!(ptx.any(|ptx| ptx.starts_with("atom.relaxed.gpu.global.inc.u32 ")));
}

#[test]
fn a_trace_with_weak_memory_is_of_the_run_that_fails() {
    let mut lab = opened(&recorded("finish_last_block", &case(4096)));
    let removed = lines("finish_last_block", "__threadfence()");
    let weak = Options { weak_seeds: 12, removed, ..Options::default() };
    let values = |lab: &mut Lab, options: Options| {
        let outcome = run(lab, Options { trace: true, ..options });
        let block = outcome.weak.and_then(|weak| weak.failed).map_or(0, |failed| {
            let [x, ..] = failed.failure.stale_reads[0].load.block;
            u64::from(x)
        });
        let steps = lab::steps::steps(&lab.traced()[0], block);
        let load = lines("finish_last_block", "partials[i]");
        let own = steps.iter().filter(|one| load.contains(&one.line) && one.class == "load");
        let views = own.map(|one| lab.view(0, block, one.event, 0).expect("it was traced").values);
        views.flatten().collect::<Vec<_>>()
    };
    assert!(values(&mut lab, weak).iter().any(|value| value == "unset" || value == "0"));
}

/// A scan of several rows exchanges the rows' values in turn, and warps behind the end exchange zeros.
#[test]
fn a_scan_has_the_trees_of_the_warps_with_data() {
    let chapter = chapters::find("chapter_3_scan").expect("a chapter");
    let case = chapter.sample_cases(report::chapter::EVEN).remove(0);
    let case = Case { input: Input::Digits, shape: Shape::Vector { n: 1024 }, ..case };
    let mut lab = opened(&recorded_of(chapter, "lookback", &case));
    run(&mut lab, Options { trace: true, ..Options::default() });
    let trees = lab.trees(0, 0).expect("it was traced");
    let titles: Vec<&str> = trees.iter().map(|tree| tree.title.as_str()).collect();
    assert_eq!(titles, ["The tree in the registers of warp 0"]);
    assert!((6..10).contains(&trees[0].ends.len()), "{:?}", trees[0].ends);
    assert!(trees[0].ends.is_sorted(), "{:?}", trees[0].ends);
}
