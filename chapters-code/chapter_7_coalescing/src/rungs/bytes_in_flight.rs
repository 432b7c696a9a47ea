//! Reads with a given number of loads per thread and of blocks per multiprocessor in flight.

use cudarc::driver::{
    CudaFunction, LaunchConfig, PushKernelArg,
    sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
    sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
};
use cudarc::nvrtc::Ptx;
use harness::{Error, Launch, Prepared, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Accesses, Promise, Results, reads_only},
    reads::{THREADS, blocks},
    traffic::{Access, Prediction},
};

/// The rung `bytes_in_flight`.
pub static RUNG: Rung = Rung::new(
    "bytes_in_flight",
    "reads with a given number of loads in flight per thread",
    ptx!("kernels/bytes_in_flight.ptx"),
)
.refuses(reads_only);

/// As many blocks as the device holds at a time. A block's shared memory, which the kernel does not use,
/// makes room for no more than the wanted number on a multiprocessor.
pub fn prepare(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let (loads, resident) = p.case.task.in_flight();
    let kernel = module.load_function(&format!("bytes_in_flight_{loads}"))?;
    let shared = shared_bytes(p, resident)?;
    kernel.set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared as i32)?;
    check_resident(resident, &kernel, shared)?;
    let blocks = blocks(&p.device, resident);
    let config = LaunchConfig { shared_mem_bytes: shared, ..grid(blocks.into(), THREADS) };
    let promise = Promise { result: Results::Words, traffic };
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut Accesses| {
        let mut words = p.words.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut words).arg(&p.n);
        // SAFETY: bytes_in_flight.cu is `(const uint4* in, unsigned* out, size_t packs)`. It reads
        // in[0 .. packs], aligned to 16 bytes, and writes one word of `out` per thread of the grid.
        unsafe { launch.launch(config) }.map(drop)
    }))
}

fn traffic(p: &Accesses) -> Prediction {
    let (_, resident) = p.case.task.in_flight();
    let loads = Access::PACKS.by_threads(p.n);
    let stores = Access::WORDS.by_threads((blocks(&p.device, resident) * THREADS).into());
    Prediction { loads, stores }
}

/// The shared memory of a block such that `resident` blocks fit a multiprocessor and one more does not. It is
/// 0 if the threads alone have this effect.
fn shared_bytes(p: &Accesses, resident: u32) -> Result<u32, Error> {
    const RESERVED: u32 = 1024; // bytes that the system takes per block
    if resident * THREADS >= p.device.properties.threads_per_multiprocessor {
        return Ok(0);
    }
    let all =
        p.device.context.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?;
    let one_too_many = all.max(0) as u32 / (resident + 1);
    Ok((one_too_many + 128).saturating_sub(RESERVED) / 128 * 128)
}

/// Refuses a number of blocks that a multiprocessor of the device does not hold.
fn check_resident(resident: u32, kernel: &CudaFunction, shared: u32) -> Result<(), Error> {
    let fit =
        kernel.occupancy_max_active_blocks_per_multiprocessor(THREADS, shared as usize, None)?;
    if fit == resident {
        return Ok(());
    }
    Err(Error::Usage(format!(
        "a multiprocessor of this device holds {fit} blocks, not {resident}\n  remedy: give another --resident"
    )))
}
