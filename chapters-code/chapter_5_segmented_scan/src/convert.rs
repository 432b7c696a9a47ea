//! The conversions between offsets and head flags, on the device: a scatter one way, a compaction the
//! other.

use cudarc::driver::{CudaSlice, CudaView, CudaViewMut, PushKernelArg};
use harness::{
    Conversion, Dtype, Element, Error, Kind, kernel,
    verify::{self, Exact, Verdict},
};

use crate::{Ready, Setup, input::Layout, kernel_of, segments::Offsets};

/// Bytes of an output of offsets before the first of them: they begin with how many segments there are, in
/// 32 bits.
pub const HEADER: usize = 256;

/// Threads of a block.
const THREADS: u32 = 256;

/// Roundings on the way to a result.
const EXACT: u64 = 0;

// ---- What should come out -------------------------------------------------------------------------

/// What a conversion must write.
pub enum Expected {
    /// Flags, a byte an element.
    Bytes(Vec<u8>),
    /// Flags, a bit an element.
    Words(Vec<u32>),
    /// Offsets, from flags in so many bytes.
    Offsets(Offsets, u64),
}

impl Expected {
    /// What a rung makes of segments. Flags know of no empty ones.
    pub fn of(rung: &str, conversion: Conversion, offsets: &Offsets) -> Self {
        let is_bits = rung.contains("bits");
        match conversion {
            Conversion::ToFlags if is_bits => Self::Words(offsets.bits()),
            Conversion::ToFlags => Self::Bytes(offsets.flags()),
            Conversion::ToOffsets => {
                let n = offsets.elements() as u64;
                let read = if is_bits { 4 * n.div_ceil(32) } else { n };
                Self::Offsets(offsets.without_empty(), read)
            }
        }
    }

    /// Bytes of the output.
    pub fn output_bytes(&self) -> usize {
        match self {
            Self::Bytes(flags) => flags.len(),
            Self::Words(words) => 4 * words.len(),
            Self::Offsets(offsets, _) => HEADER + 4 * offsets.as_slice().len(),
        }
    }

    /// Bytes that must be moved, given the segments: the one form read, and the other written.
    pub fn moved(&self, from: &Offsets) -> u64 {
        match self {
            Self::Bytes(_) | Self::Words(_) => {
                (4 * from.as_slice().len() + self.output_bytes()) as u64
            }
            Self::Offsets(offsets, read) => read + 4 * (offsets.as_slice().len() as u64 + 1),
        }
    }

    /// Compares what was computed with it.
    pub fn judge(&self, computed: &[u8]) -> Verdict {
        match self {
            Self::Bytes(flags) => compare(computed, flags),
            Self::Words(words) => compare(computed, words),
            Self::Offsets(offsets, _) => {
                let written = [&computed[..4], &computed[HEADER..]].concat();
                let count = offsets.count() as u32;
                let expected = [&[count], offsets.as_slice()].concat();
                compare(&written, &expected)
            }
        }
    }
}

/// Compares results that have to be equal, on all cores.
fn compare<T: Element>(computed: &[u8], expected: &[T]) -> Verdict {
    const CHUNK: usize = 1 << 16;
    verify::compare_chunks(computed, CHUNK, |c| {
        let chunk = expected.iter().skip(c * CHUNK).take(CHUNK);
        chunk.map(|&value| Exact::Equal(value))
    })
}

// ---- From offsets to flags ------------------------------------------------------------------------

/// Flags are zeroed; then every segment that has elements sets its own.
pub(crate) fn to_flags(s: &Setup<'_>) -> Result<Ready, Error> {
    let n = s.case.elements();
    let layout = Layout::of_segments(n);
    let kernel = kernel_of(s)?;
    let (stream, function) = (s.stream(), kernel.clone());
    let config = kernel::grid(1, THREADS);
    Ok(Ready::new(kernel, config, EXACT, move |input, out| {
        let (offsets, segments) = layout.offsets(input);
        stream.memset_zeros(out)?;
        if segments == 0 {
            return Ok(());
        }
        let blocks = u64::from(segments).div_ceil(THREADS.into());
        let mut launch = stream.launch_builder(&function);
        launch.arg(&offsets).arg(&segments).arg(out).arg(&n);
        // SAFETY: both kernels are `(const u32* offsets, u32 segments, F* flags, size_t n)`: they read
        // offsets[0 ..= segments] and write flags of n elements at most, a byte or a bit each; the grid has
        // a thread a segment.
        unsafe { launch.launch(kernel::grid(blocks, THREADS))? };
        Ok(())
    }))
}

// ---- From flags to offsets ------------------------------------------------------------------------

/// An output in its parts.
struct Out<'a> {
    count: CudaViewMut<'a, u8>,
    offsets: CudaViewMut<'a, u8>,
    /// Offsets that it has room for.
    capacity: u64,
}

impl<'a> Out<'a> {
    fn of(out: &'a mut CudaViewMut<'_, u8>) -> Self {
        let (count, offsets) = out.split_at_mut(HEADER);
        Self {
            capacity: offsets.len() as u64 / 4,
            count,
            offsets,
        }
    }
}

// ANCHOR: offsets_of_flags
pub(crate) fn offsets_of_flags(s: &Setup<'_>) -> Result<Ready, Error> {
    let n = s.case.elements();
    let config = kernel::grid(n.div_ceil(THREADS.into()), THREADS);
    let flag = s.entry("heads")?;
    let (mut heads, mut before) = (s.scratch(4 * n)?, s.scratch(4 * n)?);
    let mut scan = chapter_3_scan::as_step(s, Kind::Exclusive, Dtype::U32, n)?;
    let kernel = kernel_of(s)?;
    let (stream, scatter) = (s.stream(), kernel.clone());
    let layout = Layout::of_segments(n);
    Ok(Ready::new(kernel, config, EXACT, move |input, out| {
        if n == 0 {
            return stream.memset_zeros(out);
        }
        let flags = layout.flags(input);
        let mut launch = stream.launch_builder(&flag);
        launch.arg(&flags).arg(&mut heads).arg(&n);
        // SAFETY: reads flags[0 .. n], writes heads[0 .. n].
        unsafe { launch.launch(config)? };
        (scan.launch)(&heads.as_view(), &mut before.as_view_mut())?;
        let mut out = Out::of(out);
        let mut launch = stream.launch_builder(&scatter);
        launch.arg(&flags).arg(&n).arg(&before);
        launch.arg(&mut out.offsets).arg(&out.capacity);
        launch.arg(&mut out.count);
        // SAFETY: reads flags[0 .. n] and before[0 .. n], writes *count and offsets[0 .. capacity] at
        // most.
        unsafe { launch.launch(config)? };
        Ok(())
    }))
}
// ANCHOR_END: offsets_of_flags

/// Flags of a block of offsets_of_bits.cu.
const BLOCK: u64 = 8192;

pub(crate) fn offsets_of_bits(s: &Setup<'_>) -> Result<Ready, Error> {
    let n = s.case.elements();
    let blocks = n.div_ceil(BLOCK);
    let config = kernel::grid(blocks, THREADS);
    let count = s.entry("count")?;
    let (mut counts, mut before) = (s.scratch(4 * blocks)?, s.scratch(4 * blocks)?);
    let mut scan = chapter_3_scan::as_step(s, Kind::Exclusive, Dtype::U32, blocks)?;
    let kernel = kernel_of(s)?;
    let (stream, scatter) = (s.stream(), kernel.clone());
    let layout = Layout::of_segments(n);
    Ok(Ready::new(kernel, config, EXACT, move |input, out| {
        if n == 0 {
            return stream.memset_zeros(out);
        }
        let words: CudaView<'_, u8> = layout.bits(input);
        let mut launch = stream.launch_builder(&count);
        launch.arg(&words).arg(&n).arg(&mut counts);
        // SAFETY: reads ceil(n / 32) words, writes a count for each block.
        unsafe { launch.launch(config)? };
        (scan.launch)(&counts.as_view(), &mut before.as_view_mut())?;
        let mut out = Out::of(out);
        let before: &CudaSlice<u8> = &before;
        let mut launch = stream.launch_builder(&scatter);
        launch.arg(&words).arg(&n).arg(before);
        launch.arg(&mut out.offsets).arg(&out.capacity);
        launch.arg(&mut out.count);
        // SAFETY: reads ceil(n / 32) words and before[b] for each block b, writes *count and
        // offsets[0 .. capacity] at most.
        unsafe { launch.launch(config)? };
        Ok(())
    }))
}
