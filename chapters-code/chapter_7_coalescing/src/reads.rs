//! Reads with a given number of loads per thread, and of blocks per multiprocessor, in flight at a time.

use harness::{
    Case, ChapterParameters, Device, Error, InputArray, Memory, Output, Problem, Traffic, inputs,
    verify::Verdict,
};

use crate::{
    AccessParameters, Task,
    problem::Promise,
    reference,
    task::{LOADS_PER_THREAD, RESIDENT_BLOCKS},
};

/// The threads of a block.
pub const THREADS: u32 = 256;

/// The numbers of loads per thread for which there is a kernel.
pub const LOADS: [u32; 4] = [1, 2, 4, 8];
/// The most blocks that a multiprocessor holds: those of 2,048 threads.
pub const MOST_RESIDENT: u32 = 8;
/// The most loads of a thread, times blocks, for which a multiprocessor has registers.
pub const MOST_TOGETHER: u32 = 32;

/// The bytes that a multiprocessor has requested and not yet received.
pub fn bytes_in_flight(loads: u32, resident: u32) -> u32 {
    16 * loads * THREADS * resident
}

/// An array that is read once. Every thread combines what it reads by exclusive or.
pub struct Reads {
    /// The device and its stream.
    pub device: Device,
    /// Size and input.
    pub case: Case,
    /// The loads of 16 bytes that a thread issues before it uses the first.
    pub loads: u32,
    /// The blocks that a multiprocessor holds at a time.
    pub resident: u32,
    /// The packs of 16 bytes that are read.
    pub packs: u64,
    /// The packs, aligned to 16 bytes.
    pub input: InputArray<f32>,
    /// One word per thread of the grid.
    pub words: Output<u32>,
}

impl Reads {
    /// Makes the input of a case and copies it to the device.
    ///
    /// # Errors
    /// [`Error::Driver`] where the device has no room.
    pub fn new(device: &Device, case: &Case) -> Result<Self, Error> {
        let resident = AccessParameters::of(case).resident.unwrap_or(RESIDENT_BLOCKS);
        let blocks = resident * device.properties.multiprocessors;
        Ok(Self {
            device: device.clone(),
            case: *case,
            loads: AccessParameters::of(case).loads.unwrap_or(LOADS_PER_THREAD),
            resident,
            packs: case.elements() / 4,
            input: InputArray::new(device, inputs::generate(case))?,
            words: Output::new(device, (blocks * THREADS) as usize)?,
        })
    }

    /// The blocks of the grid: as many as the device holds at a time.
    pub fn blocks(&self) -> u32 {
        self.resident * self.device.properties.multiprocessors
    }
}

impl Problem for Reads {
    type Promise = Promise<Self, ()>;

    fn setting(&self) -> (&Device, &Case) {
        (&self.device, &self.case)
    }

    fn memory(&mut self) -> Vec<&mut dyn Memory> {
        vec![&mut self.words, &mut self.input]
    }

    fn compare(&self, _promise: &Self::Promise, _launches: u64) -> Result<Verdict, Error> {
        let expected = reference::words(self.input.host(), self.loads, self.blocks());
        self.words.compare_equal(&expected)
    }

    fn traffic(&self, _promise: &Self::Promise) -> Traffic {
        Task::of(&self.case).traffic(self.packs)
    }

    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        self.case = *case;
        self.input.refill(inputs::generate(case))
    }
}
