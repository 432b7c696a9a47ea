//! What measuring needs: other inputs in the same memory, and libraries that do the same work.

use chapter_1_reduce::reference::Aggregate;
use chapter_2_histogram::reference::histogram_on_all_cores;
use harness::{Element, Error, Measured, Op, Traffic, baselines::Ways, timing::Bench};

use crate::{
    Case, Task, baseline,
    problem::{
        collective::Collective,
        compact::{SpreadCompact, select},
        histogram::SpreadHistogram,
        scan::{SpreadScan, reference},
        sum::SpreadSum,
    },
};

impl Measured for Collective {
    fn verdict_depends_on_memory_only(_promise: &()) -> bool {
        false // the memory of all devices is always read back
    }

    /// The time in which as many bytes come from the left neighbour, on all devices at the same time: that of a copy of
    /// a whole array, times the part of it that a device must receive.
    fn ceiling_ms(&mut self, bench: &mut Bench, traffic: Traffic) -> Result<f64, Error> {
        if self.n == 0 {
            return bench.ceiling_ms(traffic);
        }
        if let Some(known) = self.ceiling_ms {
            return Ok(known);
        }
        let devices = self.devices.len() as f64;
        let arrays =
            if self.task == Task::AllReduce { 2.0 } else { 1.0 } * (devices - 1.0) / devices;
        let ceiling_ms = self.devices.copy_from_left_ms(bench, self.array())? * arrays;
        self.ceiling_ms = Some(ceiling_ms);
        Ok(ceiling_ms)
    }

    fn loaded_baseline(&self, _promise: &()) -> Ways<Self> {
        baseline::collective(self)
    }

    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        self.case = *case;
        let arrays = self.arrays();
        self.inputs.iter_mut().zip(arrays).try_for_each(|(input, array)| input.refill(array))?;
        self.sums = self.exact_sums();
        Ok(())
    }
}

impl Measured for SpreadCompact {
    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        self.spread.refill(case)?;
        self.selected = select(&self.spread);
        Ok(())
    }
}

impl Measured for SpreadHistogram {
    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        self.spread.refill(case)?;
        self.expected = histogram_on_all_cores(&self.spread.host, &self.bins);
        Ok(())
    }
}

impl<T: Element> Measured for SpreadScan<T> {
    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        self.spread.refill(case)?;
        self.reference = reference(case, &self.spread.host);
        Ok(())
    }
}

impl<T: Element<Acc = T>> Measured for SpreadSum<T> {
    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        self.spread.refill(case)?;
        self.expected = Aggregate::on_all_cores(Op::Sum, &self.spread.host);
        Ok(())
    }
}
