//! The command line of a chapter's program, made from the options of every chapter, those of its task and its own.

use clap::{Args, Command, FromArgMatches};

use crate::{Chapter, Options, TypeOptions, asked::Asked};

/// What `--help` says of a chapter's program.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Its name, such as `chapter_1`.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// Examples, a line each, under a heading.
    pub examples: &'static str,
}

/// What a command line asks for.
#[derive(Clone, Debug)]
pub struct CommandLine {
    /// The options of every chapter.
    pub options: Options,
    /// Types, operators and inputs.
    pub types: TypeOptions,
    /// The options of the chapter's task.
    pub asked: Asked,
}

/// Reads the command line of the program of `C`. A wrong one, `--help` and `--version` end the program.
pub fn parse<C: Chapter>(program: Program) -> CommandLine {
    let (command_line, ()) = parse_with::<C, ()>(program);
    command_line
}

/// As [`parse`], with the options `Own` that only this program has.
pub fn parse_with<C: Chapter, Own: Args>(program: Program) -> (CommandLine, Own) {
    let mut command = Options::augment_args(Command::new(program.name));
    if C::HAS_TYPES {
        command = TypeOptions::augment_args(command)
            .mut_arg("dtype", |dtype| dtype.default_value(C::DEFAULT_DTYPE.name()));
    }
    let command = Own::augment_args(Asked::options::<C::Task>(command));
    // Last, because the groups of options bring descriptions of their own.
    let command = command.version(env!("CARGO_PKG_VERSION")).about(program.about);
    let matches = command.after_help(program.examples).get_matches();
    let read = || {
        let options = Options::from_arg_matches(&matches)?;
        let asked = Asked::of::<C::Task>(&matches, options.kernel.clone());
        let types = match C::HAS_TYPES {
            true => TypeOptions::from_arg_matches(&matches)?,
            false => TypeOptions::default(),
        };
        Ok((CommandLine { options, types, asked }, Own::from_arg_matches(&matches)?))
    };
    read().unwrap_or_else(|error: clap::Error| error.exit())
}
