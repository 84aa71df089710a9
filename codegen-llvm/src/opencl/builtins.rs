//! Links the built-in functions that a program calls, and only these, from the file that `library` makes.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::os::unix::fs::FileExt;

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
    let file = File::open(&path).with_context(|| {
        format!(
            "OpenCL's built-in functions are not at {}: scripts/build makes them of libclc",
            path.display()
        )
    })?;
    let index = read_index(&file).context("the file of OpenCL's built-in functions")?;
    let library =
        Library::read(&index, &file).context("the file of OpenCL's built-in functions")?;
    let needed = library.closure(&missing, |name| {
        let defined = |symbol: crate::ir::Value| !symbol.is_declaration();
        module.function(name).is_some_and(defined)
    })?;
    if needed.is_empty() {
        return Ok(());
    }
    let mut assembly = library.common()?;
    for definition in needed {
        assembly += &definition;
    }
    let functions = Module::parse(module.context, &assembly, "OpenCL's built-in functions")?;
    functions.set_layout(&module.layout_text());
    functions.set_triple(&module.triple());
    module.link(functions)
}

/// The index of the file, and where it ends. Of 26 MB no more is read than the program needs.
fn read_index(file: &File) -> Result<Index> {
    let mut start = [0; MAGIC.len() + 32];
    let length = file.read_at(&mut start, 0)?;
    let first = str::from_utf8(&start[..length])
        .ok()
        .and_then(|start| start.split_once('\n'))
        .map(|(first, _)| first);
    let size = first.and_then(|line| line.strip_prefix(MAGIC)?.trim().parse::<u32>().ok());
    let (Some(first), Some(size)) = (first, size) else {
        bail!("it does not begin with {MAGIC}");
    };
    let from = first.len() as u64 + 1;
    let text = piece(file, from, size as usize)?;
    Ok(Index {
        text,
        data: from + u64::from(size),
    })
}

/// A piece of the file.
fn piece(file: &File, from: u64, length: usize) -> Result<String> {
    if from.saturating_add(length as u64) > file.metadata()?.len() {
        bail!("it is truncated");
    }
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, from)?;
    Ok(String::from_utf8(bytes)?)
}

/// The index, as text.
struct Index {
    text: String,
    /// Where the definitions begin.
    data: u64,
}

/// The file, with its index: places and lengths of definitions.
struct Library<'a> {
    symbols: HashMap<&'a str, (u64, usize)>,
    file: &'a File,
}

impl<'a> Library<'a> {
    fn read(index: &'a Index, file: &'a File) -> Result<Library<'a>> {
        let entry = |line: &'a str| {
            let mut fields = line.rsplitn(3, ' ');
            let length: usize = fields.next()?.parse().ok()?;
            let offset: u64 = fields.next()?.parse().ok()?;
            Some((fields.next()?, (index.data.checked_add(offset)?, length)))
        };
        let symbols: Option<_> = index.text.lines().map(entry).collect();
        Ok(Library {
            symbols: symbols.context("its index is damaged")?,
            file,
        })
    }

    fn definition(&self, name: &str) -> Result<Option<String>> {
        let place = self.symbols.get(name);
        place
            .map(|(offset, length)| piece(self.file, *offset, *length))
            .transpose()
    }

    /// What every definition may need.
    fn common(&self) -> Result<String> {
        Ok(self.definition(COMMON)?.unwrap_or_default())
    }

    /// The definitions of `wanted`, and of what these use in turn, except for what the program has. Symbols that the
    /// program has are declared, as the types of calls do not say what they are.
    fn closure(&self, wanted: &[String], has: impl Fn(&str) -> bool) -> Result<Vec<String>> {
        let mut seen = BTreeSet::new();
        let mut open = wanted.to_vec();
        let mut definitions = Vec::new();
        while let Some(name) = open.pop() {
            if has(&name) || seen.contains(&name) {
                continue;
            }
            if let Some(definition) = self.definition(&name)? {
                open.extend(names(&definition).map(str::to_owned));
                definitions.push(definition);
            }
            seen.insert(name);
        }
        Ok(definitions)
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
        let index = "* 0 2\nf 2 3\ng 5 2\nh 7 1\n";
        let text = format!("{MAGIC} {}\n{index}%%@g@f@h", index.len());
        // `f` is "@g@", `g` is "f@", `h` is "h": what each mentions follows an `@`.
        let file = written(&text);
        let index = read_index(&file).unwrap();
        let library = Library::read(&index, &file).unwrap();
        assert_eq!(library.common().unwrap(), "%%");
        let closure = |name: &str, own: &str| {
            let found = library.closure(&[name.to_owned()], |name| name == own);
            found.unwrap().len()
        };
        assert_eq!(closure("f", ""), 2);
        assert_eq!(closure("f", "g"), 1);
        assert_eq!(closure("x", ""), 0);
    }

    #[test]
    fn damaged_files_are_refused() {
        for text in [
            "nonsense",
            &format!("{MAGIC} 999\n"),
            &format!("{MAGIC} 99999999999\n"),
        ] {
            assert!(read_index(&written(text)).is_err(), "{text}");
        }
        for index in ["f 0 9\n", "f 0\n", "f 18446744073709551615 1\n"] {
            let file = written(&format!("{MAGIC} {}\n{index}", index.len()));
            let index = read_index(&file).unwrap();
            let found = Library::read(&index, &file)
                .and_then(|library| library.closure(&["f".to_owned()], |_| false));
            assert!(found.is_err());
        }
    }

    fn written(text: &str) -> File {
        let file = tempfile::tempfile().unwrap();
        file.write_all_at(text.as_bytes(), 0).unwrap();
        file
    }
}
