//! Sizes of which one is drawn, so that no kernel can know it beforehand.

use std::str::FromStr;

use anyhow::{Context, Result, ensure};
use harness::{Shape, inputs::bits, shape::parse_count};
use serde::{Deserialize, Deserializer, de};

/// Sizes along one axis or two: `1..5000`, `3072..5120/256` in steps, `8x1..5000`, where 8 is fixed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    axes: Vec<Axis>,
}

/// `least`, `least + step`, … up to `most`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Axis {
    least: u64,
    most: u64,
    step: u64,
}

impl Range {
    /// One of the sizes: the same for the same two numbers. Of many sizes, small ones are drawn as often
    /// as large ones: first how many bits the step's number has, and then the number.
    pub fn draw(&self, seed: u64, number: u64) -> Shape {
        let side = |(at, axis): (u64, &Axis)| {
            let count = (axis.most - axis.least) / axis.step + 1;
            let random = bits(seed ^ 0x6472_6177, 2 * number + at);
            let among = match count {
                0..256 => count,
                _ => (1u64 << (random % (u64::from(count.ilog2()) + 2))).min(count),
            };
            axis.least + axis.step * ((random >> 8) % among)
        };
        let sides: Vec<u64> = (0..).zip(&self.axes).map(side).collect();
        match sides[..] {
            [rows, cols] => Shape::Matrix { rows, cols },
            _ => Shape::Vector { n: sides[0] },
        }
    }
}

/// The least long side of a matrix that is long.
const LONG: f64 = 70_000.0;

/// Which way a matrix is long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Long {
    /// It has many rows.
    Rows,
    /// It has many columns.
    Cols,
    /// Either, or none.
    Any,
}

impl Range {
    /// A shape of `least` to `most` elements, beyond the ends of the range if need be, but with its steps and
    /// its fixed sides. As many elements as not are fewer than √(least · most). The same for the same seed and
    /// number.
    pub fn spread(&self, seed: u64, number: u64, (least, most): (u64, u64), long: Long) -> Shape {
        let random = |at| bits(seed ^ 0x7370_7264, 3 * number + at) >> 11;
        let between = |a: f64, b: f64, at| {
            let part = random(at) as f64 * f64::powi(2.0, -53);
            f64::powf(2.0, a.log2() + part * (b.log2() - a.log2()))
        };
        let total = between(least as f64, most as f64, 0);
        let rounded = |axis: &Axis, side: f64| match axis.least == axis.most {
            true => axis.least,
            false => (side as u64 / axis.step).max(1) * axis.step,
        };
        let [rows, cols] = &self.axes[..] else {
            return Shape::Vector { n: rounded(&self.axes[0], total) };
        };
        let least = rows.step.max(cols.step) as f64;
        // The long side does not fit in 16 bits, if there are elements enough.
        let most = least.max((total / LONG).min(64.0));
        // Of a matrix of a few columns most of a tile is empty, and small ones show that, too.
        let short = between(least.max(most.min(16.0)), most, 1);
        let rows_wanted = match long {
            Long::Rows => total / rounded(cols, short) as f64,
            Long::Cols => short,
            Long::Any => between(least, total / least, 1),
        };
        let fixed = |axis: &Axis| (axis.least == axis.most).then_some(axis.least as f64);
        let rows = rounded(rows, fixed(cols).map_or(rows_wanted, |cols| total / cols));
        Shape::Matrix { rows, cols: rounded(cols, total / rows as f64) }
    }

    /// A matrix with at least these sides, in the range's steps.
    pub fn at_least(&self, rows: u64, cols: u64) -> Option<Shape> {
        let [by_row, by_col] = &self.axes[..] else {
            return None;
        };
        let side = |axis: &Axis, least: u64| least.next_multiple_of(axis.step);
        Some(Shape::Matrix { rows: side(by_row, rows), cols: side(by_col, cols) })
    }

    /// Whether it is of matrices of which both sides vary.
    pub fn is_free_matrix(&self) -> bool {
        self.axes.len() == 2 && self.axes.iter().all(|axis| axis.least < axis.most)
    }

    /// As a student reads it: `3072 to 5120 elements in steps of 256`.
    pub fn in_words(&self) -> String {
        let axis = |axis: &Axis, what: &str| {
            let Axis { least, most, step } = axis;
            match (least == most, step) {
                (true, _) => format!("{least} {what}"),
                (_, 1) => format!("{least} to {most} {what}"),
                _ => format!("{least} to {most} {what} in steps of {step}"),
            }
        };
        match &self.axes[..] {
            [rows, cols] => format!("{} and {}", axis(rows, "rows"), axis(cols, "columns")),
            axes => axis(&axes[0], "elements"),
        }
    }
}

impl FromStr for Range {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let axes: Vec<Axis> = text.split('x').map(axis).collect::<Result<_>>()?;
        ensure!(axes.len() <= 2, "`{text}` has more than two axes");
        Ok(Self { axes })
    }
}

fn axis(text: &str) -> Result<Axis> {
    let (ends, step) = text.split_once('/').unwrap_or((text, "1"));
    let (least, most) = ends.split_once("..").unwrap_or((ends, ends));
    let count = |part| parse_count(part).with_context(|| format!("in the sizes `{text}`"));
    let axis = Axis { least: count(least)?, most: count(most)?, step: count(step)? };
    ensure!(axis.step > 0 && axis.least <= axis.most, "`{text}` holds no size");
    Ok(axis)
}

impl<'de> Deserialize<'de> for Range {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|error| de::Error::custom(format!("{error:#}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_drawn_from_the_whole_range_and_from_nothing_else() {
        let range: Range = "8x32..96/32".parse().expect("it is one");
        let drawn: std::collections::BTreeSet<String> =
            (0..100).map(|seed| range.draw(seed, 0).to_string()).collect();
        let expected = ["8x32", "8x64", "8x96"].map(str::to_owned);
        assert!(drawn.iter().eq(&expected), "{drawn:?}");
        assert_eq!(range.draw(7, 1), range.draw(7, 1));
        assert_eq!(range.in_words(), "8 rows and 32 to 96 columns in steps of 32");
    }

    #[test]
    fn large_sizes_are_spread_by_their_number_of_digits() {
        let range: Range = "1..8000".parse().expect("it is one");
        let ends = (1 << 14, 1 << 22);
        let sizes: Vec<u64> =
            (0..1000).map(|seed| range.spread(seed, 0, ends, Long::Any).elements()).collect();
        assert!(sizes.iter().all(|n| (1 << 14..=1 << 22).contains(n)));
        let few = sizes.iter().filter(|n| **n < 1 << 18).count();
        assert!((450..550).contains(&few), "{few}");
    }

    #[test]
    fn large_matrices_keep_their_steps_and_are_long_as_asked() {
        for (text, long) in
            [("4..160/4x4..160/4", Long::Rows), ("1..6000x3", Long::Any), ("8x1..6000", Long::Any)]
        {
            let range: Range = text.parse().expect("it is one");
            for seed in 0..100 {
                let shape = range.spread(seed, 1, (1 << 20, 1 << 21), long);
                let Shape::Matrix { rows, cols } = shape else { panic!("{shape}") };
                let limits = 1 << 19..=(1 << 21) + (1 << 18);
                assert!(limits.contains(&(rows * cols)), "{text}: {shape}");
                match text {
                    "1..6000x3" => assert_eq!(cols, 3),
                    "8x1..6000" => assert_eq!(rows, 8),
                    _ => assert!(rows % 4 == 0 && cols % 4 == 0 && rows > 10_000, "{shape}"),
                }
            }
        }
    }

    #[test]
    fn what_holds_no_size_is_refused() {
        for text in ["", "5..1", "1..5/0", "1..", "1x2x3", "a..b"] {
            assert!(text.parse::<Range>().is_err(), "{text}");
        }
    }
}
