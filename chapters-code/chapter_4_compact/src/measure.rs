//! What measuring needs: other inputs in the same memory, and libraries that do the same work.

use std::hash::Hash;

use harness::{
    Element, Error, Measured,
    baselines::{Baselines, LibraryRun},
    inputs::generate,
};

use crate::{
    Case, baseline, inputs,
    problem::{Compaction, Order},
    reference,
};

impl<T: Element> Measured for Compaction<T> {
    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        let mask = inputs::mask(case);
        self.values.refill(generate(case))?;
        self.mask.refill(inputs::mask_in_memory(case.task.by, &mask))?;
        let values = self.values.host();
        self.flags = reference::flags(case, values, &mask);
        self.selected = reference::select(values, self.width as usize, &self.flags, true);
        self.pivot = inputs::bits_of(inputs::pivot::<T>(case));
        self.case = *case;
        Ok(())
    }

    fn baseline_key(order: &Order) -> impl Hash {
        u32::from(*order == Order::Partition)
    }

    fn baseline(&self, order: &Order, library: &Baselines) -> Result<Vec<LibraryRun<Self>>, Error> {
        match order {
            Order::Partition => baseline::partition(self, library),
            Order::Selected | Order::Any => baseline::select(self, library),
        }
    }
}
