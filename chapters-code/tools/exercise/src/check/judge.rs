//! What is wrong, from what the detectors say and from the pattern of the wrong results.

use harness::{
    Shape,
    simulator::{Action, Missing, Race, RaceKind, Report, Space},
};

use super::{Failure, plan::Trial};
use crate::{
    diagnosis::Diagnosis,
    operation::{Comparison, Finding, Initial, Observation, Operation, Output, Wrong, same},
};

/// A run that was not stopped, with wrong results or right ones.
pub struct Judged {
    /// What was run.
    pub trial: Trial,
    /// Of each output.
    pub comparisons: Vec<Comparison>,
    /// Threads of the first launch.
    pub covered: u64,
}

impl Judged {
    /// Whether every result is right.
    pub fn is_right(&self) -> bool {
        self.comparisons.iter().all(Comparison::is_right)
    }

    /// Whether some wrong result is finite, and should be.
    fn is_finite(&self) -> bool {
        self.wrong().is_some_and(|(_, comparison)| {
            comparison.wrong.is_empty() || comparison.wrong.iter().any(Wrong::is_finite)
        })
    }

    /// The output that is wrong first, and how.
    pub fn wrong(&self) -> Option<(usize, &Comparison)> {
        let mut all = self.comparisons.iter().enumerate();
        all.find(|(_, comparison)| !comparison.is_right())
    }
}

/// What a detector found, by name.
pub fn race(race: &Race, operation: &Operation) -> Diagnosis {
    let one_line = race.first.line == race.second.line;
    let one_warp = race.first.block == race.second.block && race.first.warp == race.second.warp;
    let is_beside_an_atomic =
        [&race.first, &race.second].map(|side| side.access).contains(&Action::Atomic);
    match (race.kind, race.missing) {
        (RaceKind::UninitialisedRead, _) => Diagnosis::Uninitialised,
        (RaceKind::ShuffleSource, _) => Diagnosis::Shuffle,
        (RaceKind::DivergentBarrier | RaceKind::BarrierThreads, _) => Diagnosis::DivergentBarrier,
        (RaceKind::PendingCopy, _) => Diagnosis::PendingCopy,
        (RaceKind::EarlyCopy, _) => Diagnosis::EarlyCopy,
        (RaceKind::AbandonedCopy, _) => Diagnosis::AbandonedCopy,
        (RaceKind::MissingProxyFence, _) => Diagnosis::ProxyFence,
        (RaceKind::MbarrierReinitialised | RaceKind::MbarrierOverwritten, _) => Diagnosis::Mbarrier,
        // Between two stores to global memory a barrier would be of no use: one of them is too many.
        (RaceKind::WriteWrite, _) if race.space == Space::Global || (one_line && one_warp) => {
            Diagnosis::WriteConflict
        }
        (RaceKind::ReadWrite | RaceKind::WriteRead, Missing::Threadfence) if one_line => {
            Diagnosis::LostUpdate
        }
        (_, Missing::Syncthreads | Missing::Syncwarp)
            if one_line && race.space == Space::Global =>
        {
            Diagnosis::LostUpdate
        }
        (_, Missing::Syncthreads | Missing::Syncwarp)
            if one_line && race.space == Space::Shared =>
        {
            match (operation.race_at_one_line(), race.missing) {
                (Diagnosis::MissingBarrier, Missing::Syncwarp) => Diagnosis::MissingSyncwarp,
                (diagnosis, _) => diagnosis,
            }
        }
        // An atomic of some lanes, and another access in its place of others: to wait would be of no use.
        (_, Missing::Syncwarp) if race.space == Space::Global && is_beside_an_atomic => {
            Diagnosis::LostUpdate
        }
        (_, Missing::Syncthreads | Missing::ClusterSync) => Diagnosis::MissingBarrier,
        (_, Missing::Syncwarp) => Diagnosis::MissingSyncwarp,
        (_, Missing::DeviceScope | Missing::SystemScope) => Diagnosis::NarrowScope,
        _ => Diagnosis::MissingFence,
    }
}

/// Of several findings the one whose cure cures the others, too: a barrier that not all reach, then
/// one that is missing for the whole block. A read that came too early looks like one of what nobody
/// has written. Notes are no findings.
pub fn gravest(report: &Report) -> Option<&Race> {
    let weight = |race: &&Race| match (race.kind, race.missing) {
        (RaceKind::DivergentBarrier, _) => 0,
        (_, Missing::Syncwarp) => 3,
        (RaceKind::UninitialisedRead, _) => 2,
        _ => 1,
    };
    report.races().filter(|race| !race.kind.is_note()).min_by_key(weight)
}

/// What the runs have in common that went wrong.
pub struct Pattern<'p> {
    /// The operation.
    pub operation: &'p Operation,
    /// All runs, in order.
    pub judged: &'p [Judged],
    /// Threads of a block.
    pub threads: u64,
}

impl Pattern<'_> {
    /// The first wrong run.
    fn first(&self) -> &Judged {
        let wrong = self.judged.iter().find(|judged| !judged.is_right());
        wrong.unwrap_or(&self.judged[0])
    }

    /// Says what is wrong, of the run that shows it best, which it returns too.
    pub fn explain(&self) -> (Failure, &Judged) {
        let voted = self.by_vote();
        let (run, found) = self
            .by_schedule()
            .map(|found| (self.first(), found))
            .or_else(|| self.in_first(added))
            .or_else(|| voted.clone().filter(|(_, found)| found.diagnosis != Diagnosis::PartOnly))
            .or_else(|| self.in_first(untouched))
            .or_else(|| self.by_size().map(|found| (self.first(), found)))
            .or(voted)
            .or_else(|| self.in_first(special_value))
            .or_else(|| self.in_largest(by_index))
            .or_else(|| self.in_first(rounding))
            .or_else(|| self.by_growth().map(|found| (self.first(), found)))
            .unwrap_or_else(|| (self.first(), plain(Diagnosis::Wrong, String::new())));
        let Some((which, comparison)) = run.wrong() else {
            let failure = Failure::new(Diagnosis::Wrong, "a run went wrong and right again");
            return (failure, run);
        };
        let instance = self.operation.problem(&run.trial.case);
        let described = describe(&instance.outputs[which], comparison);
        let mut failure = Failure::new(found.diagnosis, described);
        if !found.because.is_empty() {
            failure = failure.note(found.because);
        }
        let failure = match self.judged {
            [_] => failure,
            _ => failure.note(self.summary()),
        };
        (failure, run)
    }

    /// What the operation knows of the wrong runs, each by itself: what most of them show. In small
    /// ones one mistake can look like another.
    fn by_vote(&self) -> Option<(&Judged, Finding)> {
        let mut found: Vec<(&Judged, Finding)> = Vec::new();
        let telling = self.telling();
        for &judged in &telling {
            let Some((which, comparison)) = judged.wrong() else {
                continue;
            };
            let instance = self.operation.problem(&judged.trial.case);
            let output = &instance.outputs[which];
            let finding = match (comparison.wrong.is_empty(), comparison.beyond) {
                (true, Some(at)) => {
                    let because =
                        format!("{}[{at}] is behind the results, and was written", output.name);
                    Some(plain(Diagnosis::BesideOutput, because))
                }
                _ => self.operation.explain(&instance, &self.seen(judged, output, comparison)),
            };
            found.extend(finding.map(|finding| (judged, finding)));
        }
        let votes = |wanted: Diagnosis| found.iter().filter(|(_, f)| f.diagnosis == wanted).count();
        let most = found.iter().map(|(_, finding)| votes(finding.diagnosis)).max()?;
        if 5 * most < 2 * telling.len() {
            return None;
        }
        let at = found.iter().position(|(_, finding)| votes(finding.diagnosis) == most)?;
        Some(found.swap_remove(at))
    }

    /// The wrong runs that tell mistakes apart best, or those that do; all of them, if none does. Runs whose wrong
    /// results are finite come first.
    fn telling(&self) -> Vec<&Judged> {
        let all = || self.judged.iter().filter(|judged| !judged.is_right());
        let mut wrong: Vec<&Judged> = all().filter(|judged| judged.is_finite()).collect();
        if wrong.is_empty() {
            wrong.extend(all());
        }
        let those = |tell: &dyn Fn(Shape) -> bool| -> Vec<&Judged> {
            wrong.iter().copied().filter(|judged| tell(judged.trial.case.shape)).collect()
        };
        let best = those(&|shape| self.operation.tells_best(shape));
        let some = || those(&|shape| self.operation.can_diagnose(shape));
        let found = [best, some()].into_iter().find(|found| !found.is_empty());
        found.unwrap_or(wrong)
    }

    fn seen<'s>(
        &self,
        judged: &Judged,
        output: &'s Output,
        comparison: &'s Comparison,
    ) -> Observation<'s> {
        let Comparison { values, wrong, .. } = comparison;
        Observation { output, values, wrong, threads: self.threads, covered: judged.covered }
    }

    fn in_first(
        &self,
        look: fn(&Observation<'_>) -> Option<Finding>,
    ) -> Option<(&Judged, Finding)> {
        self.look_at(self.first(), look)
    }

    /// Patterns of indices show best if there are many.
    fn in_largest(
        &self,
        look: fn(&Observation<'_>) -> Option<Finding>,
    ) -> Option<(&Judged, Finding)> {
        let wrong = self.judged.iter().filter(|judged| !judged.is_right());
        let largest = wrong.max_by_key(|judged| judged.trial.case.shape.elements())?;
        self.look_at(largest, look)
    }

    fn look_at<'j>(
        &self,
        judged: &'j Judged,
        look: fn(&Observation<'_>) -> Option<Finding>,
    ) -> Option<(&'j Judged, Finding)> {
        let (which, comparison) = judged.wrong()?;
        let instance = self.operation.problem(&judged.trial.case);
        if comparison.wrong.is_empty() {
            return None;
        }
        let found = look(&self.seen(judged, &instance.outputs[which], comparison))?;
        Some((judged, found))
    }

    /// Right in the plain order and wrong in another.
    fn by_schedule(&self) -> Option<Finding> {
        let trial = self.first().trial;
        let plain = |judged: &&Judged| judged.trial.is_plain() && judged.trial.case == trial.case;
        let was_right = self.judged.iter().find(plain).is_none_or(Judged::is_right);
        let because =
            format!("right in the plain order of warps and blocks, wrong{}", trial.order());
        if trial.is_plain() || !was_right {
            return None;
        }
        // What is wrong with the results themselves says more than that they depend on the order.
        let there = self.explained_alone(self.first());
        let because = there.map_or(because.clone(), |there| format!("{because}. There {there}"));
        Finding::new(Diagnosis::Schedule, because)
    }

    /// What the operation says of a wrong run by itself.
    fn explained_alone(&self, judged: &Judged) -> Option<String> {
        let (which, comparison) = judged.wrong()?;
        let instance = self.operation.problem(&judged.trial.case);
        if comparison.wrong.is_empty() {
            return None;
        }
        let seen = self.seen(judged, &instance.outputs[which], comparison);
        Some(self.operation.explain(&instance, &seen)?.because)
    }

    /// Which sizes are right.
    fn by_size(&self) -> Option<Finding> {
        let sizes = self.sizes();
        let fits = |is_right: &dyn Fn(&Size) -> bool| {
            let right = sizes.iter().filter(|size| size.is_right).count();
            let wrong = sizes.len() - right;
            right > 0 && wrong > 0 && sizes.iter().all(|size| is_right(size) == size.is_right)
        };
        let largest = sizes.iter().filter(|size| size.is_right).map(|size| size.n).max();
        let largest = largest.unwrap_or(0);
        let threads = self.threads;
        let powers = |size: &Size| size.n.is_power_of_two() || size.n < 32;
        if largest >= 64 && (fits(&|size| size.n.is_power_of_two()) || fits(&powers)) {
            let because = "the sizes that are right are the powers of two";
            return Finding::new(Diagnosis::PowersOfTwo, because);
        }
        if fits(&|size| size.n.is_multiple_of(threads)) || fits(&|size| size.n.is_multiple_of(32)) {
            let because = "the sizes that are right fill every block";
            return Finding::new(Diagnosis::Tail, because);
        }
        if fits(&|size| size.n <= size.covered) {
            let because = format!("right up to {largest}, as many as the grid has threads");
            return Finding::new(Diagnosis::Large, because);
        }
        if fits(&|size| size.n <= threads)
            && self.judged.iter().any(|judged| judged.covered > threads)
        {
            let because = format!("right up to {largest}, which one block does");
            return Finding::new(Diagnosis::OneBlock, because);
        }
        None
    }

    /// Right for all sizes up to some, and wrong for all that are larger.
    fn by_growth(&self) -> Option<Finding> {
        let elements = |right: bool| {
            let those = self.judged.iter().filter(move |judged| judged.is_right() == right);
            those.map(|judged| judged.trial.case.shape.elements())
        };
        let (most, least) = (elements(true).max()?, elements(false).min()?);
        let because = format!("right for up to {most} elements, wrong from {least} on");
        (most >= 1000 && most < least).then(|| Finding::new(Diagnosis::ManyElements, because))?
    }

    /// The sizes of vectors that were run in the plain order; of one that is wrong with some seed, or
    /// some kind of input, that it is wrong.
    fn sizes(&self) -> Vec<Size> {
        let mut sizes: Vec<Size> = Vec::new();
        for judged in self.judged.iter().filter(|judged| judged.trial.is_plain()) {
            let Shape::Vector { n } = judged.trial.case.shape else {
                continue;
            };
            match sizes.iter_mut().find(|size| size.n == n) {
                Some(size) => size.is_right &= judged.is_right(),
                None if n == 0 => {}
                None => {
                    sizes.push(Size { n, covered: judged.covered, is_right: judged.is_right() })
                }
            }
        }
        sizes
    }

    /// What was right and what was not, in a line.
    fn summary(&self) -> String {
        let list = |right: bool| {
            let mut shapes: Vec<Shape> = Vec::new();
            for judged in self.judged.iter().filter(|judged| judged.is_right() == right) {
                let shape = judged.trial.case.shape;
                if judged.trial.is_plain() && !shapes.contains(&shape) {
                    shapes.push(shape);
                }
            }
            shapes
        };
        let wrong = list(false);
        let mut right = list(true);
        right.retain(|shape| !wrong.contains(shape));
        let join = |shapes: &[Shape]| {
            let texts: Vec<String> = shapes.iter().map(Shape::to_string).collect();
            texts.join(", ")
        };
        match (right.is_empty(), wrong.is_empty()) {
            (true, _) => format!("wrong for every size: {}", join(&wrong)),
            (_, true) => format!("right for sizes {}, in the plain order", join(&right)),
            _ => format!("right for sizes {}; wrong for {}", join(&right), join(&wrong)),
        }
    }
}

/// A size, and whether it was right.
struct Size {
    n: u64,
    /// Threads that there were for it.
    covered: u64,
    is_right: bool,
}

fn plain(diagnosis: Diagnosis, because: String) -> Finding {
    Finding { diagnosis, because }
}

/// The first wrong element, and how many there are.
pub fn describe(output: &Output, comparison: &Comparison) -> String {
    let Some(first) = comparison.wrong.first() else {
        return format!("{} is written behind its end", output.name);
    };
    let Wrong { index, got, expected, bound, is_untouched, wide } = *first;
    let (wrong, of) = (comparison.wrong.len(), comparison.values.len());
    let tolerance = match bound > 0.0 {
        true => format!(" within {bound:.1e}"),
        false => String::new(),
    };
    let got = match is_untouched && matches!(output.initial, Initial::Poison(_)) {
        true => "what it was before (never written)".to_owned(),
        false if got.is_nan() && expected.is_nan() => "a NaN of other bits".to_owned(),
        false => wide.map_or(number(got), |(got, _)| got.to_string()),
    };
    let count = match of {
        1 => String::new(),
        of => format!(" ({wrong} of {of} are wrong)"),
    };
    let place = match output.row_length {
        Some(length) => format!(", row {} and column {},", index / length, index % length),
        None => String::new(),
    };
    let expected = match output.is_before(expected) {
        true => "what it was before".to_owned(),
        false => {
            let exact = wide.map_or(number(expected), |(_, expected)| expected.to_string());
            format!("{exact}{tolerance}")
        }
    };
    format!("{}[{index}]{place} is {got}, expected {expected}{count}", output.name)
}

fn number(x: f64) -> String {
    match x.abs() {
        1e-4..1e16 | 0.0 => x.to_string(),
        _ => format!("{x:e}"),
    }
}

/// Elements that nobody wrote.
fn untouched(seen: &Observation<'_>) -> Option<Finding> {
    let untouched = seen.wrong.iter().filter(|wrong| wrong.is_untouched).count();
    let poisoned = matches!(seen.output.initial, Initial::Poison(_));
    if untouched < seen.wrong.len() || !poisoned {
        return None;
    }
    let first = seen.first().index;
    let all = seen.values.len();
    let because = match untouched {
        count if count == all => "no element was written".to_owned(),
        count if first + count == all => format!("nothing is written from element {first} on"),
        count => format!("{count} elements were not written"),
    };
    Finding::new(Diagnosis::NeverWritten, because)
}

/// Numbers that are too large by what the output held before the launch.
fn added(seen: &Observation<'_>) -> Option<Finding> {
    let output = seen.output;
    let bits = 8 * output.dtype.size() as u32;
    let Initial::Poison(poison) = output.initial else {
        return None;
    };
    let of_integers = |wrong: &Wrong| {
        let numbers = (wrong.got as i64, wrong.expected as i64);
        let (got, expected) = wrong.wide.unwrap_or(numbers);
        let beyond = i128::from(got) - i128::from(expected) - i128::from(poison);
        beyond.rem_euclid(1 << bits) == 0
    };
    let before = output.number_before();
    let of_floats = |wrong: &Wrong| {
        let sum = before + wrong.expected;
        let near = 1e-4 * (before.abs() + wrong.expected.abs());
        same(wrong.got, sum) || (sum.is_finite() && (wrong.got - sum).abs() <= near)
    };
    let is_added = |wrong: &Wrong| match output.dtype.is_float() {
        true => of_floats(wrong),
        false => bits <= 64 && of_integers(wrong),
    };
    let is_told = seen.wrong.iter().any(|wrong| !wrong.is_untouched && is_added(wrong));
    let because = "take away what was there before, and the result is right";
    (is_told && seen.wrong.iter().all(is_added))
        .then(|| Finding::new(Diagnosis::AddedToOutput, because))?
}

/// Elements that are wrong because of what they are.
fn special_value(seen: &Observation<'_>) -> Option<Finding> {
    let dtype = seen.output.dtype;
    let is_special = |x: f64| match dtype.is_float() {
        true => !x.is_finite() || x == 0.0 && x.is_sign_negative() || x != 0.0 && x.abs() < 1.2e-38,
        false => [i32::MIN, i32::MAX].map(f64::from).contains(&x),
    };
    let first = seen.first();
    let is_few = 4 * seen.wrong.len() <= seen.values.len();
    let are_special = seen.wrong.iter().all(|w| !w.is_untouched && is_special(w.expected));
    let because = format!(
        "each of the wrong elements should be a special value, the first {}",
        number(first.expected)
    );
    (is_few && are_special).then(|| Finding::new(Diagnosis::SpecialValue, because))?
}

/// Which elements are wrong.
fn by_index(seen: &Observation<'_>) -> Option<Finding> {
    let indices = || seen.wrong.iter().map(|wrong| wrong.index);
    let (first, count, of) = (seen.first().index, seen.wrong.len(), seen.values.len());
    let lane = first % 32;
    let of_lane = of / 32 + usize::from(of % 32 > lane);
    if of >= 64 && count * 2 >= of_lane && indices().all(|index| index % 32 == lane) {
        let because = format!("the wrong elements are every 32nd, from {first} on");
        return Finding::new(Diagnosis::Lane, because);
    }
    let threads = seen.threads as usize;
    let behind = of - first;
    if threads > 0 && first > 0 && first.is_multiple_of(threads) && 10 * count >= 9 * behind {
        let because = format!("wrong from element {first} on, where a block begins");
        let diagnosis = match first == threads {
            true => Diagnosis::BlockOffset,
            false => Diagnosis::LaterBlock,
        };
        return Finding::new(diagnosis, because);
    }
    None
}

/// Close, but not within the bound.
fn rounding(seen: &Observation<'_>) -> Option<Finding> {
    let near = |wrong: &Wrong| {
        wrong.bound > 0.0
            && (wrong.got - wrong.expected).abs() <= 1e-2 * wrong.expected.abs() + 1e3 * wrong.bound
    };
    let because = "the error is beyond what the order of additions can explain";
    seen.wrong.iter().all(near).then(|| Finding::new(Diagnosis::Rounding, because))?
}
