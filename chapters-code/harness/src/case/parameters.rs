//! What the problems of one chapter have besides size, type, operator and input.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::{Mutex, PoisonError},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::Case;

/// A chapter's own struct of parameters. Each field is a column of that name in a row of JSON; a field that is
/// `None` is left out.
pub trait ChapterParameters: Serialize + DeserializeOwned {
    /// Those of a case of the chapter.
    ///
    /// # Panics
    /// For a case of another chapter.
    fn of(case: &Case) -> Self {
        case.parameters.get()
    }
}

/// The fields of a [`ChapterParameters`], whose type only the chapter knows.
///
/// A copy is as cheap as a reference: equal parameters share one text, which is never freed.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Parameters(&'static str);

type Fields = BTreeMap<String, Value>;

impl Parameters {
    /// No parameters.
    pub const NONE: Self = Self("{}");

    fn new(mut fields: Fields) -> Self {
        static TEXTS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
        fields.retain(|_, value| !value.is_null());
        let text = serde_json::to_string(&fields).expect("an object");
        let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = texts.get(&*text) {
            return Self(known);
        }
        let text: &'static str = Box::leak(text.into_boxed_str());
        texts.insert(text);
        Self(text)
    }

    fn get<T: DeserializeOwned>(self) -> T {
        let fields = serde_json::from_str(self.0);
        fields.unwrap_or_else(|error| panic!("{} are of another chapter: {error}", self.0))
    }

    fn fields(self) -> Fields {
        serde_json::from_str(self.0).expect("an object")
    }
}

impl Default for Parameters {
    fn default() -> Self {
        Self::NONE
    }
}

impl fmt::Debug for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Serialize for Parameters {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.fields().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Parameters {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Fields::deserialize(deserializer).map(Self::new)
    }
}

impl<T: ChapterParameters> From<T> for Parameters {
    fn from(fields: T) -> Self {
        let fields = serde_json::to_value(fields).and_then(serde_json::from_value);
        Self::new(fields.expect("a struct of numbers and names"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Example {
        bins: Option<u32>,
        kind: Option<char>,
    }

    impl ChapterParameters for Example {}

    #[test]
    fn a_struct_goes_through_unchanged() {
        let example = Example { bins: Some(3), kind: None };
        let parameters = Parameters::from(example);
        assert_eq!(parameters.get::<Example>(), example);
        assert_eq!(parameters, Parameters::from(example));
        assert_eq!(format!("{parameters:?}"), r#"{"bins":3}"#);
        assert_eq!(Parameters::from(Example::default()), Parameters::NONE);
    }

    #[test]
    fn the_fields_are_columns_of_a_row() {
        #[derive(Serialize, Deserialize)]
        struct Row {
            n: u64,
            #[serde(flatten)]
            parameters: Parameters,
        }
        let text = r#"{"n":7,"bins":3,"kind":"e"}"#;
        let row: Row = serde_json::from_str(text).expect("a row");
        assert_eq!(row.parameters.get::<Example>().kind, Some('e'));
        assert_eq!(serde_json::to_string(&row).expect("JSON"), text);
    }

    #[test]
    #[should_panic(expected = "of another chapter")]
    fn parameters_of_another_chapter_are_refused() {
        let _: Example =
            serde_json::from_str::<Parameters>(r#"{"stride":2}"#).expect("an object").get();
    }
}
