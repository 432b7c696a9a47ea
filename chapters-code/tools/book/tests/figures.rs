//! Figures show what a run did, and what cannot be drawn says why.

use std::path::Path;

use book::figure::Figures;

fn draw(arguments: &str) -> Result<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let page = Path::new("book/chapter_1_reduce/index.md");
    Figures::new(&root).answer(page, arguments)
}

fn drawn(arguments: &str) -> String {
    let html = draw(arguments).unwrap_or_else(|error| panic!("{arguments}: {error}"));
    assert!(!html.contains("\n\n"), "a blank line ends an HTML block in Markdown");
    assert!(!html.contains('$'), "a dollar begins a formula");
    html
}

/// The steps in words.
fn said(arguments: &str) -> Vec<String> {
    let html = drawn(arguments);
    let items = html.split("<li>").skip(1);
    items.map(|item| item.split("</li>").next().unwrap_or_default().to_owned()).collect()
}

fn assert_refused(arguments: &str, message: &str) {
    let error = draw(arguments).expect_err("a refusal");
    assert!(error.contains(message), "{arguments}: {error}");
}

#[test]
fn a_tree_in_shared_memory() {
    insta::assert_snapshot!(drawn("tree kernel=sequential n=4 block=4 caption=\"Of `a` & <b>.\""));
}

#[test]
fn a_tree_in_registers() {
    let said = said("tree of=registers kernel=shuffle n=32 block=32");
    assert_eq!(said.len(), 6);
    assert!(said[0].starts_with("Before the first step the lanes hold 3, 1, 7, 0, 4, 1, 6, 3, "));
    assert!(said[5].starts_with("Step 5: lane 0 folds lanes 0 and 1 into lane 0: "), "{said:?}");
    assert_eq!(
        said[1].matches(" folds ").count(),
        16,
        "lanes that no lane reads from are left out"
    );
}

#[test]
fn a_scan_in_two_buffers() {
    let scan = "tree kernel=hillis_steele chapter=chapter_3_scan n=4 block=4";
    let apart = said(scan);
    assert!(apart[1].contains("thread 0 copies 3 from word 0 to word 4"), "{apart:?}");
    let over = said(&format!("{scan} buffers=2"));
    assert_eq!(over.len(), 3);
    assert!(over[1].contains("thread 1 folds words 0 and 1 into word 1: 3 and 1 give 4"));
    assert!(over[2].contains("thread 3 folds words 1 and 3 into word 3: 4 and 7 give 11"));
    assert_refused(&format!("{scan} buffers=9"), "the tree has 8 places");
    let blelloch = "tree kernel=blelloch chapter=chapter_3_scan n=8 block=4 buffers=2";
    assert_refused(blelloch, "a step fills 2 of 4 places");
}

#[test]
fn two_trees_have_one_set_of_steps() {
    let said = said(
        "trees kernel=hillis_steele second=blelloch second_block=2 buffers=2 chapter=chapter_3_scan n=4 block=4",
    );
    assert_eq!(said.len(), 6, "as many as the longer one");
    let first = "<code>hillis_steele</code>: Step 2: ";
    assert!(said[2].starts_with(first) && said[2].contains("<code>blelloch</code>: Step 2: "));
    assert!(said[5].starts_with("<code>blelloch</code>: Step 5: "), "{said:?}");
}

/// Up, the identity at the root, and down: values move to the left, and are folded to the right.
#[test]
fn a_scan_up_and_down() {
    let said = said("tree kernel=blelloch chapter=chapter_3_scan n=4 block=2");
    let steps = [
        "Step 1: thread 0 folds words 0 and 1 into word 1: 3 and 1 give 4; thread 1 folds words 2 \
         and 3 into word 3: 7 and 0 give 7.",
        "Step 2: thread 0 folds words 1 and 3 into word 3: 4 and 7 give 11.",
        "Step 3: thread 0 puts 0 in word 3.",
        "Step 4: thread 0 copies 0 from word 3 to word 1; thread 0 folds words 1 and 3 into word 3: \
         4 and 0 give 4.",
        "Step 5: thread 0 copies 0 from word 1 to word 0; thread 1 copies 4 from word 3 to word 2; \
         thread 0 folds words 0 and 1 into word 1: 3 and 0 give 3; thread 1 folds words 2 and 3 \
         into word 3: 7 and 4 give 11.",
    ];
    assert_eq!(said[1..], steps);
}

#[test]
fn banks_of_a_strided_access() {
    insta::assert_snapshot!(drawn("banks kernel=interleaved_strided n=4 block=4 at=steps nth=1,2"));
}

#[test]
fn conflicts_are_wavefronts() {
    let all = "banks kernel=interleaved_strided n=256 at=steps nth=2,4,6,8,10,12,14,16";
    let html = drawn(all);
    let words = html.split("<p class=\"words\"").skip(1);
    let wavefronts: Vec<_> = words
        .map(|words| words.split("</p>").next().unwrap_or_default())
        .map(|words| words.rsplit(", in ").next().unwrap_or_default())
        .collect();
    let expected = [2, 4, 8, 8, 8, 4, 2].map(|count| format!("{count} wavefronts."));
    assert_eq!(wavefronts[..7], expected);
    assert_eq!(wavefronts[7], "1 wavefront.");
}

#[test]
fn sectors_of_a_row_a_thread() {
    insta::assert_snapshot!(drawn("sectors kernel=rows_thread n=2x8 nth=2"));
}

#[test]
fn what_is_read_and_not_wanted_is_told() {
    let rows = said("sectors kernel=rows_thread n=32x64 nth=1");
    let columns = said("sectors kernel=columns_thread n=32x64 nth=1");
    assert!(rows[0].contains("in 32 sectors of 32 bytes, together 1,024: 12.5\u{a0}%"), "{rows:?}");
    assert!(columns[0].contains("in 4 sectors of 32 bytes, together 128: 100.0\u{a0}%"));
}

#[test]
fn lanes_over_time() {
    insta::assert_snapshot!(drawn("timeline kernel=sequential n=2 block=2"));
}

#[test]
fn divergence_and_idle_warps_are_told() {
    let modulo = said("timeline kernel=interleaved_modulo n=64 block=64");
    let strided = said("timeline kernel=interleaved_strided n=64 block=64");
    assert_eq!((modulo.len(), strided.len()), (2, 2));
    assert!(modulo[1].contains("up to barrier 2: ") && modulo[1].contains("down to 16"));
    assert!(!strided[1].contains("down to"), "the second warp never diverges: {strided:?}");
}

/// The sentences below the drawings of a figure that has one per step.
fn words(arguments: &str) -> Vec<String> {
    let html = drawn(arguments);
    let items = html.split("<p class=\"words\"").skip(1);
    let inner = |item: &str| item.split_once('>').map(|(_, rest)| rest.to_owned());
    let items = items.filter_map(inner);
    items.map(|item| item.split("</p>").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_ring_fills_and_empties() {
    let run = "kernel=producer_consumer chapter=chapter_3_scan n=36864 multiprocessors=1";
    let ring = words(&format!("ring {run} roles=consumers,producer"));
    assert!(ring[0].starts_with("Producer starts the copy of tile 0 into stage 0."), "{ring:?}");
    let emptied = "Phase 0 of <code>empty</code> of stage 0 is complete, with 16 arrivals: tile 0 has been read";
    assert!(ring.iter().any(|said| said.starts_with(emptied)), "{ring:?}");
    let roles = said(&format!("roles {run} roles=consumers,producer"));
    assert_eq!(roles.len(), 3, "a step per tile of the block: {roles:?}");
    assert!(roles[2].contains("stage 0: tile 2 is being copied"), "{roles:?}");
    assert_refused(
        &format!("ring {run} roles=all"),
        "the kernel has 2 roles, warps 0 to 15; warp 16",
    );
    assert_refused("ring kernel=sequential n=64", "block 0 uses no mbarriers");
}

/// The last block reads what another one has written ahead of its count.
#[test]
fn two_blocks_over_time() {
    let order = said("order kernel=finish_last_block n=2048 first=0 second=7");
    let all = order.join("\n");
    assert!(all.contains("Block 0, warp 0 writes") && all.contains("fence"), "{all}");
    assert!(all.contains("It reads what block 0, warp 0 has written."), "{all}");
    assert_refused("order kernel=sequential n=64", "no word in common");
}

#[test]
fn scans_by_shuffles() {
    let block = said("block_scan kernel=shuffle chapter=chapter_3_scan n=64 block=64");
    assert_eq!(block.len(), 9);
    assert!(block[0].contains("of warp 0 hold 3, 1, 7, 0, 4, 1, 6, "), "{block:?}");
    assert!(block[3].contains("of warp 0 hold 3, 4, 11, 11, 15, 16, 22, "), "{block:?}");
    let reach = said(
        "reach kernel=shuffle chapter=chapter_5_segmented_scan n=64 block=64 segments=3 kind=inclusive",
    );
    assert!(reach[1].starts_with("Lanes since the head, from lane 0 on: 0, "), "{reach:?}");
    assert_refused("block_scan kernel=sequential n=64", "lane 31 stores no sum");
}

#[test]
fn a_race_is_two_accesses_and_what_is_missing() {
    insta::assert_snapshot!(drawn("race kernel=missing_first_barrier n=64 block=64"));
    let shuffle = drawn("race kernel=early_return_shuffle n=33");
    assert!(shuffle.contains("participation of the source lane"), "{shuffle}");
}

#[test]
fn the_machine_and_its_threads() {
    let machine = said("machine");
    assert!(
        machine[0].contains("132 multiprocessors") && machine[2].contains("60 MiB"),
        "{machine:?}"
    );
    assert!(said("threads n=1000 block=256 element=600")[0].contains("has 4 blocks"));
    assert_refused("threads n=1000 block=256", "needs element=");
    assert_refused("machine n=4", "has no key n");
}

#[test]
fn what_is_not_there_is_not_drawn() {
    assert_refused("banks kernel=one_thread n=4", "warp 0 has no loads of shared memory");
    assert_refused(
        "banks kernel=sequential n=64 at=nowhere",
        "sequential.cu has no anchor nowhere",
    );
    assert_refused("banks kernel=sequential n=64 at=steps nth=99", "nth=99: warp 0 has");
    assert_refused("banks kernel=sequential n=64 nth=x", "nth=x: write numbers");
    assert_refused("banks kernel=sequential n=64 access=peek", "access=peek");
    assert_refused("banks kernel=first_add n=128 dtype=f64 nth=1", "accesses of 4 bytes, not 8");
    assert_refused("sectors kernel=one_thread n=40", "choose with nth=");
    assert_refused("sectors kernel=first_add n=32 dtype=f16 nth=1", "a lane accesses 2");
    assert_refused("timeline kernel=sequential n=4 block=4 span=3", "span=3: a warp issues");
    assert_refused("timeline kernel=sequential n=1024 block=1024", "a block of 32 warps");
    assert_refused("race kernel=sequential n=64", "reports 0 races");
}

#[test]
fn a_tree_whose_threads_keep_their_values_in_registers() {
    let said = said("tree kernel=unrolled_warp n=128 block=64 places=8");
    assert_eq!(said.len(), 4, "strides 4, 2 and 1: {said:?}");
    assert!(said[3].contains("thread 0 folds words 0 and 1 into word 0"), "{said:?}");
    assert_eq!(said[1].matches(" folds ").count(), 4, "others read beyond: {said:?}");
    let refused = "tree kernel=unrolled_warp n=128 block=64 places=65";
    assert_refused(refused, "places=65: the tree has 64 places");
}

#[test]
fn the_same_tree_is_folded_by_other_threads() {
    let modulo = said("tree kernel=interleaved_modulo n=8 block=8");
    let strided = said("tree kernel=interleaved_strided n=8 block=8");
    assert!(modulo[1].contains("thread 6 folds words 6 and 7 into word 6: 6 and 3 give 9"));
    assert!(strided[1].contains("thread 3 folds words 6 and 7 into word 6: 6 and 3 give 9"));
    assert_eq!(modulo[0], strided[0]);
}

#[test]
fn a_directive_must_make_sense() {
    assert_refused("", "name the kind");
    assert_refused("kernel=sequential n=4", "name the kind");
    assert_refused("tree n=4", "a figure of tree needs kernel=");
    assert_refused("tree kernel=sequential", "a figure of tree needs n=");
    assert_refused("tree kernel=sequential n=4 n=5", "n is given twice");
    assert_refused("tree kernel=sequential n=four", "n=four: `four` is not a size");
    assert_refused("tree kernel=sequential n=4 colour=red", "has no key colour");
    assert_refused("tree kernel=sequential n=4 block=x", "block=x is not a number");
    assert_refused("tree kernel=sequential n=4 dtype=f31", "dtype=f31");
    assert_refused("tree kernel=sequential n=4 caption=\"open", "not closed");
    assert_refused("tree kernel=sequential n=4 of=disk", "of=disk");
    assert_refused("bush kernel=sequential n=4", "no figure of kind bush");
    assert_refused("tree kernel=sequential n=4 chapter=chapter_9", "no chapter `chapter_9`");
    assert_refused("tree kernel=sequential n=4 launch=2", "1 launches");
    assert_refused("tree kernel=sequential n=4 in_block=7", "no block 7");
}

#[test]
fn a_run_must_be_there_and_succeed() {
    assert_refused(
        "tree kernel=sequental n=4",
        "there is no kernel `sequental` in chapter_1_reduce; did you mean `sequential`?",
    );
    assert_refused("tree kernel=sequential n=4x4", "sequential is for vectors");
    assert_refused("tree kernel=unrolled n=4 block=4", "does not run in blocks of 4");
    // Half of the lanes that the shuffles name are not there.
    assert_refused(
        "tree of=registers kernel=shuffle n=16 block=16",
        "shuffle on sum of 16 f32, digits input: undefined value",
    );
    assert_refused("tree kernel=sequential n=2^20", "it does too much for a trace");
    assert_refused("tree kernel=one_thread n=4", "folds nothing in shared memory");
    assert_refused("tree of=registers kernel=sequential n=4", "folds nothing by shuffles");
}

#[test]
fn a_kernel_that_is_stopped_is_an_error_with_its_line() {
    // It takes the driver with it.
    testing::in_own_process("figures::stopped");
}

#[test]
#[ignore = "run by the other test"]
fn stopped() {
    let mut figures = Figures::new(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.."));
    let page = Path::new("book/chapter_1_reduce/index.md");
    // A block of 32 has no second half of 32 words to read.
    let error =
        figures.answer(page, "tree kernel=unrolled_warp n=32 block=32").expect_err("a refusal");
    assert!(error.contains("unrolled_warp.cu:"), "{error}");
    let next = figures.answer(page, "tree kernel=sequential n=4 block=4");
    next.expect("a figure, in a context of its own");
}

/// The first look finds words missing, a later one ends at the nearest prefix, and the tile publishes its own, which a
/// tile before it does not know yet.
#[test]
fn a_look_back_at_three_moments() {
    let look_back = "look_back kernel=lookback chapter=chapter_3_scan n=98304 schedule=1";
    let html = drawn(look_back);
    let said: Vec<_> = html.split("-said\">").skip(1).collect();
    assert_eq!(said.len(), 3);
    for (said, expected) in said.iter().zip([
        "Of the needed tiles 0, 1, 2, 3, 4 these are missing: 1, 4. The warp looks again.",
        "All needed tiles are known: 1, 2, 3, 4. The look-back ends.",
        "tile 3 the aggregate 73701, tile 4 the prefix 368238, tile 5 the prefix 442342.",
    ]) {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    assert_refused(&format!("{look_back} tile=6"), "tile=6: no warp looks back from there");
    let wide = "look_back kernel=lookback chapter=chapter_3_scan n=8192 dtype=i64";
    assert_refused(wide, "a status word holds 4 bytes");
    assert_refused("look_back kernel=sequential n=64", "no warp looks back at status words");
}

#[test]
fn links_carry_what_devices_load_and_store() {
    let run = "chapter=chapter_8_multi_gpu n=4096 devices=4";
    insta::assert_snapshot!(drawn(&format!("links kernel=gather {run}")));
    let sums = said(&format!("links kernel=two_shot {run}"));
    assert_eq!(sums.len(), 4);
    // 3/4 of an array of 16 KiB as loads, and as much as the stores of others.
    assert!(sums.iter().all(|words| words.ends_with("It receives 24,576.")), "{sums:?}");
    assert_refused("links kernel=sequential n=64", "the run moves nothing over links");
}

#[test]
fn a_race_of_two_devices_names_both() {
    for (kernel, more, missing) in [
        ("gpu_scope", "n=2048", "What is missing: the scope of the system."),
        ("missing_release", "n=2048", "no <code>__threadfence_system()</code> lies between them."),
        ("reused_slot", "n=2^17", "no <code>__threadfence_system()</code> lies between them."),
    ] {
        let html = drawn(&format!(
            "race kernel={kernel} chapter=chapter_8_multi_gpu devices=2 launch=2 {more}"
        ));
        println!("{html}");
        assert!(html.contains(missing), "{kernel}: {html}");
        assert!(html.contains(" on device 0,") && html.contains(" on device 1,"), "{html}");
    }
}
