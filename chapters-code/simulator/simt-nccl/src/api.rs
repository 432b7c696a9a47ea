//! The exported functions. What each does is said in NCCL's manual under its name, and here only where it differs.

#![allow(non_snake_case, clippy::too_many_arguments)]

use std::{
    ffi::{c_char, c_int, c_void},
    ptr::without_provenance_mut,
};

use cudarc::{
    driver::{
        result::{self, primary_ctx},
        sys::{CUdeviceptr, CUstream},
    },
    nccl::sys::{ncclComm_t, ncclResult_t, ncclUniqueId, ncclWindow_t},
};

use crate::{
    driver::{Inside, checked, find},
    entry::{Result, api, guard, invalid_argument, last_error, set, unsupported},
    group::{self, Buffers, Kind},
    types::{DataType, FIRST_OWN, Factor},
    world::{join, leave, new_id, state, wait, world},
};

/// The version of NCCL whose interface this is: 2.28.
const VERSION: c_int = 22800;

fn handle(number: usize) -> ncclComm_t {
    without_provenance_mut(number)
}

fn init_rank(comm: *mut ncclComm_t, ranks: c_int, id: &ncclUniqueId, rank: c_int) -> Result {
    set(comm, handle(0))?;
    let (number, clique) = join(id, rank, ranks).inspect_err(|_| group::fail())?;
    set(comm, handle(number))?;
    let all_came = if group::waits_for(clique) { Ok(()) } else { wait(clique) };
    if all_came.is_err() {
        let _ = leave(handle(number));
    }
    all_came
}

api! {
    /// The version of the interface.
    fn ncclGetVersion(version: *mut c_int) {
        set(version, VERSION)
    }

    /// An id for ranks of this process.
    fn ncclGetUniqueId(id: *mut ncclUniqueId) {
        set(id, new_id()?)
    }

    /// Adds the device of the current context as a rank. Outside a group it waits for the others.
    fn ncclCommInitRank(comm: *mut ncclComm_t, ranks: c_int, id: ncclUniqueId, rank: c_int) {
        init_rank(comm, ranks, &id, rank)
    }

    /// The same. Nothing in the configuration has an effect.
    fn ncclCommInitRankConfig(
        comm: *mut ncclComm_t,
        ranks: c_int,
        id: ncclUniqueId,
        rank: c_int,
        _config: *mut c_void,
    ) {
        init_rank(comm, ranks, &id, rank)
    }

    /// Adds a rank for each device.
    fn ncclCommInitAll(comms: *mut ncclComm_t, ranks: c_int, devices: *const c_int) {
        if comms.is_null() {
            return invalid_argument("a null pointer for the communicators");
        }
        find()?;
        checked(result::init(), "opening the driver")?;
        let id = new_id()?;
        let mut joined = Vec::new();
        let mut join_all = || {
            for rank in 0..ranks.max(1) {
                let device = match devices.is_null() {
                    true => rank,
                    // SAFETY: an array of `ranks` numbers.
                    false => unsafe { devices.add(rank as usize).read() },
                };
                let found = result::device::get(device);
                let device = checked(found, &format!("opening device {device}"))?;
                // SAFETY: the device exists. `join` retains the context too.
                let context = checked(unsafe { primary_ctx::retain(device) }, "opening a device")?;
                let inside = Inside::new(context)?;
                let member = join(&id, rank, ranks);
                drop(inside);
                // SAFETY: it was retained above.
                checked(unsafe { primary_ctx::release(device) }, "closing a device")?;
                joined.push(handle(member?.0));
            }
            Ok(())
        };
        if let Err(failure) = join_all() {
            joined.into_iter().for_each(|comm| drop(leave(comm)));
            return Err(failure);
        }
        for (rank, comm) in joined.into_iter().enumerate() {
            // SAFETY: there is room for `ranks` handles.
            unsafe { comms.add(rank).write(comm) };
        }
        Ok(())
    }

    /// No effect: `ncclCommDestroy` waits.
    fn ncclCommFinalize(comm: ncclComm_t) {
        world().comm(comm).map(drop)
    }

    /// Takes a rank out. Its memory is freed with that of the last rank, after all kernels.
    fn ncclCommDestroy(comm: ncclComm_t) {
        leave(comm)
    }

    /// The same: what has been enqueued still runs.
    fn ncclCommAbort(comm: ncclComm_t) {
        leave(comm)
    }

    /// The error of the rank's context. It waits for nothing.
    fn ncclCommGetAsyncError(comm: ncclComm_t, error: *mut ncclResult_t) {
        world().comm(comm)?;
        let found = state(comm);
        // It is the answer, and not this call's error.
        set(error, guard("ncclCommGetAsyncError", || found))
    }

    /// The number of ranks.
    fn ncclCommCount(comm: ncclComm_t, count: *mut c_int) {
        set(count, world().comm(comm)?.ranks as c_int)
    }

    /// The rank's device.
    fn ncclCommCuDevice(comm: ncclComm_t, device: *mut c_int) {
        set(device, world().comm(comm)?.device)
    }

    /// The rank.
    fn ncclCommUserRank(comm: ncclComm_t, rank: *mut c_int) {
        set(rank, world().comm(comm)?.rank as c_int)
    }

    /// No effect: every buffer is as fast as any other.
    fn ncclCommRegister(
        comm: ncclComm_t,
        _buffer: *mut c_void,
        _bytes: usize,
        handle: *mut *mut c_void,
    ) {
        set(handle, world().comm(comm).map(|_| without_provenance_mut(1))?)
    }

    /// No effect.
    fn ncclCommDeregister(comm: ncclComm_t, _handle: *mut c_void) {
        world().comm(comm).map(drop)
    }

    /// Memory of the current context's device. It can become a window.
    fn ncclMemAlloc(address: *mut *mut c_void, bytes: usize) {
        set(address, without_provenance_mut(0))?;
        // SAFETY: the memory is the caller's from now on.
        let memory = checked(unsafe { result::malloc_sync(bytes) }, "allocating")?;
        world().memory.insert(memory, bytes);
        set(address, without_provenance_mut(memory as usize))
    }

    /// Frees it.
    fn ncclMemFree(address: *mut c_void) {
        let address = address.addr() as CUdeviceptr;
        world().without_windows(address)?;
        // SAFETY: the driver looks addresses up.
        checked(unsafe { result::free_sync(address) }, "freeing")?;
        world().memory.remove(&address);
        Ok(())
    }

    /// Registers memory of `ncclMemAlloc` as a window, on every rank. Outside a group it waits for the other ranks.
    fn ncclCommWindowRegister(
        comm: ncclComm_t,
        buffer: *mut c_void,
        bytes: usize,
        window: *mut ncclWindow_t,
        flags: c_int,
    ) {
        group::window(comm, buffer.addr(), bytes, window, flags)
    }

    /// Ends a window of one rank. A null window is none, and no error.
    fn ncclCommWindowDeregister(comm: ncclComm_t, window: ncclWindow_t) {
        let mut world = world();
        let own = world.comm(comm)?;
        if window.is_null() { Ok(()) } else { own.windows.remove(window) }
    }

    /// Begins a group of this thread. Groups may contain groups.
    fn ncclGroupStart() {
        group::start();
        Ok(())
    }

    /// Ends a group: what it has collected is enqueued at the end of the outermost.
    fn ncclGroupEnd() {
        group::end()
    }

    /// An operator that multiplies by a factor before it adds. A factor in device memory is read when a kernel runs.
    fn ncclRedOpCreatePreMulSum(
        op: *mut c_int,
        scalar: *mut c_void,
        data_type: c_int,
        residence: c_int,
        comm: ncclComm_t,
    ) {
        let data_type = DataType::new(data_type)?;
        let (bits, address) = match residence {
            _ if scalar.is_null() => return invalid_argument("a null pointer for the factor"),
            0 => (0, scalar.addr() as u64),
            1 => {
                let mut bits = [0u8; 8];
                // SAFETY: a value of that type, as the caller promises.
                unsafe { bits.as_mut_ptr().copy_from(scalar.cast(), data_type.size()) };
                (u64::from_le_bytes(bits), 0)
            }
            _ => return invalid_argument(format!("{residence} is not an ncclScalarResidence_t")),
        };
        let mut world = world();
        let factors = &mut world.comm(comm)?.factors;
        factors.push(Some(Factor { data_type, bits, address }));
        set(op, FIRST_OWN + factors.len() as c_int - 1)
    }

    /// Destroys an operator that the program has made.
    fn ncclRedOpDestroy(op: c_int, comm: ncclComm_t) {
        let mut world = world();
        let factors = &mut world.comm(comm)?.factors;
        let own = usize::try_from(op - FIRST_OWN).ok().and_then(|index| factors.get_mut(index));
        match own.and_then(Option::take) {
            Some(_) => Ok(()),
            None => invalid_argument(format!("{op} is not an operator that the program has made")),
        }
    }

    /// `ncclBroadcast` in place.
    fn ncclBcast(
        buffer: *mut c_void,
        count: usize,
        data_type: c_int,
        root: c_int,
        comm: ncclComm_t,
        stream: CUstream,
    ) {
        let buffers = Buffers { send: buffer, receive: buffer, count, data_type };
        group::collective("ncclBroadcast", Kind::Broadcast(root), buffers, comm, stream)
    }

    /// Part r of every buffer, one after another, in rank r's.
    fn ncclAlltoAll(
        send: *const c_void,
        receive: *mut c_void,
        count: usize,
        data_type: c_int,
        comm: ncclComm_t,
        stream: CUstream,
    ) {
        let size = DataType::new(data_type).map(DataType::size);
        let ranks = world().comm(comm).map(|own| own.ranks);
        let (size, ranks) = size.and_then(|size| Ok((size, ranks?))).inspect_err(|_| group::fail())?;
        let bytes = count.saturating_mul(size);
        group::start();
        for peer in 0..ranks {
            let from = send.wrapping_byte_add(peer.wrapping_mul(bytes));
            let to = receive.wrapping_byte_add(peer.wrapping_mul(bytes));
            let peer = peer as c_int;
            for (is_send, at) in [(true, from.addr()), (false, to.addr())] {
                // The group notes that a call has failed.
                let _ = group::message(is_send, at, count, data_type, peer, comm, stream);
            }
        }
        group::end()
    }

    /// A message to a peer.
    fn ncclSend(
        send: *const c_void,
        count: usize,
        data_type: c_int,
        peer: c_int,
        comm: ncclComm_t,
        stream: CUstream,
    ) {
        group::message(true, send.addr(), count, data_type, peer, comm, stream)
    }

    /// A message from a peer.
    fn ncclRecv(
        receive: *mut c_void,
        count: usize,
        data_type: c_int,
        peer: c_int,
        comm: ncclComm_t,
        stream: CUstream,
    ) {
        group::message(false, receive.addr(), count, data_type, peer, comm, stream)
    }
}

/// Defines collectives. Their arguments differ only in the operator and the root.
macro_rules! collectives {
    ($($(#[$meta:meta])* fn $name:ident($($number:ident),*) = $kind:expr;)*) => {
        api! {$(
            $(#[$meta])*
            fn $name(
                send: *const c_void,
                receive: *mut c_void,
                count: usize,
                data_type: c_int,
                $($number: c_int,)*
                comm: ncclComm_t,
                stream: CUstream,
            ) {
                let buffers = Buffers { send, receive, count, data_type };
                group::collective(stringify!($name), $kind, buffers, comm, stream)
            }
        )*}
    };
}

collectives! {
    /// The combination of all buffers, in every buffer.
    fn ncclAllReduce(op) = Kind::AllReduce(op);

    /// The combination of all buffers, in the root's.
    fn ncclReduce(op, root) = Kind::Reduce(op, root);

    /// The combination of all buffers, a part for each rank.
    fn ncclReduceScatter(op) = Kind::ReduceScatter(op);

    /// The root's buffer, in every buffer.
    fn ncclBroadcast(root) = Kind::Broadcast(root);

    /// All buffers one after another, in every buffer.
    fn ncclAllGather() = Kind::AllGather;

    /// All buffers one after another, in the root's.
    fn ncclGather(root) = Kind::Gather(root);

    /// The root's buffer, a part for each rank.
    fn ncclScatter(root) = Kind::Scatter(root);
}

/// What a result means.
#[unsafe(no_mangle)]
pub extern "C" fn ncclGetErrorString(result: c_int) -> *const c_char {
    let text = match result {
        0 => c"no error",
        1 => c"unhandled cuda error",
        2 => c"unhandled system error",
        3 => c"internal error",
        4 => c"invalid argument",
        5 => c"invalid usage",
        6 => c"remote process exited or there was a network error",
        7 => c"NCCL operation in progress",
        _ => c"unknown result code",
    };
    text.as_ptr()
}

/// What the last call of this thread that failed has said.
#[unsafe(no_mangle)]
pub extern "C" fn ncclGetLastError(_comm: ncclComm_t) -> *const c_char {
    last_error()
}

/// No effect.
#[unsafe(no_mangle)]
pub extern "C" fn ncclResetDebugInit() {}

unsupported! {
    ncclCommInitRankScalable
    ncclCommRevoke
    ncclCommShrink
    ncclCommSplit
    ncclGroupSimulateEnd
}

/// Opens the driver, which every call does that needs it. Only this library has the function: so it can be told from
/// NVIDIA's.
#[unsafe(no_mangle)]
pub extern "C" fn simtNccl() -> ncclResult_t {
    guard("simtNccl", find)
}
