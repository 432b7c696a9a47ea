//! Scans as they are made, rightly or not.

use serde::Deserialize;

use super::operator::{Kind, Operator};

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
    pub op: Operator,
    /// Whether element i is in result i.
    pub kind: Kind,
    /// From which end.
    pub from: From,
    /// Whether operands are the wrong way round.
    pub swapped: bool,
}

impl Way {
    /// Scans chunks by themselves. `before` says what comes before chunk b, of all chunks' folds.
    pub fn scan(&self, x: &[u64], chunk: usize, before: &dyn Fn(usize, &[u64]) -> u64) -> Vec<u64> {
        if self.from == From::Right {
            return self.rightwards(x, chunk, before);
        }
        let folds: Vec<u64> = x.chunks(chunk).map(|part| self.fold(part)).collect();
        let mut out = Vec::with_capacity(x.len());
        for (b, part) in x.chunks(chunk).enumerate() {
            let mut prefix = before(b, &folds);
            for &x in part {
                let with = self.combine(prefix, x);
                out.push(match self.kind {
                    Kind::Inclusive => with,
                    Kind::Exclusive => prefix,
                });
                prefix = with;
            }
        }
        out
    }

    /// Chunks are counted from the left all the same.
    fn rightwards(
        &self,
        x: &[u64],
        chunk: usize,
        before: &dyn Fn(usize, &[u64]) -> u64,
    ) -> Vec<u64> {
        let mut parts: Vec<Vec<u64>> = Vec::new();
        for part in x.chunks(chunk) {
            let mut reversed = part.to_vec();
            reversed.reverse();
            let turned = Way {
                from: From::Left,
                swapped: !self.swapped,
                ..*self
            };
            let mut scanned = turned.scan(&reversed, chunk, before);
            scanned.reverse();
            parts.push(scanned);
        }
        parts.concat()
    }

    fn combine(&self, first: u64, then: u64) -> u64 {
        match self.swapped {
            false => self.op.combine(first, then),
            true => self.op.combine(then, first),
        }
    }

    fn fold(&self, part: &[u64]) -> u64 {
        let combine = |fold, &x| self.combine(fold, x);
        part.iter().fold(self.op.identity(), combine)
    }
}
