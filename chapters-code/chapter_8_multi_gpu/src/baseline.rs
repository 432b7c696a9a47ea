//! The same collectives by NCCL.

use std::{cell::RefCell, ffi::c_void, rc::Rc};

use cudarc::{
    driver::{DevicePtr, DevicePtrMut, DriverError, result, sys::CUresult},
    nccl::{
        result::NcclError,
        sys::{
            self, cudaStream_t, ncclComm_t, ncclDataType_t::ncclFloat32 as FLOAT,
            ncclRedOp_t::ncclSum as SUM,
        },
    },
};
use harness::{
    Device, Error, Output,
    baselines::{LibraryRun, Ways},
    nccl::{self, Nccl, Ranks, Windows},
};

use crate::{Task, problem::Collective};

/// How NCCL does the work of a task.
#[derive(Clone, Copy)]
enum Call {
    AllReduce,
    ReduceScatter,
    AllGather,
    SendAndReceive,
    AllToAll,
}

impl Call {
    /// The calls that do the work of a problem.
    fn all(p: &Collective, nccl: &Nccl) -> Vec<Self> {
        let parts_are_equal = p.n == p.part() * p.devices.len();
        let of_equal_parts = |call| if parts_are_equal { vec![call] } else { Vec::new() };
        match p.task {
            _ if p.n == 0 => Vec::new(),
            Task::AllReduce => vec![Self::AllReduce],
            Task::ReduceScatter => of_equal_parts(Self::ReduceScatter),
            Task::AllGather => of_equal_parts(Self::AllGather),
            Task::AllToAll if nccl.has("ncclAlltoAll") => {
                [vec![Self::SendAndReceive], of_equal_parts(Self::AllToAll)].concat()
            }
            Task::AllToAll => vec![Self::SendAndReceive],
            _ => Vec::new(),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::AllReduce => "ncclAllReduce",
            Self::ReduceScatter => "ncclReduceScatter",
            Self::AllGather => "ncclAllGather",
            Self::SendAndReceive => "ncclSend and ncclRecv",
            Self::AllToAll => "ncclAlltoAll",
        }
    }

    /// Enqueues what one rank calls, in a group with the other ranks.
    ///
    /// # Safety
    /// The addresses are of memory of the rank's device: an array of the problem, and room for its result.
    unsafe fn enqueue(
        self,
        p: &Collective,
        rank: usize,
        (send, receive): (*mut c_void, *mut c_void),
        comm: ncclComm_t,
        stream: cudaStream_t,
    ) -> Result<(), NcclError> {
        let (n, part) = (p.n, p.part());
        // SAFETY: as the caller promises; parts are within the arrays.
        unsafe {
            let called = match self {
                Self::AllReduce => sys::ncclAllReduce(send, receive, n, FLOAT, SUM, comm, stream),
                Self::ReduceScatter => {
                    sys::ncclReduceScatter(send, receive, part, FLOAT, SUM, comm, stream)
                }
                Self::AllGather => sys::ncclAllGather(send, receive, part, FLOAT, comm, stream),
                Self::AllToAll => sys::ncclAlltoAll(send, receive, part, FLOAT, comm, stream),
                Self::SendAndReceive => {
                    return send_and_receive(p, rank, (send, receive), comm, stream);
                }
            };
            called.result().map(drop)
        }
    }
}

/// A message to each rank, and one from each.
///
/// # Safety
/// As [`Call::enqueue`].
unsafe fn send_and_receive(
    p: &Collective,
    rank: usize,
    (send, receive): (*mut c_void, *mut c_void),
    comm: ncclComm_t,
    stream: cudaStream_t,
) -> Result<(), NcclError> {
    let parts = p.parts();
    let own = parts[rank].1 - parts[rank].0;
    for (peer, &(first, end)) in parts.iter().enumerate() {
        let from = send.wrapping_byte_add(4 * first);
        let to = receive.wrapping_byte_add(4 * peer * own);
        // SAFETY: as the caller promises; the parts are within the arrays.
        unsafe {
            if first < end {
                sys::ncclSend(from, end - first, FLOAT, peer as i32, comm, stream).result()?;
            }
            if own > 0 {
                sys::ncclRecv(to, own, FLOAT, peer as i32, comm, stream).result()?;
            }
        }
    }
    Ok(())
}

/// What NCCL reads and writes on each device.
enum Arrays {
    /// The problem's own arrays, and results beside the problem's.
    Own(RefCell<Vec<Output<f32>>>),
    /// Copies of the arrays, and room for the results, both in symmetric windows.
    Windows(Windows, Windows),
}

impl Arrays {
    /// Windows, with the arrays in them; none if NCCL has no windows.
    fn windows(p: &Collective, nccl: &Nccl, ranks: &Rc<Ranks>) -> Result<Option<Self>, Error> {
        // The same size on all ranks, as NCCL wants it: that of the largest.
        let largest = |len: &dyn Fn(usize) -> usize| {
            4 * (0..p.devices.len()).map(len).max().unwrap_or(0).max(1)
        };
        let sent = largest(&|rank| p.inputs[rank].host().len());
        let received = largest(&|rank| p.result_len(rank));
        let Some(sends) = Windows::new(nccl, ranks, sent)? else { return Ok(None) };
        let Some(receives) = Windows::new(nccl, ranks, received)? else { return Ok(None) };
        for (rank, (device, input)) in p.devices.iter().zip(&p.inputs).enumerate() {
            let from = input.device_ptr(&device.stream).0;
            // SAFETY: both have at least these bytes, and no call uses the window yet.
            unsafe { copy(device, from, sends.address(rank) as u64, input.host().len()) }?;
        }
        Ok(Some(Self::Windows(sends, receives)))
    }

    /// How the name of a call goes on.
    fn name(&self) -> &'static str {
        match self {
            Self::Own(_) => "",
            Self::Windows(..) => " in windows",
        }
    }

    /// What a rank sends from and receives to.
    fn addresses(&self, p: &Collective, rank: usize) -> (*mut c_void, *mut c_void) {
        match self {
            Self::Own(outs) => {
                let stream = &p.devices[rank].stream;
                let from = p.inputs[rank].device_ptr(stream).0;
                let to = outs.borrow_mut()[rank].view_mut().device_ptr_mut(stream).0;
                (from as *mut c_void, to as *mut c_void)
            }
            Self::Windows(sends, receives) => (sends.address(rank), receives.address(rank)),
        }
    }
}

/// The same work on the same elements by NCCL, verified, in each of its ways: its calls, from memory of any kind and from
/// symmetric windows. None if there is no NCCL, or it has no call for the work. On the simulator it is the
/// simulator's. As for the rungs that use flags, the host orders the devices by no event: NCCL's kernels wait for each
/// other.
pub(crate) fn collective(p: &Collective) -> Ways<Collective> {
    let Some(nccl) = nccl::bind(&p.devices[0])? else { return Ok(Vec::new()) };
    let calls = Call::all(p, nccl);
    if calls.is_empty() {
        return Ok(Vec::new());
    }
    let ranks = Rc::new(Ranks::new(&p.devices)?);
    let own = Some(Arrays::Own(RefCell::new(p.outputs()?)));
    let mut ways = Vec::new();
    for arrays in [own, Arrays::windows(p, nccl, &ranks)?].into_iter().flatten().map(Rc::new) {
        for &call in &calls {
            let mut way = way(nccl, call, &ranks, &arrays);
            verify(p, &mut way, &arrays)?;
            ways.push(way);
        }
    }
    Ok(ways)
}

/// A call on all ranks.
fn way(nccl: &Nccl, call: Call, ranks: &Rc<Ranks>, arrays: &Rc<Arrays>) -> LibraryRun<Collective> {
    let name = format!("{}{}", call.name(), arrays.name());
    let (ranks, arrays) = (ranks.clone(), arrays.clone());
    LibraryRun::new(nccl.name(), &nccl.version, name, move |p: &Collective| {
        let called = ranks.in_group(|rank, comm, stream| {
            // SAFETY: the addresses are those of the rank's arrays, which live as long as `p` and `arrays`.
            unsafe { call.enqueue(p, rank, arrays.addresses(p, rank), comm, stream) }
        });
        called.map_err(|_| DriverError(CUresult::CUDA_ERROR_UNKNOWN))
    })
}

/// Runs a way once, on poisoned results, and compares what is there then.
fn verify(p: &Collective, way: &mut LibraryRun<Collective>, arrays: &Arrays) -> Result<(), Error> {
    if let Arrays::Own(outs) = arrays {
        poison(&mut outs.borrow_mut())?;
        run(p, way)?;
        return judge(p, way, &outs.borrow());
    }
    let mut outs = p.outputs()?;
    poison(&mut outs)?;
    let mut copy_results = |is_back: bool| {
        for (rank, (device, out)) in p.devices.iter().zip(&mut outs).enumerate() {
            let own = out.view_mut().device_ptr_mut(&device.stream).0;
            let window = arrays.addresses(p, rank).1 as u64;
            let (from, to) = if is_back { (window, own) } else { (own, window) };
            // SAFETY: both have at least these bytes, and all calls before have ended.
            unsafe { copy(device, from, to, p.result_len(rank)) }?;
        }
        Ok::<_, Error>(())
    };
    copy_results(false)?;
    run(p, way)?;
    copy_results(true)?;
    judge(p, way, &outs)
}

fn poison(outs: &mut [Output<f32>]) -> Result<(), Error> {
    let mut all = outs.iter_mut();
    all.try_for_each(Output::poison).map_err(|error| Error::driver("filling memory", error))
}

/// Runs a way once, from its beginning to its end on all devices.
fn run(p: &Collective, way: &mut LibraryRun<Collective>) -> Result<(), Error> {
    let finish = || p.devices.iter().try_for_each(|device| device.finish(&way.name));
    finish()?;
    (way.enqueue)(p).map_err(|error| p.devices[0].explain(&way.name, error))?;
    finish()
}

fn judge(p: &Collective, way: &LibraryRun<Collective>, outs: &[Output<f32>]) -> Result<(), Error> {
    for (d, out) in outs.iter().enumerate() {
        if let Some(failure) = p.verdict(d, out)?.failures.first() {
            return Err(Error::Usage(format!("NCCL's {} is wrong: {}", way.name, failure.message)));
        }
    }
    Ok(())
}

/// Copies elements on a device.
///
/// # Safety
/// Both addresses are of as many elements in the memory of the device, which nothing else uses meanwhile.
unsafe fn copy(device: &Device, from: u64, to: u64, elements: usize) -> Result<(), Error> {
    if elements == 0 {
        return Ok(()); // a driver refuses to copy nothing
    }
    device.context.bind_to_thread()?;
    // SAFETY: as the caller promises.
    let copied =
        unsafe { result::memcpy_dtod_async(to, from, 4 * elements, device.stream.cu_stream()) };
    copied.map_err(|error| Error::driver("copying", error))
}
