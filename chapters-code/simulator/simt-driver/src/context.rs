//! Contexts: which one a thread is in, and what is left of one after a kernel faulted.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use simt::{FaultKind, NoAccess, Snapshot};

use crate::capture;
use crate::error::{CUresult, Result};
use crate::handles::Handle;
use crate::pending;
use crate::profile;
use crate::state::{Device, driver, lock};
use crate::strict;

/// A context.
pub struct Context {
    /// Its handle.
    pub handle: Handle,
    /// Its device's number.
    pub ordinal: usize,
    /// A number that no other context ever has.
    pub id: u64,
    /// True for a device's primary context, which only a release or reset can destroy.
    pub primary: bool,
    /// Settings that can be changed and read back.
    pub settings: Mutex<Settings>,
    /// The contexts whose memory its kernels may access, besides its own device's.
    pub peers: Mutex<HashSet<Handle>>,
    fault: Mutex<Option<Sticky>>,
    /// Whether something was reported in strict mode since the last call that waited.
    reported: AtomicBool,
}

/// A context's settings. But for the limits they have no effect here, and on a GPU little.
#[derive(Debug)]
pub struct Settings {
    /// `CUctx_flags`.
    pub flags: u32,
    /// `CUfunc_cache`.
    pub cache: u32,
    /// `CUsharedconfig`.
    pub shared: u32,
    /// By `CUlimit`.
    pub limits: HashMap<u32, usize>,
}

/// The error that a context is left with when a kernel faulted.
#[derive(Clone, Copy, Debug)]
struct Sticky {
    code: CUresult,
    /// True once a synchronising call has returned the error: from then on every call does.
    observed: bool,
}

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// The pairs of contexts, and of pools and devices, between which access is enabled.
static PEERS: AtomicUsize = AtomicUsize::new(0);

/// Notes that access has been enabled.
pub fn add_peers(count: usize) {
    PEERS.fetch_add(count, Ordering::SeqCst);
}

/// Notes that access has been disabled.
pub fn remove_peers(count: usize) {
    PEERS.fetch_sub(count, Ordering::SeqCst);
}

/// Whether kernels of some context may access the memory of another device. (A pool stays open to a device whose
/// contexts are gone.)
pub fn any_peers() -> bool {
    PEERS.load(Ordering::SeqCst) > 0 && on_several_devices()
}

/// Whether there are contexts on several devices.
pub fn on_several_devices() -> bool {
    driver().is_ok_and(|driver| {
        let is_used = |ordinal: &usize| {
            !driver.contexts.find(|context| context.ordinal == *ordinal).is_empty()
        };
        (0..driver.devices.len()).filter(is_used).nth(1).is_some()
    })
}

thread_local! {
    /// The contexts that this thread has pushed; the last is the current one.
    static STACK: RefCell<Vec<Handle>> = const { RefCell::new(Vec::new()) };
}

impl Context {
    /// A new context on a device, not current anywhere. Returns its handle.
    pub fn create(device: &Device, flags: u32, primary: bool) -> Result<Handle> {
        let settings = Settings { flags, cache: 0, shared: 0, limits: default_limits() };
        Ok(driver()?.contexts.insert_with(|handle| Self {
            handle,
            ordinal: device.ordinal,
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            primary,
            settings: Mutex::new(settings),
            peers: Mutex::default(),
            fault: Mutex::new(None),
            reported: AtomicBool::new(false),
        }))
    }

    /// The context's device.
    pub fn device(&self) -> Result<&'static Device> {
        driver()?.device(self.ordinal as i32)
    }

    /// The memory of all devices, as kernels of the context see it.
    pub fn memory(&self) -> Result<Snapshot> {
        let driver = driver()?;
        // A program with one device sees nothing of the others, although they are there.
        if driver.contexts.find(|context| context.ordinal != self.ordinal).is_empty() {
            return Ok(driver.devices[self.ordinal].memory.snapshot());
        }
        let peers = lock(&self.peers).clone();
        let refuses = |device: usize, base: u64| {
            let owner = lock(&driver.devices[device].owners).get(&base).copied();
            match owner {
                Some(owner) if !owner.pool.is_null() => {
                    let pool = driver.pools.get(owner.pool);
                    let is_open = pool.is_some_and(|pool| pool.is_open_to(self.ordinal));
                    (!is_open).then_some(NoAccess::Pool)
                }
                Some(owner) => (!peers.contains(&owner.context)).then_some(NoAccess::Peer),
                // A variable of a module. Its context is one of the device's.
                None => {
                    let all = peers.iter().filter_map(|peer| driver.contexts.get(*peer));
                    let is_open = { all }.any(|peer| peer.ordinal == device);
                    (!is_open).then_some(NoAccess::Peer)
                }
            }
        };
        let memories: Vec<_> = driver.devices.iter().map(|device| &device.memory).collect();
        Ok(Snapshot::of_devices(self.ordinal, &memories, refuses))
    }

    /// Lets kernels of the context access the memory of another.
    pub fn enable_peer(&self, peer: &Self) -> Result {
        if peer.handle == self.handle {
            return Err(CUresult::INVALID_CONTEXT.because("a context is no peer of itself"));
        }
        if peer.ordinal == self.ordinal {
            return Err(
                CUresult::PEER_ACCESS_UNSUPPORTED.because("both contexts are on one device")
            );
        }
        if !lock(&self.peers).insert(peer.handle) {
            return Err(CUresult::PEER_ACCESS_ALREADY_ENABLED.into());
        }
        add_peers(1);
        Ok(())
    }

    /// Takes that access back, when the work of the context is done.
    pub fn disable_peer(&self, peer: Handle) -> Result {
        pending::wait_for_context(self.handle)?;
        if !lock(&self.peers).remove(&peer) {
            return Err(CUresult::PEER_ACCESS_NOT_ENABLED.into());
        }
        remove_peers(1);
        Ok(())
    }

    /// For a call that waits: fails if a kernel has faulted, and the error has then been observed; or, once, if
    /// something was reported in strict mode.
    pub fn synchronize(&self) -> Result {
        match &mut *lock(&self.fault) {
            Some(sticky) => {
                if !std::mem::replace(&mut sticky.observed, true) {
                    strict::saw_fault();
                }
                Err(sticky.code.into())
            }
            None if self.reported.swap(false, Ordering::SeqCst) => Err(strict::failure()),
            None => Ok(()),
        }
    }

    /// Lets the next call that waits fail, because of a report.
    pub fn note_report(&self) {
        self.reported.store(true, Ordering::SeqCst);
    }

    /// For a call that only queues work: fails if a fault has been observed already. On a GPU the
    /// call would come back before the kernel that faults has run.
    pub fn enqueue(&self) -> Result {
        match *lock(&self.fault) {
            Some(Sticky { code, observed: true }) => Err(code.into()),
            _ => Ok(()),
        }
    }

    /// True if a kernel has faulted, observed or not: nothing runs in this context any more.
    pub fn faulted(&self) -> bool {
        lock(&self.fault).is_some()
    }

    /// Leaves the context with the error of a fault.
    pub fn poison(&self, kind: FaultKind) {
        self.lose(code(kind));
    }

    /// Leaves the context with an error, unless it has one already.
    pub fn lose(&self, code: CUresult) {
        lock(&self.fault).get_or_insert_with(|| {
            strict::add_fault();
            Sticky { code, observed: false }
        });
    }
}

/// The code that NVIDIA's driver gives for what happened.
pub fn code(kind: FaultKind) -> CUresult {
    match kind {
        FaultKind::IllegalAddress => CUresult::ILLEGAL_ADDRESS,
        FaultKind::MisalignedAddress => CUresult::MISALIGNED_ADDRESS,
        FaultKind::Trap | FaultKind::Overflow | FaultKind::ClusterAddress => {
            CUresult::LAUNCH_FAILED
        }
        FaultKind::Assert => CUresult::ASSERT,
        // A GPU would hang, or its watchdog end the kernel.
        FaultKind::Deadlock | FaultKind::InstructionLimit => CUresult::LAUNCH_TIMEOUT,
        FaultKind::IllegalInstruction => CUresult::ILLEGAL_INSTRUCTION,
        FaultKind::Unsupported => CUresult::NOT_SUPPORTED,
        FaultKind::InvalidLaunch => CUresult::INVALID_VALUE,
        FaultKind::InvalidCluster => CUresult::INVALID_CLUSTER_SIZE,
        FaultKind::OutOfResources => CUresult::LAUNCH_OUT_OF_RESOURCES,
    }
}

fn default_limits() -> HashMap<u32, usize> {
    let values = (0..profile::LIMITS).map(|number| (number, profile::limit(number)));
    values.filter_map(|(n, value)| Some((n, value?))).collect()
}

/// The context that the calling thread is in, whatever its state.
pub fn current() -> Result<Arc<Context>> {
    let driver = driver()?;
    let Some(handle) = current_handle() else {
        return Err(CUresult::INVALID_CONTEXT.because("no context is current to this thread"));
    };
    driver.contexts.get(handle).ok_or_else(|| {
        CUresult::CONTEXT_IS_DESTROYED.because("the context of this thread has been destroyed")
    })
}

/// The context that the calling thread is in, for a call that waits for its work.
pub fn synchronized() -> Result<Arc<Context>> {
    let context = current()?;
    context.synchronize()?;
    Ok(context)
}

/// The context that the calling thread is in, for a call that queues work.
pub fn queueing() -> Result<Arc<Context>> {
    let context = current()?;
    context.enqueue()?;
    Ok(context)
}

/// The context of a handle.
pub fn of(handle: Handle) -> Result<Arc<Context>> {
    driver()?.contexts.look_up(handle, CUresult::INVALID_CONTEXT, "a context")
}

/// The context of a handle, or for null the current one.
pub fn of_or_current(handle: Handle) -> Result<Arc<Context>> {
    if handle.is_null() { current() } else { of(handle) }
}

/// The handle of the current context, dead or alive.
pub fn current_handle() -> Option<Handle> {
    STACK.with_borrow(|stack| stack.last().copied())
}

/// Makes a context current in place of the one that is.
pub fn set_current(handle: Handle) -> Result {
    if !handle.is_null() {
        of(handle)?;
    }
    STACK.with_borrow_mut(|stack| {
        stack.pop();
        if !handle.is_null() {
            stack.push(handle);
        }
    });
    Ok(())
}

/// Makes a context current, above the one that is.
pub fn push(handle: Handle) -> Result {
    of(handle)?;
    STACK.with_borrow_mut(|stack| stack.push(handle));
    Ok(())
}

/// Takes the current context away from the thread.
pub fn pop() -> Result<Handle> {
    let popped = STACK.with_borrow_mut(Vec::pop);
    popped.ok_or_else(|| CUresult::INVALID_CONTEXT.because("no context is current to this thread"))
}

/// Destroys a context and all that is in it: memory, modules, streams, events. Its handle stays
/// on the stacks of other threads, if it is found to be dead.
pub fn destroy(handle: Handle) -> Result {
    let driver = driver()?;
    pending::wait_for_context(handle)?;
    let Some(context) = driver.contexts.remove(handle) else {
        return Err(CUresult::INVALID_CONTEXT.because(format!("{:#x} is not a context", handle.0)));
    };
    capture::forget_context(handle)?;
    remove_peers(lock(&context.peers).len());
    for other in driver.contexts.find(|other| lock(&other.peers).contains(&handle)) {
        driver.contexts.get(other).map_or(Ok(()), |other| other.disable_peer(handle))?;
    }
    let device = context.device()?;
    let _busy = lock(&device.busy);
    driver.functions.remove_all(|f| f.context == handle);
    for module in driver.modules.remove_all(|m| m.context == handle) {
        module.code.unload(&device.memory)?;
    }
    driver.streams.remove_all(|s| s.context == handle);
    driver.events.remove_all(|e| e.context == handle);
    crate::allocation::free_all(device, handle)
}

/// Destroys the context, and takes it from the calling thread if it is current there.
pub fn destroy_and_pop(handle: Handle) -> Result {
    destroy(handle)?;
    STACK.with_borrow_mut(|stack| {
        if stack.last() == Some(&handle) {
            stack.pop();
        }
    });
    Ok(())
}
