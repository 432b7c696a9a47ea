//! Devices.

use std::ffi::{c_char, c_int, c_uint};

use simt::DEVICE;

use crate::entry::api;
use crate::error::{CUresult, Result};
use crate::profile;
use crate::state::driver;
use crate::types::{CUdevice, CUdevprop, CUuuid, HostBytes, Out, Text};

api! {
    /// A device by its ordinal.
    fn cuDeviceGet(device: Out<CUdevice>, ordinal: c_int) {
        driver()?.device(ordinal)?;
        device.set(ordinal)
    }

    /// The number of devices.
    fn cuDeviceGetCount(count: Out<c_int>) {
        count.set(driver()?.devices.len() as c_int)
    }

    /// The name of the profile.
    fn cuDeviceGetName(name: Out<c_char>, length: c_int, device: CUdevice) {
        driver()?.device(device)?;
        write_text(name.bytes(), length, DEVICE.name)
    }

    /// Made of the device's number.
    fn cuDeviceGetUuid(uuid: Out<CUuuid>, device: CUdevice) {
        uuid.set(self::uuid(device)?)
    }

    /// As `cuDeviceGetUuid`: there are no partitions of a device.
    fn cuDeviceGetUuid_v2(uuid: Out<CUuuid>, device: CUdevice) {
        uuid.set(self::uuid(device)?)
    }

    /// Bytes of device memory.
    fn cuDeviceTotalMem_v2(bytes: Out<usize>, device: CUdevice) {
        bytes.set(driver()?.device(device)?.memory.capacity() as usize)
    }

    /// An attribute of the profile.
    fn cuDeviceGetAttribute(value: Out<c_int>, attribute: c_uint, device: CUdevice) {
        let ordinal = driver()?.device(device)?.ordinal;
        let Some(number) = profile::attribute(attribute, ordinal) else {
            let cause = format!("there is no device attribute {attribute}");
            return Err(CUresult::INVALID_VALUE.because(cause));
        };
        // Some attributes are -1.
        value.set(number as c_int)
    }

    /// Deprecated.
    fn cuDeviceComputeCapability(major: Out<c_int>, minor: Out<c_int>, device: CUdevice) {
        driver()?.device(device)?;
        major.set(DEVICE.compute_capability.0 as c_int)?;
        minor.set(DEVICE.compute_capability.1 as c_int)
    }

    /// Deprecated.
    fn cuDeviceGetProperties(properties: Out<CUdevprop>, device: CUdevice) {
        driver()?.device(device)?;
        properties.set(CUdevprop {
            max_threads_per_block: DEVICE.max_block_threads as c_int,
            max_threads_dim: DEVICE.max_block.map(|n| n as c_int),
            max_grid_size: DEVICE.max_grid.map(|n| n as c_int),
            shared_mem_per_block: DEVICE.shared_block as c_int,
            total_constant_memory: profile::CONSTANT as c_int,
            simd_width: profile::WARP as c_int,
            mem_pitch: profile::MAX_PITCH as c_int,
            regs_per_block: DEVICE.registers as c_int,
            clock_rate: profile::CLOCK as c_int,
            texture_align: 512,
        })
    }

    /// `0000:NN:00.0`, where NN is the device's number.
    fn cuDeviceGetPCIBusId(text: Out<c_char>, length: c_int, device: CUdevice) {
        driver()?.device(device)?;
        write_text(text.bytes(), length, &bus_id(device))
    }

    /// The device of a name that `cuDeviceGetPCIBusId` gives.
    fn cuDeviceGetByPCIBusId(device: Out<CUdevice>, name: Text) {
        let name = name.get()?;
        let mut ordinals = 0..driver()?.devices.len() as CUdevice;
        let found = ordinals.find(|&ordinal| bus_id(ordinal).ends_with(&name.to_lowercase()));
        device.set(found.filter(|_| name.len() >= 7).ok_or(CUresult::INVALID_DEVICE)?)
    }

    /// All devices are linked with each other.
    fn cuDeviceCanAccessPeer(answer: Out<c_int>, device: CUdevice, peer: CUdevice) {
        driver()?.device(device)?;
        driver()?.device(peer)?;
        answer.set((device != peer).into())
    }

    /// Access and native atomics; no CUDA arrays. All links are of the best rank.
    fn cuDeviceGetP2PAttribute(
        value: Out<c_int>,
        attribute: c_uint,
        source: CUdevice,
        target: CUdevice,
    ) {
        const PERFORMANCE_RANK: c_uint = 1;
        const ACCESS_SUPPORTED: c_uint = 2;
        const NATIVE_ATOMIC_SUPPORTED: c_uint = 3;
        const CUDA_ARRAY_ACCESS_SUPPORTED: c_uint = 4;
        driver()?.device(source)?;
        driver()?.device(target)?;
        if source == target {
            return Err(CUresult::INVALID_DEVICE.because("a device has no link to itself"));
        }
        value.set(match attribute {
            ACCESS_SUPPORTED | NATIVE_ATOMIC_SUPPORTED => 1,
            PERFORMANCE_RANK | CUDA_ARRAY_ACCESS_SUPPORTED => 0,
            _ => {
                let cause = format!("there is no attribute {attribute} of a link");
                return Err(CUresult::INVALID_VALUE.because(cause));
            }
        })
    }

    /// Never.
    fn cuDeviceGetExecAffinitySupport(answer: Out<c_int>, _kind: c_int, device: CUdevice) {
        driver()?.device(device)?;
        answer.set(0)
    }
}

fn uuid(device: CUdevice) -> Result<CUuuid> {
    let mut bytes = *b"SIMT simulator\0\0";
    bytes[15] = driver()?.device(device)?.ordinal as u8;
    Ok(CUuuid { bytes })
}

fn bus_id(ordinal: CUdevice) -> String {
    format!("0000:{ordinal:02x}:00.0")
}

/// Writes as much of a text as fits, and a NUL.
fn write_text(target: HostBytes, length: c_int, text: &str) -> Result {
    let Some(room) = usize::try_from(length).ok().filter(|&n| n > 0) else {
        return Err(CUresult::INVALID_VALUE.because(format!("a buffer of {length} bytes")));
    };
    let kept = text.len().min(room - 1);
    let target = target.as_slice_mut(kept + 1)?;
    target[..kept].copy_from_slice(&text.as_bytes()[..kept]);
    target[kept] = 0;
    Ok(())
}
