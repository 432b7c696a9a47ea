//! A chapter's own columns.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Deserializer, Serialize};

/// The value of a parameter in a row.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A number.
    Number(u64),
    /// Anything else, as the command line spells it.
    Text(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl Value {
    /// The text of anything but a number.
    pub fn text(value: impl fmt::Display) -> Self {
        Self::Text(value.to_string())
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

/// The parameters of a chapter's case, each a column of a row: what stands for them if the chapter is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Columns(BTreeMap<String, Value>);

impl Columns {
    /// The value in a column, if there is one.
    pub fn get(&self, column: &str) -> Option<&Value> {
        self.0.get(column)
    }

    /// The number in a column, if there is one.
    pub fn number(&self, column: &str) -> Option<u64> {
        match self.get(column)? {
            Value::Number(number) => Some(*number),
            Value::Text(_) => None,
        }
    }

    /// The text in a column, if there is one.
    pub fn text(&self, column: &str) -> Option<&str> {
        match self.get(column)? {
            Value::Text(text) => Some(text),
            Value::Number(_) => None,
        }
    }

    /// The names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

impl FromIterator<(String, Value)> for Columns {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(columns: I) -> Self {
        Self(columns.into_iter().collect())
    }
}

/// Columns without a value are left out.
impl<'de> Deserialize<'de> for Columns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let columns = BTreeMap::<String, Option<Value>>::deserialize(deserializer)?;
        Ok(columns.into_iter().filter_map(|(name, value)| Some((name, value?))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_without_a_value_are_left_out() {
        let columns = serde_json::from_str::<Columns>(r#"{"bins":null}"#);
        assert_eq!(columns.ok(), Some(Columns::default()));
    }
}
