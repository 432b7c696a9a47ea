//! What the simulator knows beyond the CUDA API: options, counters, races, faults.

use std::{ffi::CStr, ops::AddAssign, path::Path};

use libloading::Library;
use serde::{Deserialize, Serialize};

use crate::{Error, error::in_full, trace::Trace};

type SetOption = unsafe extern "C" fn(*const std::ffi::c_char, i64) -> i32;
type TakeReport = unsafe extern "C" fn(*mut std::ffi::c_char, usize) -> usize;

/// The extra functions of the simulator's library, which stays loaded.
#[derive(Debug)]
pub struct Simulator {
    set_option: SetOption,
    take_report: TakeReport,
    _library: Library,
}

impl Simulator {
    /// Opens the library at `path`.
    pub(crate) fn load(path: &Path) -> Result<Self, Error> {
        let bad = |error: libloading::Error| Error::BadSimulator {
            path: path.to_path_buf(),
            reason: in_full(&error),
        };
        // SAFETY: the library is ours and its initialisers have no preconditions.
        let library = unsafe { Library::new(path) }.map_err(bad)?;
        // SAFETY: the signatures are those that simt-driver exports under these names.
        let (set_option, take_report) = unsafe {
            (
                *library.get::<SetOption>(b"simtSetOption").map_err(bad)?,
                *library.get::<TakeReport>(b"simtTakeReport").map_err(bad)?,
            )
        };
        Ok(Self {
            set_option,
            take_report,
            _library: library,
        })
    }

    /// Sets an option (`seed`, `races`, `counters`, `trace`, `instruction_limit`, …); false where
    /// the simulator has none of that name.
    pub fn set(&self, name: &CStr, value: i64) -> bool {
        // SAFETY: `name` ends in NUL, and the function only reads it.
        unsafe { (self.set_option)(name.as_ptr(), value) == 0 }
    }

    /// What the launches since the last call did, as the simulator's JSON.
    pub fn take_json(&self) -> String {
        read_all(|buffer| {
            // SAFETY: the function writes at most `len` bytes.
            unsafe { (self.take_report)(buffer.as_mut_ptr().cast(), buffer.len()) }
        })
    }

    /// What the launches since the last call did.
    pub fn take(&self) -> Report {
        let json = self.take_json();
        serde_json::from_str(&json).unwrap_or_else(|error| Report {
            launches: Vec::new(),
            unreadable: Some(error.to_string()),
        })
    }
}

/// A report takes that much at first.
const USUAL: usize = 64 * 1024;

/// The text that `take` hands over. It returns the text's length, and once a buffer has had room
/// for it the text is gone: the next call is for another.
fn read_all(mut take: impl FnMut(&mut [u8]) -> usize) -> String {
    let mut buffer = vec![0; USUAL];
    loop {
        let needed = take(&mut buffer);
        let fitted = needed <= buffer.len();
        buffer.resize(needed, 0);
        if fitted {
            return String::from_utf8_lossy(&buffer).into_owned();
        }
    }
}

/// The launches of one operation.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Report {
    /// In the order in which they were made.
    #[serde(default)]
    pub launches: Vec<LaunchReport>,
    /// Why the report could not be read, if so: library and program do not match.
    #[serde(skip)]
    pub unreadable: Option<String>,
}

impl Report {
    /// Counters, summed over the launches.
    pub fn counters(&self) -> Option<Counters> {
        let mut counted = self
            .launches
            .iter()
            .filter_map(|launch| launch.counters.as_ref());
        let mut sum = counted.next()?.clone();
        counted.for_each(|counters| sum += counters);
        Some(sum)
    }

    /// Races of all launches.
    pub fn races(&self) -> Vec<Race> {
        self.launches
            .iter()
            .flat_map(|launch| launch.races.iter().cloned())
            .collect()
    }

    /// What the warps of each launch did, where that was traced.
    pub fn traces(&self) -> impl Iterator<Item = &Trace> {
        self.launches
            .iter()
            .filter_map(|launch| launch.trace.as_ref())
    }

    /// The first fault.
    pub fn fault(&self) -> Option<&Fault> {
        self.launches
            .iter()
            .find_map(|launch| launch.fault.as_ref())
    }
}

/// One launch.
#[derive(Clone, Debug, Deserialize)]
pub struct LaunchReport {
    /// The kernel's name.
    pub kernel: String,
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// What was counted.
    #[serde(default)]
    pub counters: Option<Counters>,
    /// What the race detector found.
    #[serde(default)]
    pub races: Vec<Race>,
    /// What stopped the launch.
    #[serde(default)]
    pub fault: Option<Fault>,
    /// What each warp did, if the launch was traced.
    #[serde(default)]
    pub trace: Option<Trace>,
}

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// What the simulated hardware counted. *Exact*: what a GPU of compute capability 9.0 counts
        /// for the same launch. *PTX-level*: of PTX instructions, where a GPU counts those that
        /// an assembler has made of them. `book/measurements/README.md` names the GPU's metrics.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct Counters {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl AddAssign<&Counters> for Counters {
            fn add_assign(&mut self, other: &Counters) {
                $(self.$name += other.$name;)*
            }
        }
    };
}

counters! {
    /// Warp instructions that load from global memory with an active lane. Exact.
    global_load_requests,
    /// Distinct 32-byte blocks that those loads touch, each load by itself. Exact.
    global_load_sectors,
    /// Warp instructions that store to global memory with an active lane. Exact.
    global_store_requests,
    /// Distinct 32-byte blocks that those stores touch, each store by itself. Exact.
    global_store_sectors,
    /// Warp instructions that load from shared memory. Exact, but for atomics that become a loop:
    /// they load too, more often if other warps come between.
    shared_load_requests,
    /// Passes over the banks that those loads take. Exact, with the same exception.
    shared_load_wavefronts,
    /// Warp instructions that store to shared memory. Exact.
    shared_store_requests,
    /// Passes over the banks that those stores take. Exact.
    shared_store_wavefronts,
    /// Wavefronts of shared loads and stores beyond those without conflicts. Exact, with the same
    /// exception.
    shared_bank_conflicts,
    /// Passes over the banks that atomics on shared memory take. PTX-level: exact where an atomic
    /// becomes one instruction, and otherwise for a warp that no other disturbs.
    shared_atomic_wavefronts,
    /// Warp instructions that update global memory atomically. Exact.
    global_atomic_requests,
    /// Instructions issued, one a warp. PTX-level.
    warp_instructions,
    /// Instructions executed, one an active lane. PTX-level.
    thread_instructions,
    /// Branches on which the lanes of a warp went both ways. PTX-level.
    divergent_branches,
    /// Arrivals at a block's barrier, one a warp. PTX-level.
    barriers,
}

/// Two accesses that nothing orders.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Race {
    /// Which accesses and where, such as `shared_write_read`.
    pub kind: String,
    /// `shared` or `global`.
    pub space: String,
    /// The array's name, or its allocation.
    pub array: String,
    /// Byte offset into the array.
    pub offset: u64,
    /// The access that came first in this run.
    pub first: Access,
    /// The other.
    pub second: Access,
    /// What would have ordered them, such as `__syncthreads`.
    pub missing: String,
    /// All of it in a paragraph.
    pub message: String,
}

/// One side of a race.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Access {
    /// Source file and line.
    pub line: String,
    /// The block's index.
    pub block: [u32; 3],
    /// The warp within the block.
    pub warp: u32,
    /// The lane within the warp.
    pub lane: u32,
    /// `read`, `write` or `atomic`.
    pub access: String,
}

/// What stopped a launch.
#[derive(Clone, Debug, Deserialize)]
pub struct Fault {
    /// The kind, such as `illegal_address`.
    pub kind: String,
    /// Kernel, source line, thread and cause.
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::{USUAL, read_all};

    #[test]
    fn a_report_is_read_whatever_its_length() {
        for length in [0, 1, USUAL - 1, USUAL, USUAL + 1, 3 * USUAL] {
            let mut report = "x".repeat(length);
            // As simtTakeReport does: what has fitted is forgotten.
            let text = read_all(|buffer| {
                let needed = report.len();
                if needed <= buffer.len() {
                    buffer[..needed].copy_from_slice(report.as_bytes());
                    report.clear();
                }
                needed
            });
            assert_eq!(text.len(), length);
        }
    }
}
