//! Programs whose device image is registered by hand, in forms that this release's linker wrapper does not make.

use std::path::{Path, PathBuf};

use crate::{clang, dist, root};

/// Section of offload entries from clang 21 on.
pub const ENTRIES: &str = "llvm_offload_entries";
/// The same before clang 21.
pub const OLDER_ENTRIES: &str = "omp_offloading_entries";

/// Links the host parts of a program, bitcode or sources, with the registration of `image`. `entries` is the section
/// with its offload entries. The program goes to `folder`.
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
    // The triple in bitcode has an architecture and a system; clang's own triple has a vendor, too.
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
