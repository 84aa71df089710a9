//! What `nvcc -v` says behind a link, in the form of NVIDIA's. CMake reads from it where the toolkit is, which program
//! links, and which libraries it names.

use std::ffi::OsStr;

use omptarget_driver::{Result, dist};

/// Prints it to standard error, as `nvcc` does. `linker` is the compiler that links.
pub fn print_link(linker: &OsStr) -> Result<()> {
    let top = dist::file("cuda-stub/bin")?;
    let folder = dist::file("cuda-stub/lib64")?;
    let (linker, folder) = (linker.display(), folder.display());
    eprintln!("#$ TOP={}/..", top.display());
    eprintln!("#$ LIBRARIES=  \"-L{folder}\"");
    eprintln!("#$ {linker} \"a.o\" \"-L{folder}\" -lcudadevrt -lcudart -lstdc++ -lm -o \"a.out\"");
    Ok(())
}
