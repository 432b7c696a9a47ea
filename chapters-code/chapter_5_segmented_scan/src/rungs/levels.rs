//! Scans of several launches: of blocks, of the pairs of a flag and a value that they leave, and what is open before
//! each block. The launches differ in the block and in the form of the flags.

use chapter_3_scan::problem::tile_depth;
use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, PtxText, kernel::grid, ptx};

use crate::{
    Rung,
    pairs::{ADD_BLOCK_OFFSETS, Pairs},
    problem::{Form, SegmentedScan, scans_only},
};

/// The rung `hillis_steele`.
pub static HILLIS_STEELE: Rung = Rung::new(
    "hillis_steele",
    "log2 B steps over pairs of a flag and a value",
    ptx!("kernels/hillis_steele.ptx"),
)
.refuses(scans_only);

/// Blocks with dynamic shared memory for two pairs per thread.
pub fn hillis_steele<T: Element>(p: &SegmentedScan<T>, rung: &Rung) -> Prepared<SegmentedScan<T>> {
    with_pairs(2, p, rung)
}

/// The same with dynamic shared memory for `pairs` pairs per thread.
pub fn with_pairs<T: Element>(
    pairs: u32,
    p: &SegmentedScan<T>,
    rung: &Rung,
) -> Prepared<SegmentedScan<T>> {
    let tiles = Tiles::one_per_thread(p);
    let shared_mem_bytes = pairs * tiles.config.block_dim.0 * (size_of::<T>() as u32 + 1);
    let config = LaunchConfig { shared_mem_bytes, ..tiles.config };
    // Eight steps in a block.
    Tiles { config, ..tiles }.scan(8, ADD_BLOCK_OFFSETS, p, rung)
}

/// The rung `shuffle`.
pub static SHUFFLE: Rung = Rung::new(
    "shuffle",
    "warps scan in registers, with the flags from one ballot",
    ptx!("kernels/shuffle.ptx"),
)
.refuses(scans_only);

/// Blocks with one element per thread.
pub fn shuffle<T: Element>(p: &SegmentedScan<T>, rung: &Rung) -> Prepared<SegmentedScan<T>> {
    with_offsets_by(ADD_BLOCK_OFFSETS, p, rung)
}

/// The same, where the kernels of `add_ptx` add the block offsets.
pub fn with_offsets_by<T: Element>(
    add_ptx: PtxText,
    p: &SegmentedScan<T>,
    rung: &Rung,
) -> Prepared<SegmentedScan<T>> {
    // A warp's scan, that of the warps, and two additions.
    Tiles::one_per_thread(p).scan(5 + 5 + 2, add_ptx, p, rung)
}

/// The rung `vectorized`.
pub static VECTORIZED: Rung =
    Rung::new("vectorized", "16 bytes per load, and flags as bits", ptx!("kernels/vectorized.ptx"))
        .refuses(scans_only);

/// Blocks with 16 KiB of elements.
pub fn vectorized<T: Element>(p: &SegmentedScan<T>, rung: &Rung) -> Prepared<SegmentedScan<T>> {
    let items = 16_384 / size_of::<T>() as u64;
    let config = grid(p.n.div_ceil(items).max(1), 256);
    // A tile has four rows per warp.
    let depth = tile_depth::<T>(4);
    Tiles { items, config, form: Form::Bits }.scan(depth, ADD_BLOCK_OFFSETS, p, rung)
}

/// The blocks that scan elements.
struct Tiles {
    /// The elements of a block.
    items: u64,
    config: LaunchConfig,
    /// The form of the flags that the kernel reads.
    form: Form,
}

impl Tiles {
    /// One element per thread, and flags of a byte.
    fn one_per_thread<T: Element>(p: &SegmentedScan<T>) -> Self {
        let threads = p.case.block.unwrap_or(256);
        let items = u64::from(threads);
        Self { items, config: grid(p.n.div_ceil(items).max(1), threads), form: Form::Bytes }
    }

    /// Scans the blocks, then the pairs that they leave, and adds what is open before each block. In its block an
    /// element passes through `depth` operations.
    fn scan<T: Element>(
        self,
        depth: u64,
        add_ptx: PtxText,
        p: &SegmentedScan<T>,
        rung: &Rung,
    ) -> Prepared<SegmentedScan<T>> {
        let Self { items, config, form } = self;
        let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
        let kernel = module.load_function(&p.entry())?; // such as inclusive_sum_f32
        let mut pairs = Pairs::new(p, config.grid_dim.0.into(), items, add_ptx)?;
        let depth = depth + pairs.depth();
        Ok(Launch::new(kernel.clone(), config, depth, move |p: &mut SegmentedScan<T>| {
            let mut out = p.out.view_mut();
            let first = &mut pairs.levels[0];
            let mut launch = p.device.stream.launch_builder(&kernel);
            launch.arg(&p.values);
            match form {
                Form::Bytes => launch.arg(&p.flags),
                Form::Bits => launch.arg(&p.bits),
            };
            launch.arg(&mut out).arg(&p.n);
            launch.arg(&mut first.values).arg(&mut first.heads).arg(&mut first.reached);
            // SAFETY: hillis_steele.cu, shuffle.cu and vectorized.cu are `(const T* in, const u8* or u32* flags, T*
            // out, size_t n, T* values, u8* heads, u32* reached)`. They read in[0 .. n] and their flags, write out[0 ..
            // n], and the other three per block.
            unsafe { launch.launch(config)? };
            pairs.scan_and_add(p)
        }))
    }
}
