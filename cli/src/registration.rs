//! The object that registers a program's device images. It is what clang's linker wrapper makes, but for several
//! images.
//!
//! The structures are `__tgt_bin_desc` and `__tgt_device_image`; `abi` of `host-api` explains them. LLVM's host runtime
//! accepts several images, too, so the program runs with either runtime.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use device_image::Image;
use omptarget_driver::{Failure, Result, clang};

/// The assembly before and after the table of images. The constructor's priority is that of clang's: 101, the first
/// that a program may have.
const HEAD: &str = "\
    .section .text.startup,\"ax\",@progbits
    .p2align 4
register:
    pushq %rax
    leaq descriptor(%rip), %rdi
    callq __tgt_register_lib@PLT
    leaq unregister(%rip), %rdi
    callq atexit@PLT
    popq %rax
    retq
    .p2align 4
unregister:
    leaq descriptor(%rip), %rdi
    jmp __tgt_unregister_lib@PLT
    .section .init_array.101,\"aw\",@init_array
    .p2align 3
    .quad register
    .section llvm_offload_entries,\"a\",@progbits
    .hidden __start_llvm_offload_entries
    .hidden __stop_llvm_offload_entries
    .section .note.GNU-stack,\"\",@progbits
";

/// The assembly that registers `count` images. Their bytes are in the file `images`; `bounds` says where each begins
/// and ends.
fn assembly(images: &Path, bounds: &[(usize, usize)]) -> String {
    let mut text = HEAD.to_owned();
    text += "    .section .llvm.offloading,\"a\",@llvm_offloading\n    .p2align 3\nimages:\n";
    let _ = writeln!(text, "    .incbin \"{}\"", images.display());
    text += "    .section .data.rel.ro,\"aw\",@progbits\n    .p2align 3\ntable:\n";
    let entries = "    .quad __start_llvm_offload_entries, __stop_llvm_offload_entries\n";
    for (begin, end) in bounds {
        let _ = writeln!(text, "    .quad images+{begin}, images+{end}");
        text += entries;
    }
    let _ = writeln!(
        text,
        "descriptor:\n    .long {}, 0\n    .quad table",
        bounds.len()
    );
    text + entries
}

/// Writes the object. Each image is an `OffloadBinary` with one image; that inner image is registered.
pub fn assemble(images: &[Vec<u8>], object: &Path) -> Result<()> {
    let all = images.concat();
    let parsed = Image::parse(&all).map_err(|error| Failure::Other(error.to_string()))?;
    let bounds: Vec<_> = parsed
        .iter()
        .map(|image| {
            let begin = image.bytes.as_ptr() as usize - all.as_ptr() as usize;
            (begin, begin + image.bytes.len())
        })
        .collect();
    let (content, source) = (object.with_extension("bin"), object.with_extension("s"));
    let write = |path: &Path, bytes: &[u8]| {
        std::fs::write(path, bytes)
            .map_err(Failure::system(format!("cannot write {}", path.display())))
    };
    write(&content, &all)?;
    write(&source, assembly(&content, &bounds).as_bytes())?;
    let output = Command::new(clang::find()?)
        .args(["-c", "-x", "assembler", "-o"])
        .arg(object)
        .arg(&source)
        .output()
        .map_err(Failure::system("cannot start clang"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(Failure::Other(format!(
            "clang does not assemble the registration of the images: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        ))),
    }
}
