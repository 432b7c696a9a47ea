//! Several devices: whose memory is where, and who may access it.

use crate::memory::Extent;

/// Why a device may not access memory of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoAccess {
    /// No access to the other device is enabled.
    Peer,
    /// The memory is from a pool that the device may not access.
    Pool,
}

/// Several devices, as the kernels of one of them see their memories.
pub(crate) struct Devices {
    /// The number of that device.
    pub own: u32,
    /// The first address of each device, in the order of their numbers.
    pub starts: Vec<u64>,
    /// The allocations that the device may not access, in the order of their addresses.
    pub closed: Vec<(Extent, NoAccess)>,
}

impl Devices {
    /// Returns the device that an address belongs to.
    #[inline]
    pub fn of(&self, address: u64) -> u32 {
        (self.starts.partition_point(|start| *start <= address) as u32).saturating_sub(1)
    }

    /// Returns the number of devices.
    pub fn count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Describes an address in memory that the device may not access.
    pub fn describe_closed(&self, address: u64) -> Option<String> {
        let after = self.closed.partition_point(|(extent, _)| extent.base <= address);
        let (extent, reason) = self.closed.get(after.checked_sub(1)?)?;
        if address - extent.base >= extent.bytes {
            return None;
        }
        let (own, device) = (self.own, self.of(address));
        let missing = match reason {
            NoAccess::Peer => format!(
                "cuCtxEnablePeerAccess is missing, from the context on device {own} to the one on device {device}"
            ),
            NoAccess::Pool => format!(
                "it is from a memory pool, for which cuMemPoolSetAccess is missing, with access for device \
                 {own} (cuCtxEnablePeerAccess is for memory of cuMemAlloc)"
            ),
        };
        Some(format!(
            "it lies in {extent} of device {device}, which device {own} may not access: {missing}"
        ))
    }
}
