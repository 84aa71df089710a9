//! Programs whose device image is put together by hand: what clang's linker wrapper of this release would not make.

use std::path::{Path, PathBuf};

use crate::{clang, dist, root};

/// Section of offload entries from clang 21 on.
pub const ENTRIES: &str = "llvm_offload_entries";
/// The same before.
pub const OLDER_ENTRIES: &str = "omp_offloading_entries";

/// Links the host's parts of a program, bitcode or sources, with the registration of `image`; `entries` is the section
/// that has its offload entries. The program lies in `folder`.
pub fn program(host: &[&Path], image: &Path, entries: &str, folder: &Path) -> PathBuf {
    let program = folder.join("program");
    let library = dist("lib").display().to_string();
    let mut arguments = vec![
        format!("-DIMAGE=\"{}\"", image.display()).into(),
        format!("-DENTRIES={entries}").into(),
        root().join("tests/programs/registration.c").into(),
        format!("-L{library}").into(),
        format!("-Wl,-rpath,{library}").into(),
        "-o".into(),
        program.clone().into(),
    ];
    arguments.extend(host.iter().map(Into::into));
    // Bitcode names an architecture and a system; clang's own name for them has a vendor as well.
    let flags = [
        "-Wno-override-module",
        "-fopenmp",
        "-lomptarget",
        "-lstdc++",
        "-lm",
    ];
    arguments.extend(flags.map(Into::into));
    clang(false, &arguments, folder);
    program
}
