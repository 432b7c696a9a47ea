//! Launches of several devices that ran at the same time, and run so again.
//!
//! A launch begins when those have ended that it follows. A copy, a fill, a write or a read waits for all launches before
//! it in the recording.

use simt::{Feed, Job};
use simt_report::LaunchReport;

use crate::data::Operation;
use crate::replay::Executed;

/// Runs the launches of a group, whose first is operation `next`, with what the recording has in between. Returns the
/// operation after them. A fault ends the group.
pub(crate) fn run<'a>(
    executed: &mut Executed<'a>,
    operations: &'a [Operation],
    next: usize,
    number: usize,
) -> Result<usize, String> {
    let options = executed.options.of_machine();
    let mut group = Group { executed, operations, next, number, reports: Vec::new(), error: None };
    simt::launch_together(&options, &mut group);
    let Group { next, reports, error, .. } = group;
    executed.launches.extend(reports.into_iter().flatten());
    error.map_or(Ok(next), Err)
}

struct Group<'r, 'a> {
    executed: &'r mut Executed<'a>,
    operations: &'a [Operation],
    /// The first operation that has not begun.
    next: usize,
    number: usize,
    /// The reports of the launches that have begun; none of one that has not ended.
    reports: Vec<Option<LaunchReport>>,
    error: Option<String>,
}

impl Feed for Group<'_, '_> {
    fn next(&mut self, ended: Vec<(usize, LaunchReport)>) -> Vec<Job> {
        for (number, report) in ended {
            self.reports[number] = Some(report);
        }
        let mut jobs = Vec::new();
        while !self.is_over() {
            match self.begin() {
                Ok(Begun::Launch(job)) => jobs.push(*job),
                Ok(Begun::Done) => {}
                Ok(Begun::Not) => break,
                Err(error) => self.error = Some(error),
            }
        }
        jobs
    }

    fn has_news(&self) -> bool {
        false
    }

    fn wait_for_news(&mut self) -> bool {
        false
    }
}

/// What has become of an operation.
enum Begun {
    /// It is a launch that runs from now on.
    Launch(Box<Job>),
    /// It is done.
    Done,
    /// It waits for launches to end, or is not of the group.
    Not,
}

impl Group<'_, '_> {
    /// Whether no other operation begins.
    fn is_over(&self) -> bool {
        let mut ended = self.reports.iter().flatten();
        self.error.is_some() || ended.any(|report| report.fault.is_some())
    }

    /// Begins the next operation, if that is possible now.
    fn begin(&mut self) -> Result<Begun, String> {
        let Some(operation) = self.operations.get(self.next) else { return Ok(Begun::Not) };
        let begun = match operation {
            Operation::Launch { group: Some(group), .. } if group.number == self.number => {
                if let Some(missing) = group.after.iter().find(|&&n| n >= self.reports.len()) {
                    return Err(format!("a launch follows launch {missing}, which is not there"));
                }
                if group.after.iter().any(|&n| self.reports[n].is_none()) {
                    return Ok(Begun::Not);
                }
                self.executed.keep_memory();
                let job = self.executed.devices.job(operation, self.executed.options)?;
                self.reports.push(None);
                Begun::Launch(Box::new(job))
            }
            Operation::Launch { .. } => return Ok(Begun::Not),
            _ if self.reports.iter().any(Option::is_none) => return Ok(Begun::Not),
            _ => {
                self.executed.transfer(operation)?;
                Begun::Done
            }
        };
        self.next += 1;
        Ok(begun)
    }
}
