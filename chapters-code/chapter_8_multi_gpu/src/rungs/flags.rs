//! One kernel per device. The devices wait for each other within the kernel, by flags in device memory.

use cudarc::driver::{CudaFunction, LaunchConfig, PushKernelArg};
use harness::{Error, Launch, Prepared, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Collective, Shared, Task},
};

const THREADS: u32 = 512;

/// The kernels of this name, their launch with a thread per pack of `elements` elements, and flags for its blocks,
/// which are all resident.
pub(super) fn with_flags(
    name: &str,
    elements: usize,
    p: &Collective,
    rung: &Rung,
) -> Result<(Vec<CudaFunction>, LaunchConfig, Shared<u32>), Error> {
    let kernels = p.kernels(rung.ptx, name)?; // such as flags_4
    let most = p.devices.resident_blocks(&kernels, THREADS)?;
    let blocks = elements.div_ceil(4 * THREADS as usize).clamp(1, most as usize);
    Ok((kernels, grid(blocks as u64, THREADS), Shared::flags(&p.devices, blocks)?))
}

/// The rung `flags`.
pub static FLAGS: Rung = Rung::new(
    "flags",
    "the devices wait for each other within the kernel, by flags in device memory",
    ptx!("kernels/flags.ptx"),
)
.refuses(|_, case| Task::AllReduce.refusal(case));

/// Each kernel adds one part of all arrays.
pub fn flags(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let parts = p.parts();
    let (kernels, config, flags) = with_flags("flags", p.part(), p, rung)?;
    Ok(Launch::new(kernels[0].clone(), config, (), move |p: &mut Collective| {
        let (inputs, outs) = (p.input_addresses(), p.out_addresses());
        for (rank, (first, end)) in (0_i32..).zip(&parts) {
            let d = rank as usize;
            let mut launch = p.devices[d].stream.launch_builder(&kernels[d]);
            launch.arg(&inputs).arg(&outs).arg(flags.addresses());
            launch.arg(&rank).arg(first).arg(end);
            // SAFETY: flags.cu is `(Pointers in, Pointers out, Flags flags, int device, size_t first, size_t end)`. It
            // reads and writes the elements from `first` to before `end` of every device's arrays, which have n
            // elements, and 8 flags per block of the grid, whose blocks are all resident.
            unsafe { launch.launch(config)? };
        }
        Ok(())
    }))
}

/// The rung `one_shot`.
pub static ONE_SHOT: Rung = Rung::new(
    "one_shot",
    "every device adds all arrays for itself: more bytes, but one trip over the links",
    ptx!("kernels/one_shot.ptx"),
)
.refuses(|_, case| Task::AllReduce.refusal(case));

/// Each kernel adds all arrays.
pub fn one_shot(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let (kernels, config, flags) = with_flags("one_shot", p.n, p, rung)?;
    Ok(Launch::new(kernels[0].clone(), config, (), move |p: &mut Collective| {
        let inputs = p.input_addresses();
        for (rank, kernel) in (0_i32..).zip(&kernels) {
            let d = rank as usize;
            let mut out = p.outs[d].view_mut();
            let mut launch = p.devices[d].stream.launch_builder(kernel);
            launch.arg(&inputs).arg(&mut out).arg(flags.addresses());
            launch.arg(&rank).arg(&p.n);
            // SAFETY: one_shot.cu is `(Pointers in, float* out, Flags flags, int device, size_t n)`. It reads n elements
            // of every device's array, writes n, and has 8 flags per block of the grid, whose blocks are all resident.
            unsafe { launch.launch(config)? };
        }
        Ok(())
    }))
}

/// The rung `all_gather_push`.
pub static ALL_GATHER_PUSH: Rung = Rung::new(
    "all_gather_push",
    "one kernel per device, which stores its part into all results: the second shot of flags",
    ptx!("kernels/all_gather_push.ptx"),
)
.refuses(|_, case| Task::AllGather.refusal(case));

/// Each kernel stores its device's part.
pub fn all_gather(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let parts = p.parts();
    let (kernels, config, flags) = with_flags("all_gather_push", p.part(), p, rung)?;
    Ok(Launch::new(kernels[0].clone(), config, (), move |p: &mut Collective| {
        let outs = p.out_addresses();
        for (rank, (first, end)) in (0_i32..).zip(&parts) {
            let d = rank as usize;
            let mut launch = p.devices[d].stream.launch_builder(&kernels[d]);
            launch.arg(&p.inputs[d]).arg(&outs).arg(flags.addresses());
            launch.arg(&rank).arg(first).arg(end);
            // SAFETY: all_gather_push.cu is `(const float* in, Pointers out, Flags flags, int device, size_t first,
            // size_t end)`. It reads end - first elements and writes as many of every device's result,
            // which has n. It uses 8 flags per block of the grid, whose blocks are all resident.
            unsafe { launch.launch(config)? };
        }
        Ok(())
    }))
}

/// The rung `all_to_all_push`.
pub static ALL_TO_ALL_PUSH: Rung = Rung::new(
    "all_to_all_push",
    "one kernel per device, which stores each part into the result of another device",
    ptx!("kernels/all_to_all_push.ptx"),
)
.refuses(|_, case| Task::AllToAll.refusal(case));

/// Each kernel stores all parts of its device's array.
pub fn all_to_all(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let part = p.part();
    let (kernels, config, flags) = with_flags("all_to_all_push", part, p, rung)?;
    Ok(Launch::new(kernels[0].clone(), config, (), move |p: &mut Collective| {
        let outs = p.out_addresses();
        for (rank, kernel) in (0_i32..).zip(&kernels) {
            let d = rank as usize;
            let mut launch = p.devices[d].stream.launch_builder(kernel);
            launch.arg(&p.inputs[d]).arg(&outs).arg(flags.addresses());
            launch.arg(&rank).arg(&part).arg(&p.n);
            // SAFETY: all_to_all_push.cu is `(const float* in, Pointers out, Flags flags, int device, size_t part,
            // size_t n)`. It reads n elements and writes one part of every device's result, which has room
            // for a part per device. It uses 8 flags per block of the grid, whose blocks are all resident.
            unsafe { launch.launch(config)? };
        }
        Ok(())
    }))
}
