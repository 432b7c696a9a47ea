//! What the cases of one chapter have besides size, type, operator and input.
//!
//! A chapter's [`Task`] has a table of [`Parameter`]s. The options of the program, the columns of a row of JSON, the keys of
//! a page's directives, the choices in the lab and the words of a title are all made from that table.

use std::fmt;

use clap::{ValueEnum, builder::PossibleValue};
pub use recording::{Columns, Value};

use crate::Case;

/// What a chapter's cases ask for besides size, type, operator and input.
pub trait Task: Copy + fmt::Debug + Default + PartialEq + Send + Sync + 'static {
    /// The parameters, in the order of the options in `--help`.
    const PARAMETERS: &'static [Parameter<Self>];

    /// The columns of a row.
    fn columns(&self) -> Columns {
        let column = |parameter: &Parameter<Self>| {
            (parameter.get)(self).map(|value| (parameter.column.to_owned(), value))
        };
        Self::PARAMETERS.iter().filter_map(column).collect()
    }

    /// The default task with the values that are given as text: `value` is asked once for each column.
    ///
    /// # Errors
    /// With the column, the text and the reason, if a text is no value of its parameter.
    fn read(value: Values<'_>) -> Result<Self, String> {
        let mut task = Self::default();
        for Parameter { column, set, .. } in Self::PARAMETERS {
            if let Some(text) = value(column) {
                task = set(&task, &text).map_err(|error| format!("{column}={text}: {error}"))?;
            }
        }
        Ok(task)
    }

    /// The task with these columns.
    ///
    /// # Errors
    /// If a column is no parameter's, or its value is not one of the parameter's.
    fn of_columns(columns: &Columns) -> Result<Self, String> {
        let is_known = |name: &&str| Self::PARAMETERS.iter().any(|p| p.column == *name);
        if let Some(name) = columns.names().find(|name| !is_known(name)) {
            return Err(format!("there is no parameter {name}"));
        }
        Self::read(&mut |column| columns.get(column).map(Value::to_string))
    }

    /// The parameters in words, each with a comma before it, such as `, 256 bins`.
    fn label(&self) -> String {
        let labels = Self::PARAMETERS.iter().filter_map(|parameter| (parameter.label)(self));
        labels.map(|label| format!(", {label}")).collect()
    }
}

/// A chapter without parameters.
impl Task for () {
    const PARAMETERS: &'static [Parameter<Self>] = &[];
}

/// The text under a name, if there is one.
pub type Values<'a> = &'a mut dyn FnMut(&str) -> Option<String>;

/// A parameter of the task `T`.
#[derive(Clone, Copy, Debug)]
pub struct Parameter<T: 'static> {
    /// The column of a row of JSON, and the key of a page's directive, such as `order`.
    pub column: &'static str,
    /// The option of the program without its dashes, such as `index-order`.
    pub option: &'static str,
    /// What `--help` says.
    pub help: &'static str,
    /// What `--help` calls a value.
    pub value_name: &'static str,
    /// Gives the names of all values, if they have names.
    pub names: Option<fn() -> Vec<PossibleValue>>,
    /// Whether the option takes one value; otherwise it takes several, comma separated.
    pub is_single: bool,
    /// The value that runs if the option is left out; empty if the option has none.
    pub default: &'static str,
    /// The value in a task, if it has one.
    pub get: fn(&T) -> Option<Value>,
    /// The task with the value that a text stands for, or what would be a value.
    pub set: fn(&T, &str) -> Result<T, String>,
    /// The words for the value in a title, if it is worth mentioning there.
    pub label: fn(&T) -> Option<String>,
    /// The values that the lab offers.
    pub lab: &'static [&'static str],
    /// What the lab says if a task has no value; if this is empty, the lab then offers none.
    pub open: &'static str,
}

impl<T> Parameter<T> {
    /// A parameter whose option has the name of its column, without words in titles and without choices in the lab.
    pub const fn new(
        column: &'static str,
        help: &'static str,
        get: fn(&T) -> Option<Value>,
        set: fn(&T, &str) -> Result<T, String>,
    ) -> Self {
        Self {
            column,
            option: column,
            help,
            value_name: "VALUE",
            names: None,
            is_single: false,
            default: "",
            get,
            set,
            label: |_| None,
            lab: &[],
            open: "",
        }
    }

    /// The same with this option.
    pub const fn option(self, option: &'static str) -> Self {
        Self { option, ..self }
    }

    /// The same with this name for values in `--help`.
    pub const fn value_name(self, value_name: &'static str) -> Self {
        Self { value_name, ..self }
    }

    /// The same with the values of `E`, which all have names.
    pub const fn named<E: ValueEnum>(self) -> Self {
        Self { names: Some(names::<E>), ..self }
    }

    /// The same with an option that takes one value.
    pub const fn single(self) -> Self {
        Self { is_single: true, ..self }
    }

    /// The same with a value that runs if the option is left out.
    pub const fn default(self, default: &'static str) -> Self {
        Self { default, ..self }
    }

    /// The same with words in titles.
    pub const fn label(self, label: fn(&T) -> Option<String>) -> Self {
        Self { label, ..self }
    }

    /// The same with choices in the lab, and what the lab says if a task has no value.
    pub const fn lab(self, lab: &'static [&'static str], open: &'static str) -> Self {
        Self { lab, open, ..self }
    }
}

fn names<E: ValueEnum>() -> Vec<PossibleValue> {
    E::value_variants().iter().filter_map(E::to_possible_value).collect()
}

/// What columns can stand for.
pub trait AsColumns {
    /// The columns.
    fn as_columns(&self) -> Columns;
}

impl<T: Task> AsColumns for T {
    fn as_columns(&self) -> Columns {
        self.columns()
    }
}

impl AsColumns for Columns {
    fn as_columns(&self) -> Columns {
        self.clone()
    }
}

impl<T: AsColumns> Case<T> {
    /// The same case, whose task is known by its columns alone.
    pub fn erased(&self) -> Case<Columns> {
        self.with(self.task.as_columns())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    struct Example {
        bins: Option<u32>,
        is_even: bool,
    }

    impl Task for Example {
        const PARAMETERS: &'static [Parameter<Self>] = &[
            Parameter::new(
                "bins",
                "Bins",
                |example: &Self| example.bins.map(Value::from),
                |example, text| {
                    let bins = text.parse().map_err(|_| "not a number of bins")?;
                    Ok(Self { bins: Some(bins), ..*example })
                },
            )
            .label(|example| Some(format!("{} bins", example.bins?))),
            Parameter::new(
                "parity",
                "Parity",
                |example: &Self| example.is_even.then(|| Value::text("even")),
                |example, text| Ok(Self { is_even: text == "even", ..*example }),
            ),
        ];
    }

    #[test]
    fn columns_give_the_task_back() {
        let example = Example { bins: Some(3), is_even: true };
        let columns = example.columns();
        let json = serde_json::to_string(&columns).expect("JSON");
        assert_eq!(json, r#"{"bins":3,"parity":"even"}"#);
        assert_eq!(serde_json::from_str::<Columns>(&json).ok(), Some(columns.clone()));
        assert_eq!(Example::of_columns(&columns), Ok(example));
        assert_eq!(Example::default().columns(), Columns::default());
        assert_eq!(<()>::of_columns(&columns), Err("there is no parameter bins".into()));
        assert_eq!(example.label(), ", 3 bins");
    }

    #[test]
    fn text_that_is_no_value_is_refused() {
        let read = Example::read(&mut |column| (column == "bins").then(|| "many".into()));
        assert_eq!(read, Err("bins=many: not a number of bins".into()));
    }
}
