//! Generic addresses.
//!
//! Shared and local memory each appear in the generic address space through a window. A generic
//! address outside both windows is an address in device memory, which also holds the module's
//! constants.

use super::isa::Vectors;
use super::lanes::{Lanes, row, test};
use crate::registers::{LaneMask, Registers};
use ptx::ir::{Pred, R64, Space};
use std::ops::Range;

/// The windows of the generic address space.
#[derive(Clone, Debug)]
pub struct Windows {
    /// Generic address of the start of shared memory.
    pub shared_base: u64,
    /// Size of the shared window of a block in bytes.
    pub shared_bytes: u64,
    /// Size of the window of all shared memory of a cluster, at whose start that of a block is.
    pub cluster_bytes: u64,
    /// Generic address of the start of local memory.
    pub local_base: u64,
    /// Size of the local window in bytes.
    pub local_bytes: u64,
    /// The address ranges of the variables in constant space.
    pub constants: Vec<Range<u64>>,
}

impl Windows {
    /// Returns the generic address of address 0 of `space`.
    pub fn base(&self, space: Space) -> u64 {
        match space {
            Space::Shared | Space::Cluster => self.shared_base,
            Space::Local => self.local_base,
            Space::Generic | Space::Global | Space::Const | Space::Param => 0,
        }
    }

    /// Whether a generic address lies in the shared window.
    pub fn in_shared(&self, address: u64) -> bool {
        address.wrapping_sub(self.shared_base) < self.shared_bytes
    }

    /// Whether a generic address lies in the shared window of the cluster.
    pub fn in_cluster(&self, address: u64) -> bool {
        address.wrapping_sub(self.shared_base) < self.cluster_bytes
    }

    /// Whether a generic address lies in the local window.
    pub fn in_local(&self, address: u64) -> bool {
        address.wrapping_sub(self.local_base) < self.local_bytes
    }

    /// Whether a generic address is in `space`. Parameters have no generic addresses here.
    pub fn contains(&self, space: Space, address: u64) -> bool {
        match space {
            Space::Generic => true,
            Space::Shared => self.in_shared(address),
            Space::Cluster => self.in_cluster(address),
            Space::Local => self.in_local(address),
            Space::Global => !self.in_cluster(address) && !self.in_local(address),
            Space::Const => self.constants.iter().any(|range| range.contains(&address)),
            Space::Param => false,
        }
    }
}

/// Executes `cvta`: adds the base of a space.
#[inline(always)]
pub fn to_generic<V: Vectors>(lanes: Lanes<'_, V>, base: u64, d: R64, a: R64) {
    lanes.map1(d, a, |x| x.wrapping_add(base));
}

/// Executes `cvta.to`: subtracts the base of a space.
#[inline(always)]
pub fn from_generic<V: Vectors>(lanes: Lanes<'_, V>, base: u64, d: R64, a: R64) {
    lanes.map1(d, a, |x| x.wrapping_sub(base));
}

/// Executes `isspacep`.
#[inline(never)]
pub fn is_space(
    windows: &Windows,
    space: Space,
    regs: &mut Registers,
    mask: LaneMask,
    d: Pred,
    a: R64,
) {
    let a = regs.r64(a);
    let bits = test!(i => windows.contains(space, a[i]));
    regs.set_pred(d, bits, mask);
}
