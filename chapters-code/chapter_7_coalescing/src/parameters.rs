//! What the values of the chapter's options mean.

use std::{fmt, str::FromStr};

use harness::{names, shape::parse_count};

/// The order in which the elements of an array are asked for, as `--index-order` spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// One after the other.
    Ascending,
    /// Each once: one window of this length after another, and in a window at random.
    Within(u64),
    /// Each time any of them: some several times, others never.
    Random,
    /// The indices of [`Order::Random`], sorted.
    Sorted,
}

impl Order {
    /// Whether an element may be asked for twice.
    pub fn repeats(self) -> bool {
        matches!(self, Self::Random | Self::Sorted)
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ascending => write!(f, "ascending"),
            Self::Within(window) => write!(f, "{window}"),
            Self::Random => write!(f, "random"),
            Self::Sorted => write!(f, "sorted"),
        }
    }
}

impl FromStr for Order {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "ascending" => Ok(Self::Ascending),
            "random" => Ok(Self::Random),
            "sorted" => Ok(Self::Sorted),
            _ => match parse_count(text) {
                Ok(window @ 1..) => Ok(Self::Within(window)),
                _ => Err(format!(
                    "`{text}` is no order: write ascending, random, sorted, or the length of the windows in which \
                     elements are shuffled, such as 1024"
                )),
            },
        }
    }
}

names! {
    /// What an array's elements are the fields of, as `--layout` spells it.
    pub enum Records {
        /// Two numbers that are added up.
        Pairs = "pairs",
        /// Eight: place and velocity in three dimensions, mass and charge.
        Particles = "particles",
    }
}

impl Records {
    /// Numbers of a record.
    pub fn fields(self) -> u64 {
        match self {
            Self::Pairs => 2,
            Self::Particles => 8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_as_people_write_them() {
        let check = |text: &str, order| assert_eq!(text.parse(), Ok(order), "{text}");
        check("ascending", Order::Ascending);
        check("random", Order::Random);
        check("sorted", Order::Sorted);
        check("32", Order::Within(32));
        check("2^20", Order::Within(1 << 20));
        for text in ["", "0", "-1", "2^50", "shuffled", "1.5"] {
            assert!(text.parse::<Order>().is_err(), "{text}");
        }
    }
}
