//! The same all-reduce by NCCL.

use cudarc::{
    driver::{DriverError, sys::CUresult},
    nccl::{Comm, ReduceOp, group_end, group_start, result::NcclError},
};
use harness::{Error, Output, baselines::Way, nccl};

use crate::problem::AllReduce;

/// NCCL's all-reduce of the same arrays, verified; none where there is no NCCL. On the simulator it is the simulator's. As for the rungs that use flags, the
/// host orders the devices by no event: NCCL's kernels wait for each other.
pub(crate) fn all_reduce(p: &AllReduce) -> Result<Vec<Way<AllReduce>>, Error> {
    let Some(nccl) = nccl::bind(&p.devices[0])?.filter(|_| p.n > 0) else {
        return Ok(Vec::new());
    };
    let failed = |NcclError(code)| Error::Usage(format!("NCCL failed: {code:?}"));
    let streams = p.devices.iter().map(|device| device.stream.clone()).collect();
    let comms = Comm::from_devices(streams).map_err(failed)?;
    let outs = p.devices.iter().map(|device| Output::<f32>::new(device, p.n));
    let outs = std::rc::Rc::new(std::cell::RefCell::new(outs.collect::<Result<Vec<_>, _>>()?));
    let of_way = outs.clone();

    let mut way = Way::new(nccl.name(), &nccl.version, "ncclAllReduce", move |p: &AllReduce| {
        let run = || -> Result<(), NcclError> {
            group_start()?;
            let mut outs = of_way.borrow_mut();
            for ((comm, input), out) in comms.iter().zip(&p.inputs).zip(outs.iter_mut()) {
                comm.all_reduce(&input.slice(..p.n), &mut out.view_mut(), &ReduceOp::Sum)?;
            }
            group_end()?;
            Ok(())
        };
        run().map_err(|_| DriverError(CUresult::CUDA_ERROR_UNKNOWN))
    });
    for (out, device) in outs.borrow_mut().iter_mut().zip(&p.devices) {
        out.poison().map_err(|error| Error::driver("filling memory", error))?;
        device.finish("filling memory")?;
    }
    let launched = way.enqueue(p);
    launched.map_err(|error| p.devices[0].explain("NCCL's all-reduce", error))?;
    for (device, out) in p.devices.iter().zip(outs.borrow().iter()) {
        device.finish("NCCL's all-reduce")?;
        if let Some(failure) = out.compare(p.accepted())?.failures.first() {
            return Err(Error::Usage(format!("NCCL's all-reduce is wrong: {}", failure.message)));
        }
    }
    Ok(vec![way])
}
