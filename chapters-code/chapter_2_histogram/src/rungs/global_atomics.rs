//! Every key increments its counter in global memory.

use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, kernel::grid, ptx};

use crate::{
    Rung, bins, geometry,
    problem::{Counting, refuses},
    reference::Key,
};

/// The rung `global_atomics`.
pub static RUNG: Rung = Rung::new(
    "global_atomics",
    "atomic increments of counters in global memory",
    ptx!("kernels/global_atomics.ptx"),
)
.refuses(|rung, case| refuses(rung, case, bins::MOST));

/// The output is set to zero, then every thread counts one key after another.
pub fn prepare<K: Key>(p: &Counting<K>, rung: &Rung) -> Prepared<Counting<K>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as histogram_u32
    let blocks = geometry::thread_per_key(&p.device, p.n, 0)?;
    let config = grid(blocks.into(), geometry::THREADS);
    Ok(Launch::new(kernel.clone(), config, (), move |p: &mut Counting<K>| {
        let mut counts = p.counts.view_mut();
        p.device.stream.memset_zeros(&mut counts)?;
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.keys).arg(&mut counts).arg(&p.n).arg(&p.bins);
        // SAFETY: global_atomics.cu is `(const T* in, u32* out, size_t n, Bins bins)`. It reads in[0 .. n] and
        // adds to out[0 .. bins.count + 3].
        unsafe { launch.launch(config) }.map(drop)
    }))
}
