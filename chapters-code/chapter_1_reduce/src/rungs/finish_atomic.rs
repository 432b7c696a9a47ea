//! Every block adds its result to the output by one atomic operation. The order of the blocks varies.

use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Case, Dtype, Element, Launch, Op, Prepared, Rung, kernel::grid, ptx};

use crate::problem::{Depth, Reduction, vectors_only};

/// The rung `finish_atomic`.
pub static RUNG: Rung = Rung::new(
    "finish_atomic",
    "block_reduce, then one atomic operation per block",
    ptx!("kernels/finish_atomic.ptx"),
)
.refuses(vectors_only)
.varies(rounds);

/// Whether the order in which blocks arrive changes the result: sums and products of floats.
fn rounds(case: &Case) -> bool {
    case.dtype.is_float() && matches!(case.op, Op::Sum | Op::Product)
}

/// A launch of one thread that writes the identity to the output, then the launch of all blocks.
pub fn prepare<T: Element>(p: &Reduction<T>, rung: &Rung) -> Prepared<Reduction<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let identity = module.load_function(&format!("identity_{}", p.entry(T::Acc::DTYPE)))?;
    let kernel = module.load_function(&p.entry(T::DTYPE))?;

    let threads = 256;
    let resident = u64::from(p.device.resident_blocks(threads));
    let blocks = p.n.div_ceil(threads.into()).clamp(1, resident);
    let (config, one_thread) = (grid(blocks, threads), grid(1, 1));
    let promise = Depth {
        // A thread's elements, the block's tree, and one addition per block.
        additions: p.n.div_ceil(blocks * u64::from(threads)) + 10 + blocks,
        // In global memory, atomicAdd on f32 replaces subnormal numbers by zero: two operands, one result.
        flushed: match (p.case.op, T::Acc::DTYPE) {
            (Op::Sum, Dtype::F32) => 3 * blocks,
            _ => 0,
        },
    };

    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut Reduction<T>| {
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&identity);
        launch.arg(&mut out);
        // SAFETY: identity_<op>_<acc> is `(Acc* out)` and writes out[0].
        unsafe { launch.launch(one_thread)? };

        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out).arg(&p.n);
        // SAFETY: finish_atomic.cu is `(const T* in, Acc* out, size_t n)`. It reads in[0 .. n] and updates
        // out[0], which holds the identity.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
