//! The estimate of a kernel's registers, and the occupancy that follows.

use cudarc::driver::CudaFunction;

use crate::common::{self, context, kernel};

/// What an H200 gave the tests' own kernels.
#[test]
fn small_kernels() {
    let context = context();
    for (name, registers) in [("add", 12), ("shared", 9)] {
        let estimate = kernel(&context, name).num_regs().unwrap();
        assert!((estimate - registers).abs() <= 2, "{name}: {estimate}");
    }
}

/// Values that are all live at once cost occupancy, unless the kernel declares its block.
#[test]
fn many_registers() {
    let context = context();
    let text = |declared: &str| {
        let lines = |line: fn(u32) -> String| (0..80).map(line).collect::<String>();
        format!(
            ".version 8.0\n.target sm_75\n.address_size 64\n\
             .visible .entry many(.param .u64 p)\n{declared}\n{{\n.reg .b32 %r<80>;\n\
             .reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\n{}{}ret;\n}}\n",
            lines(|i| format!("ld.global.u32 %r{i}, [%rd1+{}];\n", 4 * i)),
            lines(|i| format!("st.global.u32 [%rd1+{}], %r{i};\n", 4 * i)),
        )
    };
    let load = |declared| common::load(&context, &text(declared), "many");
    let registers = |function: &CudaFunction| function.num_regs().unwrap();
    let resident = |function: &CudaFunction, threads| {
        let blocks = function.occupancy_max_active_blocks_per_multiprocessor(threads, 0, None);
        blocks.unwrap()
    };
    let free = load("");
    assert_eq!(registers(&free), 86);
    // 88 registers for each of 32 threads: 5 warps a scheduler.
    assert_eq!((resident(&free, 32), resident(&free, 256)), (20, 2));
    assert_eq!(resident(&free, 1024), 0);
    let bounded = load(".maxntid 1024, 1, 1");
    assert_eq!(registers(&bounded), 64);
    assert_eq!(resident(&bounded, 1024), 1);
    let dense = load(".maxntid 256, 1, 1\n.minnctapersm 8");
    assert_eq!((registers(&dense), resident(&dense, 256)), (32, 8));
}
