//! Runs a kernel that a test writes out.

use simt::{FaultKind, Launch, LaunchReport, LoadedModule, Memory, Options};

/// A kernel's body, with `out` in %rd1 and the thread's index in %r1.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n\
         .visible .entry k(.param .u64 p0)\n{{\n\
         .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .f32 %f<8>;\n\
         .shared .align 4 .b8 sh[4096];\n\
         ld.param.u64 %rd1, [p0];\n\
         mov.u32 %r1, %tid.x;\n\
         mul.wide.u32 %rd2, %r1, 4;\n\
         add.s64 %rd3, %rd1, %rd2;\n\
         {body}\n}}\n"
    )
}

pub struct Run {
    pub report: LaunchReport,
    pub out: Vec<u32>,
}

pub fn run_with(body: &str, grid: u32, block: u32, options: &Options) -> Run {
    let memory = Memory::new(1 << 24);
    let module = ptx::parse(&kernel(body)).unwrap_or_else(|e| panic!("{e}"));
    let module = LoadedModule::load(module, &memory).expect("there is room");
    let loaded = module.kernel("k").expect("it is called k");
    let out = memory.allocate(4096).expect("there is room");
    memory.fill(out, &[0], 4096).expect("it is mapped");
    let launch = Launch {
        kernel: &loaded,
        grid: [grid, 1, 1],
        block: [block, 1, 1],
        cluster: None,
        dynamic_shared: 0,
        params: &out.to_le_bytes(),
    };
    let report = simt::launch(&memory, &launch, options);
    let mut bytes = vec![0; 4096];
    memory.read(out, &mut bytes).expect("it is mapped");
    let words = bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
    Run { report, out: words.collect() }
}

/// Runs under several schedules; the results must agree.
pub fn run(body: &str, grid: u32, block: u32) -> Run {
    let options = |seed| {
        Options::default().with(|options| {
            options.seed = seed;
            options.races = true;
            options.instruction_limit = 1 << 26;
        })
    };
    let first = run_with(body, grid, block, &options(0));
    for seed in 1..6 {
        let other = run_with(body, grid, block, &options(seed));
        let kind = |run: &Run| run.report.fault.as_ref().map(|f| f.kind);
        assert_eq!(
            kind(&first),
            kind(&other),
            "seed {seed}: {:?}, {:?}",
            first.report.fault,
            other.report.fault
        );
        let different = first.out.iter().zip(&other.out).position(|(a, b)| a != b);
        assert_eq!(different, None, "seed {seed}");
    }
    first
}

pub fn ok(run: &Run) {
    if let Some(fault) = &run.report.fault {
        panic!("{fault}");
    }
}

pub fn fault(run: &Run, kind: FaultKind, message: &str) {
    let fault = run.report.fault.as_ref().expect("it must fault");
    assert_eq!(fault.kind, kind, "{fault}");
    assert!(fault.message.contains(message), "`{message}` is not in: {fault}");
}
