//! The first kernel: `out[i] = a[i] + b[i]`.

use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, Rung};

use crate::problem::{Vectors, Work, f32_vectors_only};
use crate::{VECTOR_ADD_PTX, launch_vector_add, vector_add_config};

/// The rung `vector_add`.
pub static RUNG: Rung =
    Rung::new("vector_add", "out[i] = a[i] + b[i], one thread per element", VECTOR_ADD_PTX)
        .refuses(f32_vectors_only);

/// The launch of [`crate::vector_add`], on buffers that stay on the device.
pub fn prepare(p: &Vectors, rung: &Rung) -> Prepared<Vectors> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function("vector_add")?;
    let config = vector_add_config(p.n as usize);
    Ok(Launch::new(kernel.clone(), config, Work::Sum, move |p: &mut Vectors| {
        let mut out = p.out.view_mut();
        launch_vector_add(&p.device.stream, &kernel, &p.a, &p.b, &mut out)
    }))
}
