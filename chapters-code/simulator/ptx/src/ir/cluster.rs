//! Clusters of blocks: what a kernel declares about them, and the instructions for them.

use super::{R32, R64, Space};

/// What a kernel declares about clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clusters {
    /// `.explicitcluster`: the kernel must be launched in clusters.
    pub explicit: bool,
    /// `.reqnctapercluster`: the blocks of a cluster in x, y and z.
    pub required: Option<[u32; 3]>,
    /// `.maxclusterrank`: the largest number of blocks of a cluster.
    pub most: Option<u32>,
}

/// An instruction for the blocks of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are operands of PTX")]
pub enum ClusterOp {
    /// `barrier.cluster.arrive`: arrives and does not wait. `.relaxed` arrivals do not release.
    Arrive { releases: bool },
    /// `barrier.cluster.wait`: waits until all threads of the cluster have arrived.
    Wait,
    /// `mapa.shared::cluster.u32`: the address `a` in the block of this rank.
    Mapa32 { d: R32, a: R32, rank: R32 },
    /// `mapa.u64`, `mapa.shared::cluster.u64`: `space` is [`Space::Generic`] or [`Space::Cluster`].
    Mapa64 { space: Space, d: R64, a: R64, rank: R32 },
    /// `getctarank.shared::cluster.u32`: the rank of the block whose shared memory holds `a`.
    Rank32 { d: R32, a: R32 },
    /// `getctarank.u64`, `getctarank.shared::cluster.u64`.
    Rank64 { space: Space, d: R32, a: R64 },
}
