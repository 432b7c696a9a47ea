//! One thread combines all elements, in order.

use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, SINGLE_THREAD_MAX, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{PrefixScan, vectors_only},
};

/// The rung `one_thread`.
pub static RUNG: Rung = Rung::new(
    "one_thread",
    "one thread combines all elements, in order",
    ptx!("kernels/one_thread.ptx"),
)
.refuses(vectors_only)
.up_to(SINGLE_THREAD_MAX);

/// One launch of one thread.
pub fn prepare<T: Element>(p: &PrefixScan<T>, rung: &Rung) -> Prepared<PrefixScan<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry(p.kind))?; // such as inclusive_sum_f32
    let config = grid(1, 1);

    // The last result passes through n additions.
    Ok(Launch::new(kernel.clone(), config, p.n, move |p: &mut PrefixScan<T>| {
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out).arg(&p.n);
        // SAFETY: one_thread.cu is `(const T* in, T* out, size_t n)`. It reads in[0 .. n] and writes out[0 .. n].
        unsafe { launch.launch(config) }.map(drop)
    }))
}
