//! The same collectives by NCCL.

use cudarc::{
    driver::{DriverError, sys::CUresult},
    nccl::{Comm, ReduceOp, group_end, group_start, result::NcclError},
};
use harness::{Error, Output, baselines::Way, nccl};

use crate::{Task, problem::Collective};

/// The same work on the same arrays by NCCL, verified; none where there is no NCCL, or it has no call for the work.
/// On the simulator it is the simulator's. As for the rungs that use flags, the host orders the devices by no event:
/// NCCL's kernels wait for each other.
pub(crate) fn collective(p: &Collective) -> Result<Vec<Way<Collective>>, Error> {
    let parts_are_equal = p.n == p.part() * p.devices.len();
    let (call, has_call) = match p.task {
        Task::AllReduce => ("ncclAllReduce", true),
        Task::ReduceScatter => ("ncclReduceScatter", parts_are_equal),
        Task::AllGather => ("ncclAllGather", parts_are_equal),
        Task::AllToAll => ("ncclSend and ncclRecv", true),
        _ => ("", false),
    };
    if p.n == 0 || !has_call {
        return Ok(Vec::new());
    }
    let Some(nccl) = nccl::bind(&p.devices[0])? else {
        return Ok(Vec::new());
    };
    let failed = |NcclError(code)| Error::Usage(format!("NCCL failed: {code:?}"));
    let streams = p.devices.iter().map(|device| device.stream.clone()).collect();
    let comms = Comm::from_devices(streams).map_err(failed)?;
    let outs = std::rc::Rc::new(std::cell::RefCell::new(p.outputs()?));
    let of_way = outs.clone();

    let mut way = Way::new(nccl.name(), &nccl.version, call, move |p: &Collective| {
        let run = || -> Result<(), NcclError> {
            group_start()?;
            for (rank, (comm, out)) in comms.iter().zip(of_way.borrow_mut().iter_mut()).enumerate()
            {
                enqueue(p, rank, comm, out)?;
            }
            group_end()?;
            Ok(())
        };
        run().map_err(|_| DriverError(CUresult::CUDA_ERROR_UNKNOWN))
    });
    for (out, device) in outs.borrow_mut().iter_mut().zip(p.devices.iter()) {
        out.poison().map_err(|error| Error::driver("filling memory", error))?;
        device.finish("filling memory")?;
    }
    let launched = (way.enqueue)(p);
    launched.map_err(|error| p.devices[0].explain(call, error))?;
    for (d, (device, out)) in p.devices.iter().zip(outs.borrow().iter()).enumerate() {
        device.finish(call)?;
        if let Some(failure) = p.verdict(d, out)?.failures.first() {
            return Err(Error::Usage(format!("NCCL's {call} is wrong: {}", failure.message)));
        }
    }
    Ok(vec![way])
}

/// Enqueues the calls of one device.
fn enqueue(
    p: &Collective,
    rank: usize,
    comm: &Comm,
    out: &mut Output<f32>,
) -> Result<(), NcclError> {
    let input = &p.inputs[rank];
    match p.task {
        Task::AllReduce => {
            comm.all_reduce(&input.slice(..p.n), &mut out.view_mut(), &ReduceOp::Sum)?;
        }
        Task::ReduceScatter => {
            comm.reduce_scatter(&input.slice(..p.n), &mut out.view_mut(), &ReduceOp::Sum)?;
        }
        Task::AllGather => {
            comm.all_gather(&input.slice(..p.part()), &mut out.view_mut())?;
        }
        Task::AllToAll => {
            let parts = p.parts();
            let own = parts[rank].1 - parts[rank].0;
            for (peer, &(first, end)) in parts.iter().enumerate() {
                if first < end {
                    comm.send(&input.slice(first..end), peer as i32)?;
                }
                if own > 0 {
                    let mut out = out.view_mut();
                    comm.recv(&mut out.slice_mut(peer * own..(peer + 1) * own), peer as i32)?;
                }
            }
        }
        _ => {} // NCCL has no call for it, see `collective`
    }
    Ok(())
}
