//! A case's input in both memories, and a rung launched on it and judged.

use cudarc::driver::{CudaSlice, DriverError};

use crate::{
    Case, Device, Element, Error, Operation,
    buffer::{self, Guarded},
    kernel,
    rung::{Enqueue, Ready, Rung},
    verify::{self, Failure, Verdict},
};

/// A case with its input in both memories.
pub struct Uploaded<T> {
    /// The device.
    pub device: Device,
    /// The case.
    pub case: Case,
    /// The input.
    pub host: Vec<T>,
    /// The same on the device.
    pub input: CudaSlice<u8>,
    /// Threads of a block, where they are not the rung's own.
    pub block: Option<u32>,
}

impl<T: Element> Uploaded<T> {
    /// Copies a case's input to the device.
    ///
    /// # Errors
    /// [`Error::Driver`] where the device has no room for it.
    pub fn new(device: &Device, case: &Case, host: Vec<T>) -> Result<Self, Error> {
        Ok(Self {
            device: device.clone(),
            case: *case,
            input: buffer::upload(device, &host)?,
            host,
            block: None,
        })
    }

    /// Loads a rung and allocates its scratch.
    ///
    /// # Errors
    /// [`Error::Module`] where its kernels cannot be loaded, [`Error::Driver`] where its memory is
    /// not to be had, [`Error::Usage`] where its blocks cannot have as many threads as are wanted.
    pub fn ready(&self, rung: &Rung) -> Result<Ready, Error> {
        let ready = rung.ready_in_blocks(&self.device, self.case, self.block)?;
        let own = ready.config.block_dim.0;
        match self.block.filter(|&threads| threads != own) {
            None => Ok(ready),
            Some(threads) => Err(Error::Usage(format!(
                "{} does not run in blocks of {threads} threads; its own have {own}",
                rung.name
            ))),
        }
    }

    /// A rung with an output of so many bytes. `judge` gets the input and what the rung wrote.
    ///
    /// # Errors
    /// [`Error::Driver`] where the device has no room for the output.
    pub fn operation<'p>(
        &'p mut self,
        ready: Ready,
        output_bytes: usize,
        judge: impl FnMut(&[T], &[u8]) -> Verdict + 'p,
    ) -> Result<Box<dyn Operation + 'p>, Error> {
        let moved = self.case.input_bytes() + output_bytes as u64;
        self.operation_that_moves(moved, ready, output_bytes, judge)
    }

    /// The same, where the bytes that it must move are not those of the input and the output.
    ///
    /// # Errors
    /// As [`Uploaded::operation`].
    pub fn operation_that_moves<'p>(
        &'p mut self,
        moved: u64,
        ready: Ready,
        output_bytes: usize,
        mut judge: impl FnMut(&[T], &[u8]) -> Verdict + 'p,
    ) -> Result<Box<dyn Operation + 'p>, Error> {
        let judge = move |input: &[T], _, computed: &[u8]| judge(input, computed);
        self.judged(moved, ready, output_bytes, Start::Poisoned, judge)
    }

    /// A rung that works on a copy of the input, and leaves its result there. `judge` gets the input, how
    /// often the rung was launched on the copy, and what is then in it.
    ///
    /// # Errors
    /// [`Error::Driver`] where the device has no room for the copy.
    pub fn operation_in_place<'p>(
        &'p mut self,
        moved: u64,
        ready: Ready,
        judge: impl FnMut(&[T], u64, &[u8]) -> Verdict + 'p,
    ) -> Result<Box<dyn Operation + 'p>, Error> {
        let bytes = size_of_val(&self.host[..]);
        self.judged(moved, ready, bytes, Start::Input, judge)
    }

    fn judged<'p>(
        &'p mut self,
        moved: u64,
        ready: Ready,
        output_bytes: usize,
        start: Start,
        judge: impl FnMut(&[T], u64, &[u8]) -> Verdict + 'p,
    ) -> Result<Box<dyn Operation + 'p>, Error> {
        Ok(Box::new(Judged {
            out: Guarded::new(&self.device, output_bytes)?,
            start,
            launches: 0,
            moved,
            uploaded: self,
            ready,
            judge,
        }))
    }

    /// Whether the input is as it was; if not, puts it back for the next rung.
    ///
    /// # Errors
    /// [`Error::Driver`] where it cannot be read back.
    pub fn check_input(&mut self) -> Result<Option<Failure>, Error> {
        let now = buffer::download(&self.device, &self.input)?;
        let failure = verify::input_changed(&self.host, &now);
        if failure.is_some() {
            self.input = buffer::upload(&self.device, &self.host)?;
        }
        Ok(failure)
    }
}

/// What is in an output before the first launch.
#[derive(Clone, Copy)]
enum Start {
    /// Bytes that no result has.
    Poisoned,
    /// A copy of the input, which the rung changes.
    Input,
}

/// A rung on a case.
struct Judged<'p, T, J> {
    uploaded: &'p mut Uploaded<T>,
    ready: Ready,
    out: Guarded,
    start: Start,
    /// Since the output was poisoned.
    launches: u64,
    /// Bytes that the operation must move.
    moved: u64,
    judge: J,
}

impl<T: Element, J: FnMut(&[T], u64, &[u8]) -> Verdict> Operation for Judged<'_, T, J> {
    fn poison(&mut self) -> Result<(), DriverError> {
        self.launches = 0;
        self.out.poison()?;
        match self.start {
            Start::Input if !self.uploaded.host.is_empty() => {
                let stream = &self.uploaded.device.stream;
                stream.memcpy_dtod(&self.uploaded.input, &mut self.out.view_mut())
            }
            _ => Ok(()),
        }
    }

    fn launch(&mut self) -> Result<(), DriverError> {
        self.launches += 1;
        (self.ready.launch)(&self.uploaded.input.as_view(), &mut self.out.view_mut())
    }

    fn launch_by(&mut self, by: &mut Enqueue<'_>) -> Result<(), DriverError> {
        self.launches += 1;
        by(&self.uploaded.input.as_view(), &mut self.out.view_mut())
    }

    fn verify(&mut self) -> Result<Verdict, Error> {
        let mut verdict = match self.out.download()? {
            Ok(computed) => (self.judge)(&self.uploaded.host, self.launches, &computed),
            Err(at) => Verdict::of(Failure::beside_output(at)),
        };
        verdict.failures.extend(self.uploaded.check_input()?);
        Ok(verdict)
    }

    fn bytes(&self) -> u64 {
        self.moved
    }

    fn usage(&self) -> Result<kernel::Usage, Error> {
        let Ready { kernel, config, .. } = &self.ready;
        kernel::usage(&self.uploaded.device, kernel, config)
    }
}
