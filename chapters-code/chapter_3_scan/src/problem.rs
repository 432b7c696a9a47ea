//! What the rungs solve: buffers on the device, inputs, expected results, and the judge.

use crate::{Case, Rung};
use cudarc::driver::{CudaSlice, LaunchConfig};
use harness::{
    Device, Element, Error, InputArray, Kind, Memory, Output, Problem, PtxText, Refusal, Shape,
    Traffic, buffer, inputs, kernel::grid, ptx, verify::Verdict,
};

use crate::reference::Reference;

/// The kernels that add one offset per block to a scan of blocks, with entries such as `sum_f32`.
pub static ADD_BLOCK_OFFSETS: PtxText = ptx!("kernels/add_block_offsets.ptx");

/// The scan of a vector on the device.
///
/// Inputs, partial results and results have the type `T`.
pub struct PrefixScan<T: Element> {
    /// The device and its stream.
    pub device: Device,
    /// Size, type, operator, kind and input.
    pub case: Case,
    /// The kind of the scan.
    pub kind: Kind,
    /// The number of elements.
    pub n: u64,
    /// The elements, at least one, for drivers that allocate no empty buffer.
    pub input: InputArray<T>,
    /// One result per element.
    pub out: Output<T>,
    pub(crate) reference: Reference<T>,
}

impl<T: Element> PrefixScan<T> {
    /// Makes the input of a case, copies it to the device, and computes the reference.
    ///
    /// # Errors
    /// [`Error::Driver`] if the device has no room.
    pub fn new(device: &Device, case: &Case) -> Result<Self, Error> {
        Self::of(device, case, inputs::generate(case))
    }

    /// The scan of these elements, as many as the case has.
    ///
    /// # Errors
    /// [`Error::Driver`] if the device has no room.
    pub fn of(device: &Device, case: &Case, elements: Vec<T>) -> Result<Self, Error> {
        Ok(Self {
            device: device.clone(),
            case: *case,
            kind: case.task.kind,
            n: case.elements(),
            out: Output::new(device, elements.len())?,
            reference: Reference::new(case, &elements),
            input: InputArray::new(device, elements)?,
        })
    }

    /// The name of the kernel that scans, such as `inclusive_sum_f32`.
    pub fn entry(&self, kind: Kind) -> String {
        format!("{kind}_{}", self.operator())
    }

    /// The operator and the type, such as `sum_f32`.
    pub fn operator(&self) -> String {
        format!("{}_{}", self.case.op, T::DTYPE)
    }

    /// The threads per block: the rung's own number, unless the case asks for another.
    pub fn threads(&self, default: u32) -> u32 {
        self.case.block.unwrap_or(default)
    }

    /// The sizes of the levels of a scan whose blocks scan `tile` values each.
    ///
    /// The first size is the number of elements. Each other size is the number of blocks that the values
    /// before it need, and so the number of their aggregates. The last size is 1.
    pub fn levels(&self, tile: u64) -> Vec<u64> {
        let mut sizes = vec![self.n];
        let mut n = self.n;
        while n != 1 || sizes.len() == 1 {
            n = n.div_ceil(tile).max(1);
            sizes.push(n);
        }
        sizes
    }

    /// Scratch memory for one value per block of every level, where `sizes` are those of
    /// [`levels`](Self::levels).
    ///
    /// # Errors
    /// [`Error::Driver`] if the device has no room.
    pub fn per_block(&self, sizes: &[u64]) -> Result<Vec<CudaSlice<T>>, Error> {
        let blocks = sizes[1..].iter();
        blocks.map(|&n| buffer::scratch(&self.device, n)).collect()
    }
}

/// The launch of `add_block_offsets.cu` on `n` elements.
pub fn one_thread_per_element(n: u64) -> LaunchConfig {
    grid(n.div_ceil(256), 256)
}

/// The largest number of rounded operations in a tile of the kernels that include `warp_chunk.cuh`, where every
/// lane has `rows` packs of 16 bytes.
pub fn tile_depth<T: Element>(rows: u64) -> u64 {
    let pack = 16 / size_of::<T>() as u64;
    (pack - 1) // the elements of a pack
        + 5 // the packs of a warp's row
        + rows // the rows of the warp
        + 1 // the lanes before, in the row
        + 5 // the warps of the block
        + 2 // what comes before the block, and before the warp
        + pack // the elements of the pack again
}

impl<T: Element> Problem for PrefixScan<T> {
    type Task = crate::ScanParameters;
    /// The largest number of rounded additions that an element passes through. The error bound grows with
    /// it ([`harness::bound`]).
    type Promise = u64;

    fn device(&self) -> &Device {
        &self.device
    }

    fn case(&self) -> &Case {
        &self.case
    }

    fn memory(&mut self) -> Vec<&mut dyn Memory> {
        vec![&mut self.out, &mut self.input]
    }

    fn compare(&self, depth: &u64, _launches: u64) -> Result<Verdict, Error> {
        self.out.judge(|results| self.reference.judge(*depth, self.input.host(), results))
    }

    fn traffic(&self, _depth: &u64) -> Traffic {
        Traffic { read: self.case.input_bytes(), written: self.case.input_bytes() }
    }
}

/// Refuses matrices, and types and operators for which the rung has no kernel.
pub fn vectors_only(rung: &Rung, case: &Case) -> Option<Refusal> {
    let entry = format!("{}_{}_{}", case.task.kind, case.op, case.dtype);
    match case.shape {
        Shape::Matrix { .. } => Some(Refusal::wants_vector()),
        Shape::Vector { .. } => (!rung.has_entry(&entry)).then_some(Refusal::NoKernel),
    }
}
