//! What devices executed, with the memory that it started from: enough to execute it again elsewhere.

use std::fmt;

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The operations of all devices since recording began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recording {
    /// The PTX of the modules whose kernels were launched.
    pub modules: Vec<String>,
    /// The allocations that the operations name, in the order in which they are first named.
    pub allocations: Vec<RecordedAllocation>,
    /// The operations in the order of execution.
    pub operations: Vec<RecordedOperation>,
}

impl Recording {
    /// The recording as JSON. (Written here, if it is compiled with optimisation in every profile: a book's build
    /// records gigabytes.)
    ///
    /// # Errors
    /// None that is known: the fields are text, numbers and bytes.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }
}

/// An allocation of device memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedAllocation {
    /// The device address of the first byte.
    pub address: u64,
    /// The number of the device, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<u32>,
    /// The content before the first operation that names the allocation.
    pub content: Bytes,
}

/// An operation with all that was written and read.
pub type RecordedOperation = Operation<Bytes, Bytes>;

/// A launch that ran at the same time as others: its place in their group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InGroup {
    /// The number of the group, from 0. The operations of a group follow each other.
    pub number: usize,
    /// The launches that this one follows, by their numbers in the group, from 0 in the order of the recording.
    pub after: Vec<usize>,
}

/// An operation: `W` is what the host writes, and `R` what it reads. Addresses are those of the device that was
/// recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "operation", rename_all = "snake_case")]
pub enum Operation<W, R> {
    /// A kernel runs.
    Launch {
        /// The index of the module among those of the recording.
        module: usize,
        /// The kernel's name.
        kernel: String,
        /// Blocks in x, y and z.
        grid: [u32; 3],
        /// Threads per block in x, y and z.
        block: [u32; 3],
        /// Bytes of dynamic shared memory per block.
        dynamic_shared: u32,
        /// Whether all blocks must be resident at once.
        cooperative: bool,
        /// The arguments, laid out as the kernel's parameters are.
        parameters: Bytes,
        /// The number of the device, if there are several.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        device: Option<u32>,
        /// Where the launch ran together with others.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<InGroup>,
    },
    /// Bytes are copied within a device, or from one to another.
    Copy {
        /// The first byte that is written.
        to: u64,
        /// The first byte that is read.
        from: u64,
        /// The number of bytes.
        bytes: u64,
    },
    /// A pattern fills memory.
    Fill {
        /// The first byte that is written.
        address: u64,
        /// The pattern, of 1, 2 or 4 bytes.
        pattern: Bytes,
        /// How often the pattern is written.
        count: u64,
    },
    /// The host writes.
    Write {
        /// The first byte that is written.
        address: u64,
        /// What is written.
        content: W,
    },
    /// The host reads.
    Read {
        /// The first byte that is read.
        address: u64,
        /// What is read.
        content: R,
    },
}

impl<W, R> Operation<W, R> {
    /// Returns the same operation with what `write` makes of the content that is written, and `read` of that which is
    /// read at an address.
    pub fn map<V, S>(
        &self,
        write: impl FnOnce(&W) -> V,
        read: impl FnOnce(u64, &R) -> S,
    ) -> Operation<V, S> {
        match *self {
            Self::Launch {
                module,
                ref kernel,
                grid,
                block,
                dynamic_shared,
                cooperative,
                ref parameters,
                device,
                ref group,
            } => Operation::Launch {
                module,
                kernel: kernel.clone(),
                grid,
                block,
                dynamic_shared,
                cooperative,
                parameters: parameters.clone(),
                device,
                group: group.clone(),
            },
            Self::Copy { to, from, bytes } => Operation::Copy { to, from, bytes },
            Self::Fill { address, ref pattern, count } => {
                Operation::Fill { address, pattern: pattern.clone(), count }
            }
            Self::Write { address, ref content } => {
                Operation::Write { address, content: write(content) }
            }
            Self::Read { address, ref content } => {
                Operation::Read { address, content: read(address, content) }
            }
        }
    }
}

/// Bytes that are Base64 in JSON.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        STANDARD.decode(text.as_bytes()).map(Self).map_err(de::Error::custom)
    }
}
