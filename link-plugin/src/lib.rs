//! Our passes in clang itself, as a plugin of LLVM's pass manager.
//!
//! clang loads this library when it compiles device code (`-fpass-plugin`). It runs the pass for translation units
//! first (docs/codegen.md, "In clang's compilation of each unit").
//!
//! The linker loads it in a device link (`load-pass-plugin`). There it leaves out runs of LLVM's OpenMP optimiser ("In
//! clang's device link"). For machine code of the whole program it also runs the pass `omptarget<O2>`, which
//! `--lto-newpm-passes` names.
//!
//! LLVM's functions are those of the process's own libLLVM, which it has loaded already.

use std::ffi::{c_char, c_void};

use codegen_llvm::link::{self, LinkOptions};
use llvm_sys::prelude::LLVMModuleRef;

/// `llvm::PassPluginLibraryInfo` (`llvm/Plugins/PassPlugin.h`).
#[repr(C)]
pub struct PassPluginLibraryInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: unsafe extern "C" fn(builder: *mut c_void),
    before_code_generation: Option<extern "C" fn()>,
}

/// `LLVM_PLUGIN_API_VERSION` of LLVM 22.
const API_VERSION: u32 = 2;

unsafe extern "C" {
    fn omptarget_register(builder: *mut c_void);
}

/// What LLVM asks a library that it has loaded as a plugin.
#[unsafe(no_mangle)]
pub extern "C" fn llvmGetPassPluginInfo() -> PassPluginLibraryInfo {
    PassPluginLibraryInfo {
        api_version: API_VERSION,
        name: c"omptarget".as_ptr(),
        version: concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast(),
        register: omptarget_register,
        before_code_generation: None,
    }
}

/// The options of a pass `omptarget<…>`, or nothing where the text is not UTF-8 or is none.
///
/// # Safety
///
/// `text` points at `length` bytes.
unsafe fn options(text: *const c_char, length: usize) -> Option<LinkOptions> {
    // SAFETY: as the caller promises.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
    std::str::from_utf8(bytes).ok()?.parse().ok()
}

/// Whether a pass `omptarget<…>` may have these options.
///
/// # Safety
///
/// `text` points at `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omptarget_accepts(text: *const c_char, length: usize) -> bool {
    // SAFETY: as the caller promises.
    unsafe { options(text, length) }.is_some()
}

/// The pass. Ends the link with a message if the program has something that the GPU cannot do.
///
/// # Safety
///
/// `module` is a valid module that nothing else uses during the call. `text` points at `length` bytes, which
/// [`omptarget_accepts`] has accepted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omptarget_run(module: LLVMModuleRef, text: *const c_char, length: usize) {
    // SAFETY: as the caller promises.
    let options = unsafe { options(text, length) }.expect("they were accepted");
    // SAFETY: as the caller promises.
    end_on_error(unsafe { link::run(module, &options) });
}

/// The pass for each translation unit, which clang runs first. Ends the compilation with a message if the code cannot
/// be mended.
///
/// # Safety
///
/// `module` is a valid module that nothing else uses during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omptarget_run_on_unit(module: LLVMModuleRef) {
    // SAFETY: as the caller promises.
    end_on_error(unsafe { codegen_llvm::translation_unit::run(module) });
}

/// The pass for each translation unit, which clang runs last.
///
/// # Safety
///
/// `module` is a valid module that nothing else uses during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omptarget_finish_unit(module: LLVMModuleRef) {
    // SAFETY: as the caller promises.
    unsafe { codegen_llvm::translation_unit::finish(module) };
}

/// The pass for the linked program, which comes before LLVM's link-time passes.
///
/// # Safety
///
/// `module` is a valid module that nothing else uses during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omptarget_begin_link(module: LLVMModuleRef) {
    // SAFETY: as the caller promises.
    unsafe { link::begin(module) };
}

/// The pass for the linked program, which comes after LLVM's link-time passes. Ends the link with a message if the
/// program calls what nobody defines.
///
/// # Safety
///
/// `module` is a valid module that nothing else uses during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omptarget_end_link(module: LLVMModuleRef) {
    // SAFETY: as the caller promises.
    end_on_error(unsafe { link::end(module) });
}

/// Ends the compilation or the link that the pass is part of: LLVM's passes cannot fail.
fn end_on_error(result: Result<(), impl std::fmt::Display>) {
    if let Err(error) = result {
        eprintln!("error: {error:#}");
        std::process::exit(1);
    }
}
