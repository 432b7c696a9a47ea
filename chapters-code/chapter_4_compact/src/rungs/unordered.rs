//! Each warp reserves indices of the output by one atomic addition, so the order is lost.

use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Compaction, Order, vectors_only},
};

/// The rung `unordered`.
pub static RUNG: Rung = Rung::new(
    "unordered",
    "each warp reserves output indices by one atomic addition: the order is lost",
    ptx!("kernels/unordered.ptx"),
)
.refuses(vectors_only)
.varies(|_| true);

/// One launch, of one thread per element.
pub fn prepare<T: Element>(p: &Compaction<T>, rung: &Rung) -> Prepared<Compaction<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as mask_b32
    let config = grid(p.n.div_ceil(256), 256);

    Ok(Launch::new(kernel.clone(), config, Order::Any, move |p: &mut Compaction<T>| {
        p.device.stream.memset_zeros(&mut p.count.view_mut())?;
        if p.n == 0 {
            return Ok(());
        }
        let (mut out, mut count) = (p.out.view_mut(), p.count.view_mut());
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&mut out).arg(&p.n).arg(&p.capacity);
        launch.arg(&mut count).arg(&p.mask).arg(&p.pivot);
        // SAFETY: unordered.cu is `(const T* in, T* out, size_t n, size_t capacity, u64* selected, const void* mask,
        // u64 pivot)`. It reads in[0 .. n] and the mask, adds to *selected, which is 0, and writes at most
        // out[0 .. capacity].
        unsafe { launch.launch(config) }.map(drop)
    }))
}
