//! What goes over the links between devices.

use serde::{Deserialize, Serialize};

/// The bytes that one device's kernels and copies move between its memory and that of another.
///
/// A kernel's bytes are those of the sectors, blocks of 32 bytes, that each of its accesses touches, each
/// access by itself. A GPU may read less, because its L1 cache keeps what has come over a link. Bulk
/// copies (`cp.async.bulk`) are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The device whose kernels access the memory, or from whose memory copies read.
    pub from: u32,
    /// The device whose memory the kernels access, or to whose memory copies write.
    pub to: u32,
    /// Bytes that kernels read.
    pub read_bytes: u64,
    /// Bytes that kernels write.
    pub written_bytes: u64,
    /// Bytes that kernels access by atomics.
    pub atomic_bytes: u64,
    /// Bytes that copies move.
    pub copied_bytes: u64,
}

impl Link {
    /// Adds the bytes of a link to the entry of its pair.
    pub fn add_to(self, links: &mut Vec<Self>) {
        let pair = (self.from, self.to);
        match links.binary_search_by_key(&pair, |link| (link.from, link.to)) {
            Ok(index) => {
                let link = &mut links[index];
                link.read_bytes += self.read_bytes;
                link.written_bytes += self.written_bytes;
                link.atomic_bytes += self.atomic_bytes;
                link.copied_bytes += self.copied_bytes;
            }
            Err(index) => links.insert(index, self),
        }
    }
}
