//! What the book shows of a check is what a check says.

use crate::common::{Folder, block_sum, has_compiler, solution};

#[test]
fn the_page_shows_what_is_said() {
    if !has_compiler() {
        return;
    }
    let (folder, exercise) = (Folder::new(), block_sum());
    let local = solution(&exercise).replace("size_t(blockIdx.x) * 256 + tid;", "tid;");
    folder.put(&exercise, local.as_bytes());
    // The first check shows the task, too; the page shows the second.
    folder.run(&["check", "block_sum"]);
    let output =
        folder.command(&["check", "block_sum", "--seed", "1"]).env("COLUMNS", "120").output();
    let said = String::from_utf8_lossy(&output.expect("it runs").stdout).into_owned();
    let own = folder.path().to_string_lossy().into_owned();
    let said = said.replace(&own, "exercises");
    let shown = exercise::workspace().join("book/exercise.txt");
    let shown = std::fs::read_to_string(shown).expect("it is there");
    assert_eq!(said.trim(), shown.trim());
}
