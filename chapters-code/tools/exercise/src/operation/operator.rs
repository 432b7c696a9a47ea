//! Operators of scans, on integers: results are exact, whatever the brackets.

use chapter_1_reduce::reference::Aggregate;
pub use chapter_1_reduce::reference::identity;
use harness::{Element, Op};
use serde::{Deserializer, de};

/// Evaluates an expression with `$T` standing for the type of a scan's elements: `int`s, and for maps
/// `long long`s.
macro_rules! with_operand {
    ($op:expr, $T:ident => $body:expr) => {
        match $op {
            harness::Op::Affine => {
                type $T = i64;
                $body
            }
            _ => {
                type $T = i32;
                $body
            }
        }
    };
}

pub(super) use with_operand;

/// An operator of scans, by its name.
pub fn of_scans<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Op, D::Error> {
    match crate::course::named(deserializer)? {
        op @ (Op::Sum | Op::Max | Op::Affine) => Ok(op),
        op => Err(de::Error::custom(format!("no scan has the operator {op}"))),
    }
}

/// One element and the one behind it.
pub fn combine<T: Element>(op: Op, first: T, then: T) -> T {
    fold(op, &[first, then])
}

/// The fold of some elements, in their order.
pub fn fold<T: Element>(op: Op, elements: &[T]) -> T {
    Aggregate::of(op, elements.iter().copied()).nearest()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_compose_the_left_one_first() {
        // x -> 2x + 3, then x -> 5x + 7: x -> 10x + 22.
        let map = |a: i64, b: i64| a << 32 | b;
        let both = combine(Op::Affine, map(2, 3), map(5, 7));
        assert_eq!(both, map(10, 22));
        assert_eq!(combine(Op::Affine, identity(Op::Affine), both), both);
    }

    #[test]
    fn ints_wrap_and_the_lowest_is_the_identity_of_max() {
        assert_eq!(combine(Op::Sum, -1, 3), 2);
        assert_eq!(combine(Op::Sum, i32::MAX, 1), i32::MIN);
        assert_eq!(combine(Op::Max, identity(Op::Max), -5), -5);
    }
}
