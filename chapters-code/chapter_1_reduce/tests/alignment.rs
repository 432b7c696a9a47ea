//! The rungs that load 16 bytes at a time take an input at any address of its type.

use chapter_1_reduce::{
    reference::Aggregate,
    rungs::{last_block::SINGLE_PASS_TILED, vectorized},
};
use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Case, Element, Op, Output, Rung, buffer, dtype::F16, inputs};

/// Reduces the elements from `skipped` on in one block of `threads`.
fn check<T: Element>(rung: &Rung, threads: u32, n: usize, skipped: usize) {
    let runner = testing::simulator();
    let device = &runner.device;
    let case: Case = Case::vector(n as u64, T::DTYPE, Op::Sum);
    let host = inputs::generate::<T>(&case);
    let elements = buffer::to_device(device, &host).expect("memory");
    let mut out = Output::<T::Acc>::new(device, 1).expect("memory");
    let mut partials = buffer::scratch::<T::Acc>(device, 1).expect("memory");
    let mut counter = device.stream.clone_htod(&[0u32]).expect("memory");
    let module = device.context.load_module(Ptx::from_src(rung.ptx));
    let kernel = module.and_then(|module| module.load_function(&format!("sum_{}", T::DTYPE)));
    let kernel = kernel.expect("a kernel");
    let config =
        LaunchConfig { grid_dim: (1, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 };

    out.poison().expect("memory");
    let (input, len) = (elements.slice(skipped..), n - skipped);
    {
        let mut out = out.view_mut();
        let mut launch = device.stream.launch_builder(&kernel);
        launch.arg(&input).arg(&mut out).arg(&len);
        if kernel_has_scratch(rung) {
            launch.arg(&mut partials).arg(&mut counter);
        }
        // SAFETY: the kernel reads in[0 .. n] and writes out[0]; one block uses no partial results.
        unsafe { launch.launch(config) }.expect("a launch");
    }
    // No rung needs more than one addition per element.
    let expected = Aggregate::of(Op::Sum, host[skipped..].iter().copied());
    let expected = expected.expect(n as u64, 0.0);
    let failures = out.compare([expected]).expect("a result").failures;
    let (name, dtype) = (rung.name, T::DTYPE);
    assert!(failures.is_empty(), "{name} {dtype} {n} {skipped}: {failures:?}");
}

fn kernel_has_scratch(rung: &Rung) -> bool {
    rung.name == SINGLE_PASS_TILED.name
}

fn check_type<T: Element>() {
    for (rung, threads) in [(&vectorized::RUNG, 256), (&SINGLE_PASS_TILED, 512)] {
        for skipped in 0..=16 / size_of::<T>() {
            for n in [17, 5003] {
                check::<T>(rung, threads, n, skipped);
            }
        }
    }
}

#[test]
fn four_bytes() {
    check_type::<i32>();
    check_type::<f32>();
}

#[test]
fn two_and_eight_bytes() {
    check_type::<F16>();
    check_type::<i64>();
}
