//! Everything the library knows: the devices, and the objects that handles stand for.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use simt::Memory;

use crate::capture::Capture;
use crate::context::Context;
use crate::entry::say;
use crate::error::{CUresult, Result};
use crate::fork;
use crate::graph::{Exec, Graph, Node};
use crate::handles::{Handle, Kind, Table};
use crate::host::HostMemory;
use crate::module::{Function, Module};
use crate::options;
use crate::pending::Entry;
use crate::pool::Pool;
use crate::profile;
use crate::stream::{Event, Stream};
use crate::types::CUdevice;

/// Device memory begins here: above all addresses of the host.
pub const DEVICE_ADDRESSES: u64 = 1 << 48;

/// A device, and what belongs to it rather than to a context.
pub struct Device {
    /// Its number.
    pub ordinal: usize,
    /// Its memory.
    pub memory: Memory,
    /// Held while anything runs on the device but launches of a group (`together.rs`): one launch or copy
    /// at a time.
    pub busy: Mutex<()>,
    /// Who owns which allocation, by its first address.
    pub owners: Mutex<BTreeMap<u64, Owner>>,
    /// The primary context, and how often it is retained.
    pub primary: Mutex<Primary>,
    /// The pool that the device began with.
    pub default_pool: Handle,
    /// The pool that `cuMemAllocAsync` takes from.
    pub current_pool: Mutex<Handle>,
}

/// To whom an allocation belongs.
#[derive(Clone, Copy, Debug)]
pub struct Owner {
    /// The context; freed with it.
    pub context: Handle,
    /// The pool that it came from, or null.
    pub pool: Handle,
    /// A number that no other allocation ever has.
    pub id: u64,
}

/// The state of a device's primary context.
#[derive(Debug, Default)]
pub struct Primary {
    /// The context, while it exists.
    pub context: Option<Handle>,
    /// Retains less releases.
    pub retained: u32,
    /// Flags for when it is made.
    pub flags: u32,
}

/// All of it.
pub struct Driver {
    /// The devices.
    pub devices: Vec<Device>,
    /// Contexts.
    pub contexts: Table<Context>,
    /// Modules, which are libraries too.
    pub modules: Table<Module>,
    /// Functions of modules, which are kernels of libraries too.
    pub functions: Table<Function>,
    /// Streams but the default ones.
    pub streams: Table<Stream>,
    /// Events.
    pub events: Table<Event>,
    /// Memory pools.
    pub pools: Table<Pool>,
    /// Graphs.
    pub graphs: Table<Graph>,
    /// Nodes of graphs.
    pub nodes: Table<Node>,
    /// Executable graphs.
    pub execs: Table<Exec>,
    /// Captures that have begun and not ended.
    pub captures: Mutex<Vec<Capture>>,
    /// Work that is queued and not done.
    pub pending: Mutex<Vec<Entry>>,
    /// Page-locked memory of the host.
    pub host: Mutex<HostMemory>,
}

static DRIVER: OnceLock<Driver> = OnceLock::new();

/// The driver; fails before `cuInit`, and in a forked child.
pub fn driver() -> Result<&'static Driver> {
    if fork::is_child() {
        let cause = "this is a forked child of a process that had initialized the driver";
        return Err(CUresult::NOT_INITIALIZED.because(cause));
    }
    DRIVER.get().ok_or(CUresult::NOT_INITIALIZED.into())
}

/// The driver, made if it is not there yet.
pub fn initialize() -> &'static Driver {
    DRIVER.get_or_init(|| {
        fork::watch();
        simt::report_long_runs(say_long_run);
        options::read_environment();
        Driver::new(options::device_count())
    })
}

/// Says that a kernel may never end.
fn say_long_run(run: &simt::LongRun<'_>) {
    let simt::LongRun { kernel, line, elapsed } = run;
    say(&format!(
        "note: kernel `{kernel}` has been running for {} s, and is at {line}; if it never ends, SIMT_INSTRUCTION_LIMIT=100000000 stops each kernel after as many warp instructions",
        elapsed.as_secs()
    ));
}

impl Driver {
    fn new(count: usize) -> Self {
        let pools = Table::new(Kind::Pool);
        Self {
            devices: (0..count).map(|ordinal| Device::new(ordinal, count, &pools)).collect(),
            contexts: Table::new(Kind::Context),
            modules: Table::new(Kind::Module),
            functions: Table::new(Kind::Function),
            streams: Table::new(Kind::Stream),
            events: Table::new(Kind::Event),
            pools,
            graphs: Table::new(Kind::Graph),
            nodes: Table::new(Kind::Node),
            execs: Table::new(Kind::Exec),
            captures: Mutex::new(Vec::new()),
            pending: Mutex::new(Vec::new()),
            host: Mutex::new(HostMemory::default()),
        }
    }

    /// A device by its number.
    pub fn device(&self, number: CUdevice) -> Result<&Device> {
        let index = usize::try_from(number).ok();
        index.and_then(|i| self.devices.get(i)).ok_or(CUresult::INVALID_DEVICE.into())
    }
}

impl Device {
    /// The device number `ordinal` of `count`.
    fn new(ordinal: usize, count: usize, pools: &Table<Pool>) -> Self {
        let stretch = DEVICE_ADDRESSES / count.next_power_of_two() as u64;
        let base = DEVICE_ADDRESSES + ordinal as u64 * stretch;
        let pool = pools.insert(Pool::new(ordinal));
        Self {
            ordinal,
            memory: Memory::with_base(profile::MEMORY_BYTES, base),
            busy: Mutex::new(()),
            owners: Mutex::new(BTreeMap::new()),
            primary: Mutex::new(Primary::default()),
            default_pool: pool,
            current_pool: Mutex::new(pool),
        }
    }

    /// The owner of the allocation that contains an address, and the allocation's range.
    pub fn owner(&self, address: u64) -> Option<(Owner, u64, u64)> {
        let (base, bytes) = self.memory.allocation(address)?;
        lock(&self.owners).get(&base).map(|owner| (*owner, base, bytes))
    }
}

/// Locks. A panic elsewhere while the lock was held is reported there, and does no harm here.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
