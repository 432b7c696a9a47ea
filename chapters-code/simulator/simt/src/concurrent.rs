//! Kernels that run on several host threads at once, some of them with data races. This is the test
//! suite for sanitizers.
//!
//! The suite is small and needs no file. Its own results show little more than that no update is
//! lost. Its purpose is that a sanitizer checks it: no host thread may access memory in a way that
//! Rust leaves undefined, whatever the kernel does. `.ci/sanitize` runs it under ThreadSanitizer.
//! Miri is a thousand times slower; under it the launches are smaller and each runs on one host
//! thread.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Launch, LaunchReport, LoadedModule, Memory, Options, launch};

/// Bytes that the kernels access.
const BYTES: u64 = 2048;
/// Blocks per launch.
const BLOCKS: u32 = if cfg!(miri) { 2 } else { 64 };
/// Threads per block.
const THREADS: u32 = 64;
/// Concurrent launches, each from its own host thread.
const LAUNCHES: u32 = 2;

/// Every thread makes accesses of every width to memory that all blocks share: by adjacent lanes,
/// all and some of them, and by scattered lanes.
const RACY: &str = "
    mul.wide.u32 %rd2, %r1, 16; add.s64 %rd2, %rd1, %rd2;
    mul.wide.u32 %rd3, %r1, 8; add.s64 %rd3, %rd1, %rd3;
    mul.wide.u32 %rd4, %r1, 4; add.s64 %rd4, %rd1, %rd4;
    mul.wide.u32 %rd5, %r1, 2; add.s64 %rd5, %rd1, %rd5;
    cvt.u64.u32 %rd6, %r1; add.s64 %rd6, %rd1, %rd6;
    mul.wide.u32 %rd7, %r1, 28; add.s64 %rd7, %rd1, %rd7;
    setp.lt.u32 %p1, %r1, 40;
    ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd2];
    st.global.v4.b32 [%rd2], {%r7, %r6, %r5, %r4};
    ld.global.v2.b64 {%rd8, %rd9}, [%rd2]; st.global.v2.b64 [%rd2], {%rd9, %rd8};
    ld.global.v2.b32 {%r4, %r5}, [%rd3]; st.global.v2.b32 [%rd3], {%r5, %r4};
    ld.global.b64 %rd8, [%rd3]; st.global.b64 [%rd3+8], %rd8;
    @%p1 st.global.b64 [%rd3+8], %rd8;
    ld.global.b32 %r4, [%rd4]; st.global.b32 [%rd4+4], %r4;
    @%p1 ld.global.b32 %r4, [%rd4+12]; @%p1 st.global.b32 [%rd4+4], %r4;
    ld.global.u16 %r5, [%rd5]; st.global.u16 [%rd5+2], %r5;
    @%p1 st.global.u16 [%rd5+2], %r5;
    ld.global.u8 %r5, [%rd6]; st.global.u8 [%rd6+1], %r5;
    @%p1 st.global.u8 [%rd6+1], %r5;
    ld.global.b32 %r4, [%rd7]; st.global.b32 [%rd7+4], %r4; st.global.u16 [%rd7+2], %r5;
    ld.volatile.global.b32 %r4, [%rd4]; st.volatile.global.b32 [%rd4+8], %r4;
    ld.acquire.gpu.global.b64 %rd8, [%rd3]; st.release.gpu.global.b64 [%rd3], %rd8;
    atom.global.add.u32 %r4, [%rd7], 1; atom.global.add.u64 %rd8, [%rd3], 1;
    atom.global.cas.b16 %h1, [%rd5], 0, 1; red.global.max.u32 [%rd4], %r1;
    cp.async.ca.shared.global [%r8], [%rd4], 4; cp.async.wait_all;";

/// Every thread adds 1 to counters of two widths, and 0.5 to a float.
const ATOMICS: &str = "
    red.global.add.u32 [%rd1], 1; red.global.add.u64 [%rd1+8], 1; red.global.add.f32 [%rd1+16], 0f3F000000;
    atom.global.inc.u32 %r4, [%rd1+20], 0xffffffff; atom.global.exch.b32 %r4, [%rd1+24], 7;";

/// A block sums its threads' indices through shared memory, and then adds the sum to a counter.
const BARRIERS: &str = "
    st.shared.b32 [%r8], %r1; bar.sync 0; mov.u32 %r4, 32;
    L: add.u32 %r5, %r1, %r4; setp.lt.u32 %p1, %r1, %r4;
    shl.b32 %r6, %r4, 2; add.u32 %r6, %r6, %r8;
    @%p1 ld.shared.b32 %r6, [%r6]; @%p1 ld.shared.b32 %r7, [%r8];
    @%p1 add.u32 %r7, %r7, %r6; @%p1 st.shared.b32 [%r8], %r7; bar.sync 0;
    shr.u32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra L;
    setp.eq.u32 %p1, %r1, 0; @%p1 red.global.add.u32 [%rd1], %r7;";

/// A chain over all blocks: the flag of each block is the flag of its predecessor plus 1.
const LOOK_BACK: &str = "
    setp.ne.u32 %p1, %r1, 0; @%p1 bra DONE; mov.u32 %r4, 0;
    mul.wide.u32 %rd2, %r2, 8; add.s64 %rd2, %rd1, %rd2; setp.eq.u32 %p1, %r2, 0; @%p1 bra PUT;
    SPIN: ld.acquire.gpu.global.b64 %rd3, [%rd2+-8]; mov.b64 {%r4, %r5}, %rd3;
    setp.eq.u32 %p1, %r5, 0; @%p1 bra SPIN;
    PUT: add.u32 %r4, %r4, 1; mov.b64 %rd3, {%r4, 1}; st.release.gpu.global.b64 [%rd2], %rd3;
    DONE:";

/// Builds a kernel with the array in `%rd1`, the thread's index in `%r1`, the block's index in
/// `%r2`, and the shared address of the thread's word in `%r8`.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 p)\n{{\n\
         .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<12>; .reg .b64 %rd<12>;\n\
         .shared .align 4 .b8 sh[{}];\n\
         ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n\
         mov.u32 %r3, sh; mad.lo.u32 %r8, %r1, 4, %r3;\n\
         {body}\nret;\n}}\n",
        4 * THREADS
    )
}

/// A device with a kernel, and an array of [`BYTES`] zeros.
struct Device {
    memory: Memory,
    module: LoadedModule,
    array: u64,
}

impl Device {
    fn new(body: &str) -> Self {
        let memory = Memory::new(1 << 20);
        let module = ptx::parse(&kernel(body)).unwrap_or_else(|e| panic!("{e}"));
        let module = LoadedModule::load(module, &memory).expect("there is room");
        let array = memory.allocate_with(&[0; BYTES as usize]).expect("there is room");
        Self { memory, module, array }
    }

    fn launch(&self, options: &Options) -> LaunchReport {
        let kernel = self.module.kernel("k").expect("it is called k");
        let params = self.array.to_le_bytes();
        let shape = Launch::new(&kernel, [BLOCKS, 1, 1], [THREADS, 1, 1], &params);
        let report = launch(&self.memory, &shape, options);
        assert_eq!(report.fault, None);
        report
    }

    /// Starts several launches at once while the host reads and writes the array too.
    fn launch_all(&self, options: &Options) {
        let runs = AtomicBool::new(true);
        std::thread::scope(|scope| {
            let launches: Vec<_> =
                (0..LAUNCHES).map(|_| scope.spawn(|| self.launch(options))).collect();
            let host = scope.spawn(|| {
                while runs.load(Ordering::Relaxed) {
                    self.copy_to_and_fro();
                }
            });
            let ended: Vec<_> = launches.into_iter().map(|launch| launch.join()).collect();
            runs.store(false, Ordering::Relaxed);
            host.join().expect("the host's copies succeed");
            ended.into_iter().for_each(|end| drop(end.expect("the launch ends")));
        });
    }

    /// Copies between host and device, in the second half of the array.
    fn copy_to_and_fro(&self) {
        let half = self.array + BYTES / 2;
        let mut bytes = [0; 333];
        self.memory.read(half + 1, &mut bytes).expect("it is mapped");
        self.memory.write(half + 5, &bytes).expect("it is mapped");
        self.memory.copy(half, half + 3, 200).expect("it is mapped");
        self.memory.copy(half + 400, half + 7, 111).expect("it is mapped");
        self.memory.fill(half + 2, &[1, 2], 17).expect("it is mapped");
        std::thread::yield_now();
    }

    fn words(&self) -> Vec<u32> {
        let bytes = self.memory.content(self.array, BYTES as usize).expect("it is mapped");
        let (words, _) = bytes.as_chunks();
        words.iter().map(|word| u32::from_le_bytes(*word)).collect()
    }
}

/// Runs `check` with each kind of observer.
fn each_way(check: impl Fn(&Options)) {
    for (counters, races) in [(false, false), (true, false), (true, true)] {
        check(&Options {
            counters,
            races,
            threads: if cfg!(miri) { 1 } else { 4 },
            ..Options::default()
        });
    }
}

#[test]
fn racy_accesses_of_every_width() {
    each_way(|options| Device::new(RACY).launch_all(options));
}

#[test]
fn atomics_lose_nothing() {
    each_way(|options| {
        let device = Device::new(ATOMICS);
        device.launch_all(options);
        let count = LAUNCHES * BLOCKS * THREADS;
        let halves = (count as f32 / 2.0).to_bits();
        let expected = [count, 0, count, 0, halves, count, 7];
        assert_eq!(device.words()[..7], expected);
    });
}

#[test]
fn barriers_order_shared_memory() {
    each_way(|options| {
        let device = Device::new(BARRIERS);
        device.launch_all(options);
        let sum = THREADS * (THREADS - 1) / 2;
        assert_eq!(device.words()[0], LAUNCHES * BLOCKS * sum);
    });
}

#[test]
fn blocks_wait_for_those_before() {
    each_way(|options| {
        let device = Device::new(LOOK_BACK);
        device.launch(options);
        let flags = device.words();
        let chain: Vec<u32> = (0..BLOCKS as usize).map(|b| flags[2 * b]).collect();
        assert_eq!(chain, (1..=BLOCKS).collect::<Vec<_>>());
    });
}

#[test]
fn a_race_between_blocks_is_found_once() {
    let device = Device::new("st.global.b32 [%rd1], %r2;");
    let options =
        Options { races: true, threads: if cfg!(miri) { 1 } else { 4 }, ..Options::default() };
    let report = device.launch(&options);
    assert_eq!(report.races.len(), 1, "{:?}", report.races);
}
