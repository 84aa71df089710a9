//! Crates that others wrote: their licences and sources are those that deny.toml allows, and none of them is banned
//! there.
//!
//! cargo-deny checks the same and more (security advisories), but needs a network. This needs only what cargo has
//! fetched.

use std::process::Command;

use e2e::root;
use serde_json::Value;
use spdx::{Expression, Licensee, ParseMode};

/// The crates that the workspace is built from, its own among them.
fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--format-version=1"])
        .arg("--filter-platform=x86_64-unknown-linux-gnu")
        .current_dir(root())
        .output()
        .expect("cargo starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    metadata["packages"]
        .as_array()
        .expect("there are packages")
        .clone()
}

fn rules() -> toml::Table {
    let text = std::fs::read_to_string(root().join("deny.toml")).expect("deny.toml is readable");
    text.parse().expect("deny.toml is TOML")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The strings of a list in deny.toml.
fn strings<'a>(rules: &'a toml::Table, section: &str, list: &str) -> Vec<&'a str> {
    let list = rules[section][list].as_array().expect("a list");
    list.iter()
        .map(|item| item.as_str().expect("a list of strings"))
        .collect()
}

#[test]
fn licences_are_allowed() {
    let rules = rules();
    let allowed: Vec<Licensee> = strings(&rules, "licenses", "allow")
        .into_iter()
        .map(|name| {
            Licensee::parse(name).expect("deny.toml names licences by their SPDX identifiers")
        })
        .collect();
    for package in packages() {
        let (name, licence) = (text(&package["name"]), text(&package["license"]));
        let expression = Expression::parse_mode(licence, ParseMode::LAX)
            .unwrap_or_else(|error| panic!("{name} has no readable licence: {error}"));
        let fits =
            expression.evaluate(|wanted| allowed.iter().any(|allowed| allowed.satisfies(wanted)));
        assert!(
            fits,
            "{name}: deny.toml does not allow its licence, {licence}"
        );
    }
}

#[test]
fn sources_are_allowed() {
    for rule in ["unknown-registry", "unknown-git"] {
        assert_eq!(rules()["sources"][rule].as_str(), Some("deny"), "{rule}");
    }
    let packages = packages();
    // The crates of the workspace have no source.
    let mut sources: Vec<_> = packages
        .iter()
        .filter_map(|package| package["source"].as_str())
        .collect();
    sources.sort();
    sources.dedup();
    assert!(
        matches!(sources[..], [one] if one.starts_with("registry+")),
        "crates come from one registry, and these sources are named: {sources:?}"
    );
}

#[test]
fn none_is_banned() {
    let rules = rules();
    let banned = rules["bans"]["deny"].as_array().expect("a list");
    for package in packages() {
        let name = text(&package["name"]);
        let ban = banned
            .iter()
            .find(|ban| ban["crate"].as_str() == Some(name));
        assert!(ban.is_none(), "{name} is banned: {ban:?}");
    }
}
