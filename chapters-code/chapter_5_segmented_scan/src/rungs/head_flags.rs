//! From offsets to head flags, of one byte or one bit per element. The launches differ in the form of the flags, in the
//! grid, and in whether flags are set to zero first.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Form, ToFlags, to_flags_only},
};

/// The rung `flags_of_offsets`.
pub static FLAGS_OF_OFFSETS: Rung = Rung::new(
    "flags_of_offsets",
    "one byte per element: every segment stores its own",
    ptx!("kernels/flags_of_offsets.ptx"),
)
.refuses(to_flags_only);

/// Flags of a byte. One thread per segment sets the flag of a segment that has elements.
pub fn flags_of_offsets(p: &ToFlags, rung: &Rung) -> Prepared<ToFlags> {
    convert(grid(p.segments.div_ceil(256).into(), 256), Form::Bytes, true, p, rung)
}

/// The rung `bits_of_offsets`.
pub static BITS_OF_OFFSETS: Rung = Rung::new(
    "bits_of_offsets",
    "one bit per element: segments share words, which takes atomics",
    ptx!("kernels/bits_of_offsets.ptx"),
)
.refuses(to_flags_only);

/// Flags of a bit. One thread per segment sets the flag of a segment that has elements.
pub fn bits_of_offsets(p: &ToFlags, rung: &Rung) -> Prepared<ToFlags> {
    convert(grid(p.segments.div_ceil(256).into(), 256), Form::Bits, true, p, rung)
}

/// The rung `bits_tiled`.
pub static BITS_TILED: Rung = Rung::new(
    "bits_tiled",
    "a block makes a tile of flags in shared memory, and stores each word once",
    ptx!("kernels/bits_tiled.ptx"),
)
.refuses(to_flags_only);

/// Flags of a bit, with one block per tile of 131,072 flags.
pub fn bits_tiled(p: &ToFlags, rung: &Rung) -> Prepared<ToFlags> {
    convert(grid(p.n.div_ceil(131_072), 256), Form::Bits, false, p, rung)
}

/// Sets the flags to zero if the kernel writes only those of heads, and launches it.
fn convert(
    config: LaunchConfig,
    form: Form,
    zeroes: bool,
    p: &ToFlags,
    rung: &Rung,
) -> Prepared<ToFlags> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function("to_flags")?;
    Ok(Launch::new(kernel.clone(), config, form, move |p: &mut ToFlags| {
        let (mut flags, mut bits) = (p.flags.view_mut(), p.bits.view_mut());
        match form {
            Form::Bytes if zeroes => p.device.stream.memset_zeros(&mut flags)?,
            Form::Bits if zeroes => p.device.stream.memset_zeros(&mut bits)?,
            _ => {}
        }
        if config.grid_dim.0 == 0 {
            return Ok(());
        }
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.offsets).arg(&p.segments);
        match form {
            Form::Bytes => launch.arg(&mut flags),
            Form::Bits => launch.arg(&mut bits),
        };
        launch.arg(&p.n);
        // SAFETY: the kernels are `(const u32* offsets, u32 segments, u8* or u32* flags, size_t n)`. They read
        // offsets[0 ..= segments]. flags_of_offsets.cu and bits_of_offsets.cu have a thread per segment, and write
        // flags of at most n elements, a byte or a bit each. bits_tiled.cu has a block per tile, and writes ceil(n /
        // 32) words of flags, which are aligned to 16 bytes.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
