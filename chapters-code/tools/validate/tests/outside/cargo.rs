//! What cargo knows: cudarc's crate, in the version that this workspace uses.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The cargo that runs the test.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// The standard output of a command that must succeed.
#[track_caller]
pub fn output(command: &mut Command) -> String {
    let output = command.output().expect("the toolchain runs");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {complaint}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// A crate as `cargo metadata` describes it.
pub struct Package {
    /// The entry of `packages`.
    pub description: Value,
    /// The features that this workspace turns on.
    pub features: Vec<String>,
}

/// cudarc.
pub fn cudarc() -> Package {
    let host = output(Command::new("rustc").args(["--print", "host-tuple"]));
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let mut metadata = cargo();
    metadata.args(["metadata", "--format-version=1", "--manifest-path", manifest]);
    metadata.args(["--filter-platform", host.trim()]);
    let mut metadata: Value = serde_json::from_str(&output(&mut metadata)).expect("JSON");
    let packages = metadata["packages"].as_array_mut().expect("packages");
    let description = packages
        .iter_mut()
        .find(|package| package["name"] == "cudarc")
        .expect("a dependency on cudarc")
        .take();
    let nodes = metadata["resolve"]["nodes"].as_array().expect("nodes");
    let node = nodes.iter().find(|node| node["id"] == description["id"]);
    let features = &node.expect("it is resolved")["features"];
    let features = features.as_array().expect("a list").iter();
    Package { features: features.map(text).collect(), description }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// A crate of an example program.
pub struct Example {
    /// Its name.
    pub name: String,
    /// Its source.
    pub source: PathBuf,
}

impl Package {
    /// Its version.
    pub fn version(&self) -> String {
        text(&self.description["version"])
    }

    /// The folder of its source.
    pub fn folder(&self) -> PathBuf {
        let manifest = text(&self.description["manifest_path"]);
        Path::new(&manifest).parent().expect("a folder").to_owned()
    }

    /// Its examples.
    pub fn examples(&self) -> Vec<Example> {
        let targets = self.description["targets"].as_array().expect("targets");
        let is_example = |target: &&Value| target["kind"] == serde_json::json!(["example"]);
        let example = |target: &Value| Example {
            name: text(&target["name"]),
            source: text(&target["src_path"]).into(),
        };
        targets.iter().filter(is_example).map(example).collect()
    }
}
