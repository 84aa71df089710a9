//! `docs/environment.md` lists exactly the variables in the sources.

use std::collections::BTreeSet;
use std::path::Path;

const FAMILIES: [&str; 5] = ["OMP_", "OMPTARGET_", "LIBOMPTARGET_", "XDG_", "HOME"];

/// The words of `text` between two `quote`s that look like environment variables.
fn variables(text: &str, quote: char) -> BTreeSet<String> {
    let upper = |word: &&str| {
        let mut characters = word.chars();
        FAMILIES.iter().any(|family| word.starts_with(family))
            && characters.all(|c| c.is_ascii_uppercase() || c == '_')
    };
    text.split(quote).filter(upper).map(str::to_owned).collect()
}

/// The variables in the string literals below `folder`, without tests.
fn collect(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("tests") {
            continue;
        }
        if path.is_dir() {
            collect(&path, found);
        } else {
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
            found.extend(variables(code, '"'));
        }
    }
}

#[test]
fn every_variable_is_documented_and_every_documented_one_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut named = BTreeSet::new();
    for part in [
        "host-api",
        "plugin-amdgpu",
        "plugin-cuda",
        "plugin-vgpu",
        "vendor-driver",
        "codegen",
        "cli",
        "cli/driver",
        "bench/harness",
        "device-families",
        "findings",
        "opencl",
        "rust",
        "rust/build",
    ] {
        collect(&root.join(part).join("src"), &mut named);
    }
    let page = std::fs::read_to_string(root.join("docs/environment.md")).unwrap();
    let documented = variables(&page.replace(['$', '/'], "`"), '`');
    assert_eq!(documented, named);
}
