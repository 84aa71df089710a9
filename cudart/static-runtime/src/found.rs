//! The library in a file.
//!
//! It is one object whose code the linker leaves in one piece. Functions of CUDA's interface have their names in it,
//! and all others names that begin with [`INNER`]. So the library is the run of functions around one that it always has
//! in which no other names occur. A function of the program's own that is called `cuda…` lies outside.

use std::ffi::CString;
use std::ops::Range;

use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};

/// What the names of the library's inner functions begin with.
const INNER: &str = "libcudart_static_";
/// Functions that every release has.
const ALWAYS: [&str; 2] = ["cudaGetExportTable", "__cudaRegisterFatBinary"];
/// What CUDA 12 has under this name is `cudaGetDeviceProperties` in others.
const OF_12: &str = "cudaGetDeviceProperties_v2";
/// New in CUDA 13.
const SINCE_13: &str = "cudaLogsRegisterCallback";

/// Which CUDA a library is of, as far as its functions' arguments differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// 11 and before.
    Earlier,
    /// 12.
    Cuda12,
    /// 13.
    Cuda13,
}

/// A function of CUDA's interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: CString,
    /// Where the file says that it is. The program may be loaded elsewhere.
    pub address: u64,
    /// How many bytes of code it has.
    pub size: u64,
}

/// NVIDIA's runtime library in a program or shared library.
#[derive(Debug)]
pub struct StaticRuntime {
    /// The release.
    pub release: Release,
    /// The functions of CUDA's interface, by address.
    pub functions: Vec<Function>,
    /// Where its code is.
    pub code: Range<u64>,
}

/// A function of the file.
struct Symbol<'a> {
    name: &'a str,
    address: u64,
    size: u64,
}

impl Symbol<'_> {
    fn is_inner(&self) -> bool {
        self.name.starts_with(INNER)
    }

    fn may_be_the_librarys(&self) -> bool {
        let name = self.name.strip_prefix("__").unwrap_or(self.name);
        self.is_inner() || name.starts_with("cuda")
    }
}

impl StaticRuntime {
    /// The library in an ELF file that has a symbol table.
    pub fn in_file(data: &[u8]) -> Option<StaticRuntime> {
        let file = object::File::parse(data).ok()?;
        let mut symbols: Vec<Symbol> = file.symbols().filter_map(|symbol| code(&symbol)).collect();
        symbols.sort_by_key(|symbol| symbol.address);
        let known = symbols.iter().position(|symbol| symbol.name == ALWAYS[0])?;
        let run = run_around(&symbols, known)?;
        let has = |wanted: &str| run.iter().any(|symbol| symbol.name == wanted);
        if !ALWAYS.iter().all(|wanted| has(wanted)) {
            return None;
        }
        let (first, last) = (run.first()?, run.last()?);
        Some(StaticRuntime {
            release: match (has(OF_12), has(SINCE_13)) {
                (true, _) => Release::Cuda12,
                (false, true) => Release::Cuda13,
                (false, false) => Release::Earlier,
            },
            functions: run
                .iter()
                .filter(|symbol| !symbol.is_inner())
                .map(|symbol| {
                    Some(Function {
                        name: CString::new(symbol.name).ok()?,
                        address: symbol.address,
                        size: symbol.size,
                    })
                })
                .collect::<Option<_>>()?,
            code: first.address..last.address + last.size,
        })
    }
}

/// A symbol that is a function of the file.
fn code<'a>(symbol: &impl ObjectSymbol<'a>) -> Option<Symbol<'a>> {
    let is_code = symbol.kind() == SymbolKind::Text && symbol.is_definition();
    Some(Symbol {
        name: symbol.name().ok().filter(|_| is_code)?,
        address: symbol.address(),
        size: symbol.size(),
    })
}

/// The functions around the one at `known` that may be the library's, from one inner function to another.
fn run_around<'s, 'a>(symbols: &'s [Symbol<'a>], known: usize) -> Option<&'s [Symbol<'a>]> {
    let (before, behind) = symbols.split_at(known);
    let outside = |symbol: &Symbol| !symbol.may_be_the_librarys();
    let first = before.iter().rposition(outside).map_or(0, |at| at + 1);
    let end = behind.iter().position(outside).unwrap_or(behind.len());
    let first = first + before[first..].iter().position(Symbol::is_inner)?;
    let last = behind[..end].iter().rposition(Symbol::is_inner)?;
    Some(&symbols[first..=known + last])
}

/// Whether a file has kernels of CUDA programs and does not import what registers them: it has a runtime library in it.
/// Its symbol table may be gone.
pub fn registers_its_own_kernels(data: &[u8]) -> bool {
    let Ok(file) = object::File::parse(data) else {
        return false;
    };
    let has_kernels = file.section_by_name(".nvFatBinSegment").is_some();
    has_kernels
        && !file
            .dynamic_symbols()
            .any(|symbol| symbol.name() == Ok(ALWAYS[1]))
}

/// Whether a file has a symbol table.
pub fn has_symbols(data: &[u8]) -> bool {
    let file = object::File::parse(data);
    file.is_ok_and(|file| {
        let mut sections = file.sections();
        sections.any(|section| section.name() == Ok(".symtab"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols(names: &[&'static str]) -> Vec<Symbol<'static>> {
        let symbol = |(at, name): (usize, &&'static str)| Symbol {
            name,
            address: 16 * at as u64,
            size: 10,
        };
        names.iter().enumerate().map(symbol).collect()
    }

    fn run(names: &[&'static str]) -> Option<Vec<&'static str>> {
        let symbols = symbols(names);
        let known = names.iter().position(|&name| name == ALWAYS[0])?;
        let run = run_around(&symbols, known)?;
        Some(run.iter().map(|symbol| symbol.name).collect())
    }

    #[test]
    fn functions_of_the_program_are_outside() {
        let names = [
            "main",
            "cudaOfTheProgram",
            "libcudart_static_1",
            "cudaGetExportTable",
            "__cudaRegisterFatBinary",
            "libcudart_static_2",
            "cudaMalloc",
            "libcudart_static_3",
            "cudaToo",
            "_Z4cudav",
            "cudaFree",
        ];
        assert_eq!(run(&names).as_deref(), Some(&names[2..8]));
    }

    #[test]
    fn another_library_with_cudas_names_is_not_nvidias() {
        assert_eq!(run(&["main", "cudaGetExportTable", "cudaMalloc"]), None);
        assert_eq!(run(&["libcudart_static_1", "cudaGetExportTable"]), None);
    }

    #[test]
    fn this_program_has_none() {
        let path = std::env::current_exe().expect("it has a path");
        let content = crate::file::Content::of(&path).expect("it is readable");
        assert!(StaticRuntime::in_file(&content).is_none());
        assert!(has_symbols(&content) && !registers_its_own_kernels(&content));
        assert!(StaticRuntime::in_file(b"no ELF file").is_none());
    }
}
