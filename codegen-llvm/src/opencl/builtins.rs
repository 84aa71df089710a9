//! Links the built-in functions that a program calls, and only these, from the file that `library` makes.

use std::collections::{BTreeSet, HashMap};

use anyhow::{Context as _, Result, bail};
use codegen::opencl::BUILTINS;

use super::library::{COMMON, MAGIC};
use crate::device::runtime;
use crate::ir::Module;

/// Links what the module lacks. What the file does not have either stays undefined.
pub fn link(module: &Module) -> Result<()> {
    let missing = runtime::missing(module);
    if missing.is_empty() {
        return Ok(());
    }
    let path = runtime::in_dist(BUILTINS)?;
    let text = std::fs::read_to_string(&path).with_context(|| {
        format!(
            "OpenCL's built-in functions are not at {}: scripts/build makes them of libclc",
            path.display()
        )
    })?;
    let library = Library::read(&text).context("the file of OpenCL's built-in functions")?;
    let needed = library.closure(&missing, |name| {
        let defined = |symbol: crate::ir::Value| !symbol.is_declaration();
        module.function(name).is_some_and(defined)
    });
    if needed.is_empty() {
        return Ok(());
    }
    let mut assembly = library.common().to_owned();
    for definition in needed {
        assembly += definition;
    }
    let functions = Module::parse(module.context, &assembly, "OpenCL's built-in functions")?;
    functions.set_layout(&module.layout_text());
    functions.set_triple(&module.triple());
    module.link(functions)
}

/// The file, with its index.
struct Library<'a> {
    symbols: HashMap<&'a str, &'a str>,
}

impl<'a> Library<'a> {
    fn read(text: &'a str) -> Result<Library<'a>> {
        let parts = text.split_once('\n').and_then(|(first, rest)| {
            let length = first.strip_prefix(MAGIC)?.trim().parse().ok()?;
            rest.split_at_checked(length)
        });
        let Some((index, data)) = parts else {
            bail!("it does not begin with {MAGIC}");
        };
        let entry = |line: &'a str| {
            let mut fields = line.rsplitn(3, ' ');
            let length: usize = fields.next()?.parse().ok()?;
            let offset: usize = fields.next()?.parse().ok()?;
            let name = fields.next()?;
            Some((name, data.get(offset..offset.checked_add(length)?)?))
        };
        let symbols: Option<_> = index.lines().map(entry).collect();
        Ok(Library {
            symbols: symbols.context("its index is damaged")?,
        })
    }

    /// What every definition may need.
    fn common(&self) -> &'a str {
        self.symbols.get(COMMON).copied().unwrap_or_default()
    }

    /// The definitions of `wanted`, and of what these use in turn, except for what the program has. Symbols that the
    /// program has are declared, as the types of calls do not say what they are.
    fn closure(&self, wanted: &[String], has: impl Fn(&str) -> bool) -> Vec<&'a str> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&str> = wanted
            .iter()
            .filter_map(|name| Some(*self.symbols.get_key_value(name.as_str())?.0))
            .collect();
        let mut definitions = Vec::new();
        while let Some(name) = open.pop() {
            if has(name) || !seen.insert(name) {
                continue;
            }
            let Some(definition) = self.symbols.get(name).copied() else {
                continue;
            };
            definitions.push(definition);
            open.extend(names(definition));
        }
        definitions
    }
}

/// The names of symbols in assembly.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split('@').skip(1).map(|rest| {
        let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || "._$-".contains(letter);
        match rest.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next().unwrap_or_default(),
            None => rest
                .split(|letter| !is_of_name(letter))
                .next()
                .unwrap_or_default(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_symbols() {
        let text = "  call @llvm.x.i32(i32 @_Z3foov, ptr @\"a b\")";
        assert_eq!(
            names(text).collect::<Vec<_>>(),
            ["llvm.x.i32", "_Z3foov", "a b"]
        );
    }

    #[test]
    fn a_closure_has_what_is_called_and_no_more() {
        let index = "* 0 2\nf 2 3\ng 5 2\nh 7 2\n";
        let text = format!("{MAGIC} {}\n{index}%%@g@f@h", index.len());
        // `f` is "@g@", `g` is "f@", `h` is "h": what each mentions follows an `@`.
        let library = Library::read(&text).unwrap();
        assert_eq!(library.common(), "%%");
        assert_eq!(library.closure(&["f".to_owned()], |_| false).len(), 2);
        assert_eq!(
            library.closure(&["f".to_owned()], |name| name == "g").len(),
            1
        );
        assert!(library.closure(&["x".to_owned()], |_| false).is_empty());
        assert!(Library::read("nonsense").is_err());
        assert!(Library::read(&format!("{MAGIC} 999\n")).is_err());
        assert!(Library::read(&format!("{MAGIC} 6\nf 0 9\n")).is_err());
    }
}
