//! Is the result right? Equal for integers, within a derived bound for floating point.

use serde::Serialize;

use crate::Element;

/// One exact result and how far from it a computed one may lie.
#[derive(Clone, Copy, Debug)]
pub enum Exact<T> {
    /// The computed value must be this one.
    Equal(T),
    /// It must lie within `bound` of `value`.
    Within {
        /// The reference.
        value: f64,
        /// Derived, see [`crate::bound`].
        bound: f64,
    },
}

/// What became of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// What is wrong; nothing where the run is right.
    pub failures: Vec<Failure>,
    /// The largest |computed − exact|.
    pub error: f64,
    /// The bound at that element; 0 where results must be equal.
    pub error_bound: f64,
    /// The computed bytes, as a short text that is equal only for equal results.
    pub checksum: String,
}

impl Verdict {
    /// Of a run in which something was found before its result was looked at.
    pub fn of(failure: Failure) -> Self {
        Self {
            failures: vec![failure],
            error: f64::NAN,
            ..Self::default()
        }
    }

    /// Whether nothing is wrong.
    pub fn is_correct(&self) -> bool {
        self.failures.is_empty()
    }
}

/// Something wrong with a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// What noticed.
    pub by: Checker,
    /// What it saw.
    pub message: String,
}

impl Failure {
    /// A write outside an output, `at` bytes from its start.
    pub fn beside_output(at: i64) -> Self {
        let message = format!("the byte at {at} from the output's start was written");
        Self {
            by: Checker::Guard,
            message,
        }
    }
}

/// What can notice that a kernel is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Checker {
    /// The result differs from the reference by more than the bound.
    Result,
    /// Memory beside an output was written.
    Guard,
    /// The input was changed.
    Input,
    /// What the simulator finds while a kernel runs: races, undefined values.
    Races,
    /// The launch was stopped: bad address, deadlock, trap.
    Fault,
}

impl Checker {
    /// The name in the table's narrow column.
    pub fn short(self) -> &'static str {
        match self {
            Self::Result => "result",
            Self::Guard => "guard",
            Self::Input => "input",
            Self::Races => "races",
            Self::Fault => "fault",
        }
    }

    /// The name in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Self::Result => "result",
            Self::Guard => "guard zone",
            Self::Input => "input check",
            Self::Races => "detector",
            Self::Fault => "fault",
        }
    }
}

/// Compares computed bytes with what they should be, one value after another.
pub fn compare<T: Element>(
    computed: &[u8],
    expected: impl IntoIterator<Item = Exact<T>>,
) -> Verdict {
    let values = computed
        .chunks_exact(size_of::<T>())
        .map(bytemuck::pod_read_unaligned::<T>);
    let mut verdict = Verdict {
        checksum: checksum(computed),
        ..Verdict::default()
    };
    let (mut wrong, mut of) = (0usize, 0usize);
    let mut first_wrong = None;
    for (i, (got, exact)) in values.zip(expected).enumerate() {
        of += 1;
        let (value, bound, right) = judge(got, &exact);
        let error = if right && value == got.to_f64() {
            0.0
        } else {
            (got.to_f64() - value).abs()
        };
        if error >= verdict.error || error.is_nan() {
            (verdict.error, verdict.error_bound) = (error, bound);
        }
        if !right {
            wrong += 1;
            first_wrong.get_or_insert((i, got.to_f64(), value, bound));
        }
    }
    if let Some((i, got, value, bound)) = first_wrong {
        let message = describe(i, got, value, bound, (wrong, of));
        verdict.failures.push(Failure {
            by: Checker::Result,
            message,
        });
    }
    verdict
}

fn judge<T: Element>(got: T, exact: &Exact<T>) -> (f64, f64, bool) {
    match exact {
        Exact::Equal(value) => (value.to_f64(), 0.0, got == *value),
        // Written so that NaN is wrong, and an infinity right only where it is expected.
        Exact::Within { value, bound } => {
            let right = got.to_f64() == *value || (got.to_f64() - value).abs() <= *bound;
            (*value, *bound, right)
        }
    }
}

fn describe(i: usize, got: f64, value: f64, bound: f64, (wrong, of): (usize, usize)) -> String {
    let tolerance = if bound > 0.0 {
        format!(" within {bound:.3e}")
    } else {
        String::new()
    };
    let count = if of > 1 {
        format!(" ({wrong} of {of} results are wrong)")
    } else {
        String::new()
    };
    format!("out[{i}] is {got}, expected {value}{tolerance}{count}")
}

/// Where an input differs from what was uploaded, if it does.
pub fn input_changed<T: Element>(before: &[T], after: &[u8]) -> Option<Failure> {
    let before: &[u8] = bytemuck::cast_slice(before);
    // An empty input has one byte of memory, for the driver's sake.
    if after.starts_with(before) {
        return None;
    }
    let at = before.iter().zip(after).position(|(a, b)| a != b)?;
    let element = at / size_of::<T>();
    Some(Failure {
        by: Checker::Input,
        message: format!("the input was changed at element {element}"),
    })
}

/// Up to 8 bytes as a hexadecimal number; more as their FNV-1a hash.
pub fn checksum(bytes: &[u8]) -> String {
    if bytes.len() <= 8 {
        let value = bytes
            .iter()
            .rev()
            .fold(0u64, |value, &byte| value << 8 | u64::from(byte));
        return format!("{value:#0width$x}", width = 2 + 2 * bytes.len());
    }
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("fnv1a:{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check<T: Element>(got: T, exact: Exact<T>, right: bool) {
        let verdict = compare(bytemuck::bytes_of(&got), [exact]);
        assert_eq!(verdict.is_correct(), right, "{verdict:?}");
    }

    #[test]
    fn integers_are_equal_or_wrong() {
        check(5i32, Exact::Equal(5), true);
        check(5i32, Exact::Equal(6), false);
        // Equal as f64, different as i64.
        check(i64::MAX, Exact::Equal(i64::MAX - 1), false);
    }

    #[test]
    fn floats_are_judged_by_their_bound() {
        check(
            1.0f32,
            Exact::Within {
                value: 1.5,
                bound: 0.5,
            },
            true,
        );
        check(
            1.0f32,
            Exact::Within {
                value: 1.6,
                bound: 0.5,
            },
            false,
        );
        check(
            f32::NAN,
            Exact::Within {
                value: 1.0,
                bound: f64::INFINITY,
            },
            false,
        );
        check(
            f32::INFINITY,
            Exact::Within {
                value: 1.0,
                bound: 1.0,
            },
            false,
        );
        check(
            f32::INFINITY,
            Exact::Within {
                value: f64::INFINITY,
                bound: 0.0,
            },
            true,
        );
    }

    #[test]
    fn a_missing_result_is_wrong() {
        // Poison where a result should be.
        check(
            f32::from_bits(0xfbfb_fbfb),
            Exact::Within {
                value: 0.0,
                bound: 1.0,
            },
            false,
        );
        check(i32::from_ne_bytes([POISON; 4]), Exact::Equal(-1), false);
    }

    #[test]
    fn a_changed_input_is_noticed() {
        let input = [1.0f32, 2.0];
        assert_eq!(
            input_changed(&input, bytemuck::cast_slice(&[1.0f32, 2.0])),
            None
        );
        let changed = input_changed(&input, bytemuck::cast_slice(&[1.0f32, 2.5])).unwrap();
        assert!(changed.message.contains("element 1"));
        assert_eq!(input_changed::<f32>(&[], &[POISON]), None);
    }

    #[test]
    fn checksums_are_the_bits_of_a_single_result() {
        assert_eq!(checksum(&1.0f32.to_le_bytes()), "0x3f800000");
        assert_eq!(checksum(&7i64.to_le_bytes()), "0x0000000000000007");
        assert_eq!(checksum(&[0; 9]).len(), "fnv1a:".len() + 16);
    }

    use crate::buffer::POISON;
}
