//! Updates of particles. The launches differ in the order of the fields in memory, and in the particles of a thread.

use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, kernel::grid, ptx};

use crate::{
    Rung,
    particles::{DT, FIELDS, Layout},
    problem::{Accesses, Promise, Results, particles_only},
    traffic::{Access, LANES, Prediction},
};

/// The rung `aos`: 32 bytes per particle.
pub static AOS: Rung =
    Rung::new("aos", "an array of structures", ptx!("kernels/aos.ptx")).refuses(particles_only);

/// One thread per particle, and one access per field.
pub fn aos(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    update(1, Layout::Structures, p, rung, |p| {
        let field = |k| Access { first: 4 * k, step: 4 * FIELDS, bytes: 4 };
        Prediction::of_fields(|k| field(k).by_threads(p.n))
    })
}

/// The rung `aos_packs`.
pub static AOS_PACKS: Rung =
    Rung::new("aos_packs", "the same in accesses of 16 bytes", ptx!("kernels/aos_packs.ptx"))
        .refuses(particles_only);

/// One thread per particle, and accesses of half a particle.
pub fn aos_packs(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    update(1, Layout::Structures, p, rung, |p| {
        let half = Access { step: 4 * FIELDS, ..Access::PACKS };
        let loads = half.by_threads(p.n) + half.at(16).by_threads(p.n);
        Prediction { loads, stores: half.by_threads(p.n) }
    })
}

/// The rung `aos_staged`.
pub static AOS_STAGED: Rung = Rung::new(
    "aos_staged",
    "the same through shared memory, with coalesced accesses",
    ptx!("kernels/aos_staged.ptx"),
)
.refuses(particles_only);

/// One thread per particle, whose block's particles pass through shared memory.
pub fn aos_staged(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    update(1, Layout::Structures, p, rung, |p| Prediction::both(Access::PACKS.by_threads(2 * p.n)))
}

/// The rung `soa`: one array per field.
pub static SOA: Rung =
    Rung::new("soa", "a structure of arrays", ptx!("kernels/soa.ptx")).refuses(particles_only);

/// One thread per particle.
pub fn soa(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    update(1, Layout::Arrays, p, rung, traffic_of_soa)
}

fn traffic_of_soa(p: &Accesses) -> Prediction {
    Prediction::of_fields(|k| Access::WORDS.at(4 * k * p.n).by_threads(p.n))
}

/// The rung `soa_packs`, with accesses of 16 bytes.
pub static SOA_PACKS: Rung =
    Rung::new("soa_packs", "the same, four particles per thread", ptx!("kernels/soa_packs.ptx"))
        .refuses(particles_only);

/// One thread per four particles.
pub fn soa_packs(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    // Fields are aligned to 16 bytes only where n is a multiple of 4.
    update(4, Layout::Arrays, p, rung, |p| match p.n % 4 {
        0 => Prediction::of_fields(|k| Access::PACKS.at(4 * k * p.n).by_threads(p.n / 4)),
        _ => traffic_of_soa(p),
    })
}

/// The rung `aosoa`: groups of 32 particles, one array per field in each.
pub static AOSOA: Rung =
    Rung::new("aosoa", "an array of structures of arrays of 32", ptx!("kernels/aosoa.ptx"))
        .refuses(particles_only);

/// One thread per particle. The arrays of the last group are as long as it has particles.
pub fn aosoa(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    update(1, Layout::Groups, p, rung, |p| {
        let rest = p.n % LANES;
        Prediction::of_fields(|k| {
            let last = Access::WORDS.at(4 * k * rest).by_threads(rest);
            Access::WORDS.by_threads(p.n - rest) + last
        })
    })
}

/// One thread per `each` particles, in blocks of 256.
fn update(
    each: u64,
    layout: Layout,
    p: &Accesses,
    rung: &Rung,
    traffic: fn(&Accesses) -> Prediction,
) -> Prepared<Accesses> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(rung.name)?; // such as soa, or the broken staged_without_barrier
    let config = grid(p.n.div_ceil(256 * each).max(1), 256);
    let promise = Promise { result: Results::Moved(layout), traffic };
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut Accesses| {
        let mut fields = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&mut fields).arg(&p.n).arg(&DT);
        // SAFETY: aos.cu, aos_packs.cu, aos_staged.cu, soa.cu, soa_packs.cu and aosoa.cu are `(float* fields, size_t n,
        // float dt)`. They read and write fields[0 .. 8 * n], which are aligned to 16 bytes. The
        // blocks of aos_staged.cu have 256 threads.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
