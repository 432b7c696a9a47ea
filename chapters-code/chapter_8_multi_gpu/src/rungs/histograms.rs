//! Each device counts its part with chapter 2's kernel. The launches differ in who adds the counts.

use chapter_1_reduce::rungs::matrices::COLUMNS_BLOCK;
use chapter_2_histogram::rungs::banked::FINISH_MEMSET;
use cudarc::driver::{
    CudaFunction, LaunchConfig, PushKernelArg, sys::CUfunction_attribute_enum::*,
};
use cudarc::nvrtc::Ptx;
use harness::{Error, Launch, Prepared, buffer, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Addresses, SpreadHistogram, histograms_only},
};

/// Chapter 2's kernel on each device, its launch, and the logarithm of the copies of a block.
fn counting(p: &SpreadHistogram) -> Result<(Vec<CudaFunction>, LaunchConfig, u32), Error> {
    let kernels = p.spread.devices.kernels(FINISH_MEMSET.ptx, "histogram_f32")?;
    let copies = p.copies()?;
    let bytes = copies.bytes as i32; // may be more than 48 KiB
    for kernel in &kernels {
        kernel.set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes)?;
    }
    let config = LaunchConfig {
        shared_mem_bytes: copies.bytes,
        ..grid(copies.blocks.into(), copies.threads)
    };
    Ok((kernels, config, copies.log))
}

/// The rung `histogram_gather`.
pub static HISTOGRAM_GATHER: Rung = Rung::new(
    "histogram_gather",
    "each device counts its part with chapter 2's kernel; the first copies the counts and adds",
    FINISH_MEMSET.ptx,
)
.refuses(histograms_only);

/// A kernel per device that counts, copies to the first device, and a kernel there.
pub fn gather(p: &SpreadHistogram, _rung: &Rung) -> Prepared<SpreadHistogram> {
    let s = &p.spread;
    let (kernels, config, log_copies) = counting(p)?;
    let module = s.devices[0].context.load_module(Ptx::from_src(COLUMNS_BLOCK.ptx))?;
    let add = module.load_function("sum_u32")?;
    let counters = p.bins.counters() as usize;
    let (rows, cols) = (s.devices.len() as u64, counters as u64);
    let add_config = LaunchConfig {
        grid_dim: (cols.div_ceil(32) as u32, 1, 1),
        block_dim: (32, 32, 1),
        shared_mem_bytes: 0,
    };
    let mut counts = s.devices.each(|_, device| buffer::scratch::<u32>(device, cols))?;
    let mut gathered = buffer::scratch::<u32>(&s.devices[0], rows * cols)?;

    // ANCHOR: gather
    Ok(Launch::new(kernels[0].clone(), config, (), move |p: &mut SpreadHistogram| {
        let s = &p.spread;
        s.devices.fork()?;
        for (d, device) in s.devices.iter().enumerate() {
            let n = s.range(d).len();
            device.stream.memset_zeros(&mut counts[d])?;
            let mut launch = device.stream.launch_builder(&kernels[d]);
            launch.arg(&s.parts[d]).arg(&mut counts[d]).arg(&n).arg(&p.bins).arg(&log_copies);
            // SAFETY: finish_memset.cu is `(const T* in, u32* out, size_t n, Bins bins, u32 log_copies)`. It reads
            // in[0 .. n] and adds to out[0 .. bins.count + 3]. Shared memory holds the copies.
            unsafe { launch.launch(config)? };
        }
        s.devices.join()?;
        let stream = &s.devices[0].stream;
        for (d, counts) in counts.iter().enumerate() {
            let mut row = gathered.slice_mut(d * counters..(d + 1) * counters);
            stream.memcpy_dtod(counts, &mut row)?;
        }
        let mut out = p.counts.view_mut();
        let mut launch = stream.launch_builder(&add);
        launch.arg(&gathered).arg(&mut out).arg(&rows).arg(&cols);
        // SAFETY: columns_block.cu is `(const u32* in, u32* out, size_t rows, size_t cols)`. It reads
        // in[0 .. rows * cols] and writes out[0 .. cols].
        unsafe { launch.launch(add_config) }.map(drop)
    }))
    // ANCHOR_END: gather
}

/// The rung `histogram_parts`.
pub static HISTOGRAM_PARTS: Rung = Rung::new(
    "histogram_parts",
    "each device adds a part of the bins: it loads from all devices and stores to the first",
    ptx!("kernels/histogram_parts.ptx"),
)
.refuses(histograms_only);

/// A kernel per device that counts, and then one that adds. Between them, all streams meet.
pub fn parts(p: &SpreadHistogram, rung: &Rung) -> Prepared<SpreadHistogram> {
    let s = &p.spread;
    let (kernels, config, log_copies) = counting(p)?;
    let adds = s.devices.kernels(rung.ptx, "add_counts")?;
    let counters = p.bins.counters();
    let each = counters.div_ceil(s.devices.len() as u32);
    let add_config = grid(each.div_ceil(256).into(), 256);
    let mut counts = s.devices.each(|_, device| buffer::scratch::<u32>(device, counters.into()))?;
    let addresses = Addresses::of(&s.devices, &counts);
    let (kernel, devices) = (kernels[0].clone(), s.devices.len() as i32);

    Ok(Launch::new(kernel, config, (), move |p: &mut SpreadHistogram| {
        let s = &p.spread;
        s.devices.fork()?;
        for (d, device) in s.devices.iter().enumerate() {
            let n = s.range(d).len();
            device.stream.memset_zeros(&mut counts[d])?;
            let mut launch = device.stream.launch_builder(&kernels[d]);
            launch.arg(&s.parts[d]).arg(&mut counts[d]).arg(&n).arg(&p.bins).arg(&log_copies);
            // SAFETY: as in `gather`.
            unsafe { launch.launch(config)? };
        }
        s.devices.meet()?;
        let mut out = p.counts.view_mut();
        for ((d, device), add) in (0..).zip(s.devices.iter()).zip(&adds) {
            let (first, end) = ((d * each).min(counters), ((d + 1) * each).min(counters));
            let mut launch = device.stream.launch_builder(add);
            launch.arg(&addresses).arg(&mut out).arg(&first).arg(&end).arg(&devices);
            // SAFETY: histogram_parts.cu is `(Counts counts, unsigned* out, unsigned first, unsigned end, int devices)`.
            // It reads the counters from `first` to before `end` of all devices, and writes those of the first device.
            unsafe { launch.launch(add_config)? };
        }
        s.devices.join()
    }))
}
