//! The rungs that load 16 bytes at a time take keys at any address of their type; and bins of any
//! range of floats are those of the reference.

use crate::common;
use chapter_2_histogram::{
    Bins, LADDER, RUNGS,
    inputs::keys,
    reference::{Key, histogram},
};
use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{
    Case, Shape, buffer, kernel, testing,
    verify::{self, Exact},
};

/// Counts the keys from `skipped` on, which stand that far from an aligned address.
fn check<K: Key>(rung: &str, host: &[K], skipped: usize) {
    let bins = Bins::of(&common::u32s(0)).expect("bins");
    let runner = testing::simulator();
    let device = &runner.device;
    let case = Case {
        shape: Shape::Vector {
            n: (host.len() - skipped) as u64,
        },
        dtype: K::DTYPE,
        ..common::u32s(0)
    };
    let rung = RUNGS.find(rung).expect("a rung");
    let mut ready = rung.ready(device, case).expect("it is set up");
    let input = buffer::upload(device, host).expect("memory");
    let counts = histogram(&host[skipped..], &bins);
    let view = input.slice(skipped * size_of::<K>()..);
    // Twice: what a launch leaves behind is what the next one begins with.
    for _ in 0..2 {
        let computed = testing::written(device, &mut ready, &view, 4 * counts.len());
        let verdict = verify::compare(&computed, counts.iter().copied().map(Exact::Equal));
        let (name, dtype) = (rung.name, K::DTYPE);
        assert!(
            verdict.is_correct(),
            "{name} {dtype} {skipped}: {:?}",
            verdict.failures
        );
    }
}

fn check_type<K: Key>() {
    let bins = Bins::even(256, 0.0, 1.0).expect("bins");
    for n in [17, 5003] {
        let case = Case {
            shape: Shape::Vector { n },
            dtype: K::DTYPE,
            ..common::u32s(0)
        };
        let host: Vec<K> = keys(&case, &bins);
        for rung in ["banked", "finish_memset", "finish_exchange", "ranges"] {
            for skipped in 0..=16 / size_of::<K>() {
                check(rung, &host, skipped);
            }
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
fn counted(host: &[f32], bins: Bins) -> Vec<u8> {
    let runner = testing::simulator();
    let device = &runner.device;
    let module = kernel::load_module(device, LADDER[0].name, LADDER[0].ptx).expect("a module");
    let function = kernel::load_function(&module, "histogram_f32").expect("a kernel");
    let input = buffer::upload(device, host).expect("memory");
    let zeros = vec![0u32; bins.counters() as usize];
    let mut out = buffer::upload(device, &zeros).expect("memory");
    let n = host.len() as u64;
    let mut launch = device.stream.launch_builder(&function);
    launch.arg(&input).arg(&mut out).arg(&n).arg(&bins);
    // SAFETY: reads in[0 .. n] and adds to out[0 .. bins.count + 3].
    unsafe { launch.launch(LaunchConfig::for_num_elems(n as u32)) }.expect("it is launched");
    buffer::download(device, &out).expect("it runs")
}

/// Where rounding decides: the ends of the range, their neighbours, and numbers all over f32.
#[test]
fn ranges_of_floats() {
    let neighbours =
        |x: f32| [-1i32, 0, 1].map(|by| f32::from_bits(x.to_bits().wrapping_add_signed(by)));
    for (count, low, high) in [
        (257, 0.0, 1.0),
        (1000, -1.0, 1.0),
        (3, -1e38, 1e37),
        (65, 1e-30, 2e-30),
    ] {
        let bins = Bins::even(count, low, high).expect("bins");
        let ends = [neighbours(low), neighbours(high)].concat();
        let inside = (0..2000).map(|i| low + (high - low) * (i as f32 / 2000.0));
        let anywhere = (0..2000).map(|i| f32::from_bits(harness::inputs::bits(1, i) as u32));
        let host: Vec<f32> = ends.into_iter().chain(inside).chain(anywhere).collect();
        let counts = histogram(&host, &bins).into_iter().map(Exact::Equal);
        let verdict = verify::compare(&counted(&host, bins), counts);
        assert!(verdict.is_correct(), "{bins:?}: {:?}", verdict.failures);
    }
}
