//! Counters that model the hardware's.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// Defines [`Counters`] by the names of its counters.
macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// What the simulated hardware counted, summed over the warps of a launch.
        ///
        /// *Exact* counters equal those of a GPU of compute capability 9.0 for the same launch, as Nsight
        /// Compute reads them (`book/measurements/README.md` names the GPU's metrics). The test
        /// `counters` of `validate` compares about 2,200 launches with those of an H200. *PTX-level*
        /// counters count PTX instructions. The assembler may predicate, unroll, merge and replace
        /// instructions, so the counts of the machine code differ. If it merges or drops equal memory
        /// accesses with nothing in between, even exact counters differ.
        ///
        /// - a **request** is a warp instruction with at least one active lane;
        /// - its **sectors** are the distinct 32-byte blocks of device memory that its lanes touch;
        /// - its **wavefronts** are the passes over the banks of shared memory that it takes, and its
        ///   **bank conflicts** the wavefronts that an access without conflicts would not take (`simt`'s
        ///   module `banks` has the rules).
        ///
        /// `cp.async` counts as a load from global memory and a store to shared memory; a GPU has
        /// separate counters for it. Bulk copies (`cp.async.bulk`) and `mbarrier` instructions count as
        /// warp instructions only: on a GPU the data of a bulk copy does not pass through the units that
        /// count requests, sectors and wavefronts.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub struct Counters {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl Counters {
            /// Returns the counter of this name, if there is one.
            pub fn get(&self, name: &str) -> Option<u64> {
                match name {
                    $(stringify!($name) => Some(self.$name),)*
                    _ => None,
                }
            }
        }

        impl AddAssign for Counters {
            #[inline]
            fn add_assign(&mut self, other: Self) {
                $(self.$name += other.$name;)*
            }
        }
    };
}

counters! {
    /// Warp loads from global memory. Exact.
    global_load_requests,
    /// Sectors of the global loads, each load by itself. Exact.
    global_load_sectors,
    /// Warp stores to global memory. Exact.
    global_store_requests,
    /// Sectors of the global stores, each store by itself. Exact.
    global_store_sectors,
    /// Warp loads from shared memory. Exact, except for atomics that become a loop: the loop loads too,
    /// more often if other warps come between.
    shared_load_requests,
    /// Wavefronts of the shared loads. Exact, with the same exception.
    shared_load_wavefronts,
    /// Warp stores to shared memory. Exact.
    shared_store_requests,
    /// Wavefronts of the shared stores. Exact.
    shared_store_wavefronts,
    /// Wavefronts of shared loads and stores that bank conflicts add. Exact, with the same exception.
    shared_bank_conflicts,
    /// Wavefronts of atomics on shared memory. PTX-level: exact if an atomic becomes one instruction, and
    /// otherwise for a warp that no other warp disturbs.
    shared_atomic_wavefronts,
    /// Warp atomics and reductions on global memory. Exact.
    global_atomic_requests,
    /// Warp accesses of any kind to the shared memory of another block of the cluster (*distributed
    /// shared memory*), which count as nothing else: one per block that is accessed. Not compared with a
    /// GPU yet.
    #[serde(default)]
    dshared_requests,
    /// Sectors of these accesses: the distinct 32-byte blocks of shared memory that they touch. Of atomics
    /// at one word each lane has its own. Exact for loads and stores; for atomics on random words an H100
    /// counted 0.03 % more.
    #[serde(default)]
    dshared_sectors,
    /// Warp instructions. PTX-level.
    warp_instructions,
    /// Active lanes, summed over warp instructions. PTX-level.
    thread_instructions,
    /// Branches at which the active lanes of a warp diverged. PTX-level.
    divergent_branches,
    /// Arrivals at a block's barrier, counted once per warp. PTX-level.
    barriers,
}
