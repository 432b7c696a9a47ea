//! Every warp has as many elements and ends of segments as any other (merge path). The launches differ in what the
//! elements are: those of an array, or the products of a sparse matrix and a vector.

use cudarc::driver::{CudaSlice, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Device, Element, Error, Launch, Prepared, buffer, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Product, Reduced, SegmentedReduce, products_only, reductions_only},
};

/// The launch over a path of all elements and all ends of segments, and its memory.
struct Path<T> {
    config: LaunchConfig,
    /// The largest number of rounded operations that an element passes through.
    depth: u64,
    /// What every block leaves open.
    open: CudaSlice<T>,
    /// The first segment that ends in every block.
    first: CudaSlice<u32>,
    /// Counts blocks; 0 before and after every launch.
    counter: CudaSlice<u32>,
}

impl<T: Element> Path<T> {
    fn new(device: &Device, n: u64, segments: u32) -> Result<Self, Error> {
        let most = u64::from(RESIDENT * device.properties.multiprocessors);
        Ok(Self {
            config: grid(blocks(n + u64::from(segments), most), 256),
            depth: depth(n, blocks(n, most)),
            open: buffer::scratch(device, most)?,
            first: buffer::scratch(device, most)?,
            counter: device.stream.alloc_zeros(1)?,
        })
    }
}

/// Blocks that a multiprocessor holds at once.
const RESIDENT: u32 = 4;

/// The number of blocks for a path of `steps` steps, at most `most`. Each of the eight warps of a block takes at
/// least 512 steps.
fn blocks(steps: u64, most: u64) -> u64 {
    steps.div_ceil(8 * 512).clamp(1, most)
}

/// The largest number of rounded operations that an element passes through, if there are at most three segments
/// per element: those of a lane over its part of a warp, a tile's scan, and the joining of warps and of blocks.
fn depth(n: u64, blocks: u64) -> u64 {
    let lanes = 32 * 8 * blocks;
    (4 * n).div_ceil(lanes) + 64 + 8 * (1024 / 32)
}

/// The rung `reduce_merge_path`.
pub static REDUCE: Rung = Rung::new(
    "reduce_merge_path",
    "every warp has as many elements and ends of segments as any other",
    ptx!("kernels/reduce_merge_path.ptx"),
)
.refuses(reductions_only);

/// One launch, over a path of all elements and all ends of segments.
pub fn reduce<T: Element>(p: &SegmentedReduce<T>, rung: &Rung) -> Prepared<SegmentedReduce<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as sum_f32
    let Path { config, depth, mut open, mut first, mut counter } =
        Path::<T>::new(&p.device, p.n, p.segments)?;
    let promise = Reduced { depth, reads_offsets: true };

    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut SegmentedReduce<T>| {
        if p.segments == 0 {
            return Ok(());
        }
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&mut out).arg(&p.n);
        launch.arg(&p.offsets).arg(&p.segments);
        launch.arg(&mut open).arg(&mut first).arg(&mut counter);
        // SAFETY: reduce_merge_path.cu is `(const T* in, T* out, size_t n, const u32* offsets, u32 segments, T* open,
        // u32* first, unsigned* counter)`. It reads in[0 .. n] and offsets[0 ..= segments], and writes
        // out[0 .. segments], and open and first for each block. The counter is 0 before and after every launch.
        unsafe { launch.launch(config) }.map(drop)
    }))
}

/// The rung `spmv_merge_path`.
pub static MULTIPLY: Rung = Rung::new(
    "spmv_merge_path",
    "reduce_merge_path, whose elements are products",
    ptx!("kernels/spmv_merge_path.ptx"),
)
.refuses(products_only);

/// One launch, over a path of all entries and all ends of rows.
pub fn multiply(p: &Product, rung: &Rung) -> Prepared<Product> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as multiply_f32
    let Path { config, depth, mut open, mut first, mut counter } =
        Path::<f32>::new(&p.device, p.n, p.rows)?;
    let depth = depth + 1; // each product is rounded once more

    Ok(Launch::new(kernel.clone(), config, depth, move |p: &mut Product| {
        if p.rows == 0 {
            return Ok(());
        }
        let mut y = p.y.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&p.columns).arg(&p.offsets).arg(&p.x);
        launch.arg(&mut y).arg(&p.rows).arg(&p.n);
        launch.arg(&mut open).arg(&mut first).arg(&mut counter);
        // SAFETY: spmv_merge_path.cu is `(const f32* values, const u32* columns, const u32* offsets, const f32* x,
        // f32* y, u32 rows, size_t n, f32* open, u32* first, unsigned* counter)`. It reads n values and columns,
        // offsets[0 ..= rows] and x at the columns, and writes y[0 .. rows], and open and first for each block.
        // The counter is 0 before and after every launch.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
