//! Runs a kernel that a test writes out.

use simt::{FaultKind, LaunchReport, Options};

use crate::device::{Device, Shape, pointer, shape};

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

impl Run {
    /// Launches the kernel `k` of this PTX, which gets an array of 1024 zeros.
    pub fn of(ptx: &str, shape: Shape, options: &Options) -> Self {
        let device = Device::of(ptx);
        let out = device.array(&[0u32; 1024]);
        let report = device.launch("k", shape, &[pointer(out)], options);
        Self { report, out: device.read(out) }
    }
}

pub fn run_with(body: &str, grid: u32, block: u32, options: &Options) -> Run {
    Run::of(&kernel(body), shape(grid, block), options)
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
