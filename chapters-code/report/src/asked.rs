//! The options of a chapter's task, made from its parameters, and what a command line gives for them.

use std::collections::BTreeMap;

use clap::{Arg, ArgAction, ArgMatches, Command, builder::PossibleValuesParser};
use harness::{Parameter, Task};

/// What a command line asks for besides sizes and types.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The rungs that are asked for by name.
    pub kernel: Vec<String>,
    /// The values of each option that has any, by its name.
    values: BTreeMap<&'static str, Vec<String>>,
}

impl Asked {
    /// The options of `T`, added to a command.
    pub(crate) fn options<T: Task>(command: Command) -> Command {
        command.args(T::PARAMETERS.iter().map(option))
    }

    /// What was given for them.
    pub(crate) fn of<T: Task>(matches: &ArgMatches, kernel: Vec<String>) -> Self {
        let given = |parameter: &Parameter<T>| {
            let values = matches.get_many::<String>(parameter.option)?;
            Some((parameter.option, values.cloned().collect()))
        };
        Self { kernel, values: T::PARAMETERS.iter().filter_map(given).collect() }
    }

    /// Whether an option was given, or has a default.
    pub fn has(&self, option: &str) -> bool {
        self.values.contains_key(option)
    }

    /// The values of an option, as text.
    pub fn values(&self, option: &str) -> &[String] {
        self.values.get(option).map_or(&[], Vec::as_slice)
    }

    /// Every combination of the values of all options; the values of the first option change last.
    pub fn combinations<T: Task>(&self) -> Vec<T> {
        self.vary(vec![T::default()], |_| true)
    }

    /// Each of the tasks with every combination of the values of those options that `is_meant` picks. A value that a task
    /// refuses is left out: the option has refused it before.
    pub fn vary<T: Task>(&self, tasks: Vec<T>, is_meant: impl Fn(&str) -> bool) -> Vec<T> {
        let mut all = tasks;
        for Parameter { option, set, .. } in T::PARAMETERS {
            let values = self.values(option);
            if values.is_empty() || !is_meant(option) {
                continue;
            }
            let with = |task: T| values.iter().filter_map(move |text| set(&task, text).ok());
            all = all.into_iter().flat_map(with).collect();
        }
        all
    }
}

/// The option of a parameter.
fn option<T: Task>(parameter: &'static Parameter<T>) -> Arg {
    let arg = Arg::new(parameter.option)
        .long(parameter.option)
        .help(parameter.help)
        .value_name(parameter.value_name)
        .allow_hyphen_values(true);
    let arg = match parameter.is_single {
        true => arg.action(ArgAction::Set),
        false => arg.action(ArgAction::Append).value_delimiter(','),
    };
    let arg = match parameter.default {
        "" => arg,
        default => arg.default_value(default),
    };
    match parameter.names {
        Some(names) => arg.value_parser(PossibleValuesParser::new(names())),
        None => arg.value_parser(move |text: &str| {
            (parameter.set)(&T::default(), text).map(|_| text.to_owned())
        }),
    }
}
