//! A submission checked in a process of its own.
//!
//! A [`Supervisor`] starts that process with limits and reads its report; the process runs [`work()`]:
//! it vets the text, compiles it, runs it on many cases and says what is wrong. The report goes
//! through a file that only the two processes know, so whatever a kernel prints or writes is not in
//! it. Nothing of a submission runs on the host: it is compiled to PTX, and the PTX runs on the
//! simulator, which lets no access leave device memory, or on a GPU.

pub(crate) mod bench;
pub(crate) mod compile;
mod cost;
mod fault;
mod judge;
mod newer;
mod outcome;
mod place;
mod plan;
pub(crate) mod predict;
mod ready;
mod stored;
mod supervise;
mod vet;
mod weak;
mod work;

pub use self::{
    cost::short,
    outcome::{Counted, Failure, Outcome, Passed, Place, printable},
    plan::{Job, SEEDS, SMALL, Target, Trial, fresh_seed, trials},
    supervise::{Kept, Supervisor, WORKER, kept, this_program},
    vet::{includes, text},
    weak::SEEDS as WEAK_SEEDS,
    work::work,
};
