//! The communicators: how ranks come together, and how they leave.

use std::{
    collections::BTreeMap,
    ffi::c_int,
    process,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use cudarc::{
    driver::{
        result::{self, ctx, primary_ctx},
        sys::{CUcontext, CUdevice, CUdeviceptr, CUevent, CUevent_flags, CUmodule, CUstream},
    },
    nccl::sys::{
        ncclComm_t, ncclResult_t::ncclSystemError, ncclResult_t::ncclUnhandledCudaError,
        ncclUniqueId,
    },
};

use crate::{
    driver::{self, Control, Inside, MOST, checked},
    entry::{Failure, Result, invalid_argument, invalid_usage, report},
    ledger::{Calls, Ledger, Missing},
    types::Factor,
    windows::{Memory, Windows},
};

/// A rank that waits for others longer than this says so.
const PATIENCE: Duration = Duration::from_secs(2);

/// It gives up after this time.
const LIMIT: Duration = Duration::from_secs(30);

/// What begins a unique id of this library.
const MAGIC: &[u8; 9] = b"simt-nccl";

/// One rank of a communicator.
pub struct Comm {
    /// The communicator's number.
    pub clique: u64,
    /// The rank.
    pub rank: usize,
    /// The number of ranks.
    pub ranks: usize,
    /// Its device.
    pub device: CUdevice,
    /// Its context.
    pub context: CUcontext,
    /// Its [`Control`], with its slots behind.
    pub control: CUdeviceptr,
    /// The kernels.
    pub module: CUmodule,
    /// Recorded after each launch.
    pub event: CUevent,
    /// The stream of the last launch.
    pub last: Option<CUstream>,
    /// The factors of the operators that the program has made.
    pub factors: Vec<Option<Factor>>,
    /// The windows that it has registered.
    pub windows: Windows,
    /// Whether the context is a primary one, which it then keeps alive.
    keeps_context: bool,
}

/// The ranks of a communicator.
pub struct Clique {
    /// The handle of each rank that has come.
    members: Vec<Option<usize>>,
    /// Whether all have come, and can reach each other.
    is_connected: bool,
    /// Why they never will.
    failure: Option<String>,
    /// What its ranks have called.
    pub calls: Calls,
    /// Ranks that have left. Their memory is freed with the last one's.
    left: Vec<Comm>,
}

/// All communicators.
pub struct World {
    /// Each rank's, by its handle.
    comms: BTreeMap<usize, Comm>,
    /// By their numbers.
    cliques: BTreeMap<u64, Clique>,
    /// What `ncclMemAlloc` has allocated.
    pub memory: Memory,
    last_handle: usize,
    last_clique: u64,
}

// SAFETY: handles of the driver may be used by any thread.
unsafe impl Send for World {}

static WORLD: Mutex<World> = Mutex::new(World {
    comms: BTreeMap::new(),
    cliques: BTreeMap::new(),
    memory: Memory::new(),
    last_handle: 0,
    last_clique: 0,
});
/// A rank has come, or it is known that none will.
static CHANGED: Condvar = Condvar::new();

/// Locks the world.
pub fn world() -> MutexGuard<'static, World> {
    WORLD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A new unique id: it names this process, and a communicator.
pub fn new_id() -> Result<ncclUniqueId> {
    driver::find()?;
    let mut world = world();
    world.last_clique += 1;
    let parts = [&MAGIC[..], &process::id().to_le_bytes(), &world.last_clique.to_le_bytes()];
    let mut internal = [0; 128];
    for (byte, value) in internal.iter_mut().zip(parts.concat()) {
        *byte = value as _;
    }
    Ok(ncclUniqueId { internal })
}

/// The number of the communicator of a unique id.
fn number_of(id: &ncclUniqueId) -> Result<u64> {
    let bytes = id.internal.map(|byte| byte as u8);
    let (magic, rest) = bytes.split_at(MAGIC.len());
    let (process, rest) = rest.split_at(4);
    if magic != MAGIC {
        return invalid_argument("not a unique id of ncclGetUniqueId");
    }
    if process != process::id().to_le_bytes() {
        let cause =
            "the unique id is of another process. On the simulator all ranks are in one process";
        return invalid_usage(cause);
    }
    Ok(u64::from_le_bytes(rest[..8].try_into().unwrap_or_default()))
}

/// Names ranks: `rank 2`, `ranks 0, 1 and 2`.
pub fn names(ranks: &[usize]) -> String {
    let all: Vec<_> = ranks.iter().map(usize::to_string).collect();
    match &all[..] {
        [] => "no rank".to_owned(),
        [only] => format!("rank {only}"),
        [first @ .., last] => format!("ranks {} and {last}", first.join(", ")),
    }
}

impl Clique {
    fn new(ranks: usize) -> Self {
        Self {
            members: vec![None; ranks],
            is_connected: false,
            failure: None,
            calls: Calls { collectives: Ledger::new(ranks), messages: BTreeMap::new() },
            left: Vec::new(),
        }
    }

    /// What a rank waits for that other ranks have not called.
    fn missing(&self, rank: usize) -> Vec<String> {
        let mut found = Vec::new();
        if let Some(Missing { number, what, waiting, missing }) = self.calls.collectives.missing()
            && waiting.contains(&rank)
        {
            let (who, waits) = (names(&missing), names(&waiting));
            let verb = if waiting.len() == 1 { "waits" } else { "wait" };
            found.push(format!(
                "collective {number}, {what}: {who} never called it, {waits} {verb}"
            ));
        }
        for (&(from, to), ledger) in &self.calls.messages {
            if let Some(Missing { what, waiting, .. }) = ledger.missing() {
                let (waits, missing, call) = match waiting[..] {
                    [0] => (from, to, "ncclRecv"),
                    _ => (to, from, "ncclSend"),
                };
                if waits == rank {
                    found.push(format!(
                        "{what} from rank {from} to rank {to}: rank {missing} never called {call}, rank {waits} waits"
                    ));
                }
            }
        }
        found
    }
}

impl Comm {
    /// The rank `rank` of `ranks`, on the device of the current context, or of device 0 if there is none.
    fn new(clique: u64, rank: usize, ranks: usize) -> Result<Self> {
        let current = checked(ctx::get_current(), "asking for the context")?;
        let device = match current {
            Some(_) => current_device()?,
            None => checked(result::device::get(0), "asking for device 0")?,
        };
        // SAFETY: the device exists.
        let primary = checked(unsafe { primary_ctx::retain(device) }, "opening a device")?;
        let context = current.unwrap_or(primary);
        let keeps_context = context == primary;
        if !keeps_context {
            // SAFETY: it was retained above.
            checked(unsafe { primary_ctx::release(device) }, "closing a device")?;
        }
        let _inside = Inside::new(context)?;
        let bytes = driver::memory_bytes(ranks);
        // SAFETY: nothing uses the memory before it is written to.
        let control = checked(unsafe { result::malloc_sync(bytes) }, "allocating slots")?;
        let event = result::event::create(CUevent_flags::CU_EVENT_DISABLE_TIMING);
        Ok(Self {
            clique,
            rank,
            ranks,
            device,
            context,
            control,
            module: driver::load()?,
            event: checked(event, "making an event")?,
            last: None,
            factors: Vec::new(),
            windows: Windows::default(),
            keeps_context,
        })
    }

    /// Frees what it has. Where a kernel has faulted, the context's end frees it.
    fn free(self) {
        if let Ok(_inside) = Inside::new(self.context) {
            // SAFETY: all ranks have left, and the driver waits for their kernels before it frees.
            unsafe {
                let _ = result::free_sync(self.control);
                let _ = result::event::destroy(self.event);
                let _ = result::module::unload(self.module);
            }
        }
        if self.keeps_context {
            // SAFETY: `new` has retained it.
            let _ = unsafe { primary_ctx::release(self.device) };
        }
    }
}

fn current_device() -> Result<CUdevice> {
    let mut device = 0;
    // SAFETY: the pointer is to a live variable.
    let found = unsafe { cudarc::driver::sys::cuCtxGetDevice(&mut device) };
    checked(found.result().map(|()| device), "asking for the device")
}

/// Adds a rank, which [`wait`] then waits for others to join.
pub fn join(id: &ncclUniqueId, rank: c_int, ranks: c_int) -> Result<(usize, u64)> {
    driver::find()?;
    checked(result::init(), "opening the driver")?;
    let number = number_of(id)?;
    let (rank, ranks) = match (usize::try_from(rank), usize::try_from(ranks)) {
        (Ok(rank), Ok(ranks)) if rank < ranks && ranks <= MOST => (rank, ranks),
        _ => {
            let cause = format!("rank {rank} of {ranks}: the simulator has 1 to {MOST} ranks");
            return invalid_argument(cause);
        }
    };
    let mut world = world();
    let comm = Comm::new(number, rank, ranks)?;
    let handle = world.last_handle + 1;
    if let Err(failure) = world.admit(&comm, handle) {
        comm.free();
        return Err(failure);
    }
    world.last_handle = handle;
    world.comms.insert(handle, comm);
    let connected = world.connect_if_complete(number);
    if let (Err(Failure { cause, .. }), Some(clique)) = (&connected, world.cliques.get_mut(&number))
    {
        clique.failure = Some(cause.clone());
    }
    CHANGED.notify_all();
    connected.map(|()| (handle, number))
}

impl World {
    /// Takes a rank into its communicator, which the first one makes.
    fn admit(&mut self, comm: &Comm, handle: usize) -> Result {
        let Comm { clique, rank, ranks, device, .. } = *comm;
        let clique = self.cliques.entry(clique).or_insert_with(|| Clique::new(ranks));
        if clique.members.len() != ranks {
            let others = clique.members.len();
            return invalid_argument(format!("{ranks} ranks, where another rank said {others}"));
        }
        if clique.members[rank].is_some() {
            return invalid_usage(format!("rank {rank} is there already"));
        }
        for &other in clique.members.iter().flatten() {
            if let Some(other) = self.comms.get(&other).filter(|other| other.device == device) {
                let other = other.rank;
                return invalid_usage(format!(
                    "ranks {other} and {rank} are both on device {device}"
                ));
            }
        }
        clique.members[rank] = Some(handle);
        Ok(())
    }

    /// If all ranks have come, lets each reach the others.
    fn connect_if_complete(&mut self, number: u64) -> Result {
        let Some(clique) = self.cliques.get_mut(&number) else { return Ok(()) };
        let Some(handles) = clique.members.iter().copied().collect::<Option<Vec<_>>>() else {
            return Ok(());
        };
        let comms: Vec<&Comm> =
            handles.iter().filter_map(|handle| self.comms.get(handle)).collect();
        let mut of = [0; MOST];
        for (address, comm) in of.iter_mut().zip(&comms) {
            *address = comm.control;
        }
        for comm in &comms {
            let _inside = Inside::new(comm.context)?;
            for peer in comms.iter().filter(|peer| peer.rank != comm.rank) {
                driver::enable_access_to(peer.context)?;
            }
            let (rank, ranks) = (comm.rank as i32, comm.ranks as i32);
            let control = Control { rank, ranks, counters: [0; _], of, told: [0; _] };
            driver::write(comm.control, control)?;
        }
        clique.is_connected = true;
        Ok(())
    }

    /// All ranks of all communicators.
    pub fn comms(&self) -> impl Iterator<Item = &Comm> {
        self.comms.values()
    }

    /// A rank by its handle.
    pub fn comm(&mut self, handle: ncclComm_t) -> Result<&mut Comm> {
        let found = self.comms.get_mut(&handle.addr());
        found.map_or_else(|| invalid_argument("not a communicator"), Ok)
    }

    /// A rank, and the communicator that it is in.
    pub fn comm_and_clique(&mut self, handle: ncclComm_t) -> Result<(&mut Comm, &mut Clique)> {
        let Self { comms, cliques, .. } = self;
        let comm = comms.get_mut(&handle.addr());
        let pair = comm.and_then(|comm| Some((cliques.get_mut(&comm.clique)?, comm)));
        match pair {
            Some((clique, comm)) if clique.is_connected => Ok((comm, clique)),
            Some(_) => invalid_usage("the communicator is not complete before ncclGroupEnd"),
            None => invalid_argument("not a communicator"),
        }
    }
}

/// Returns when all ranks of a communicator have come, or fails when they are unlikely to.
pub fn wait(number: u64) -> Result {
    wait_for(number, "came", |clique| {
        let ranks = 0..clique.members.len();
        ranks.filter(|&rank| clique.members[rank].is_none()).collect()
    })
}

/// Returns when all ranks of a communicator have called as many collectives, the last of which registers a window.
pub fn wait_for_window(number: u64, calls: usize) -> Result {
    CHANGED.notify_all();
    let what = "called ncclCommWindowRegister, which returns when all ranks have called it: one thread calls it for \
                several ranks in a group";
    wait_for(number, what, |clique| clique.calls.collectives.behind(calls))
}

/// Returns when no rank of a communicator is missing, or fails when those are unlikely to do what others have `done`.
fn wait_for(number: u64, done: &str, missing: impl Fn(&Clique) -> Vec<usize>) -> Result {
    let begin = Instant::now();
    let mut has_said = false;
    let mut world = world();
    loop {
        let Some(clique) = world.cliques.get_mut(&number) else { return Ok(()) };
        if let Some(cause) = &clique.failure {
            return Err(Failure { code: ncclSystemError, cause: cause.clone() });
        }
        let missing = missing(clique);
        if missing.is_empty() {
            return Ok(());
        }
        let text = format!("of {} ranks, {} never {done}", clique.members.len(), names(&missing));
        if begin.elapsed() > LIMIT {
            clique.failure = Some(text);
            CHANGED.notify_all();
            continue;
        }
        if begin.elapsed() > PATIENCE && !has_said {
            report(&format!("after {} s: {text}", PATIENCE.as_secs()));
            has_said = true;
        }
        let waited = CHANGED.wait_timeout(world, PATIENCE);
        world = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
}

/// The error that a rank's context is left with. If others have not called what the rank waits for, says so.
pub fn state(handle: ncclComm_t) -> Result {
    let mut world = world();
    let (comm, clique) = world.comm_and_clique(handle)?;
    let _inside = Inside::new(comm.context);
    match result::mem_get_info() {
        Ok(_) => Ok(()),
        Err(error) => {
            let causes = [vec![format!("{:?}", error.0)], clique.missing(comm.rank)].concat();
            Err(Failure { code: ncclUnhandledCudaError, cause: causes.join("\n  ") })
        }
    }
}

/// Takes a rank out. The last one frees the memory of all.
pub fn leave(handle: ncclComm_t) -> Result {
    let mut world = world();
    let Some(comm) = world.comms.remove(&handle.addr()) else {
        return invalid_argument("not a communicator");
    };
    let number = comm.clique;
    let Some(clique) = world.cliques.get_mut(&number) else { return Ok(()) };
    for text in clique.missing(comm.rank) {
        report(&format!("rank {} leaves before the end of {text}", comm.rank));
    }
    clique.left.push(comm);
    let came = clique.members.iter().flatten().count();
    if clique.left.len() < came {
        return Ok(());
    }
    let left = std::mem::take(&mut clique.left);
    world.cliques.remove(&number);
    drop(world);
    // Freeing waits for kernels, and other threads may have to launch some meanwhile.
    left.into_iter().for_each(Comm::free);
    Ok(())
}
