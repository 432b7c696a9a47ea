//! Each device counts its part with chapter 2's kernel. The first device copies all histograms to itself and adds them.

use chapter_1_reduce::rungs::columns::COLUMNS_BLOCK;
use chapter_2_histogram::rungs::finish_memset;
use cudarc::driver::{LaunchConfig, PushKernelArg, sys::CUfunction_attribute_enum::*};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, buffer};

use crate::{
    Rung,
    problem::{SpreadHistogram, histograms_only},
};

/// The rung `histogram_gather`.
pub static RUNG: Rung = Rung::new(
    "histogram_gather",
    "each device counts its part with chapter 2's kernel; the first copies the counts and adds",
    finish_memset::RUNG.ptx,
)
.refuses(histograms_only);

/// A kernel per device that counts, copies to the first device, and a kernel there.
pub fn prepare(p: &SpreadHistogram, rung: &Rung) -> Prepared<SpreadHistogram> {
    let s = &p.spread;
    let kernels = s.devices.kernels(rung.ptx, "histogram_f32")?;
    let module = s.devices[0].context.load_module(Ptx::from_src(COLUMNS_BLOCK.ptx))?;
    let add = module.load_function("sum_u32")?;
    let counters = p.bins.counters() as usize;
    let (rows, cols) = (s.devices.len() as u64, counters as u64);
    let copies = p.copies()?;
    let config = LaunchConfig {
        grid_dim: (copies.blocks, 1, 1),
        block_dim: (copies.threads, 1, 1),
        shared_mem_bytes: copies.bytes,
    };
    for kernel in &kernels {
        let bytes = copies.bytes as i32; // may be more than 48 KiB
        kernel.set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes)?;
    }
    let add_config = LaunchConfig {
        grid_dim: (cols.div_ceil(32) as u32, 1, 1),
        block_dim: (32, 32, 1),
        shared_mem_bytes: 0,
    };
    let mut counts = s.devices.each(|_, device| buffer::scratch::<u32>(device, cols))?;
    let mut gathered = buffer::scratch::<u32>(&s.devices[0], rows * cols)?;

    // ANCHOR: enqueue
    Ok(Launch::new(kernels[0].clone(), config, (), move |p: &mut SpreadHistogram| {
        let s = &p.spread;
        s.devices.fork()?;
        for (d, device) in s.devices.iter().enumerate() {
            let n = s.range(d).len();
            device.stream.memset_zeros(&mut counts[d])?;
            let mut launch = device.stream.launch_builder(&kernels[d]);
            launch.arg(&s.parts[d]).arg(&mut counts[d]).arg(&n).arg(&p.bins).arg(&copies.log);
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
    // ANCHOR_END: enqueue
}
