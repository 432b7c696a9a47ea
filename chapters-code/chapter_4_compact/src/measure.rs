//! What measuring needs: other inputs in the same memory, and libraries that do the same work.

use std::{
    ffi::{c_int, c_void},
    hash::Hash,
};

use harness::{
    Element, Error, Measured,
    baselines::{Baselines, Call, Scratch, Ways, address, dtype_code},
    inputs::generate,
    operation,
};

use crate::{
    By, Case, inputs,
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

    fn baseline(&self, order: &Order, library: &Baselines) -> Ways<Self> {
        match order {
            Order::Partition => partition(self, library),
            Order::Selected | Order::Any => select(self, library),
        }
    }
}

/// The baseline writes to one buffer: the count, and from this byte on the elements.
const ELEMENTS: usize = 256;

/// Device addresses that both functions get.
struct Addressed {
    data: *const c_void,
    /// Null if elements are compared with the pivot.
    mask: *const c_void,
    elements: *mut c_void,
    count: *mut u64,
}

operation! {
    Select = baseline_select(dtype: c_int; data: *const c_void, mask: *const c_void, pivot: u64, elements: *mut c_void,
        count: *mut u64, n: usize)
}

/// The library's compaction of a case's input, in each of its ways, verified; empty if the library lacks it.
fn select<T: Element>(of: &Compaction<T>, library: &Baselines) -> Ways<Compaction<T>> {
    let Some(select) = Select::of(library) else {
        return Ok(Vec::new());
    };
    let (dtype, n, pivot) = (dtype_code(T::DTYPE), of.n as usize, of.pivot);
    let measure = move |way, p: Addressed| {
        // SAFETY: device addresses of n elements each, of a mask and of a number; nothing is touched.
        unsafe { (select.scratch_bytes)(way, dtype, p.data, p.mask, pivot, p.elements, p.count, n) }
    };
    #[rustfmt::skip] // the arguments are one line of baselines.h
    let run = move |way, p: Addressed, s: Scratch| {
        // SAFETY: as above, with the scratch that was asked for.
        unsafe {
            (select.run)(way, dtype, s.address, s.bytes, p.data, p.mask, pivot, p.elements, p.count, n, s.stream)
        }
    };
    prepare(of, "select", Order::Selected, library, measure, run)
}

operation! {
    Partition = baseline_partition(dtype: c_int; data: *const c_void, mask: *const c_void, elements: *mut c_void,
        count: *mut u64, n: usize)
}

/// The library's partition. The library has it for selections by a mask, and for no other.
fn partition<T: Element>(of: &Compaction<T>, library: &Baselines) -> Ways<Compaction<T>> {
    let (Some(partition), By::Mask) = (Partition::of(library), of.case.task.by) else {
        return Ok(Vec::new());
    };
    let (dtype, n) = (dtype_code(T::DTYPE), of.n as usize);
    let measure = move |way, p: Addressed| {
        // SAFETY: device addresses of n elements each, of a mask and of a number; nothing is touched.
        unsafe { (partition.scratch_bytes)(way, dtype, p.data, p.mask, p.elements, p.count, n) }
    };
    #[rustfmt::skip] // the arguments are one line of baselines.h
    let run = move |way, p: Addressed, s: Scratch| {
        // SAFETY: as above, with the scratch that was asked for.
        unsafe {
            (partition.run)(way, dtype, s.address, s.bytes, p.data, p.mask, p.elements, p.count, n, s.stream)
        }
    };
    prepare(of, "partition", Order::Partition, library, measure, run)
}

fn prepare<T: Element>(
    of: &Compaction<T>,
    operation: &'static str,
    order: Order,
    library: &Baselines,
    measure: impl Fn(c_int, Addressed) -> usize + 'static,
    run: impl Fn(c_int, Addressed, Scratch) -> c_int + 'static,
) -> Ways<Compaction<T>> {
    let by = of.case.task.by;
    // It takes no bits, and no rows.
    if by == By::Bits || of.width != 1 {
        return Ok(Vec::new());
    }
    let addressed = move |p: &Compaction<T>, to: *mut c_void| Addressed {
        data: address(&p.device, &p.values),
        mask: match by {
            By::Predicate => std::ptr::null(),
            By::Mask | By::Bits => address(&p.device, &p.mask),
        },
        elements: to.wrapping_byte_add(ELEMENTS),
        count: to.cast(),
    };
    let call = Call {
        operation,
        what: of.case.to_string(),
        output_bytes: ELEMENTS + of.n as usize * size_of::<T>(),
        scratch_bytes: Box::new(move |way, p, to| measure(way, addressed(p, to))),
        run: Box::new(move |way, p, to, scratch| run(way, addressed(p, to), scratch)),
    };
    library.ways(of, call, |computed| {
        let (count, elements) = computed.split_at(ELEMENTS);
        let count = bytemuck::pod_read_unaligned(&count[..size_of::<u64>()]);
        let elements = elements.chunks_exact(size_of::<T>());
        let elements: Vec<T> = elements.map(bytemuck::pod_read_unaligned).collect();
        of.compare_with(order, count, &elements)
    })
}
