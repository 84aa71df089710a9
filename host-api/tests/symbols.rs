//! `libomptarget.so` exports what programs of clang 22 may ask of it, under the version of LLVM's
//! library, and nothing else of ours.

use std::collections::BTreeSet;

use object::read::elf::{ElfFile64, FileHeader, SectionHeader};
use object::{Endianness, Object, ObjectSymbol};

/// LLVM's library exports these too; they serve CUDA programs (`-foffload-via-llvm`), which is
/// another language than this library's.
const NOT_OPENMP: [&str; 3] = [
    "__llvmPopCallConfiguration",
    "__llvmPushCallConfiguration",
    "llvmLaunchKernel",
];

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

/// The shared library cargo built for this test, beside the test's own executable.
fn library() -> Vec<u8> {
    let test = std::env::current_exe().expect("a test has a path");
    let path = test.with_file_name("libomptarget.so");
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

#[test]
fn exports_are_versioned_and_complete() {
    let bytes = library();
    let file: ElfFile64<'_, Endianness> = ElfFile64::parse(&*bytes).expect("an ELF file");
    let (endian, data) = (file.endian(), &*bytes);
    let versions = file
        .elf_section_table()
        .versions(endian, data)
        .expect("versions")
        .expect("version table");
    let mut versioned = BTreeSet::new();
    let mut unversioned = BTreeSet::new();
    for symbol in file
        .dynamic_symbols()
        .filter(|symbol| symbol.is_definition() && symbol.is_global())
    {
        let name = symbol.name().expect("a name").to_owned();
        let index = versions.version_index(endian, symbol.index());
        match versions.version(index.into()).expect("a version") {
            Some(version) if version.name() == b"VERS1.0" => versioned.insert(name),
            _ => unversioned.insert(name),
        };
    }
    let listed = listed();
    assert_eq!(versioned, listed);
    assert_eq!(unversioned, BTreeSet::new(), "exported without a version");
    for name in EMITTED {
        assert!(listed.contains(*name), "{name} is not exported");
    }
    for name in NOT_OPENMP {
        assert!(!listed.contains(name));
    }
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
