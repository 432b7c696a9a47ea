//! How long a thread waits for one result at a time: an addition, and loads from the kinds of memory. One
//! thread runs, and each of its steps needs the result of the step before.

use cudarc::{
    driver::{LaunchConfig, PushKernelArg},
    nvrtc::Ptx,
};
use harness::{Device, Error, buffer, ceiling::POINTER_CHASE_PTX, kernel::grid, timing::Stopwatch};

/// The mean time of one step, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Latencies {
    /// An addition of floats in registers.
    pub addition: f64,
    /// A load from shared memory.
    pub shared: f64,
    /// A load from the L1 cache.
    pub l1: f64,
    /// A load from the L2 cache.
    pub l2: f64,
    /// A load from memory, with the L2 flushed before.
    pub memory: f64,
}

/// Additions in one round of `add_chain`.
const ADDITIONS: u32 = 64;

/// A chain through an array: `places` places, a place every `stride` bytes.
struct Chain {
    places: u32,
    stride: u32,
}

/// 1 KiB: all of the array in `shared_chase`.
const IN_SHARED: Chain = Chain { places: 256, stride: 4 };
/// 8 KiB, which any L1 holds.
const IN_L1: Chain = Chain { places: 64, stride: 128 };
/// 4 MiB: many times the L1, and a small part of the L2.
const IN_L2: Chain = Chain { places: 1 << 15, stride: 128 };
/// A place per 4 KiB and a line, so that no load brings what another asks for.
const IN_MEMORY: Chain = Chain { places: 4096, stride: 4096 + 128 };

impl Chain {
    /// A ring: each place holds the index of the next one, and the last that of the first.
    fn words(&self) -> Vec<u32> {
        let stride = self.stride / 4;
        let mut words = vec![0; (self.places * stride) as usize];
        for place in 0..self.places {
            words[(place * stride) as usize] = (place + 1) % self.places * stride;
        }
        words
    }
}

/// Measures all of them. What should come from a cache is read `rounds` times after the first time; 16 are enough.
///
/// # Errors
/// [`Error::Driver`] for the first call that fails.
pub fn measure(device: &Device, rounds: u32) -> Result<Latencies, Error> {
    let mut probes = Probes { device, stopwatch: Stopwatch::new(device, 20)? };
    // The first round fills the cache, so it is in both launches.
    let cached = |chain: &Chain, times: u32| [1, 1 + times * rounds].map(|n| n * chain.places);
    Ok(Latencies {
        addition: probes.additions([1, 1 + 64 * rounds])? / f64::from(ADDITIONS),
        shared: probes.shared(cached(&IN_SHARED, 16))?,
        l1: probes.global(&IN_L1, cached(&IN_L1, 64))?,
        l2: probes.global(&IN_L2, cached(&IN_L2, 1))?,
        memory: probes.global(&IN_MEMORY, [1, IN_MEMORY.places])?,
    })
}

struct Probes<'a> {
    device: &'a Device,
    stopwatch: Stopwatch,
}

impl Probes<'_> {
    /// Nanoseconds per count of the kernel `name`, whose parameters are `(const T* in, T* out, unsigned count)`.
    /// It is the difference of two launches, since what a launch costs is in both.
    fn per_count(
        &mut self,
        (ptx, name): (&str, &str),
        config: LaunchConfig,
        input: &[u32],
        counts: [u32; 2],
    ) -> Result<f64, Error> {
        let device = self.device;
        let module = device.context.load_module(Ptx::from_src(ptx));
        let kernel = module.and_then(|module| module.load_function(name));
        let kernel = kernel.map_err(|error| device.explain(name, error))?;
        let input = buffer::to_device(device, input)?;
        let mut out = buffer::scratch::<u32>(device, 1)?;
        let mut time = |count: u32| {
            self.stopwatch.measure(&mut || {
                let mut launch = device.stream.launch_builder(&kernel);
                launch.arg(&input).arg(&mut out).arg(&count);
                // SAFETY: the contracts of the three kernels: every place of a chain holds the index of another,
                // `add_chain` reads one word, and `out` holds one.
                unsafe { launch.launch(config) }.map(drop)
            })
        };
        let [short, long] = [time(counts[0])?.time(), time(counts[1])?.time()];
        Ok((long.median - short.median) * 1e6 / f64::from(counts[1] - counts[0]))
    }

    fn additions(&mut self, rounds: [u32; 2]) -> Result<f64, Error> {
        let kernel = (include_str!("../kernels/add_chain.ptx"), "add_chain");
        self.per_count(kernel, grid(1, 1), &[1.0f32.to_bits()], rounds)
    }

    fn shared(&mut self, steps: [u32; 2]) -> Result<f64, Error> {
        let kernel = (include_str!("../kernels/shared_chase.ptx"), "shared_chase");
        self.per_count(kernel, grid(1, IN_SHARED.places), &IN_SHARED.words(), steps)
    }

    fn global(&mut self, chain: &Chain, steps: [u32; 2]) -> Result<f64, Error> {
        self.per_count((POINTER_CHASE_PTX, "pointer_chase"), grid(1, 1), &chain.words(), steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_a_ring() {
        let chain = Chain { places: 3, stride: 8 };
        assert_eq!(chain.words(), [2, 0, 4, 0, 0, 0]);
    }
}
