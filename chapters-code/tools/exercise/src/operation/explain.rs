//! Which mistake would give exactly the results that were seen.

use harness::Element;

use super::{Observation, Wrong, compare::same};
use crate::diagnosis::Diagnosis;

/// A mistake that gives what was seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Its name.
    pub diagnosis: Diagnosis,
    /// What tells, in a sentence.
    pub because: String,
}

impl Finding {
    /// A mistake, and what tells of it.
    pub fn new(diagnosis: Diagnosis, because: impl Into<String>) -> Option<Self> {
        Some(Self { diagnosis, because: because.into() })
    }
}

/// A mistake: its diagnosis, a sentence, and the value that it gives at an index, if any.
pub type Mistake<'m> = (Diagnosis, &'m str, &'m dyn Fn(usize) -> Option<f64>);

impl Wrong {
    /// Whether it is finite, and should be. An infinity or NaN hides what else is in a result.
    pub fn is_finite(&self) -> bool {
        self.got.is_finite() && self.expected.is_finite()
    }

    /// Whether a wrong element is `value`, as far as rounding lets one tell.
    pub fn is(&self, value: f64) -> bool {
        // Of terms of size 1 the bound is some 1e-4, and it grows with them.
        let near = 4e-6 * self.expected.abs().max(value.abs()) + self.bound / 64.0;
        same(self.got, value)
            || (self.got.is_nan() && value.is_nan())
            || (self.bound > 0.0 && value.is_finite() && (self.got - value).abs() <= near)
    }
}

impl Observation<'_> {
    /// Whether every wrong element is what `mistake` gives for its index, and there are enough of
    /// them for that to be no chance: integers and unrounded floats tell by one, sums by two.
    pub fn all_are(&self, mistake: impl Fn(usize) -> Option<f64>) -> bool {
        let is = |wrong: &Wrong| mistake(wrong.index).is_some_and(|value| wrong.is(value));
        !self.wrong.is_empty() && self.wrong.iter().all(is)
    }

    /// The first of some mistakes that gives every wrong element.
    pub fn first_of(&self, mistakes: &[Mistake<'_>]) -> Option<Finding> {
        let mut mistakes = mistakes.iter();
        let (diagnosis, because, _) = mistakes.find(|(_, _, gives)| self.all_are(gives))?;
        Finding::new(*diagnosis, *because)
    }

    /// Whether the results are exactly these.
    pub fn is<T: Element>(&self, alternative: &[T]) -> bool {
        let mut both = self.values.iter().zip(alternative);
        both.all(|(got, x)| same(*got, x.to_f64()))
    }

    /// The first wrong element.
    pub fn first(&self) -> &Wrong {
        &self.wrong[0]
    }
}
