//! The rungs that load 16 bytes at a time take keys at any address of their type; and bins of any
//! range of floats, or of integers, are those of the reference.

use crate::common;
use chapter_2_histogram::{
    Bins, Case, HistogramParameters,
    bins::reciprocal,
    inputs::keys,
    parameters::Range,
    problem::Counting,
    reference::{Key, histogram},
    rungs::{banked, clustered, global_atomics, ranges},
};
use cudarc::{
    driver::{DevicePtr, LaunchConfig, PushKernelArg},
    nvrtc::Ptx,
};
use harness::{Ladder, Problem, Shape, buffer};

/// A case of `n` keys in 256 bins.
fn case<K: Key>(n: usize) -> Case {
    Case { shape: Shape::Vector { n: n as u64 }, dtype: K::DTYPE, ..common::u32s(0) }
}

/// Counts the keys from `skipped` on, which stand that far from an aligned address.
fn check<K: Key>(ladder: &Ladder<Counting<K>>, case: &Case, host: &[K], skipped: usize) {
    let runner = testing::simulator();
    let device = &runner.device;
    let memory = buffer::to_device(device, host).expect("memory");
    let own = host[skipped..].to_vec();
    let len = own.len();
    let case = Case { shape: Shape::Vector { n: len as u64 }, ..*case };
    let mut problem = Counting::new(device, &case, own).expect("memory");
    let address = memory.device_ptr(&device.stream).0 + (skipped * size_of::<K>()) as u64;
    // SAFETY: `memory` has `len` keys from there on, and lives longer. The slice is leaked, not freed.
    let unaligned = unsafe { device.stream.upgrade_device_ptr(address, len) };
    let aligned = std::mem::replace(&mut *problem.keys, unaligned);
    for (rung, prepare) in ladder {
        let mut launch = prepare(&problem, rung).expect("it is set up");
        // Twice: what a launch leaves behind is what the next one begins with.
        for _ in 0..2 {
            problem.reset().expect("it is poisoned");
            (launch.enqueue)(&mut problem).expect("it is launched");
            let failures = harness::rung::judge(&mut problem, &(), 1).expect("it runs").failures;
            let (name, dtype) = (rung.name, K::DTYPE);
            assert!(failures.is_empty(), "{name} {dtype} {skipped}: {failures:?}");
        }
    }
    std::mem::replace(&mut *problem.keys, aligned).leak();
}

/// u32 keys in even bins of a range, by banked.
#[test]
fn words_in_a_range() {
    let parameters = HistogramParameters {
        range: Some(Range { low: 1000.0, high: 1e6 }),
        ..HistogramParameters::of_bins(256)
    };
    let ladder: Ladder<_> = vec![(banked::BANKED, banked::banked)];
    for n in [17, 5003] {
        let case = case::<u32>(n).with(parameters);
        let host: Vec<u32> = keys(&case, &Bins::of(&case).expect("bins"));
        for skipped in 0..=4 {
            check(&ladder, &case, &host, skipped);
        }
    }
}

fn check_type<K: Key>() {
    let bins = Bins::even(256, 0.0, 1.0).expect("bins");
    let ladder: Ladder<_> = vec![
        (banked::BANKED, banked::banked),
        (banked::FINISH_MEMSET, banked::finish_memset),
        (banked::FINISH_EXCHANGE, banked::finish_exchange),
        (ranges::RUNG, ranges::prepare),
        (clustered::RUNG, clustered::prepare),
    ];
    for n in [17, 5003] {
        let case = case::<K>(n);
        let host: Vec<K> = keys(&case, &bins);
        for skipped in 0..=16 / size_of::<K>() {
            check(&ladder, &case, &host, skipped);
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

/// The counts of integers in any even bins, by banked.
fn counted_in_range(host: &[u32], bins: Bins) -> Vec<u32> {
    let runner = testing::simulator();
    let stream = &runner.device.stream;
    let module = runner.device.context.load_module(Ptx::from_src(banked::BANKED.ptx));
    let function = module.expect("a module").load_function("histogram_even_u32").expect("a kernel");
    let input = stream.clone_htod(host).expect("memory");
    let mut out = stream.alloc_zeros::<u32>(bins.counters() as usize).expect("memory");
    let mut state = stream.alloc_zeros::<u64>(2).expect("memory");
    let (n, log_copies) = (host.len() as u64, 0u32);
    let mut launch = stream.launch_builder(&function);
    launch.arg(&input).arg(&mut out).arg(&n).arg(&bins).arg(&log_copies).arg(&mut state);
    let shared_mem_bytes = 4 * bins.counters();
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (512, 1, 1), shared_mem_bytes };
    // SAFETY: reads in[0 .. n] and writes out[0 .. bins.count + 3]; one copy of the counters fits shared memory, and
    // the state is zero.
    unsafe { launch.launch(config) }.expect("it is launched");
    stream.clone_dtoh(&out).expect("it runs")
}

/// The counts of integers in `count` even bins of [first, end), by a division in 128 bits.
fn divided(host: &[u32], count: u32, first: u32, end: u32) -> Vec<u32> {
    let mut counts = vec![0; count as usize + 3];
    for &key in host {
        let bin = || {
            let offset = u128::from(key - first);
            (offset * u128::from(count) / u128::from(end - first)) as u32
        };
        let counter = match key {
            key if key < first => count + 1,
            key if key >= end => count,
            _ => bin(),
        };
        counts[counter as usize] += 1;
    }
    counts
}

/// The ends of the range, their neighbours, those of the bins' borders, and numbers all over u32.
#[test]
fn ranges_of_integers() {
    let widths = [1, 2, 3, 257, 1 << 16, (1 << 16) + 1, 1 << 20, (1 << 31) + 1, u32::MAX];
    for width in widths {
        for first in [0, 1, 1000, u32::MAX - width].into_iter().filter(|&f| f <= u32::MAX - width) {
            for count in [1, 2, 255, 256, 257, 4096] {
                let end = first + width;
                let (shift, reciprocal) = reciprocal(count, width);
                let bins = Bins { count, first, end, shift, reciprocal, ..Bins::default() };
                let border = |bin: u32| {
                    let offset = u64::from(bin) * u64::from(width) / u64::from(count);
                    first + offset as u32
                };
                let beside =
                    |key: u32| [key.saturating_sub(1), key, key.saturating_add(1)].into_iter();
                let ends = [0, first, end, u32::MAX].into_iter().flat_map(beside);
                let borders = (0..=count).map(border).flat_map(beside);
                let anywhere = (0..500).map(|i| harness::inputs::bits(1, i) as u32);
                let host: Vec<u32> = ends.chain(borders).chain(anywhere).collect();
                let expected = divided(&host, count, first, end);
                assert_eq!(counted_in_range(&host, bins), expected, "{bins:?}");
                assert_eq!(histogram(&host, &bins), expected, "{bins:?}");
            }
        }
    }
}
