//! The process's LLVM context, and the diagnostics that LLVM reports through it.

use std::ffi::{CStr, CString, c_char, c_void};

use llvm_sys::prelude::{LLVMContextRef, LLVMDiagnosticInfoRef};
use llvm_sys::{
    LLVMDiagnosticSeverity, core::LLVMGetDiagInfoDescription, core::LLVMGetDiagInfoSeverity,
};
use parking_lot::Mutex;

/// LLVM's diagnostics since they were last taken: (is an error, text).
static DIAGNOSTICS: Mutex<Vec<(bool, String)>> = Mutex::new(Vec::new());

/// The process's LLVM context; never disposed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Context(pub(super) LLVMContextRef);

impl Context {
    /// Creates the context and routes its diagnostics to [`Context::take_errors`].
    pub fn new() -> Context {
        let raw = llvm!(core::LLVMContextCreate());
        llvm!(core::LLVMContextSetDiagnosticHandler(
            raw,
            Some(collect),
            std::ptr::null_mut()
        ));
        Context(raw)
    }

    /// The number of a synchronisation scope.
    pub fn sync_scope(self, name: &str) -> u32 {
        llvm!(core::LLVMGetSyncScopeID(
            self.0,
            name.as_ptr().cast(),
            name.len()
        ))
    }

    /// The errors LLVM has reported since the last call, in order; warnings go to stderr.
    pub fn take_errors(self) -> Vec<String> {
        let all = std::mem::take(&mut *DIAGNOSTICS.lock());
        let (errors, warnings): (Vec<_>, Vec<_>) = all.into_iter().partition(|(error, _)| *error);
        warnings
            .iter()
            .for_each(|(_, text)| eprintln!("warning: {text}"));
        errors.into_iter().map(|(_, text)| text).collect()
    }
}

extern "C" fn collect(info: LLVMDiagnosticInfoRef, _: *mut c_void) {
    // SAFETY: LLVM passes a valid diagnostic; the description is a message we own.
    let (severity, text) = unsafe {
        (
            LLVMGetDiagInfoSeverity(info),
            take_message(LLVMGetDiagInfoDescription(info)),
        )
    };
    let error =
        matches!(severity, LLVMDiagnosticSeverity::LLVMDSError) || is_oversized_frame(&text);
    let relevant = error || matches!(severity, LLVMDiagnosticSeverity::LLVMDSWarning);
    if relevant {
        DIAGNOSTICS.lock().push((error, text));
    }
}

/// Whether a warning is an error here. LLVM only warns of a frame beyond the attribute `warn-stack-size`. Here that is
/// the size of a thread's stack, so the function could never run.
fn is_oversized_frame(text: &str) -> bool {
    text.contains("stack frame size") && text.contains("exceeds limit")
}

/// Copies and disposes a message that LLVM handed over; null is empty.
pub fn take_message(raw: *mut c_char) -> String {
    if raw.is_null() {
        return String::new();
    }
    // SAFETY: LLVM's messages are NUL-terminated and owned by the receiver.
    let text = unsafe { CStr::from_ptr(raw) }
        .to_string_lossy()
        .into_owned();
    llvm!(core::LLVMDisposeMessage(raw));
    text
}

/// A NUL-terminated copy of `text`; a name with a NUL inside is cut there, as C would.
pub fn c_string(text: &str) -> CString {
    let upto = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..upto]).unwrap_or_default()
}
