//! The scan of the pairs that blocks leave behind: of a flag and a value, level by level, until one block is
//! left. The scans of several launches have it in common.

use chapter_3_scan::problem::one_thread_per_element;
use cudarc::driver::{CudaFunction, CudaSlice, DriverError, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Error, Kind, PtxText, buffer, kernel::grid, ptx};

use crate::problem::SegmentedScan;

/// The kernels that scan pairs, with entries such as `inclusive_sum_f32`.
static SCAN: PtxText = ptx!("kernels/shuffle.ptx");

/// The kernels that add the block offsets to a scan of blocks, with entries such as `sum_f32`.
pub static ADD_BLOCK_OFFSETS: PtxText = ptx!("kernels/add_block_offsets.ptx");

/// The number of pairs that a block scans, with one thread each.
const TILE: u64 = 256;

/// The pairs of the blocks of one level.
pub struct Level<T> {
    /// The number of blocks.
    pub blocks: u64,
    /// The value of each block's pair: the aggregate of its elements from its last head on.
    pub values: CudaSlice<T>,
    /// The flag of each block's pair: whether it has a head.
    pub heads: CudaSlice<u8>,
    /// The number of elements of each block that stand before its first head.
    pub reached: CudaSlice<u32>,
    /// The inclusive segmented scan of the pairs.
    pub scanned: CudaSlice<T>,
}

impl<T: Element> Level<T> {
    /// Scratch memory for the pairs of `blocks` blocks.
    ///
    /// # Errors
    /// [`Error::Driver`] if the device has no room.
    pub fn new(p: &SegmentedScan<T>, blocks: u64) -> Result<Self, Error> {
        Ok(Self {
            blocks,
            values: buffer::scratch(&p.device, blocks)?,
            heads: buffer::scratch(&p.device, blocks)?,
            reached: buffer::scratch(&p.device, blocks)?,
            scanned: buffer::scratch(&p.device, blocks)?,
        })
    }
}

/// The pairs of all levels, and the kernels that scan them and add what they say.
pub struct Pairs<T> {
    /// The levels. The first has the pairs of the blocks that scan elements, the last has one pair.
    pub levels: Vec<Level<T>>,
    /// The number of elements of each block of the first level.
    tile: u64,
    scan: CudaFunction,
    add_block_offsets: CudaFunction,
}

impl<T: Element> Pairs<T> {
    /// The pairs of `blocks` blocks of `tile` elements. The kernels of `add_ptx` add what the pairs say.
    ///
    /// # Errors
    /// [`Error::Driver`] if the kernels cannot be loaded or the device has no room.
    pub fn new(
        p: &SegmentedScan<T>,
        blocks: u64,
        tile: u64,
        add_ptx: PtxText,
    ) -> Result<Self, Error> {
        let module = p.device.context.load_module(Ptx::from_src(SCAN))?;
        let scan = module.load_function(&format!("{}_{}", Kind::Inclusive, p.operator()))?;
        let module = p.device.context.load_module(Ptx::from_src(add_ptx))?;
        let add_block_offsets = module.load_function(&p.operator())?; // such as sum_f32
        let mut levels = vec![Level::new(p, blocks)?];
        while let Some(last) = levels.last().filter(|last| last.blocks > 1) {
            levels.push(Level::new(p, last.blocks.div_ceil(TILE))?);
        }
        Ok(Self { levels, tile, scan, add_block_offsets })
    }

    /// The largest number of rounded operations of all levels above the first: a warp's scan, that of the
    /// warps, two additions, and the one that adds the result to the level below.
    pub fn depth(&self) -> u64 {
        (self.levels.len() - 1) as u64 * (5 + 5 + 2 + 1)
    }

    /// Scans the pairs of the first level, and adds to the elements of each of its blocks what is open before it. Where
    /// there is one block, nothing is open.
    ///
    /// # Errors
    /// The driver's error, where it refuses a launch.
    pub fn scan_and_add(&mut self, p: &mut SegmentedScan<T>) -> Result<(), DriverError> {
        let stream = &p.device.stream;
        for l in 1..self.levels.len() {
            let (below, level) = self.levels.split_at_mut(l);
            let (below, level) = (&mut below[l - 1], &mut level[0]);
            let mut launch = stream.launch_builder(&self.scan);
            launch.arg(&below.values).arg(&below.heads);
            launch.arg(&mut below.scanned).arg(&below.blocks);
            launch.arg(&mut level.values).arg(&mut level.heads).arg(&mut level.reached);
            // SAFETY: shuffle.cu is `(const T* in, const u8* flags, T* out, size_t n, T* values, u8* heads, u32*
            // reached)`. It reads in[0 .. n] and flags[0 .. n], writes out[0 .. n], and a pair per block.
            unsafe { launch.launch(grid(level.blocks, TILE as u32))? };
        }
        for l in (0..self.levels.len() - 1).rev() {
            let (below, level) = self.levels.split_at_mut(l);
            let level = &level[0];
            let (mut out, n, tile) = match below.last_mut() {
                Some(below) => (below.scanned.as_view_mut(), below.blocks, TILE),
                None => (p.out.view_mut(), p.n, self.tile),
            };
            let mut launch = stream.launch_builder(&self.add_block_offsets);
            launch.arg(&mut out).arg(&n).arg(&level.scanned).arg(&level.reached).arg(&tile);
            // SAFETY: add_block_offsets.cu is `(T* out, size_t n, const T* scanned, const u32* reached, size_t
            // items_per_block)`. It updates out[0 .. n], and reads scanned and reached for each block of `tile` elements.
            unsafe { launch.launch(one_thread_per_element(n))? };
        }
        Ok(())
    }
}
