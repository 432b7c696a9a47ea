//! Every rung can be captured in a CUDA graph and replayed on other inputs.

use anyhow::Result;
use record::replays;

#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_every_replay_is_right() -> Result<()> {
    let runner = testing::simulator();
    let mut wrong = Vec::new();
    replays::all(&runner.device, &mut |replays| {
        if !replays.wrong.is_empty() {
            wrong.push(format!("{}: {}", replays.name, replays.wrong.join("; ")));
        }
        Ok(())
    })?;
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    Ok(())
}
