//! One thread selects elements, in order.

use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, SINGLE_THREAD_MAX, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Compaction, Order, vectors_only},
};

/// The rung `one_thread`.
pub static RUNG: Rung = Rung::new(
    "one_thread",
    "one thread selects elements, in order",
    ptx!("kernels/one_thread.ptx"),
)
.refuses(vectors_only)
.up_to(SINGLE_THREAD_MAX);

/// One launch of one thread.
pub fn prepare<T: Element>(p: &Compaction<T>, rung: &Rung) -> Prepared<Compaction<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as mask_b32
    let config = grid(1, 1);

    Ok(Launch::new(kernel.clone(), config, Order::Selected, move |p: &mut Compaction<T>| {
        let (mut out, mut count) = (p.out.view_mut(), p.count.view_mut());
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&mut out).arg(&p.n).arg(&p.capacity);
        launch.arg(&mut count).arg(&p.mask).arg(&p.pivot);
        // SAFETY: one_thread.cu is `(const T* in, T* out, size_t n, size_t capacity, u64* selected, const void* mask,
        // u64 pivot)`. It reads in[0 .. n] and the mask, and writes *selected and at most out[0 .. capacity].
        unsafe { launch.launch(config) }.map(drop)
    }))
}
