//! The first device copies all arrays to itself, adds them, and copies the sum to the others.

use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, buffer, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Collective, Task},
};

/// The rung `gather`.
pub static RUNG: Rung = Rung::new(
    "gather",
    "one device copies all arrays to itself, adds them, and copies the sum to the others",
    ptx!("kernels/gather.ptx"),
)
.refuses(|_, case| Task::AllReduce.refusal(case));

/// Copies between devices, and one kernel on the first.
pub fn prepare(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let first = &p.devices[0];
    let module = first.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function("sum")?;
    let blocks = p.n.div_ceil(1024).clamp(1, first.resident_blocks(1024) as usize);
    let config = grid(blocks as u64, 1024);
    let others = p.devices.len() as u32 - 1;
    let mut gathered = buffer::scratch::<f32>(first, (p.n * others as usize) as u64)?;

    // ANCHOR: enqueue
    Ok(Launch::new(kernel.clone(), config, (), move |p: &mut Collective| {
        if p.n == 0 {
            return Ok(());
        }
        p.devices.fork()?;
        let (n, stream) = (p.n, p.devices[0].stream.clone());
        for (k, input) in p.inputs[1..].iter().enumerate() {
            stream.memcpy_dtod(&input.slice(..n), &mut gathered.slice_mut(k * n..(k + 1) * n))?;
        }
        let (first, rest) = p.outs.split_at_mut(1);
        let mut sum = first[0].view_mut();
        let mut launch = stream.launch_builder(&kernel);
        launch.arg(&p.inputs[0]).arg(&gathered).arg(&mut sum).arg(&n).arg(&others);
        // SAFETY: gather.cu is `(const float* own, const float* gathered, float* out, size_t n, unsigned others)`.
        // It reads n elements of `own` and others * n of `gathered`, and writes n.
        unsafe { launch.launch(config)? };
        for (out, device) in rest.iter_mut().zip(&p.devices[1..]) {
            device.stream.join(&stream)?;
            device.stream.memcpy_dtod(&first[0].view(), &mut out.view_mut())?;
        }
        p.devices.join()
    }))
    // ANCHOR_END: enqueue
}
