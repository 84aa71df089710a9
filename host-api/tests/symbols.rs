//! `libomptarget.so` exports everything that programs of clang 22 may use, under the version of LLVM's library, and no
//! other symbols.

use std::collections::BTreeSet;
use std::path::Path;

use object::read::elf::{ElfFile64, FileHeader, SectionHeader};
use object::{Endianness, Object, ObjectSymbol};

/// Every entry point of libomptarget in clang 22's `OMPKinds.def`.
const EMITTED: &[&str] = &[
    "__kmpc_push_target_tripcount_mapper",
    "__tgt_interop_destroy",
    "__tgt_interop_init",
    "__tgt_interop_use",
    "__tgt_mapper_num_components",
    "__tgt_push_mapper_component",
    "__tgt_target_data_begin_mapper",
    "__tgt_target_data_begin_mapper_issue",
    "__tgt_target_data_begin_mapper_wait",
    "__tgt_target_data_begin_nowait_mapper",
    "__tgt_target_data_end_mapper",
    "__tgt_target_data_end_nowait_mapper",
    "__tgt_target_data_update_mapper",
    "__tgt_target_data_update_nowait_mapper",
    "__tgt_target_kernel",
    "__tgt_target_kernel_nowait",
    "__tgt_target_mapper",
    "__tgt_target_nowait_mapper",
    "__tgt_target_teams_mapper",
    "__tgt_target_teams_nowait_mapper",
    "__tgt_register_lib",
    "__tgt_unregister_lib",
    "__tgt_register_requires",
    "__tgt_rtl_init",
    "__tgt_rtl_deinit",
];

/// The shared library that cargo built for this test, beside the test's own executable.
fn library() -> Vec<u8> {
    let test = std::env::current_exe().expect("a test has a path");
    let path = test.with_file_name("libhost_api.so");
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Names in `exports.map`.
fn listed() -> BTreeSet<String> {
    let script = include_str!("../exports.map");
    let global = script
        .split_once("global:")
        .expect("global")
        .1
        .split_once("local:")
        .expect("local")
        .0;
    global
        .split(';')
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
        .collect()
}

/// The dynamic symbols that a library defines, with their versions (empty: none), as `nm -D` lists them.
fn exports(library: &[u8]) -> BTreeSet<(String, String)> {
    let file: ElfFile64<'_, Endianness> = ElfFile64::parse(library).expect("an ELF file");
    let endian = file.endian();
    let versions = file
        .elf_section_table()
        .versions(endian, library)
        .expect("versions")
        .expect("version table");
    let version = |symbol: object::SymbolIndex| {
        let index = versions.version_index(endian, symbol);
        let version = versions.version(index.into()).expect("a version");
        version.map_or(String::new(), |version| text(version.name()))
    };
    file.dynamic_symbols()
        .filter(|symbol| symbol.is_definition() && symbol.is_global())
        .map(|symbol| {
            (
                text(symbol.name_bytes().expect("a name")),
                version(symbol.index()),
            )
        })
        // The version itself is a symbol, too.
        .filter(|(name, version)| name != version)
        .collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn exports_are_versioned_and_complete() {
    let listed = listed();
    let expected: BTreeSet<_> = listed
        .iter()
        .map(|name| (name.clone(), "VERS1.0".to_owned()))
        .collect();
    assert_eq!(exports(&library()), expected);
    for name in EMITTED {
        assert!(listed.contains(*name), "{name} is not exported");
    }
}

/// All symbols that a program linked against LLVM's library may have bound to exist here, under the same version.
#[test]
fn nothing_of_llvms_library_is_missing() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dist/llvm/libomptarget.so.22.1");
    let llvm = std::fs::read(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; run scripts/setup", path.display()));
    let (theirs, ours) = (exports(&llvm), exports(&library()));
    assert!(theirs.len() > 50, "{theirs:?}");
    let missing: Vec<_> = theirs.difference(&ours).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn soname_is_llvms() {
    let bytes = library();
    let header = object::elf::FileHeader64::<Endianness>::parse(&*bytes).expect("a header");
    let endian = header.endian().expect("an endianness");
    let sections = header.sections(endian, &*bytes).expect("sections");
    let (dynamic, strings) = sections
        .iter()
        .find_map(|section| section.dynamic(endian, &*bytes).expect("dynamic section"))
        .map(|(entries, link)| {
            (
                entries,
                sections.strings(endian, &*bytes, link).expect("strings"),
            )
        })
        .expect("a dynamic section");
    let soname = dynamic
        .iter()
        .find(|entry| entry.d_tag.get(endian) == object::elf::DT_SONAME)
        .map(|entry| {
            strings
                .get(entry.d_val.get(endian) as u32)
                .expect("a string")
        });
    assert_eq!(soname, Some(&b"libomptarget.so.22.1"[..]));
}
