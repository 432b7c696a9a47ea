//! Each device adds a part of the bins: it loads them from all devices, and stores the sums to the first.

use chapter_2_histogram::rungs::finish_memset;
use cudarc::driver::{LaunchConfig, PushKernelArg, sys::CUfunction_attribute_enum::*};
use harness::{Launch, Prepared, buffer, ptx};

use crate::{
    Rung,
    problem::{Addresses, SpreadHistogram, histograms_only},
};

/// The rung `histogram_parts`.
pub static RUNG: Rung = Rung::new(
    "histogram_parts",
    "each device adds a part of the bins: it loads from all devices and stores to the first",
    ptx!("kernels/histogram_parts.ptx"),
)
.refuses(histograms_only);

/// A kernel per device that counts, and then one that adds. Between them, all streams meet.
pub fn prepare(p: &SpreadHistogram, rung: &Rung) -> Prepared<SpreadHistogram> {
    let s = &p.spread;
    let kernels = s.devices.kernels(finish_memset::RUNG.ptx, "histogram_f32")?;
    let adds = s.devices.kernels(rung.ptx, "add_counts")?;
    let counters = p.bins.counters();
    let each = counters.div_ceil(s.devices.len() as u32);
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
        grid_dim: (each.div_ceil(256), 1, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: 0,
    };
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
            launch.arg(&s.parts[d]).arg(&mut counts[d]).arg(&n).arg(&p.bins).arg(&copies.log);
            // SAFETY: as in histogram_gather.
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
