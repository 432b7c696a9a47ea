//! The simulated devices of a run, with its allocations and modules. Addresses are those that were recorded.

use std::ops::Range;
use std::sync::Arc;

use ptx::ir::Module;
use simt::{DEVICE_BASE, Job, LoadedModule, Memory, Snapshot};
use simt_report::{LaunchReport, Link};

use crate::content::Content;
use crate::data::{Operation, Run};
use crate::replay::Options;

/// Bytes of a simulated device.
const CAPACITY: u64 = 1 << 30;
/// Bytes of an allocation that steps show, at most.
const MOST_KEPT: u64 = 1 << 21;
/// From the first address of a device to that of the next one.
const APART: u64 = 1 << 40;

/// The devices of a run.
pub(crate) struct Devices {
    memories: Vec<Memory>,
    /// The modules on each device.
    modules: Vec<Vec<LoadedModule>>,
    /// For each allocation of the recorded devices, its range there and its address here.
    allocations: Vec<(Range<u64>, u64)>,
    input_seed: Option<u64>,
}

impl Devices {
    /// The devices before the first operation of a run, with other digits if they have a seed.
    pub fn new(
        run: &Run,
        modules: &[Arc<Module>],
        input_seed: Option<u64>,
    ) -> Result<Self, String> {
        let of_launches = run.operations.iter().filter_map(|operation| match operation {
            Operation::Launch { device, .. } => *device,
            _ => None,
        });
        let named = run.allocations.iter().filter_map(|allocation| allocation.device);
        let last = named.chain(of_launches).max().unwrap_or_default();
        let base = |device| DEVICE_BASE + APART * u64::from(device);
        let memories: Vec<_> =
            (0..=last).map(|device| Memory::with_base(CAPACITY, base(device))).collect();
        let load = |memory| {
            let loaded = |module: &Arc<Module>| LoadedModule::load(module.clone(), memory);
            modules.iter().map(|module| loaded(module).map_err(in_words)).collect()
        };
        let modules = memories.iter().map(load).collect::<Result<_, _>>()?;
        let mut devices = Self { memories, modules, allocations: Vec::new(), input_seed };
        for allocation in &run.allocations {
            let content = devices.content(&allocation.content).bytes();
            let memory = &devices.memories[allocation.device.unwrap_or_default() as usize];
            let address = memory.allocate_with(&content).map_err(in_words)?;
            let end = allocation.address + content.len() as u64;
            devices.allocations.push((allocation.address..end, address));
        }
        Ok(devices)
    }

    /// What has this content on the devices, whose digits may be other ones.
    pub fn content(&self, content: &Content) -> Content {
        self.input_seed.map_or_else(|| content.clone(), |seed| content.with_seed(seed))
    }

    /// The address here of what had `address` on a recorded device; any other number is as it is.
    fn address(&self, address: u64) -> u64 {
        let found = self.allocations.iter().find(|(range, _)| range.contains(&address));
        found.map_or(address, |(range, here)| here + (address - range.start))
    }

    /// The content of all allocations, of large ones the beginning, with their addresses here.
    pub fn contents(&self) -> Vec<(u64, Vec<u8>)> {
        let contents = self.allocations.iter().map(|(range, here)| {
            let bytes = (range.end - range.start).min(MOST_KEPT) as usize;
            (*here, self.read(range.start, bytes).unwrap_or_default())
        });
        contents.collect()
    }

    /// The number of the device with an address here.
    pub fn device_of(address: u64) -> u32 {
        (address.saturating_sub(DEVICE_BASE) / APART) as u32
    }

    /// For each allocation of the recorded devices, its range there and its address here.
    pub fn into_moved(self) -> Vec<(Range<u64>, u64)> {
        self.allocations
    }

    /// The device, its memory and the address here of what had `address` on a recorded device.
    fn find(&self, address: u64) -> (usize, &Memory, u64) {
        let address = self.address(address);
        let device = (Self::device_of(address) as usize).min(self.memories.len() - 1);
        (device, &self.memories[device], address)
    }

    /// Copies within a device, or from one to another, which gives what went over the link.
    pub fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<Option<Link>, String> {
        let ((target, memory, to), (source, other, from)) = (self.find(to), self.find(from));
        if target == source {
            memory.copy(to, from, bytes).map_err(in_words)?;
            return Ok(None);
        }
        let content = other.content(from, bytes as usize).map_err(in_words)?;
        memory.write(to, &content).map_err(in_words)?;
        let (from, to) = (source as u32, target as u32);
        Ok(Some(Link { from, to, copied_bytes: bytes, ..Link::default() }))
    }

    /// Writes a pattern again and again.
    pub fn fill(&self, address: u64, pattern: &[u8], count: u64) -> Result<(), String> {
        let (_, memory, address) = self.find(address);
        memory.fill(address, pattern, count).map_err(in_words)
    }

    /// Writes.
    pub fn write(&self, address: u64, content: &[u8]) -> Result<(), String> {
        let (_, memory, address) = self.find(address);
        memory.write(address, content).map_err(in_words)
    }

    /// Reads.
    pub fn read(&self, address: u64, bytes: usize) -> Result<Vec<u8>, String> {
        let (_, memory, address) = self.find(address);
        memory.content(address, bytes).map_err(in_words)
    }

    /// Runs a launch to its end.
    pub fn launch(&self, operation: &Operation, options: &Options) -> Result<LaunchReport, String> {
        let job = self.job(operation, options)?;
        Ok(simt::launch_in(job.memory.clone(), &job.launch(), &job.options))
    }

    /// A launch as the machine takes it.
    pub fn job(&self, operation: &Operation, options: &Options) -> Result<Job, String> {
        let &Operation::Launch {
            module,
            ref kernel,
            grid,
            block,
            dynamic_shared,
            cooperative,
            ref parameters,
            device,
            ref group,
        } = operation
        else {
            return Err("this is no launch".into());
        };
        let device = device.unwrap_or_default() as usize;
        let module =
            self.modules[device].get(module).ok_or("a launch names a module that is not there")?;
        let kernel = module.kernel(kernel).ok_or_else(|| format!("there is no kernel {kernel}"))?;
        let mut params = parameters.0.clone();
        for word in params.chunks_exact_mut(8) {
            let address = u64::from_le_bytes(word.try_into().unwrap_or_default());
            word.copy_from_slice(&self.address(address).to_le_bytes());
        }
        let grid_workspace = match cooperative {
            true => self.memories[device].allocate_grid_workspace().map_err(in_words)?.start,
            false => 0,
        };
        Ok(Job {
            kernel,
            grid,
            block,
            cluster: None,
            dynamic_shared,
            params,
            options: options.of_machine().with(|options| options.grid_workspace = grid_workspace),
            memory: self.table(device),
            after: group.as_ref().map_or_else(Vec::new, |group| group.after.clone()),
        })
    }

    /// The memory that kernels of a device see.
    fn table(&self, device: usize) -> Snapshot {
        match &self.memories[..] {
            [only] => only.snapshot(),
            all => Snapshot::of_devices(device, &all.iter().collect::<Vec<_>>(), |_, _| None),
        }
    }
}

fn in_words(error: impl std::fmt::Display) -> String {
    error.to_string()
}
