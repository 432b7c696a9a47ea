//! Clusters of blocks: their registers, addresses, barrier and memory, and what is wrong with them.

use simt::{FaultKind, Options};
use simt_report::{Missing, RaceKind};

use super::run::{Run, fault};
use crate::device::{Device, Shape, shape};

/// A kernel's body, with `out` in %rd1, the thread's index in %r1, the rank in %r2, the block's number in
/// %r3, and the shared addresses of the thread's own word in %r4 and of the same word in the next block
/// of the cluster in %r5. Shared memory is zeroed unless `head` is empty.
fn kernel(head: &str, body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 p0)\n{{\n\
         .reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<16>;\n\
         .shared .align 16 .b8 sh[256];\n\
         ld.param.u64 %rd1, [p0];\n\
         mov.u32 %r1, %tid.x; mov.u32 %r2, %cluster_ctarank; mov.u32 %r3, %ctaid.x;\n\
         mov.u32 %r4, sh; mad.lo.u32 %r4, %r1, 4, %r4;\n\
         mov.u32 %r6, %cluster_nctarank; add.u32 %r7, %r2, 1; rem.u32 %r7, %r7, %r6;\n\
         mapa.shared::cluster.u32 %r5, %r4, %r7;\n\
         mov.u32 %r8, %ntid.x; mad.lo.u32 %r9, %r3, %r8, %r1;\n\
         mul.wide.u32 %rd2, %r9, 4; add.s64 %rd3, %rd1, %rd2;\n\
         {head}\n{body}\n}}\n"
    )
}

const ZERO: &str = "st.shared.u32 [%r4], 0;";
const SYNC: &str = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";

fn launch(
    (head, body): (&str, &str),
    grid: [u32; 3],
    cluster: Option<[u32; 3]>,
    block: u32,
    options: &Options,
) -> Run {
    Run::of(&kernel(head, body), Shape { grid, block, cluster, dynamic_shared: 0 }, options)
}

fn options(seed: u64) -> Options {
    Options::default().with(|options| {
        options.seed = seed;
        options.races = true;
        options.instruction_limit = 1 << 24;
    })
}

/// Runs `blocks` blocks of 64 threads in clusters of this many, under several schedules.
fn each_schedule(head: &str, body: &str, blocks: u32, cluster: u32, check: impl Fn(&Run)) {
    for seed in 0..8 {
        let grid = [blocks, 1, 1];
        check(&launch((head, body), grid, Some([cluster, 1, 1]), 64, &options(seed)));
    }
}

#[track_caller]
fn clean(run: &Run) {
    assert_eq!(run.report.fault, None);
    assert_eq!(run.report.races, []);
}

// As an H100 answered, for grids and clusters of three dimensions and without clusters.
#[test]
fn registers_of_a_cluster() {
    let body = "mov.u32 %r10, %clusterid.x; mov.u32 %r11, %clusterid.y; mov.u32 %r12, %clusterid.z;
        mov.u32 %r13, %nclusterid.x; mov.u32 %r14, %nclusterid.y; mov.u32 %r15, %nclusterid.z;
        mov.u32 %r16, %cluster_ctaid.x; mov.u32 %r17, %cluster_ctaid.y; mov.u32 %r18, %cluster_ctaid.z;
        mov.u32 %r19, %cluster_nctaid.x; mov.u32 %r20, %cluster_nctaid.y; mov.u32 %r21, %cluster_nctaid.z;
        mov.u32 %r22, %cluster_nctarank; mov.pred %p1, %is_explicit_cluster; selp.u32 %r23, 1, 0, %p1;
        mov.u32 %r24, %ctaid.y; mov.u32 %r25, %nctaid.x; mad.lo.u32 %r3, %r24, %r25, %r3;
        mov.u32 %r24, %ctaid.z; mov.u32 %r26, %nctaid.y; mul.lo.u32 %r25, %r25, %r26;
        mad.lo.u32 %r3, %r24, %r25, %r3; mul.wide.u32 %rd2, %r3, 64; add.s64 %rd3, %rd1, %rd2;
        st.global.v4.u32 [%rd3], {%r10, %r11, %r12, %r13};
        st.global.v4.u32 [%rd3+16], {%r14, %r15, %r16, %r17};
        st.global.v4.u32 [%rd3+32], {%r18, %r19, %r20, %r21};
        st.global.v4.u32 [%rd3+48], {%r2, %r22, %r23, %r22}; ret;";
    let words = |grid, cluster, block: usize| {
        let run = launch(("", body), grid, cluster, 1, &options(0));
        clean(&run);
        run.out[16 * block..16 * block + 15].to_vec()
    };
    assert_eq!(words([2, 2, 1], None, 3), [1, 1, 0, 2, 2, 1, 0, 0, 0, 1, 1, 1, 0, 1, 0]);
    let of_one = [3, 1, 0, 4, 2, 1, 0, 0, 0, 1, 1, 1, 0, 1, 1];
    assert_eq!(words([4, 2, 1], Some([1; 3]), 7), of_one);
    let of_eight = [1, 0, 0, 2, 2, 1, 1, 1, 0, 2, 2, 2, 3, 8, 1];
    assert_eq!(words([4, 4, 2], Some([2; 3]), 7), of_eight);
    let of_three = [1, 0, 0, 2, 1, 1, 2, 0, 0, 3, 1, 1, 2, 3, 1];
    assert_eq!(words([6, 1, 1], Some([3, 1, 1]), 5), of_three);
}

#[test]
fn addresses_name_a_block_and_a_byte() {
    let body = "getctarank.shared::cluster.u32 %r10, %r4; getctarank.shared::cluster.u32 %r11, %r5;
        cvt.u64.u32 %rd4, %r4; cvta.shared.u64 %rd5, %rd4; mapa.u64 %rd6, %rd5, %r7;
        cvt.u64.u32 %rd7, %r5; cvta.shared::cluster.u64 %rd8, %rd7; setp.eq.u64 %p1, %rd6, %rd8;
        getctarank.u64 %r12, %rd6; mapa.u64 %rd9, %rd6, %r2; setp.eq.u64 %p2, %rd9, %rd5;
        isspacep.shared::cta %p3, %rd5; isspacep.shared::cluster %p4, %rd5;
        isspacep.shared::cta %p5, %rd6; isspacep.shared::cluster %p6, %rd6; isspacep.global %p7, %rd6;
        selp.u32 %r13, 1, 0, %p1; selp.u32 %r14, 2, 0, %p2; selp.u32 %r15, 4, 0, %p3;
        selp.u32 %r16, 8, 0, %p4; selp.u32 %r17, 16, 0, %p5; selp.u32 %r18, 32, 0, %p6;
        selp.u32 %r19, 64, 0, %p7; add.u32 %r13, %r13, %r14; add.u32 %r13, %r13, %r15;
        add.u32 %r13, %r13, %r16; add.u32 %r13, %r13, %r17; add.u32 %r13, %r13, %r18;
        add.u32 %r13, %r13, %r19; mad.lo.u32 %r10, %r11, 10, %r10; mad.lo.u32 %r10, %r12, 100, %r10;
        mad.lo.u32 %r10, %r13, 1000, %r10; st.global.u32 [%rd3], %r10; ret;";
    let run = launch(("", body), [4, 1, 1], Some([4, 1, 1]), 1, &options(0));
    clean(&run);
    assert_eq!(run.out[..4], [47_110, 47_221, 47_332, 47_003]);
}

/// Accesses by every kind of instruction to the next block, between two barriers.
#[test]
fn blocks_access_each_others_memory() {
    let body = format!(
        "{SYNC} mad.lo.u32 %r10, %r2, 100, %r1; st.shared::cluster.u32 [%r5], %r10; {SYNC}
         ld.shared.u32 %r11, [%r4]; {SYNC}
         atom.shared::cluster.add.u32 %r12, [%r5], 1; red.shared::cluster.add.u32 [%r5], %r12; {SYNC}
         cvt.u64.u32 %rd4, %r5; cvta.shared::cluster.u64 %rd5, %rd4; ld.u32 %r13, [%rd5];
         sub.u32 %r13, %r13, %r12; mad.lo.u32 %r11, %r13, 1000, %r11; st.global.u32 [%rd3], %r11;
         {SYNC} ret;"
    );
    each_schedule(ZERO, &body, 6, 3, |run| {
        clean(run);
        for (block, thread) in [(0, 0), (1, 63), (5, 17)] {
            let before = (block % 3 + 2) % 3 * 100 + thread;
            let own = block % 3 * 100 + thread + 1;
            assert_eq!(run.out[(block * 64 + thread) as usize], own * 1000 + before);
        }
        let counters = run.report.counters.expect("counted");
        // 6 blocks of 2 warps: st, atom, red and ld, of 128 bytes each.
        assert_eq!((counters.dshared_requests, counters.dshared_sectors), (48, 192));
        assert_eq!((counters.shared_store_requests, counters.shared_load_requests), (12, 12));
        assert_eq!((counters.shared_atomic_wavefronts, counters.global_load_requests), (0, 0));
    });
}

/// The lanes of one instruction may access several blocks, their own among them.
#[test]
fn lanes_of_one_instruction_in_several_blocks() {
    let body = format!(
        "{SYNC} and.b32 %r10, %r1, 3; mov.u32 %r11, sh; mapa.shared::cluster.u32 %r12, %r11, %r10;
         red.shared::cluster.add.u32 [%r12], 1; {SYNC}
         ld.shared.u32 %r13, [%r4]; st.global.u32 [%rd3], %r13; {SYNC} ret;"
    );
    each_schedule(ZERO, &body, 4, 4, |run| {
        clean(run);
        assert_eq!([0, 64, 128, 192, 1].map(|at: usize| run.out[at]), [64, 64, 64, 64, 0]);
        let counters = run.report.counters.expect("counted");
        // The lanes at one word follow each other.
        assert_eq!((counters.dshared_requests, counters.dshared_sectors), (24, 192));
        assert!(counters.shared_atomic_wavefronts > 0, "those of the own block");
    });
}

#[test]
fn exited_threads_are_not_missed_at_the_barrier() {
    let body = "setp.eq.u32 %p1, %r2, 0; @%p1 ret; setp.gt.u32 %p1, %r1, 40; @%p1 ret;
         barrier.cluster.arrive; barrier.cluster.wait; st.global.u32 [%rd3], 7; ret;";
    each_schedule("", body, 2, 2, |run| {
        clean(run);
        assert_eq!([0, 64, 104, 105].map(|at: usize| run.out[at]), [0, 7, 7, 0]);
    });
}

#[test]
fn an_arrival_does_not_order_what_follows_it() {
    let store = "st.shared::cluster.u32 [%r5], 5;";
    let read = "ld.shared.u32 %r11, [%r4]; st.global.u32 [%rd3], %r11;";
    let early = format!(
        "{SYNC} {store} barrier.cluster.arrive.release; barrier.cluster.wait.acquire; {read} {SYNC} ret;"
    );
    each_schedule(ZERO, &early, 2, 2, clean);
    let late = format!(
        "{SYNC} barrier.cluster.arrive.release; {store} barrier.cluster.wait.acquire; {read} {SYNC} ret;"
    );
    each_schedule(ZERO, &late, 2, 2, |run| race(run, RaceKind::WriteRead, Missing::ClusterSync));
    let relaxed = format!(
        "{SYNC} {store} barrier.cluster.arrive.relaxed; barrier.cluster.wait; {read} {SYNC} ret;"
    );
    each_schedule(ZERO, &relaxed, 2, 2, |run| race(run, RaceKind::WriteRead, Missing::ClusterSync));
}

#[track_caller]
fn race(run: &Run, kind: RaceKind, missing: Missing) {
    assert_eq!(run.report.fault, None);
    // The atomic of a block that comes early may find nothing written, too.
    let races = run.report.races.iter().filter(|race| race.kind != RaceKind::UninitialisedRead);
    let found: Vec<_> = races.clone().map(|race| (race.kind, race.missing)).collect();
    let reverse = match kind {
        RaceKind::WriteRead => RaceKind::ReadWrite,
        RaceKind::WriteAtomic => RaceKind::AtomicWrite,
        other => other,
    };
    let is_it = |race: &(RaceKind, Missing)| [(kind, missing), (reverse, missing)].contains(race);
    assert!(!found.is_empty() && found.iter().all(is_it), "{:#?}", run.report.races);
    for race in races {
        assert!(race.message.contains("shared array `sh` of block"), "{}", race.message);
    }
}

#[test]
fn adding_before_the_owner_has_zeroed_is_a_race() {
    let body = format!("red.shared::cluster.add.u32 [%r5], 1; {SYNC} ret;");
    each_schedule(ZERO, &body, 2, 2, |run| race(run, RaceKind::WriteAtomic, Missing::ClusterSync));
}

#[test]
fn reading_while_others_add_is_a_race() {
    let body = format!(
        "{SYNC} red.shared::cluster.add.u32 [%r5], 1; bar.sync 0; ld.shared.u32 %r10, [%r4];
         st.global.u32 [%rd3], %r10; {SYNC} ret;"
    );
    each_schedule(ZERO, &body, 2, 2, |run| {
        assert_eq!(run.report.fault, None);
        let races = &run.report.races;
        assert!(races.iter().any(|race| race.missing == Missing::ClusterSync), "{races:#?}");
    });
}

/// A block-wide barrier orders the threads of a block in a cluster too.
#[test]
fn a_block_in_a_cluster_has_its_own_races() {
    let read =
        "xor.b32 %r10, %r4, 128; ld.shared.u32 %r11, [%r10]; st.global.u32 [%rd3], %r11; ret;";
    each_schedule(ZERO, &format!("bar.sync 0; {read}"), 2, 2, clean);
    each_schedule(ZERO, read, 2, 2, |run| {
        let found: Vec<_> = run.report.races.iter().map(|race| race.missing).collect();
        assert!(found.contains(&Missing::Syncthreads), "{:#?}", run.report.races);
    });
}

/// Flags in global memory order accesses to shared memory as well.
#[test]
fn a_flag_orders_accesses_between_blocks() {
    let body = |fence: &str| {
        format!(
            "{SYNC} setp.ne.u32 %p1, %r1, 0; @%p1 bra END; setp.eq.u32 %p2, %r2, 1; @%p2 bra READ;
             st.shared::cluster.u32 [%r5], 9; {fence} st.relaxed.gpu.global.u32 [%rd1+512], 1; bra END;
             READ: ld.acquire.gpu.global.u32 %r10, [%rd1+512]; setp.eq.u32 %p3, %r10, 0; @%p3 bra READ;
             ld.shared.u32 %r11, [%r4]; st.global.u32 [%rd1], %r11; END: {SYNC} ret;"
        )
    };
    each_schedule(ZERO, &body("fence.acq_rel.cluster;"), 2, 2, |run| {
        clean(run);
        assert_eq!(run.out[0], 9);
    });
    each_schedule(ZERO, &body(""), 2, 2, |run| {
        race(run, RaceKind::WriteRead, Missing::ClusterSync);
    });
}

#[test]
fn unwritten_memory_of_another_block() {
    let body = format!(
        "{SYNC} ld.shared::cluster.u32 %r10, [%r5]; st.global.u32 [%rd3], %r10; {SYNC} ret;"
    );
    each_schedule("", &body, 2, 2, |run| {
        let kinds: Vec<_> = run.report.races.iter().map(|race| race.kind).collect();
        assert_eq!(kinds, [RaceKind::UninitialisedRead]);
    });
}

/// The block of rank 0 exits at once. What the other does is a fault if it comes later, and nothing
/// orders it if it came before.
#[test]
fn a_block_that_leaves_too_early() {
    let body = format!(
        "{SYNC} setp.eq.u32 %p1, %r2, 0; @%p1 ret; red.shared::cluster.add.u32 [%r5], 1; ret;"
    );
    let mut both = [false; 2];
    for seed in 0..16 {
        let run = launch((ZERO, &body), [2, 1, 1], Some([2, 1, 1]), 64, &options(seed));
        match &run.report.fault {
            Some(_) => {
                fault(&run, FaultKind::ClusterAddress, "rank 0 of its cluster, which has exited")
            }
            None => {
                let found: Vec<_> = run.report.races.iter().map(|r| (r.kind, r.missing)).collect();
                assert_eq!(found, [(RaceKind::EarlyExit, Missing::ClusterSync)]);
            }
        }
        both[usize::from(run.report.fault.is_some())] = true;
    }
    assert!(both[1], "some schedule must reach the fault");
    // Here the access is always first, and only the check finds the mistake.
    let spin = format!(
        "{SYNC} setp.eq.u32 %p1, %r2, 1; @%p1 bra ADD; mov.u32 %r10, 0;
         LOOP: add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 100000; @%p1 bra LOOP; ret;
         ADD: red.shared::cluster.add.u32 [%r5], 1; ret;"
    );
    let run = launch((ZERO, &spin), [2, 1, 1], Some([2, 1, 1]), 64, &options(0));
    assert_eq!(run.report.fault, None);
    let found: Vec<_> = run.report.races.iter().map(|r| (r.kind, r.missing)).collect();
    assert_eq!(found, [(RaceKind::EarlyExit, Missing::ClusterSync)]);
}

#[test]
fn addresses_that_are_not_there() {
    let beyond = "mapa.shared::cluster.u32 %r5, %r4, 9; ld.shared::cluster.u32 %r10, [%r5]; ret;";
    let run = launch(("", beyond), [2, 1, 1], Some([2, 1, 1]), 1, &options(0));
    fault(&run, FaultKind::ClusterAddress, "rank 9, which its cluster does not have");
    let outside = "ld.shared::cluster.u32 %r10, [%r5+65536]; ret;";
    let run = launch(("", outside), [2, 1, 1], Some([2, 1, 1]), 1, &options(0));
    fault(&run, FaultKind::ClusterAddress, "there are 256 bytes, in the block of rank 1");
    let misaligned = "ld.shared::cluster.u32 %r10, [%r5+2]; ret;";
    let run = launch(("", misaligned), [2, 1, 1], Some([2, 1, 1]), 1, &options(0));
    fault(&run, FaultKind::MisalignedAddress, "multiple of 4");
    let mbarrier = "mbarrier.init.shared::cta.b64 [%r4], 1; cvt.u64.u32 %rd4, %r5;
        mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5]; ret;";
    let run = launch(("", mbarrier), [2, 1, 1], Some([2, 1, 1]), 1, &options(0));
    fault(&run, FaultKind::IllegalAddress, "another block of the cluster, which is not supported");
    // The window of a block does not hold it.
    let run =
        launch(("", "ld.shared.u32 %r10, [%r5]; ret;"), [2, 1, 1], Some([2, 1, 1]), 1, &options(0));
    fault(&run, FaultKind::IllegalAddress, "shared::cluster");
}

#[test]
fn the_barrier_used_wrongly() {
    let run = |body: &str| launch(("", body), [2, 1, 1], Some([2, 1, 1]), 64, &options(0));
    fault(
        &run("barrier.cluster.wait; ret;"),
        FaultKind::IllegalInstruction,
        "without having arrived",
    );
    let twice = "barrier.cluster.arrive; barrier.cluster.arrive; ret;";
    fault(&run(twice), FaultKind::IllegalInstruction, "arrives twice");
    let some =
        "setp.eq.u32 %p1, %r2, 0; @%p1 bra OTHER; barrier.cluster.arrive; barrier.cluster.wait;
        OTHER: setp.eq.u32 %p1, %r1, 0; @%p1 bra ONE; bar.sync 0; ONE: bar.sync 1; ret;";
    fault(&run(some), FaultKind::Deadlock, "wait at barrier 1");
    let all = "setp.eq.u32 %p1, %r1, 0; setp.eq.and.u32 %p1, %r2, 0, %p1; @%p1 bra ONE;
        barrier.cluster.arrive; barrier.cluster.wait; bar.sync 0; ret; ONE: bar.sync 0; ret;";
    fault(&run(all), FaultKind::Deadlock, "wait at the barrier of the cluster");
}

#[test]
fn launches_that_are_refused() {
    let refused = |grid, cluster, says: &str| {
        let run = launch(("", "ret;"), grid, cluster, 1, &options(0));
        fault(&run, FaultKind::InvalidCluster, says);
    };
    refused([5, 1, 1], Some([2, 1, 1]), "do not divide the grid");
    refused([32, 1, 1], Some([32, 1, 1]), "1 to 16 in all");
    refused([4, 1, 1], Some([0, 1, 1]), "1 to 16 in all");
    clean(&launch(("", "ret;"), [16, 1, 1], Some([16, 1, 1]), 1, &options(0)));
}

/// What a kernel declares about clusters.
#[test]
fn declared_clusters() {
    let kernels = ".version 8.0\n.target sm_90\n.address_size 64\n\
        .visible .entry of_two() .explicitcluster .reqnctapercluster 2, 1 { ret; }\n\
        .visible .entry explicit() .explicitcluster { ret; }\n\
        .visible .entry most_four() .maxclusterrank 4 { ret; }\n";
    let device = Device::of(kernels);
    let kind = |name: &str, grid: u32, cluster: Option<u32>| {
        let cluster = cluster.map(|blocks| [blocks, 1, 1]);
        let report = device.launch(name, Shape { cluster, ..shape(grid, 1) }, &[], &options(0));
        report.fault.map(|fault| fault.kind)
    };
    let invalid = Some(FaultKind::InvalidCluster);
    assert_eq!(kind("of_two", 4, None), None);
    assert_eq!(kind("of_two", 4, Some(2)), None);
    assert_eq!(kind("of_two", 4, Some(4)), invalid);
    assert_eq!(kind("of_two", 3, None), invalid);
    assert_eq!(kind("explicit", 4, None), invalid);
    assert_eq!(kind("explicit", 4, Some(4)), None);
    assert_eq!(kind("most_four", 8, None), None);
    assert_eq!(kind("most_four", 8, Some(4)), None);
    assert_eq!(kind("most_four", 8, Some(8)), invalid);
}

/// Results and counts do not depend on whether an observer is attached.
#[test]
fn observers_only_observe() {
    let body = format!(
        "{SYNC} red.shared::cluster.add.u32 [%r5], %r1; {SYNC} ld.shared.u32 %r10, [%r4]; st.global.u32 [%rd3], %r10; ret;"
    );
    let run = |options: &Options| launch((ZERO, &body), [4, 1, 1], Some([2, 1, 1]), 64, options);
    let checked = run(&options(0));
    clean(&checked);
    let counted = run(&Options::default());
    assert_eq!((&checked.out, checked.report.counters), (&counted.out, counted.report.counters));
    let plain = run(&Options::default().with(|options| options.counters = false));
    assert_eq!(checked.out, plain.out);
    let traced = run(&Options::default().with(|options| options.trace = true));
    assert_eq!(checked.out, traced.out);
}
