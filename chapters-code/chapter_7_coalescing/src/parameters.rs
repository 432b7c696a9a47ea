//! Which addresses a kernel accesses, and how many loads it has in flight.

use std::{fmt, str::FromStr};

use harness::{ChapterParameters, names, shape::parse_count, text_in_json};
use serde::{Deserialize, Serialize};

/// The options of this chapter that a case keeps.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AccessParameters {
    /// The number of elements by which a copy is shifted.
    pub offset: Option<u64>,
    /// The number of elements from one that is copied to the next.
    pub stride: Option<u64>,
    /// The records whose fields the elements are.
    pub records: Option<Records>,
    /// The order in which elements are gathered or scattered.
    pub order: Option<Order>,
    /// The number of loads that a thread has in flight.
    pub loads: Option<u32>,
    /// The number of blocks that a multiprocessor holds at a time.
    pub resident: Option<u32>,
}

impl ChapterParameters for AccessParameters {}

impl fmt::Display for AccessParameters {
    /// Each with a comma before it: `, offset 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = [
            self.offset.map(|offset| format!("offset {offset}")),
            self.stride.map(|stride| format!("stride {stride}")),
            self.records.map(|records| records.to_string()),
            self.order.map(|order| match order {
                Order::Within(window) => format!("shuffled within {window}"),
                _ => format!("{order} order"),
            }),
            self.loads.map(|loads| format!("{loads} loads per thread")),
            self.resident.map(|resident| format!("{resident} blocks per multiprocessor")),
        ];
        all.iter().flatten().try_for_each(|one| write!(f, ", {one}"))
    }
}

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

text_in_json!(Order);

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

    #[test]
    fn orders_are_text_in_json() {
        for order in [Order::Within(7), Order::Sorted] {
            let json = serde_json::to_string(&order).expect("JSON");
            assert_eq!(serde_json::from_str::<Order>(&json).ok(), Some(order));
        }
        assert!(serde_json::from_str::<Order>(r#""0""#).is_err());
    }
}
