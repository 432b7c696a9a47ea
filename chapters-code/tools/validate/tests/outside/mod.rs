//! Programs that know nothing of the simulator, in packages outside of this workspace.

mod cargo;
mod examples;
mod four_lines;
mod project;
mod run;
mod three_lines;
