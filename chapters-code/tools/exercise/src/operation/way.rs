//! Scans as they are made, rightly or not.

use harness::{Element, Kind, Op};
use serde::Deserialize;

use super::operator::{combine, fold};

/// The end that a scan begins at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum From {
    /// At the first element.
    #[default]
    Left,
    /// At the last one.
    Right,
}

/// A scan, right or as a mistake makes it.
#[derive(Clone, Copy)]
pub struct Way {
    /// The operator.
    pub op: Op,
    /// Whether element i is in result i.
    pub kind: Kind,
    /// From which end.
    pub from: From,
    /// Whether operands are the wrong way round.
    pub swapped: bool,
}

impl Way {
    /// Scans chunks by themselves. `before` says what comes before chunk b, of all chunks' folds; from the
    /// right each chunk is the only one.
    pub fn scan<T: Element>(
        &self,
        x: &[T],
        chunk: usize,
        before: &dyn Fn(usize, &[T]) -> T,
    ) -> Vec<T> {
        let folds: Vec<T> = x.chunks(chunk).map(|part| fold(self.op, part)).collect();
        let scan = |(b, part): (usize, &[T])| match self.from {
            From::Left => self.run(before(b, &folds), part.iter()),
            From::Right => {
                let mut scanned = self.run(before(0, &folds[b..=b]), part.iter().rev());
                scanned.reverse();
                scanned
            }
        };
        x.chunks(chunk).enumerate().flat_map(scan).collect()
    }

    fn run<'x, T: Element>(&self, mut before: T, elements: impl Iterator<Item = &'x T>) -> Vec<T> {
        let is_turned = self.swapped != (self.from == From::Right);
        let result = |&x: &T| {
            let with = match is_turned {
                false => combine(self.op, before, x),
                true => combine(self.op, x, before),
            };
            let without = std::mem::replace(&mut before, with);
            match self.kind {
                Kind::Inclusive => with,
                Kind::Exclusive => without,
            }
        };
        elements.map(result).collect()
    }
}

/// The other kind of scan.
pub fn other(kind: Kind) -> Kind {
    match kind {
        Kind::Inclusive => Kind::Exclusive,
        Kind::Exclusive => Kind::Inclusive,
    }
}
