//! Texts as constants.

use llvm_sys::LLVMValueKind;

use super::{Context, Value};

impl Value {
    /// The constant `[n x i8]` of a text and a NUL.
    pub fn text(context: Context, text: &str) -> Value {
        Value(llvm!(core::LLVMConstStringInContext2(
            context.0,
            text.as_ptr().cast(),
            text.len(),
            0
        )))
    }

    /// The text that a global variable is initialised with.
    pub fn initializer_text(self) -> Option<String> {
        self.is_global_variable()
            .then(|| self.initializer())??
            .as_string()
    }

    /// Its bytes if it is a constant `[n x i8]`, without the terminating NUL.
    pub fn as_string(self) -> Option<String> {
        if self.kind() != LLVMValueKind::LLVMConstantDataArrayValueKind
            || llvm!(core::LLVMIsConstantString(self.0)) == 0
        {
            return None;
        }
        let mut length = 0;
        let raw = llvm!(core::LLVMGetAsString(self.0, &mut length));
        // SAFETY: LLVM returns a pointer to `length` bytes that live as long as the constant.
        let bytes = unsafe { std::slice::from_raw_parts(raw.cast::<u8>(), length) };
        let text = bytes.strip_suffix(&[0]).unwrap_or(bytes);
        Some(String::from_utf8_lossy(text).into_owned())
    }
}
