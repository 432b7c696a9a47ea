//! What can end a launch early, and how it is reported.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Space, names::names};

names! {
    /// The kind of a [`Fault`]; the driver turns it into a CUDA error code.
    FaultKind {
        /// An access outside every allocation, or outside shared, local, constant or parameter memory.
        IllegalAddress = "illegal_address",
        /// An address that is not a multiple of the access's size.
        MisalignedAddress = "misaligned_address",
        /// `trap`.
        Trap = "trap",
        /// A failed `assert`.
        Assert = "assert",
        /// Every thread waits for an event that cannot occur.
        Deadlock = "deadlock",
        /// More instructions were executed than the option `instruction_limit` allows.
        InstructionLimit = "instruction_limit",
        /// An instruction used in a way that PTX leaves undefined, such as a shuffle by a lane that its
        /// mask does not name.
        IllegalInstruction = "illegal_instruction",
        /// More arrivals at an mbarrier than its phase takes. An H200 reports an unspecified launch
        /// failure.
        Overflow = "overflow",
        /// An access to the shared memory of another block of the cluster that has exited, that does not
        /// exist, or that has no such address. An H200 reports an unspecified launch failure.
        ClusterAddress = "cluster_address",
        /// A launch in clusters that the kernel or the grid does not allow.
        InvalidCluster = "invalid_cluster",
        /// A launch that the device cannot run, such as one with too large a block or grid.
        InvalidLaunch = "invalid_launch",
        /// A kernel that needs a PTX feature which the parser does not support.
        Unsupported = "unsupported",
        /// A launch that needs more shared memory or registers than the device has.
        OutOfResources = "out_of_resources",
    }
}

impl FaultKind {
    /// Whether the launch was refused before anything ran.
    pub fn is_refusal(self) -> bool {
        match self {
            Self::InvalidLaunch
            | Self::InvalidCluster
            | Self::Unsupported
            | Self::OutOfResources => true,
            Self::IllegalAddress
            | Self::MisalignedAddress
            | Self::Trap
            | Self::Assert
            | Self::Deadlock
            | Self::InstructionLimit
            | Self::IllegalInstruction
            | Self::Overflow
            | Self::ClusterAddress => false,
        }
    }
}

/// Why a launch ended early.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The memory of an illegal or misaligned access, where the message names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space: Option<Space>,
    /// What else is known of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<FaultDetail>,
    /// The full message: kernel, source line, block, thread, cause.
    pub message: String,
}

/// What of a fault a program may ask for, besides its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultDetail {
    /// A lane executes a warp-wide operation whose mask does not name it.
    LaneNotNamed,
    /// An mbarrier that is not one, or that is used in a way that PTX leaves undefined.
    Mbarrier,
    /// A store to memory that the option `write_protected` protects, with the address of the first such byte.
    WriteProtected(u64),
    /// An access that begins or ends outside of the allocation that it is nearest to.
    Outside {
        /// Of the first byte; of a bulk copy that begins within the allocation, that of the last one.
        address: u64,
        /// Where the allocation begins.
        base: u64,
        /// The allocation's length.
        bytes: u64,
    },
    /// More threads a block than the kernel was compiled for.
    LaunchBounds,
    /// More local memory a thread than the device has.
    LocalMemory,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}
