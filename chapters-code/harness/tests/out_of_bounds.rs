//! A kernel that writes past its array: the error says which, where and who. It runs in a process of
//! its own, because the device takes no more work afterwards, as on a GPU.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Device, DeviceChoice, kernel};

const PTX: &str = include_str!("kernels/out_of_bounds.ptx");

#[test]
fn an_access_out_of_bounds_is_an_error_that_names_the_line_and_the_thread() {
    testing::in_own_process("out_of_bounds::program");
}

#[test]
#[ignore = "run by the other test"]
fn program() {
    let device = Device::open(DeviceChoice::Sim).expect("the simulator opens");
    let function = kernel::load(&device, PTX, "out_of_bounds").expect("it has the kernel");
    let n = 100usize;
    let mut out = device.stream.alloc_zeros::<f32>(n).expect("memory");
    let config = LaunchConfig { grid_dim: (2, 1, 1), block_dim: (64, 1, 1), shared_mem_bytes: 0 };
    let mut builder = device.stream.launch_builder(&function);
    // SAFETY: the kernel writes out[100], which is not there; on the simulator that is an error and
    // touches nothing.
    let launched = unsafe { builder.arg(&mut out).arg(&n).launch(config) };
    let error = match launched {
        Err(error) => device.explain("running out_of_bounds", error),
        Ok(_) => device.finish("running out_of_bounds").expect_err("it was stopped"),
    };
    let message = error.to_string();
    for part in [
        "running out_of_bounds",
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "out_of_bounds.cu:5",
        "block (1,0,0)",
        "thread (36,0,0)",
        "past the end of the allocation of 400 bytes",
        "remedy: mend the kernel",
    ] {
        assert!(message.contains(part), "no `{part}` in:\n{message}");
    }
}
