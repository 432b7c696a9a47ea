//! Races are said on standard error where the environment asks for them: the test runs itself
//! again, as a program that knows nothing of the simulator.

use crate::common::{RACE, context, in_own_process, launch, load, one_block};

#[test]
#[ignore = "run by the other test"]
fn program() {
    let context = context();
    let race = load(&context, RACE, "race");
    let stream = context.default_stream();
    for _ in 0..2 {
        launch!(stream, race, one_block(64)).unwrap();
    }
    stream.synchronize().unwrap();
}

/// What the program says on standard error, with a setting of `SIMT_RACES`.
fn output(races: &str) -> String {
    let run = in_own_process("races::program", &[("SIMT_RACES", races)]);
    let said = String::from_utf8(run.stderr).unwrap();
    assert!(run.status.success(), "{said}");
    said
}

#[test]
fn races_are_said_once() {
    assert_eq!(output("1").matches("race in kernel `race`").count(), 1);
    assert_eq!(output("0").matches("race").count(), 0);
    let said = output("often");
    assert_eq!(said.matches("SIMT_RACES=\"often\" is not a number").count(), 1, "{said}");
}
