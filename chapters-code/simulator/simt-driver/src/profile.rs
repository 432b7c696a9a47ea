//! What a driver says of the simulated device, an H200, beyond [`simt::DEVICE`].
//!
//! Limits and sizes are the H200's, so that grids, occupancy and everything that follows from them
//! are the same on both; `tests/h200.rs` compares them with what an H200's driver said. A *capability*, on the other
//! hand, is only claimed where the simulator has it: a program that asks before it uses managed memory is told that
//! there is none.

use simt::DEVICE;

/// Bytes of device memory.
pub const MEMORY_BYTES: u64 = 150_109_880_320;
/// What `cuDriverGetVersion` reports: CUDA 13.0, of driver 580.
pub const DRIVER_VERSION: i32 = 13_000;
/// The newest PTX ISA that such a driver takes.
pub const PTX_ISA: (u32, u32) = (9, 0);
/// Threads of a warp.
pub const WARP: u32 = simt::registers::LANES as u32;
/// Bytes of L2 cache.
pub const L2: u32 = 62_914_560;
/// kHz of the multiprocessors.
pub const CLOCK: u32 = 1_980_000;
/// kHz of the memory, which moves data on both edges.
pub const MEMORY_CLOCK: u32 = 3_201_000;
/// Bits of the memory bus.
pub const MEMORY_BUS: u32 = 6016;
/// What row pitches are a multiple of.
pub const PITCH_ALIGNMENT: u64 = 512;
/// Bytes of a row, at most, in a copy of planes.
pub const MAX_PITCH: u32 = i32::MAX as u32;
/// Bytes of constant memory.
pub const CONSTANT: u32 = 65_536;
/// Stream priorities, from least to greatest.
pub const PRIORITIES: (i32, i32) = (0, -5);

/// The last `CUdevice_attribute` that there is.
const NEWEST_ATTRIBUTE: u32 = 147;
/// The limits are the `CUlimit`s below this number.
pub const LIMITS: u32 = 10;

/// The value of a `CUdevice_attribute`; `None` for a number that is none.
pub fn attribute(number: u32, ordinal: usize) -> Option<u32> {
    match number {
        1..=51 => general(number, ordinal).or_else(|| texture(number)),
        52..=74 | 77 => texture(number),
        75 => Some(DEVICE.compute_capability.0),
        76 => Some(DEVICE.compute_capability.1),
        78..=NEWEST_ATTRIBUTE => Some(newer(number)),
        _ => None,
    }
}

/// `CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK` to `…_TEXTURE_PITCH_ALIGNMENT`.
fn general(number: u32, ordinal: usize) -> Option<u32> {
    Some(match number {
        1 => DEVICE.max_block_threads,
        2..=4 => DEVICE.max_block[number as usize - 2],
        5..=7 => DEVICE.max_grid[number as usize - 5],
        8 => DEVICE.shared_block,
        9 => CONSTANT,
        10 => WARP,
        11 => MAX_PITCH,
        12 => DEVICE.registers,
        13 => CLOCK,
        14 | 30 => 512, // alignment of textures and surfaces
        15 => 1,        // copies overlap with kernels
        16 => DEVICE.multiprocessors,
        17 | 18 => 0, // no time limit; not integrated
        19 => 0,      // host memory cannot be mapped
        20 => 0,      // default compute mode
        31 | 32 => 1, // concurrent kernels; ECC
        33 => ordinal as u32,
        34 | 35 | 50 => 0, // PCI device and domain; TCC
        36 => MEMORY_CLOCK,
        37 => MEMORY_BUS,
        38 => L2,
        39 => DEVICE.resident_threads,
        40 => 3, // copy engines
        41 => 1, // one address space
        51 => 32,
        _ => return None,
    })
}

/// Sizes of textures and surfaces. There are none here; the sizes are the H200's all the same.
fn texture(number: u32) -> Option<u32> {
    Some(match number {
        21 | 22 | 56 | 70 => 131_072,
        23 | 57 => 65_536,
        24..=26 | 58..=60 => 16_384,
        27 | 28 | 42 | 45 | 46 | 49 | 52 | 53 => 32_768,
        55 | 61 | 63 | 64 | 66 | 67 | 73 | 74 | 77 => 32_768,
        29 | 43 | 62 | 65 => 2048,
        44 => 1,
        47 | 48 => 8192,
        54 | 68 => 2046,
        69 => 268_435_456,
        71 => 65_000,
        72 => 2_097_120,
        _ => return None,
    })
}

/// `CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED` and later; what is not named is 0, on the H200
/// too or for one of these reasons:
///
/// | numbers | the H200 has them, the simulator lacks |
/// | --- | --- |
/// | 83, 89 | managed memory |
/// | 96 | launches over several devices at once |
/// | 102, 103, 107, 128, 141, 145 | virtual memory management: `cuMemCreate`, its handles, compression |
/// | 110, 116 to 118, 124 | access from other devices on the bus |
/// | 112, 121 | sparse arrays, and arrays that are mapped later |
/// | 114, 119, 125 | semaphores, pools and events shared with others |
/// | 122, 123 | streams that wait for a value in memory |
/// | 127 | tensor maps |
/// | 129 | pointers to functions |
/// | 142, 144 | memory pools of the host |
///
/// So too 19, host memory mapped into the device, which [`general`] answers; and 34, there, is
/// where one device sits on its bus.
fn newer(number: u32) -> u32 {
    match number {
        78..=80 => 1, // stream priorities; L1 caches global and local memory
        81 => DEVICE.shared,
        82 => DEVICE.registers,
        87 => 2,      // f32 rate over f64 rate
        90 | 91 => 1, // preemption; registered memory has one address
        95 => 1,      // cooperative launch
        97 => DEVICE.shared_block_opt_in,
        99 => 1, // cuMemHostRegister
        106 => DEVICE.resident_blocks,
        108 => L2 / 8 * 5,  // persisting part of the L2
        109 => 134_217_728, // access policy window
        111 => DEVICE.shared_reserved,
        113 => 1,           // read-only registration
        115 => 1,           // memory pools
        120 => 1,           // clusters of blocks
        126 => 4,           // memory synchronisation domains
        131 => u32::MAX,    // NUMA node: none, which is -1
        139 => 0x2335_10de, // PCI device and vendor
        140 => 0x18bf_10de, // PCI subsystem and vendor
        _ => 0,
    }
}

/// `CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH`, which can be read here, and not set.
pub const SYNC_DEPTH: u32 = 3;

/// The default of a `CUlimit`; `None` for one that the device does not have.
pub fn limit(number: u32) -> Option<usize> {
    Some(match number {
        0 => 1024,      // stack
        1 => 8_650_752, // printf buffer
        2 => 8 << 20,   // malloc heap
        // Depth of synchronisation in the device runtime, where a device before 9.0 has it: an
        // H200 refuses to say, and programs that list all limits (cudarc's example) end there.
        SYNC_DEPTH => 2,
        4 => 2048,       // pending launches of the device runtime
        5 => 64,         // L2 fetch granularity
        6 => 11_796_480, // persisting part of the L2
        7 => DEVICE.shared_block_opt_in as usize,
        8 => 0, // CUDA in graphics
        _ => return None,
    })
}
