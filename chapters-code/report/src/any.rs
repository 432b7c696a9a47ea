//! Chapters whose task is not known: what the report, the recorder, the lab and the book work with.

use harness::{
    AnyProblem, Case, Device, Error, Parameter, PtxText, Refusal, Rung, Shape, Task, kernel,
    task::{AsColumns, Columns, Values},
    verify::{Checker, Verdict},
};

use crate::{
    Chapter,
    asked::Asked,
    planned::{Planned, Scope},
};

/// A case whose task is known by its columns alone.
pub type AnyCase = Case<Columns>;

/// A [`Chapter`] whose task is not known. Its cases are those that it gives, or that [`AnyChapter::read`] reads.
///
/// # Panics
/// All methods that take a case panic if a column of it is no parameter of the chapter.
pub trait AnyChapter: Send + Sync {
    /// As [`Chapter::NAME`].
    fn name(&self) -> &'static str;

    /// As [`Chapter::SUMMARY`].
    fn summary(&self) -> &'static str;

    /// As [`Chapter::rungs`].
    fn rungs(&self) -> Vec<AnyRung>;

    /// As [`Chapter::default_shapes`].
    fn default_shapes(&self, device: &Device) -> Vec<Shape>;

    /// As [`Chapter::tasks`].
    ///
    /// # Errors
    /// As there.
    fn tasks(&self, asked: &Asked) -> Result<Vec<Columns>, Error>;

    /// The parameters of its task.
    fn parameters(&self) -> Vec<AnyParameter>;

    /// As [`Task::read`].
    ///
    /// # Errors
    /// As there.
    fn read(&self, value: Values<'_>) -> Result<Columns, String>;

    /// As [`Chapter::title`].
    fn title(&self, case: &AnyCase) -> String;

    /// As [`Task::label`].
    fn label(&self, case: &AnyCase) -> String;

    /// As [`Chapter::case_for`], of the rung of this name.
    fn case_for(&self, rung: &str, case: &AnyCase) -> AnyCase;

    /// Why the rung of this name does not run on a case, if it does not.
    fn refusal(&self, rung: &str, case: &AnyCase) -> Option<Refusal>;

    /// Whether the result of the rung of this name may differ in the last bits from run to run.
    fn varies(&self, rung: &str, case: &AnyCase) -> bool;

    /// As [`Chapter::check`].
    ///
    /// # Errors
    /// As there.
    fn check(&self, case: &AnyCase) -> Result<(), Error>;

    /// As [`Chapter::devices`].
    fn devices(&self, case: &AnyCase) -> usize;

    /// The memory that a case takes of that of which [`Device::free_bytes`] reports how much there is, in bytes: the
    /// memory of all simulated devices is the host's.
    fn bytes_on(&self, device: &Device, case: &AnyCase) -> u64;

    /// As [`Chapter::problem`].
    ///
    /// # Errors
    /// As there.
    fn problem(&self, device: &Device, case: &AnyCase) -> Result<Box<dyn AnyProblem>, Error>;

    /// Captures a launch of a rung on the first case, and replays it on the inputs of the others. Gives the verdict of
    /// each replay. The cases differ only in the values of their inputs.
    ///
    /// # Errors
    /// [`Error::Driver`] if a launch cannot be captured or replayed, and those of [`Chapter::problem`].
    fn replays(
        &self,
        device: &Device,
        rung: &str,
        cases: &[AnyCase],
    ) -> Result<Vec<Verdict>, Error>;

    /// As [`Chapter::checksum_cases`].
    fn checksum_cases(&self) -> Vec<AnyCase>;

    /// As [`Chapter::sample_cases`].
    fn sample_cases(&self, shape: Shape) -> Vec<AnyCase>;

    /// As [`Chapter::variant`].
    fn variant(&self, case: &AnyCase) -> String;

    /// As [`Chapter::broken_cases`].
    fn broken_cases(&self, n: u64) -> Vec<AnyCase>;

    /// As [`Chapter::replay_cases`].
    fn replay_cases(&self) -> Vec<AnyCase>;

    /// As [`Chapter::other_inputs`].
    fn other_inputs(&self, case: &AnyCase) -> Vec<AnyCase>;

    /// As [`Chapter::recorded`].
    fn recorded(&self, scope: Scope) -> Vec<Planned<Columns>>;

    /// As [`Chapter::LARGEST_IN_LAB`].
    fn largest_in_lab(&self) -> u64;

    /// As [`Chapter::find`].
    fn find(&self, name: &str) -> Option<AnyRung> {
        self.rungs().into_iter().find(|rung| rung.name == name)
    }
}

impl<C: Chapter> AnyChapter for C {
    fn name(&self) -> &'static str {
        C::NAME
    }

    fn summary(&self) -> &'static str {
        C::SUMMARY
    }

    fn rungs(&self) -> Vec<AnyRung> {
        Chapter::rungs(self).iter().map(AnyRung::of).collect()
    }

    fn default_shapes(&self, device: &Device) -> Vec<Shape> {
        Chapter::default_shapes(self, device)
    }

    fn tasks(&self, asked: &Asked) -> Result<Vec<Columns>, Error> {
        Ok(Chapter::tasks(self, asked)?.iter().map(Task::columns).collect())
    }

    fn parameters(&self) -> Vec<AnyParameter> {
        C::Task::PARAMETERS.iter().map(AnyParameter::of).collect()
    }

    fn read(&self, value: Values<'_>) -> Result<Columns, String> {
        Ok(C::Task::read(value)?.columns())
    }

    fn title(&self, case: &AnyCase) -> String {
        Chapter::title(self, &typed::<C>(case))
    }

    fn label(&self, case: &AnyCase) -> String {
        typed::<C>(case).task.label()
    }

    fn case_for(&self, rung: &str, case: &AnyCase) -> AnyCase {
        Chapter::case_for(self, &named(self, rung), &typed::<C>(case)).erased()
    }

    fn refusal(&self, rung: &str, case: &AnyCase) -> Option<Refusal> {
        named(self, rung).refusal(&typed::<C>(case))
    }

    fn varies(&self, rung: &str, case: &AnyCase) -> bool {
        (named(self, rung).varies)(&typed::<C>(case))
    }

    fn check(&self, case: &AnyCase) -> Result<(), Error> {
        Chapter::check(self, &typed::<C>(case))
    }

    fn devices(&self, case: &AnyCase) -> usize {
        Chapter::devices(self, &typed::<C>(case))
    }

    fn bytes_on(&self, device: &Device, case: &AnyCase) -> u64 {
        let case = typed::<C>(case);
        match device.is_simulated() {
            true => self.device_bytes(&case) * Chapter::devices(self, &case) as u64,
            false => self.device_bytes(&case),
        }
    }

    fn problem(&self, device: &Device, case: &AnyCase) -> Result<Box<dyn AnyProblem>, Error> {
        Ok(Chapter::problem(self, device, &typed::<C>(case))?)
    }

    fn replays(
        &self,
        device: &Device,
        rung: &str,
        cases: &[AnyCase],
    ) -> Result<Vec<Verdict>, Error> {
        let device = device.with_own_stream()?;
        let cases: Vec<_> = cases.iter().map(|case| typed::<C>(case)).collect();
        let Some((first, others)) = cases.split_first() else {
            return Ok(Vec::new());
        };
        Chapter::problem(self, &device, first)?.replays(rung, others)
    }

    fn checksum_cases(&self) -> Vec<AnyCase> {
        erased(Chapter::checksum_cases(self))
    }

    fn sample_cases(&self, shape: Shape) -> Vec<AnyCase> {
        erased(Chapter::sample_cases(self, shape))
    }

    fn variant(&self, case: &AnyCase) -> String {
        Chapter::variant(self, &typed::<C>(case))
    }

    fn broken_cases(&self, n: u64) -> Vec<AnyCase> {
        erased(Chapter::broken_cases(self, n))
    }

    fn replay_cases(&self) -> Vec<AnyCase> {
        erased(Chapter::replay_cases(self))
    }

    fn other_inputs(&self, case: &AnyCase) -> Vec<AnyCase> {
        erased(Chapter::other_inputs(self, &typed::<C>(case)))
    }

    fn recorded(&self, scope: Scope) -> Vec<Planned<Columns>> {
        Chapter::recorded(self, scope).into_iter().map(Planned::erased).collect()
    }

    fn largest_in_lab(&self) -> u64 {
        C::LARGEST_IN_LAB
    }
}

fn erased<T: AsColumns>(cases: Vec<Case<T>>) -> Vec<AnyCase> {
    cases.iter().map(Case::erased).collect()
}

/// The case with the task of chapter `C`.
fn typed<C: Chapter>(case: &AnyCase) -> Case<C::Task> {
    match C::Task::of_columns(&case.task) {
        Ok(task) => case.with(task),
        Err(error) => panic!("not a case of {}: {error}", C::NAME),
    }
}

fn named<C: Chapter>(chapter: &C, name: &str) -> Rung<C::Task> {
    let found = Chapter::find(chapter, name);
    found.unwrap_or_else(|| panic!("{} has no rung {name}", C::NAME))
}

/// A rung whose task is not known; see [`Rung`] for its fields.
#[derive(Clone, Copy, Debug)]
pub struct AnyRung {
    /// The name in tables, on the command line and in recordings.
    pub name: &'static str,
    /// The idea, in a line.
    pub idea: &'static str,
    /// The kernels.
    pub ptx: PtxText,
    /// The checks that detect what is wrong with a broken rung.
    pub caught_by: &'static [Checker],
    /// The right rung that a broken one is made of.
    pub made_of: Option<&'static str>,
    /// The largest size, in elements, on which it runs unless it is asked for by name.
    pub max_elements: u64,
    /// Whether it never ends on a GPU.
    pub is_endless: bool,
}

impl AnyRung {
    fn of<T>(rung: &Rung<T>) -> Self {
        let Rung { name, idea, ptx, caught_by, made_of, max_elements, is_endless, .. } = *rung;
        Self { name, idea, ptx, caught_by, made_of, max_elements, is_endless }
    }

    /// Whether the rung is wrong on purpose.
    pub fn is_broken(&self) -> bool {
        !self.caught_by.is_empty()
    }

    /// The least compute capability that can run the rung, times ten.
    pub fn target(&self) -> u32 {
        kernel::target(&self.ptx)
    }
}

/// A parameter whose task is not known; see [`Parameter`] for its fields.
#[derive(Clone, Copy, Debug)]
pub struct AnyParameter {
    /// The column.
    pub column: &'static str,
    /// The option.
    pub option: &'static str,
    /// The values that the lab offers.
    pub lab: &'static [&'static str],
    /// What the lab says if a task has no value.
    pub open: &'static str,
}

impl AnyParameter {
    fn of<T>(parameter: &Parameter<T>) -> Self {
        let Parameter { column, option, lab, open, .. } = *parameter;
        Self { column, option, lab, open }
    }
}
