//! Scans: of everything, or of what each block has; from the left or from the right.

use harness::Dtype;
use serde::Deserialize;

use super::{
    Case, Expected, Finding, Initial, Instance, Output, Reference, Seen,
    operator::{Kind, Operator},
    vector,
    way::{From, Way},
};
use crate::diagnosis::Diagnosis;

/// `out[i]` is the fold of `in`'s elements up to i, with it or without. Dimension: `n`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scan {
    /// The operator, which decides on the elements' type.
    op: Operator,
    /// Whether element i is in result i.
    kind: Kind,
    /// From which end.
    #[serde(default)]
    from: From,
    /// Elements of a block, if each is to be scanned by itself.
    chunk: Option<u64>,
    /// Elements of a tile, if tiles are to be taken by an atomic: then `counter`, 0 before, must hold
    /// their number afterwards.
    tile: Option<u64>,
}

/// Sizes of blocks that a mistake may show at.
const BLOCKS: [usize; 8] = [64, 128, 256, 512, 1024, 2048, 4096, 8192];

impl Reference for Scan {
    fn instance(&self, case: &Case) -> Instance {
        let input = self.op.inputs(case);
        let mut outputs = vec![self.op.output("out", self.right(&input))];
        if let Some(tile) = self.tile {
            let tiles = (input.len() as u64).div_ceil(tile).max(1);
            let expected = Expected::equal(&[tiles as u32]);
            let mut counter = Output::new("counter", Dtype::U32, expected);
            counter.initial = Initial::Zero;
            outputs.push(counter);
        }
        Instance {
            dimensions: vector(case.shape),
            inputs: vec![self.op.array("in", &input)],
            outputs,
        }
    }

    fn explain(&self, instance: &Instance, seen: &Seen<'_>) -> Option<Finding> {
        let input = self.op.elements_of(&instance.inputs[0]);
        match seen.output.name {
            "counter" => {
                let because = "the counter does not say as many tiles as there are: a tile's number must come from it, because blocks start in any order";
                Finding::new(Diagnosis::Deadlock, because)
            }
            _ => self
                .many_blocks(seen)
                .or_else(|| self.direction(&input, seen))
                .or_else(|| self.across(&input, seen))
                .or_else(|| self.reordered(seen))
                .or_else(|| self.window(&input, seen))
                .or_else(|| self.repeated(&input, seen))
                .or_else(|| self.stretch(&input, seen))
                .or_else(|| self.identity(seen)),
        }
    }
}

impl Scan {
    fn way(&self) -> Way {
        Way {
            op: self.op,
            kind: self.kind,
            from: self.from,
            swapped: false,
        }
    }

    fn chunk(&self, input: &[u64]) -> usize {
        self.chunk
            .map_or(input.len(), |chunk| chunk as usize)
            .max(1)
    }

    /// What comes before a chunk that is scanned by itself.
    fn nothing(&self) -> impl Fn(usize, &[u64]) -> u64 {
        let identity = self.op.identity();
        move |_, _| identity
    }

    fn right(&self, input: &[u64]) -> Vec<u64> {
        self.way().scan(input, self.chunk(input), &self.nothing())
    }

    /// Whether the results are exactly these.
    fn is(&self, seen: &Seen<'_>, alternative: &[u64]) -> bool {
        let mut both = seen.values.iter().zip(alternative);
        both.all(|(got, &bits)| *got == self.op.number(bits))
    }

    /// The other kind, the other end, the other operand first, or nothing done at all.
    fn direction(&self, input: &[u64], seen: &Seen<'_>) -> Option<Finding> {
        let (way, chunk) = (self.way(), self.chunk(input));
        let is = |way: Way| self.is(seen, &way.scan(input, chunk, &self.nothing()));
        let kind = way.kind.other();
        if is(Way { kind, ..way }) {
            let because = match kind {
                Kind::Inclusive => "each result holds its own element: this is the inclusive scan",
                Kind::Exclusive => "each result lacks its own element: this is the exclusive scan",
            };
            return Finding::new(Diagnosis::Shifted, because);
        }
        if self.op == Operator::Affine
            && is(Way {
                swapped: true,
                ..way
            })
        {
            let because = "with the operands of the operator exchanged, exactly this comes out";
            return Finding::new(Diagnosis::Swapped, because);
        }
        let from = match way.from {
            From::Left => From::Right,
            From::Right => From::Left,
        };
        let other_end = [false, true].map(|swapped| {
            is(Way {
                from,
                swapped,
                ..way
            })
        });
        if other_end.contains(&true) {
            let because = "the scan begins at the other end";
            return Finding::new(Diagnosis::Reversed, because);
        }
        let because = "every result is its own element";
        self.is(seen, input)
            .then(|| Finding::new(Diagnosis::Unchanged, because))?
    }

    /// What a block, or a warp, does not learn of those before it.
    fn across(&self, input: &[u64], seen: &Seen<'_>) -> Option<Finding> {
        let (op, way) = (self.op, self.way());
        let limit = self.chunk(input);
        let is = |block: usize, before: &dyn Fn(usize, &[u64]) -> u64| {
            let scan = |part: &[u64]| way.scan(part, block, before);
            let parts: Vec<Vec<u64>> = input.chunks(limit).map(scan).collect();
            self.is(seen, &parts.concat())
        };
        let last = |b: usize, folds: &[u64]| b.checked_sub(1).map_or(op.identity(), |b| folds[b]);
        if is(32, &self.nothing()) {
            let because = "every result is that of its warp alone";
            return Finding::new(Diagnosis::WarpAlone, because);
        }
        if is(32, &last) {
            let because = "every result holds its own warp and the one before it";
            return Finding::new(Diagnosis::PreviousWarp, because);
        }
        for block in BLOCKS.into_iter().filter(|block| *block < limit) {
            if is(block, &self.nothing()) {
                let because = format!("every result is that of its block of {block} alone");
                return Finding::new(Diagnosis::BlockAlone, because);
            }
            if is(block, &last) {
                let because = format!(
                    "every result holds its own block of {block} and the one before it; from {} on that is too little",
                    2 * block
                );
                return Finding::new(Diagnosis::PreviousBlock, because);
            }
            if is(block, &|_, folds| op.fold(&folds[..folds.len() - 1])) {
                let because = "every block has the same put before it";
                return Finding::new(Diagnosis::BlockOffset, because);
            }
            if let Some(finding) = self.lost(input, block, seen) {
                return Some(finding);
            }
        }
        let mut blocks = [32].into_iter().chain(BLOCKS);
        let doubled = |block: &usize| is(*block, &|b, folds| op.fold(&folds[..=b]));
        if let Some(block) =
            blocks.find(|block| *block <= limit.next_power_of_two() && doubled(block))
        {
            let because = format!(
                "what is put before a block of {block} holds the block itself: its fold is added too early"
            );
            return Finding::new(Diagnosis::DoubledElement, because);
        }
        None
    }

    /// One element of each block that does not reach the blocks behind it.
    fn lost(&self, input: &[u64], block: usize, seen: &Seen<'_>) -> Option<Finding> {
        if self.from == From::Right || self.chunk.is_some() || input.len() <= block {
            return None;
        }
        let op = self.op;
        let short = |b: usize, keep: &dyn Fn(&[u64]) -> u64| {
            let parts = input.chunks(block).take(b).map(keep);
            parts.fold(op.identity(), |a, b| op.combine(a, b))
        };
        type Part = (&'static str, fn(&[u64]) -> &[u64]);
        let parts: [Part; 2] = [
            ("the last element", |part| &part[..part.len() - 1]),
            ("the first element", |part| &part[1..]),
        ];
        for (name, part) in parts {
            let before = |b: usize, _: &[u64]| short(b, &|whole| op.fold(part(whole)));
            // Quadratic in the number of blocks: few are enough to tell.
            if input.len() / block < 256 && self.is(seen, &self.way().scan(input, block, &before)) {
                let because =
                    format!("{name} of each block of {block} is missing in all blocks behind it");
                return Finding::new(Diagnosis::LostElement, because);
            }
        }
        None
    }

    /// The factors of maps commute: where only the summands are wrong, all maps are there, in another
    /// order.
    fn reordered(&self, seen: &Seen<'_>) -> Option<Finding> {
        let low_word = f64::from(u32::MAX);
        let only_summands = seen
            .wrong
            .iter()
            .all(|wrong| !wrong.is_untouched && (wrong.got - wrong.expected).abs() <= low_word);
        let because = "the factors, the high words, are right and the summands are not: the right maps, in another order";
        (self.op == Operator::Affine && only_summands)
            .then(|| Finding::new(Diagnosis::Swapped, because))?
    }

    /// Results of the last so many elements only: a step of Hillis and Steele's is missing.
    fn window(&self, input: &[u64], seen: &Seen<'_>) -> Option<Finding> {
        if self.kind == Kind::Exclusive {
            return None;
        }
        let chunk = self.chunk(input);
        let windowed = |width: usize| -> Vec<u64> {
            let result = |i: usize| {
                let (begin, end) = (i - i % chunk, (i - i % chunk + chunk).min(input.len()));
                match self.from {
                    From::Left => self
                        .op
                        .fold(&input[begin.max((i + 1).saturating_sub(width))..=i]),
                    From::Right => self.op.fold(&input[i..(i + width).min(end)]),
                }
            };
            (0..input.len()).map(result).collect()
        };
        let widths = [2, 4, 8, 16, 32, 64, 128, 256, 512].into_iter();
        let width = widths
            .filter(|width| *width < chunk && input.len() <= 1 << 14)
            .find(|width| self.is(seen, &windowed(*width)))?;
        let because =
            format!("each result is the fold of {width} elements at most: a step is missing");
        Finding::new(Diagnosis::PartOnly, because)
    }

    /// The first element, taken with itself again and again.
    fn repeated(&self, input: &[u64], seen: &Seen<'_>) -> Option<Finding> {
        let first = seen.first();
        let own = match self.from {
            From::Left => first.index,
            From::Right => input.len() - 1 - first.index,
        };
        if self.kind == Kind::Exclusive || own > 0 {
            return None;
        }
        let own = input[first.index];
        let times = |count: usize| self.op.number(self.op.fold(&vec![own; count]));
        let mut counts = [2, 4, 8, 16, 32, 64, 128, 256, 1024].into_iter();
        let count = counts.find(|count| times(*count) == first.got)?;
        let index = first.index;
        let because = format!(
            "out[{index}] is in[{index}] taken {count} times: a thread with nothing before it adds its own value"
        );
        Finding::new(Diagnosis::DoubledElement, because)
    }

    /// Right until a block has no thread for each block's fold.
    fn many_blocks(&self, seen: &Seen<'_>) -> Option<Finding> {
        let first = seen.first().index as u64;
        let most = seen.threads * seen.threads;
        let is = self.chunk.is_none() && most > 1 && first > 0 && first.is_multiple_of(most);
        let because = format!(
            "right up to element {first}, where block {} begins: a block has {} threads",
            first / seen.threads.max(1),
            seen.threads
        );
        is.then(|| Finding::new(Diagnosis::ManyBlocks, because))?
    }

    /// A stretch of elements that the first wrong result has too often, or lacks: whole warps, or one.
    fn stretch(&self, input: &[u64], seen: &Seen<'_>) -> Option<Finding> {
        let first = seen.first();
        if self.op != Operator::Sum
            || self.from == From::Right
            || first.index > 1 << 13
            || first.is_untouched
        {
            return None;
        }
        let off = (first.got - first.expected) as i64 as u32;
        let said = |begin: usize, end: usize, how: &str| match end - begin {
            1 => format!("out[{}] has in[{begin}] {how}", first.index),
            _ => format!(
                "out[{}] has in[{begin}] to in[{}] {how}",
                first.index,
                end - 1
            ),
        };
        for step in [256, 32, 1] {
            for begin in (0..=first.index).step_by(step) {
                let longest = if step == 1 { begin + 1 } else { first.index };
                let mut sum = 0u32;
                for end in (begin + step..=longest).step_by(step) {
                    sum = input[end - step..end]
                        .iter()
                        .fold(sum, |sum, &x| sum.wrapping_add(x as u32));
                    if sum == off {
                        return Finding::new(
                            Diagnosis::DoubledElement,
                            said(begin, end, "more than once"),
                        );
                    }
                    if sum == off.wrapping_neg() {
                        return Finding::new(
                            Diagnosis::LostElement,
                            said(begin, end, "not at all"),
                        );
                    }
                }
            }
        }
        None
    }

    fn identity(&self, seen: &Seen<'_>) -> Option<Finding> {
        let zeros = self.op == Operator::Max
            && seen
                .wrong
                .iter()
                .all(|wrong| wrong.got == 0.0 && wrong.expected < 0.0);
        let because = "the wrong results are 0, which is larger than every element before them";
        zeros.then(|| Finding::new(Diagnosis::Identity, because))?
    }
}

#[cfg(test)]
mod tests {
    use harness::{Input, Shape};

    use super::*;

    fn scan(op: Operator, kind: Kind, from: From) -> Scan {
        Scan {
            op,
            kind,
            from,
            chunk: None,
            tile: None,
        }
    }

    fn bits(x: &[i32]) -> Vec<u64> {
        x.iter().map(|x| u64::from(*x as u32)).collect()
    }

    #[test]
    fn small_scans_as_by_hand() {
        let x = bits(&[3, 1, 7, 0]);
        let of = |kind, from| scan(Operator::Sum, kind, from).right(&x);
        assert_eq!(of(Kind::Inclusive, From::Left), [3, 4, 11, 11]);
        assert_eq!(of(Kind::Exclusive, From::Left), [0, 3, 4, 11]);
        assert_eq!(of(Kind::Inclusive, From::Right), [11, 8, 7, 0]);
        assert_eq!(of(Kind::Exclusive, From::Right), [8, 7, 0, 0]);
    }

    #[test]
    fn maps_from_the_right_stand_in_their_order() {
        let map = |a: u64, b: u64| a << 32 | b;
        let x = [map(2, 3), map(5, 7)];
        let right = scan(Operator::Affine, Kind::Inclusive, From::Right).right(&x);
        assert_eq!(right, [map(10, 22), map(5, 7)]);
    }

    fn diagnosed(scan: &Scan, n: u64, wrong: impl Fn(&[u64]) -> Vec<u64>) -> Option<Diagnosis> {
        let case = Case {
            shape: Shape::Vector { n },
            input: Input::Uniform,
            seed: 1,
        };
        let instance = scan.instance(&case);
        let elements = scan.op.elements_of(&instance.inputs[0]);
        let bytes = scan.op.array("out", &wrong(&elements)).bytes;
        crate::operation::diagnosed(scan, &instance, &bytes)
    }

    #[test]
    fn mistakes_are_told_by_their_results() {
        let sum = scan(Operator::Sum, Kind::Inclusive, From::Left);
        let nothing = sum.nothing();
        let previous = |b: usize, folds: &[u64]| if b > 0 { folds[b - 1] } else { 0 };
        let alone = diagnosed(&sum, 700, |x| sum.way().scan(x, 256, &nothing));
        assert_eq!(alone, Some(Diagnosis::BlockAlone));
        let neighbour = diagnosed(&sum, 700, |x| sum.way().scan(x, 256, &previous));
        assert_eq!(neighbour, Some(Diagnosis::PreviousBlock));
        let warps = diagnosed(&sum, 700, |x| sum.way().scan(x, 32, &nothing));
        assert_eq!(warps, Some(Diagnosis::WarpAlone));
        assert_eq!(
            diagnosed(&sum, 700, <[u64]>::to_vec),
            Some(Diagnosis::Unchanged)
        );
        let maps = scan(Operator::Affine, Kind::Exclusive, From::Left);
        let way = Way {
            swapped: true,
            ..maps.way()
        };
        let swapped = diagnosed(&maps, 700, |x| way.scan(x, 700, &maps.nothing()));
        assert_eq!(swapped, Some(Diagnosis::Swapped));
        assert_eq!(
            diagnosed(&sum, 700, |x| x.iter().map(|x| x ^ 1).collect()),
            None
        );
    }
}
