//! One file per subcommand.

pub mod instructions;
pub mod launches;
pub mod seeded_bugs;
