//! Scans: of everything, or of what each block has; from the left or from the right.

use chapter_3_scan::reference;
use harness::{Element, Kind, Op};
use serde::Deserialize;

use super::{
    Array, Case, Finding, Initial, Instance, Observation, Output, Reference, dimensions, elements,
    operator::{combine, fold, identity, of_scans, with_operand},
    way::{From, Way, other},
};
use crate::diagnosis::Diagnosis;

/// `out[i]` is the fold of `in`'s elements up to i, with it or without. Dimension: `n`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scan {
    /// The operator, which decides on the elements' type.
    #[serde(deserialize_with = "of_scans")]
    op: Op,
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
        with_operand!(self.op, T => self.of::<T>(case))
    }

    fn explain(&self, instance: &Instance, seen: &Observation<'_>) -> Option<Finding> {
        if seen.output.name == "counter" {
            let because = "afterwards the counter does not hold the number of tiles";
            return Finding::new(Diagnosis::Ticket, because);
        }
        with_operand!(self.op, T => self.explain_out(&instance.inputs[0].elements::<T>(), seen))
    }
}

impl Scan {
    fn of<T: Element>(&self, case: &Case) -> Instance {
        let mut input: Vec<T> = elements(case, self.op);
        self.empty_tiles(&mut input, case.seed);
        let mut outputs = vec![Output::equal("out", &self.right(&input))];
        if let Some(tile) = self.tile {
            let tiles = (input.len() as u64).div_ceil(tile).max(1);
            let mut counter = Output::equal("counter", &[tiles as u32]);
            counter.initial = Initial::Zero;
            outputs.push(counter);
        }
        Instance {
            dimensions: dimensions([("n", case.shape.elements())]),
            inputs: vec![Array::of("in", &input)],
            outputs,
        }
    }

    /// Gives some tiles the sum 0, which looks like a word in which nothing was published yet.
    fn empty_tiles<T: Element>(&self, input: &mut [T], seed: u64) {
        let tiles = self.tile.map(|tile| input.chunks_exact_mut(tile as usize));
        for (number, tile) in tiles.into_iter().flatten().enumerate() {
            if let (true, Some((last, others))) = (
                harness::inputs::bits(!seed, number as u64).is_multiple_of(4),
                tile.split_last_mut(),
            ) {
                let sum = fold(self.op, others).to_i64();
                *last = T::from_bits(sum.wrapping_neg() as u64);
            }
        }
    }

    fn explain_out<T: Element>(&self, input: &[T], seen: &Observation<'_>) -> Option<Finding> {
        self.many_blocks(seen)
            .or_else(|| self.direction(input, seen))
            .or_else(|| self.across(input, seen))
            .or_else(|| self.of_the_first(input, seen))
            .or_else(|| self.reordered(seen))
            .or_else(|| self.window(input, seen))
            .or_else(|| self.repeated(input, seen))
            .or_else(|| self.stretch(input, seen))
            .or_else(|| self.identity(seen))
    }

    fn way(&self) -> Way {
        Way { op: self.op, kind: self.kind, from: self.from, swapped: false }
    }

    fn chunk<T>(&self, input: &[T]) -> usize {
        self.chunk.map_or(input.len(), |chunk| chunk as usize).max(1)
    }

    /// What comes before a chunk that is scanned by itself.
    fn nothing<T: Element>(&self) -> impl Fn(usize, &[T]) -> T {
        let identity = identity(self.op);
        move |_, _| identity
    }

    /// The chapter's scan of each chunk; from the right, which the chapter does not scan, our own.
    fn right<T: Element>(&self, input: &[T]) -> Vec<T> {
        let chunk = self.chunk(input);
        if self.from == From::Right {
            return self.way().scan(input, chunk, &self.nothing());
        }
        let scan = |part| reference::scan(self.op, self.kind, 1, part);
        let results = input.chunks(chunk).flat_map(scan);
        results.map(|exact| exact.nearest()).collect()
    }

    /// The other kind, the other end, the other operand first, or nothing done at all.
    fn direction<T: Element>(&self, input: &[T], seen: &Observation<'_>) -> Option<Finding> {
        let (way, chunk) = (self.way(), self.chunk(input));
        let is = |way: Way| seen.is(&way.scan(input, chunk, &self.nothing()));
        let kind = other(way.kind);
        if is(Way { kind, ..way }) {
            let because = match kind {
                Kind::Inclusive => "each result holds its own element: this is the inclusive scan",
                Kind::Exclusive => "each result lacks its own element: this is the exclusive scan",
            };
            return Finding::new(Diagnosis::Shifted, because);
        }
        if self.op == Op::Affine && is(Way { swapped: true, ..way }) {
            let because = "with the operands of the operator exchanged, exactly this comes out";
            return Finding::new(Diagnosis::Swapped, because);
        }
        let from = match way.from {
            From::Left => From::Right,
            From::Right => From::Left,
        };
        let other_end = [false, true].map(|swapped| is(Way { from, swapped, ..way }));
        if other_end.contains(&true) {
            let because = "the scan begins at the other end";
            return Finding::new(Diagnosis::Reversed, because);
        }
        let because = "every result is its own element";
        seen.is(input).then(|| Finding::new(Diagnosis::Unchanged, because))?
    }

    /// What a block, or a warp, does not learn of those before it.
    fn across<T: Element>(&self, input: &[T], seen: &Observation<'_>) -> Option<Finding> {
        let (op, way) = (self.op, self.way());
        let limit = self.chunk(input);
        let is = |block: usize, before: &dyn Fn(usize, &[T]) -> T| {
            let scan = |part| way.scan(part, block, before);
            let parts: Vec<Vec<T>> = input.chunks(limit).map(scan).collect();
            seen.is(&parts.concat())
        };
        let last = |b: usize, folds: &[T]| b.checked_sub(1).map_or(identity(op), |b| folds[b]);
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
            if is(block, &|_, folds| fold(op, &folds[..folds.len() - 1])) {
                let because = "every block has the same put before it";
                return Finding::new(Diagnosis::BlockOffset, because);
            }
            if let Some(finding) = self.lost(input, block, seen) {
                return Some(finding);
            }
        }
        // Blocks that are scanned by themselves have nothing put before them: then it is their parts.
        let own = self.chunk.is_none().then_some(seen.threads.max(1) as usize);
        let mut blocks = own.into_iter().chain([32]).chain(BLOCKS);
        let doubled = |block: &usize| is(*block, &|b, folds| fold(op, &folds[..=b]));
        let is_one = |block: &usize| Some(*block) == own || *block <= limit.next_power_of_two();
        let block = blocks.find(|block| is_one(block) && doubled(block))?;
        let because = format!("what is put before a block of {block} holds that block's sum, too");
        let diagnosis = match own {
            Some(_) => Diagnosis::OwnBlock,
            None => Diagnosis::DoubledElement,
        };
        Finding::new(diagnosis, because)
    }

    /// What comes before a block reaches its first result alone.
    fn of_the_first<T: Element>(&self, input: &[T], seen: &Observation<'_>) -> Option<Finding> {
        let block = seen.threads.max(1) as usize;
        if self.chunk.is_some() || input.len() <= block {
            return None;
        }
        let right = self.right(input);
        let alone = self.way().scan(input, block, &self.nothing());
        let of = |i: usize| if i.is_multiple_of(block) { right[i] } else { alone[i] };
        let only: Vec<T> = (0..input.len()).map(of).collect();
        let because =
            format!("of each block of {block}, the first result alone holds what comes before it");
        seen.is(&only).then(|| Finding::new(Diagnosis::BlockAlone, because))?
    }

    /// One element of each block that does not reach the blocks behind it.
    fn lost<T: Element>(
        &self,
        input: &[T],
        block: usize,
        seen: &Observation<'_>,
    ) -> Option<Finding> {
        if self.from == From::Right || self.chunk.is_some() || input.len() <= block {
            return None;
        }
        let op = self.op;
        let short = |b: usize, keep: &dyn Fn(&[T]) -> T| {
            let parts = input.chunks(block).take(b).map(keep);
            parts.fold(identity(op), |a, b| combine(op, a, b))
        };
        type Part<T> = (&'static str, fn(&[T]) -> &[T]);
        let parts: [Part<T>; 2] = [
            ("the last element", |part| &part[..part.len() - 1]),
            ("the first element", |part| &part[1..]),
        ];
        for (name, part) in parts {
            let before = |b: usize, _: &[T]| short(b, &|whole| fold(op, part(whole)));
            // Quadratic in the number of blocks: few are enough to tell.
            if input.len() / block < 256 && seen.is(&self.way().scan(input, block, &before)) {
                let because =
                    format!("{name} of each block of {block} is missing in all blocks behind it");
                return Finding::new(Diagnosis::LostElement, because);
            }
        }
        None
    }

    /// The factors of maps commute: where only the summands are wrong, all maps are there, in another
    /// order.
    fn reordered(&self, seen: &Observation<'_>) -> Option<Finding> {
        let low_word = f64::from(u32::MAX);
        let only_summands = seen
            .wrong
            .iter()
            .all(|wrong| !wrong.is_untouched && (wrong.got - wrong.expected).abs() <= low_word);
        let because = "the factors, the high words, are right and the summands are not: the right maps, in another order";
        (self.op == Op::Affine && only_summands)
            .then(|| Finding::new(Diagnosis::Swapped, because))?
    }

    /// Results of the last so many elements only: a step of Hillis and Steele's is missing.
    fn window<T: Element>(&self, input: &[T], seen: &Observation<'_>) -> Option<Finding> {
        if self.kind == Kind::Exclusive {
            return None;
        }
        let chunk = self.chunk(input);
        let windowed = |width: usize| -> Vec<T> {
            let result = |i: usize| {
                let (begin, end) = (i - i % chunk, (i - i % chunk + chunk).min(input.len()));
                match self.from {
                    From::Left => {
                        fold(self.op, &input[begin.max((i + 1).saturating_sub(width))..=i])
                    }
                    From::Right => fold(self.op, &input[i..(i + width).min(end)]),
                }
            };
            (0..input.len()).map(result).collect()
        };
        let widths = [2, 4, 8, 16, 32, 64, 128, 256, 512].into_iter();
        let width = widths
            .filter(|width| *width < chunk && input.len() <= 1 << 14)
            .find(|width| seen.is(&windowed(*width)))?;
        let because =
            format!("each result is the fold of {width} elements at most: a step is missing");
        Finding::new(Diagnosis::PartOnly, because)
    }

    /// The first element, taken with itself again and again.
    fn repeated<T: Element>(&self, input: &[T], seen: &Observation<'_>) -> Option<Finding> {
        let first = seen.first();
        let own = match self.from {
            From::Left => first.index,
            From::Right => input.len() - 1 - first.index,
        };
        if self.kind == Kind::Exclusive || own > 0 {
            return None;
        }
        let own = input[first.index];
        let times = |count: usize| fold(self.op, &vec![own; count]).to_f64();
        let mut counts = [2, 4, 8, 16, 32, 64, 128, 256, 1024].into_iter();
        let count = counts.find(|count| times(*count) == first.got)?;
        let index = first.index;
        let because = format!(
            "out[{index}] is in[{index}] taken {count} times: a thread with nothing before it adds its own value"
        );
        Finding::new(Diagnosis::DoubledElement, because)
    }

    /// Right until a block has no thread for each block's fold.
    fn many_blocks(&self, seen: &Observation<'_>) -> Option<Finding> {
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
    fn stretch<T: Element>(&self, input: &[T], seen: &Observation<'_>) -> Option<Finding> {
        let first = seen.first();
        if self.op != Op::Sum
            || self.from == From::Right
            || first.index > 1 << 13
            || first.is_untouched
        {
            return None;
        }
        let off = (first.got - first.expected) as i64 as u32;
        let said = |begin: usize, end: usize, how: &str| match end - begin {
            1 => format!("out[{}] has in[{begin}] {how}", first.index),
            _ => format!("out[{}] has in[{begin}] to in[{}] {how}", first.index, end - 1),
        };
        for step in [256, 32, 1] {
            for begin in (0..=first.index).step_by(step) {
                let longest = if step == 1 { begin + 1 } else { first.index };
                let mut sum = 0u32;
                for end in (begin + step..=longest).step_by(step) {
                    sum = input[end - step..end]
                        .iter()
                        .fold(sum, |sum, &x| sum.wrapping_add(x.to_i64() as u32));
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

    fn identity(&self, seen: &Observation<'_>) -> Option<Finding> {
        let zeros = self.op == Op::Max
            && seen.wrong.iter().all(|wrong| wrong.got == 0.0 && wrong.expected < 0.0);
        let because = "the wrong results are 0, which is larger than every element before them";
        zeros.then(|| Finding::new(Diagnosis::Identity, because))?
    }
}

#[cfg(test)]
mod tests {
    use harness::{Input, Shape};

    use super::*;

    fn scan(op: Op, kind: Kind, from: From) -> Scan {
        Scan { op, kind, from, chunk: None, tile: None }
    }

    #[test]
    fn small_scans_as_by_hand() {
        let x = [3, 1, 7, 0];
        let of = |kind, from| scan(Op::Sum, kind, from).right(&x);
        assert_eq!(of(Kind::Inclusive, From::Left), [3, 4, 11, 11]);
        assert_eq!(of(Kind::Exclusive, From::Left), [0, 3, 4, 11]);
        assert_eq!(of(Kind::Inclusive, From::Right), [11, 8, 7, 0]);
        assert_eq!(of(Kind::Exclusive, From::Right), [8, 7, 0, 0]);
    }

    #[test]
    fn maps_from_the_right_stand_in_their_order() {
        let map = |a: i64, b: i64| a << 32 | b;
        let x = [map(2, 3), map(5, 7)];
        let right = scan(Op::Affine, Kind::Inclusive, From::Right).right(&x);
        assert_eq!(right, [map(10, 22), map(5, 7)]);
    }

    fn diagnosed<T: Element>(
        scan: &Scan,
        n: u64,
        wrong: impl Fn(&[T]) -> Vec<T>,
    ) -> Option<Diagnosis> {
        let case = Case { shape: Shape::Vector { n }, input: Input::Uniform, seed: 1 };
        let instance = scan.instance(&case);
        let bytes = Array::of("out", &wrong(&instance.inputs[0].elements())).bytes;
        crate::operation::diagnosed(scan, &instance, &bytes)
    }

    #[test]
    fn mistakes_are_told_by_their_results() {
        let sum = scan(Op::Sum, Kind::Inclusive, From::Left);
        let nothing = sum.nothing::<i32>();
        let previous = |b: usize, folds: &[i32]| if b > 0 { folds[b - 1] } else { 0 };
        let alone = diagnosed(&sum, 700, |x| sum.way().scan(x, 256, &nothing));
        assert_eq!(alone, Some(Diagnosis::BlockAlone));
        let neighbour = diagnosed(&sum, 700, |x| sum.way().scan(x, 256, &previous));
        assert_eq!(neighbour, Some(Diagnosis::PreviousBlock));
        let warps = diagnosed(&sum, 700, |x| sum.way().scan(x, 32, &nothing));
        assert_eq!(warps, Some(Diagnosis::WarpAlone));
        assert_eq!(diagnosed(&sum, 700, <[i32]>::to_vec), Some(Diagnosis::Unchanged));
        let maps = scan(Op::Affine, Kind::Exclusive, From::Left);
        let way = Way { swapped: true, ..maps.way() };
        let swapped = diagnosed(&maps, 700, |x| way.scan(x, 700, &maps.nothing::<i64>()));
        assert_eq!(swapped, Some(Diagnosis::Swapped));
        assert_eq!(diagnosed(&sum, 700, |x: &[i32]| x.iter().map(|x| x ^ 1).collect()), None);
    }
}
