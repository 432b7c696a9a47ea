//! The recorded files, read and written again.

use std::{fs, path::Path};

use recording::Recording;

/// What is read is all that is there: each file is written again as it was, byte for byte.
#[test]
fn recorded_files_are_written_again_as_they_were() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/measurements");
    let files = fs::read_dir(folder).expect("the folder of recorded runs");
    let paths = files.map(|file| file.expect("a file").path());
    let mut files = 0;
    for path in paths.filter(|path| path.extension().is_some_and(|extension| extension == "json")) {
        let text = fs::read_to_string(&path).expect("a text");
        let recording = Recording::read(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let written = recording.expect("a recorded run").to_json().expect("JSON");
        let mut lines = text.lines().zip(written.lines());
        if let Some((was, is)) = lines.find(|(was, is)| was != is) {
            panic!("{path:?}:\n{was}\nbecomes\n{is}");
        }
        assert_eq!(text.len(), written.len(), "{path:?}");
        files += 1;
    }
    assert!(files > 0);
}

#[test]
fn what_says_that_it_is_something_else_is_no_recording() {
    assert!(matches!(Recording::read(r#"{"kind": "a probe of caches"}"#), Ok(None)));
    assert!(Recording::read("{}").is_err());
    assert!(Recording::read(r#"{"kind": "recorded run"}"#).is_err());
}
