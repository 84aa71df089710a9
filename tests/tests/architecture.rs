//! docs/architecture.md's drawing of who depends on whom is true: it is compared with `cargo metadata`.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use e2e::root;
use serde_json::Value;

/// What stands between a crate and those that it depends on.
const ARROW: &str = "──►";
/// What stands there for a crate that depends on none of the project's.
const NOTHING: &str = "nothing";
/// The crate whose dependencies are all of tests.
const TESTS: &str = "e2e";

/// Each crate of the drawing with what it depends on, from top to bottom.
fn drawing() -> Vec<(String, BTreeSet<String>)> {
    let page =
        std::fs::read_to_string(root().join("docs/architecture.md")).expect("the page is readable");
    let (_, section) = page
        .split_once("## Who depends on whom")
        .expect("the page has the section");
    let drawing = section
        .split("```")
        .nth(1)
        .expect("the section has a drawing");
    let mut lines: Vec<(String, BTreeSet<String>)> = Vec::new();
    for line in drawing.lines() {
        let list = match line.split_once(ARROW) {
            Some((left, list)) => {
                let name = left
                    .split_whitespace()
                    .last()
                    .expect("a crate stands before the arrow");
                lines.push((name.to_owned(), BTreeSet::new()));
                list
            }
            // The list of the line above goes on.
            None => line,
        };
        let Some((_, dependencies)) = lines.last_mut() else {
            continue;
        };
        // Behind the list, two spaces apart, a remark may follow.
        let list = list.trim().split("  ").next().unwrap_or_default();
        let names = list.split(',').map(str::trim);
        dependencies.extend(
            names
                .filter(|name| !name.is_empty() && *name != NOTHING)
                .map(str::to_owned),
        );
    }
    lines
}

/// Each crate of the workspace with the workspace's crates that it depends on.
fn workspace() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--no-deps", "--format-version=1"])
        .current_dir(root())
        .output()
        .expect("cargo starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let packages = metadata["packages"].as_array().expect("there are packages");
    let name = |value: &Value| value["name"].as_str().expect("it has a name").to_owned();
    let members: BTreeSet<String> = packages.iter().map(name).collect();
    let dependencies = |package: &Value| {
        let all = package["dependencies"].as_array().expect("a list");
        all.iter()
            .filter(|dependency| dependency["kind"] != "dev" || name(package) == TESTS)
            .map(name)
            .filter(|dependency| members.contains(dependency))
            .collect()
    };
    packages
        .iter()
        .map(|package| (name(package), dependencies(package)))
        .collect()
}

#[test]
fn the_drawing_is_what_cargo_says() {
    let drawn: BTreeMap<_, _> = drawing().into_iter().collect();
    assert_eq!(drawn, workspace());
}

#[test]
fn dependencies_stand_below_the_crates_that_have_them() {
    let lines = drawing();
    for (index, (name, dependencies)) in lines.iter().enumerate() {
        let below: BTreeSet<_> = lines[index + 1..]
            .iter()
            .map(|(name, _)| name.clone())
            .collect();
        let above: Vec<_> = dependencies.difference(&below).collect();
        assert!(
            above.is_empty(),
            "{name} stands below {above:?}, which it depends on"
        );
    }
}
