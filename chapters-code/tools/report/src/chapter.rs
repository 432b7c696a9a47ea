//! What a chapter gives to its program, the recorder and the tests.

use harness::{AnyProblem, Case, Device, Error, Parameters, Rung, Shape};

use crate::values::Values;

/// A chapter: its rungs, and the problems that they solve.
pub trait Chapter {
    /// The name of the crate, such as `chapter_1_reduce`.
    fn name(&self) -> &'static str;

    /// What the rungs do, in a line.
    fn summary(&self) -> &'static str;

    /// The rungs in order, the broken ones last.
    fn rungs(&self) -> Vec<Rung>;

    /// The sizes to run where none is asked for.
    fn default_shapes(&self, device: &Device) -> Vec<Shape> {
        vec![Shape::usual_vector(device)]
    }

    /// What a case is called in a table's title and in messages, such as `sum of 2^20 f32`.
    fn title(&self, case: &Case) -> String {
        case.to_string()
    }

    /// The parameters of a case in words, each with a comma before it, such as `, 256 bins`.
    fn parameters_in_words(&self, _case: &Case) -> String {
        String::new()
    }

    /// The parameters that a page of the book gives as text: `value` is asked once for each name that a parameter
    /// can have.
    ///
    /// # Errors
    /// With the name and the text, where the text is no such parameter.
    fn parameters_from(&self, _value: Values<'_>) -> Result<Parameters, String> {
        Ok(Parameters::NONE)
    }

    /// The case with the chapter's usual parameters where the case leaves them open.
    fn complete(&self, case: &Case) -> Case {
        *case
    }

    /// The case that a rung runs on where `case` is asked for.
    fn case_for(&self, rung: &Rung, case: &Case) -> Case {
        rung.case_for(&self.complete(case))
    }

    /// Refuses a case that makes no sense for the chapter, before anything runs.
    ///
    /// # Errors
    /// [`Error::Usage`] with what would make sense.
    fn check(&self, _case: &Case) -> Result<(), Error> {
        Ok(())
    }

    /// The number of devices that a case uses at the same time.
    fn devices(&self, _case: &Case) -> usize {
        1
    }

    /// The memory that a case takes on each device, in bytes.
    fn device_bytes(&self, case: &Case) -> u64;

    /// The memory that a case takes of that of which [`Device::free_bytes`] reports how much there is, in bytes: the
    /// memory of all simulated devices is the host's.
    fn bytes_on(&self, device: &Device, case: &Case) -> u64 {
        match device.is_simulated() {
            true => self.device_bytes(case) * self.devices(case) as u64,
            false => self.device_bytes(case),
        }
    }

    /// Makes the inputs of a case on the device, and computes what should come out.
    ///
    /// # Errors
    /// [`Error::Driver`] where the device has no room.
    fn problem(&self, device: &Device, case: &Case) -> Result<Box<dyn AnyProblem>, Error>;

    /// The cases whose results a recorded run keeps bit by bit, for other devices to reproduce.
    fn checksum_cases(&self) -> Vec<Case> {
        Vec::new()
    }

    /// The rung of this name, if there is one.
    fn find(&self, name: &str) -> Option<Rung> {
        self.rungs().into_iter().find(|rung| rung.name == name)
    }
}
