//! The rungs that load 16 bytes at a time take keys at any address of their type; and bins of any
//! range of floats are those of the reference.

use crate::common;
use chapter_2_histogram::{
    Bins,
    inputs::keys,
    problem::Counting,
    reference::{Key, histogram},
    rungs::{banked, finish_exchange, finish_memset, global_atomics, ranges},
};
use cudarc::{
    driver::{DevicePtr, LaunchConfig, PushKernelArg},
    nvrtc::Ptx,
};
use harness::{Case, Ladder, Problem, Shape, buffer, ladder};
use report::testing;

/// A case of `n` keys in 256 bins.
fn case<K: Key>(n: usize) -> Case {
    Case { shape: Shape::Vector { n: n as u64 }, dtype: K::DTYPE, ..common::u32s(0) }
}

/// Counts the keys from `skipped` on, which stand that far from an aligned address.
fn check<K: Key>(ladder: &Ladder<Counting<K>>, host: &[K], skipped: usize) {
    let runner = testing::simulator();
    let device = &runner.device;
    let memory = buffer::to_device(device, host).expect("memory");
    let own = host[skipped..].to_vec();
    let len = own.len();
    let mut problem = Counting::new(device, &case::<K>(len), own).expect("memory");
    let address = memory.device_ptr(&device.stream).0 + (skipped * size_of::<K>()) as u64;
    // SAFETY: `memory` has `len` keys from there on, and lives longer. The slice is leaked, not freed.
    let unaligned = unsafe { device.stream.upgrade_device_ptr(address, len) };
    let aligned = std::mem::replace(&mut problem.keys, unaligned);
    for (rung, prepare) in ladder {
        let mut launch = prepare(&problem, rung).expect("it is set up");
        // Twice: what a launch leaves behind is what the next one begins with.
        for _ in 0..2 {
            problem.reset().expect("it is poisoned");
            (launch.enqueue)(&mut problem).expect("it is launched");
            let failures = problem.judge(&(), 1).expect("it runs").failures;
            let (name, dtype) = (rung.name, K::DTYPE);
            assert!(failures.is_empty(), "{name} {dtype} {skipped}: {failures:?}");
        }
    }
    std::mem::replace(&mut problem.keys, aligned).leak();
}

fn check_type<K: Key>() {
    let bins = Bins::even(256, 0.0, 1.0).expect("bins");
    let ladder = ladder![banked, finish_memset, finish_exchange, ranges];
    for n in [17, 5003] {
        let host: Vec<K> = keys(&case::<K>(n), &bins);
        for skipped in 0..=16 / size_of::<K>() {
            check(&ladder, &host, skipped);
        }
    }
}

#[test]
fn bytes() {
    check_type::<u8>();
}

#[test]
fn halves_and_words() {
    check_type::<u16>();
    check_type::<u32>();
    check_type::<f32>();
}

/// The counts of floats in any bins, by global_atomics.
fn counted(host: &[f32], bins: Bins) -> Vec<u32> {
    let runner = testing::simulator();
    let stream = &runner.device.stream;
    let ptx = Ptx::from_src(global_atomics::RUNG.ptx);
    let module = runner.device.context.load_module(ptx).expect("a module");
    let function = module.load_function("histogram_f32").expect("a kernel");
    let input = stream.clone_htod(host).expect("memory");
    let counters = bins.counters() as usize;
    let mut out = stream.alloc_zeros::<u32>(counters).expect("memory");
    let n = host.len() as u64;
    let mut launch = stream.launch_builder(&function);
    launch.arg(&input).arg(&mut out).arg(&n).arg(&bins);
    // SAFETY: reads in[0 .. n] and adds to out[0 .. bins.count + 3].
    unsafe { launch.launch(LaunchConfig::for_num_elems(n as u32)) }.expect("it is launched");
    stream.clone_dtoh(&out).expect("it runs")
}

/// Where rounding decides: the ends of the range, their neighbours, and numbers all over f32.
#[test]
fn ranges_of_floats() {
    let neighbours =
        |x: f32| [-1i32, 0, 1].map(|by| f32::from_bits(x.to_bits().wrapping_add_signed(by)));
    for (count, low, high) in
        [(257, 0.0, 1.0), (1000, -1.0, 1.0), (3, -1e38, 1e37), (65, 1e-30, 2e-30)]
    {
        let bins = Bins::even(count, low, high).expect("bins");
        let ends = [neighbours(low), neighbours(high)].concat();
        let inside = (0..2000).map(|i| low + (high - low) * (i as f32 / 2000.0));
        let anywhere = (0..2000).map(|i| f32::from_bits(harness::inputs::bits(1, i) as u32));
        let host: Vec<f32> = ends.into_iter().chain(inside).chain(anywhere).collect();
        assert_eq!(counted(&host, bins), histogram(&host, &bins), "{bins:?}");
    }
}
