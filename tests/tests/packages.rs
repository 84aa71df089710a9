//! The crates for programs in Rust can be packaged, with all of the workspace that they depend on.

use std::collections::BTreeSet;
use std::process::{Command, Output};

use e2e::root;
use serde_json::Value;

/// The crates that users name.
const CRATES: [&str; 3] = ["omptarget", "omptarget-build", "omptarget-kernel"];

fn cargo(arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(root())
        .output()
        .expect("cargo starts");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo {arguments:?}: {text}");
    output
}

/// The crates that users name and those of the workspace that they need.
fn needed() -> BTreeSet<String> {
    let output = cargo(&["metadata", "--offline", "--no-deps", "--format-version=1"]);
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let packages = metadata["packages"].as_array().expect("there are packages");
    let mut needed: BTreeSet<String> = CRATES.map(str::to_owned).into();
    loop {
        let known = needed.len();
        for package in packages {
            if !package["name"]
                .as_str()
                .is_some_and(|name| needed.contains(name))
            {
                continue;
            }
            let dependencies = package["dependencies"].as_array().expect("a list");
            let ours = dependencies
                .iter()
                .filter(|dependency| dependency["path"].is_string() && dependency["kind"] != "dev");
            needed.extend(
                ours.filter_map(|dependency| Some(dependency["name"].as_str()?.to_owned())),
            );
        }
        if needed.len() == known {
            return needed;
        }
    }
}

#[test]
fn the_crates_can_be_packaged() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let target = folder.path().to_str().expect("UTF-8");
    let mut arguments = vec![
        "package",
        "--quiet",
        "--offline",
        "--no-verify",
        "--allow-dirty",
    ];
    arguments.extend(["--target-dir", target]);
    let needed = needed();
    arguments.extend(needed.iter().flat_map(|name| ["-p", name]));
    cargo(&arguments);
    let packages = std::fs::read_dir(folder.path().join("package")).expect("cargo makes it");
    let files = packages.map(|entry| entry.expect("an entry").path());
    let made = files.filter(|file| file.extension().is_some_and(|suffix| suffix == "crate"));
    assert_eq!(made.count(), needed.len());
}
