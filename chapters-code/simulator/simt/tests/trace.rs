//! A trace tells what each warp did, in order, and changes nothing.

use simt::{LaunchReport, MOST_EVENTS, Options};
use simt_report::{AccessKind, AccessSpace, Event, InstructionClass, MbarrierUse};

use crate::device::{Device, pointer, shape};

/// Runs a kernel's body on one block; `out` is in %rd1, the thread's index in %r1, its place in
/// `out` in %rd3.
fn run(body: &str, block: u32, trace: bool) -> (LaunchReport, Vec<u32>) {
    run_with(body, block, &Options::default().with(|options| options.trace = trace))
}

fn run_with(body: &str, block: u32, options: &Options) -> (LaunchReport, Vec<u32>) {
    run_on(body, block, options, "sm_75")
}

fn run_on(body: &str, block: u32, options: &Options, target: &str) -> (LaunchReport, Vec<u32>) {
    let text = format!(
        ".version 8.0\n.target {target}\n.address_size 64\n\
         .visible .entry k(.param .u64 p0)\n{{\n\
         .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .f32 %f<8>;\n\
         .shared .align 8 .b8 sh[1024];\n\
         ld.param.u64 %rd1, [p0];\n\
         mov.u32 %r1, %tid.x;\n\
         mul.wide.u32 %rd2, %r1, 4;\n\
         add.s64 %rd3, %rd1, %rd2;\n\
         shl.b32 %r2, %r1, 2;\n\
         mov.u32 %r3, sh;\n\
         add.s32 %r4, %r3, %r2;\n\
         {body}\nret;\n}}\n"
    );
    let device = Device::of(&text);
    let out = device.array(&[0u32; 256]);
    let report = device.launch("k", shape(1, block), &[pointer(out)], options);
    (report, device.read(out))
}

fn trace(body: &str, block: u32) -> Vec<Event> {
    trace_of(body, block, "sm_75")
}

fn trace_of(body: &str, block: u32, target: &str) -> Vec<Event> {
    let options = |trace| Options::default().with(|options| options.trace = trace);
    let (report, out) = run_on(body, block, &options(true), target);
    assert_eq!(report.fault, None);
    let (untraced, same) = run_on(body, block, &options(false), target);
    assert_eq!(out, same, "a trace changes no result");
    assert_eq!(report.counters, untraced.counters);
    assert_eq!(untraced.trace, None);
    let trace = report.trace.expect("a trace");
    assert_eq!(trace.dropped, 0);
    trace.events
}

#[test]
fn accesses_hold_their_lanes_addresses_and_values() {
    let events = trace(
        "setp.lt.u32 %p1, %r1, 3;\n\
         add.s32 %r5, %r1, 100;\n\
         @%p1 st.shared.u32 [%r4], %r5;\n\
         @%p1 ld.shared.u32 %r6, [%r3+4];\n\
         @%p1 st.global.u32 [%rd3], %r6;",
        32,
    );
    let accesses: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::Access { access, .. } => Some(access),
            _ => None,
        })
        .collect();
    let [store, load, global] = accesses[..] else {
        panic!("three accesses: {accesses:?}");
    };
    assert_eq!(
        (store.access, store.space, store.lanes),
        (AccessKind::Store, AccessSpace::Shared, 7)
    );
    assert_eq!((&store.array[..], store.base), ("sh", 0));
    assert_eq!(store.addresses, [0, 4, 8]);
    assert_eq!(store.values, [[100], [101], [102]]);
    assert_eq!((load.access, load.lanes, load.cost), (AccessKind::Load, 7, 1));
    assert_eq!(load.values, [[101], [101], [101]]);
    assert_eq!((global.space, global.allocation_bytes), (AccessSpace::Global, 1024));
    let offsets: Vec<_> = global.addresses.iter().map(|a| a - global.base).collect();
    assert_eq!((offsets, global.cost), (vec![0, 4, 8], 1));
}

#[test]
fn strided_accesses_cost_what_the_counters_count() {
    let events = trace(
        "shl.b32 %r5, %r1, 3;\nand.b32 %r5, %r5, 1023;\nadd.s32 %r5, %r5, %r3;\n\
         ld.shared.u32 %r6, [%r5];\n\
         st.global.u32 [%rd3], %r1;",
        32,
    );
    let costs = events.iter().filter_map(|event| match event {
        Event::Access { access, .. } => Some((access.space, access.cost)),
        _ => None,
    });
    let expected = [(AccessSpace::Shared, 2), (AccessSpace::Global, 4)];
    assert_eq!(costs.collect::<Vec<_>>(), expected);
}

#[test]
fn instructions_have_their_active_lanes_and_source() {
    let events =
        trace("setp.lt.u32 %p1, %r1, 5;\n@!%p1 bra DONE;\nst.global.u32 [%rd3], %r1;\nDONE:", 32);
    let store = events.iter().find_map(|event| match event {
        Event::Instruction { place, class: InstructionClass::Store, active } => {
            Some((place, *active))
        }
        _ => None,
    });
    let (place, active) = store.expect("a store");
    assert_eq!((active, place.warp, place.block), (0b11111, 0, 0));
    assert!(place.line.starts_with("PTX line "), "{}", place.line);
}

#[test]
fn shuffles_and_barriers_are_told() {
    let events = trace(
        "add.s32 %r5, %r1, 7;\n\
         shfl.sync.down.b32 %r6, %r5, 16, 31, -1;\n\
         bar.sync 0;\n\
         st.global.u32 [%rd3], %r6;",
        64,
    );
    let shuffled = events.iter().find_map(|event| match event {
        Event::Shuffle { place, lanes, sources, values } if place.warp == 1 => {
            Some((*lanes, sources, values))
        }
        _ => None,
    });
    let (lanes, sources, values) = shuffled.expect("a shuffle of warp 1");
    assert_eq!((lanes, sources[0], sources[15], sources[16]), (u32::MAX, 16, 31, 16));
    assert_eq!(values[0], 32 + 7);
    let passed =
        |event: &Event| matches!(event, Event::BarrierPassed { warps, .. } if *warps == [0, 1]);
    let place_of = |test: &dyn Fn(&Event) -> bool| events.iter().position(test).expect("an event");
    let is_store =
        |e: &Event| matches!(e, Event::Access { access, .. } if access.access == AccessKind::Store);
    assert!(place_of(&passed) < place_of(&is_store), "in order");
}

/// A trace reports who arrives at an mbarrier, who waits in vain, and when a phase is complete. The lanes of an
/// instruction make one event.
#[test]
fn uses_of_an_mbarrier_are_reported() {
    let events = trace_of(
        "setp.eq.u32 %p1, %r1, 0;\n\
         @%p1 mbarrier.init.shared.b64 [sh], 32;\n\
         bar.sync 0;\n\
         setp.lt.u32 %p2, %r1, 32;\n\
         mbarrier.test_wait.parity.shared.b64 %p3, [sh], 0;\n\
         @%p2 mbarrier.arrive.shared.b64 %rd4, [sh];\n\
         bar.sync 0;\n\
         mbarrier.test_wait.parity.shared.b64 %p3, [sh], 0;",
        64,
        "sm_90",
    );
    let uses = events.iter().filter_map(|event| match event {
        Event::Mbarrier { place, used } => {
            assert_eq!((used.mbarrier, used.bytes), (0, 0));
            Some((place.warp, used.does, used.lanes.count_ones(), used.completes))
        }
        _ => None,
    });
    let mut uses: Vec<_> = uses.collect();
    assert_eq!(uses.remove(0), (0, MbarrierUse::Initialise, 1, false));
    uses.sort_by_key(|&(warp, ..)| warp);
    let expected = [
        (0, MbarrierUse::Wait, 32, false),
        (0, MbarrierUse::Arrive, 32, true),
        (0, MbarrierUse::Pass, 32, false),
    ];
    assert_eq!(uses[..3], expected);
    assert_eq!(uses[3].0, 1);
    assert_eq!(uses.last(), Some(&(1, MbarrierUse::Pass, 32, false)));
}

#[test]
fn a_long_trace_is_cut_and_says_so() {
    let (report, _) = run(
        "mov.u32 %r5, 0;\nL: add.s32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 80000;\n@%p1 bra L;",
        32,
        true,
    );
    let trace = report.trace.expect("a trace");
    assert_eq!(trace.events.len() as u64, MOST_EVENTS);
    assert!(trace.dropped > 100_000, "{}", trace.dropped);
}

#[test]
fn registers_hold_what_each_instruction_has_written() {
    let body = "setp.lt.u32 %p1, %r1, 3;\n\
                add.s32 %r5, %r1, 100;\n\
                @%p1 st.shared.u32 [%r4], %r5;\n\
                @%p1 ld.shared.v2.u32 {%r6, %r7}, [%r3];\n\
                bar.red.popc.u32 %r8, 0, %p1;\n\
                st.global.u32 [%rd3], %r8;";
    let options = Options::default().with(|options| {
        options.trace = true;
        options.trace_registers = true;
    });
    let (report, out) = run_with(body, 64, &options);
    assert_eq!((report.fault, out), (None, run(body, 64, false).1));
    let trace = report.trace.expect("a trace");
    let of_warp = |warp: u32| -> Vec<_> {
        let is_own = |event: u64| match &trace.events[event as usize] {
            Event::Instruction { place, .. } => place.warp == warp,
            _ => panic!("an instruction's event"),
        };
        let own = trace.executed.iter().filter(|executed| is_own(executed.event));
        own.map(|executed| (executed.ptx_line, executed.written.clone())).skip(7).collect()
    };
    let mut less = vec![1; 3];
    less.resize(32, 0);
    let first = of_warp(0);
    let lines: Vec<_> = first.iter().map(|(line, _)| line - first[0].0).collect();
    assert_eq!(lines, [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(first[0].1, [less]);
    assert_eq!(first[1].1, [(100..132).collect::<Vec<u64>>()]);
    assert!(first[2].1.is_empty(), "a store");
    assert_eq!(first[3].1, [[100; 3], [101; 3]]);
    assert_eq!(first[4].1, [[3; 32]], "known when the barrier has let the warp pass");
    let second = of_warp(1);
    assert_eq!((&second[3].1, &second[4].1), (&vec![vec![]; 2], &vec![vec![3; 32]]));
    let without = Options::default().with(|options| options.trace = true);
    assert!(run_with(body, 64, &without).0.trace.expect("a trace").executed.is_empty());
}
