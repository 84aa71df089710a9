//! Sections of variables and functions, and what other objects see of them.

use llvm_sys::LLVMLinkage::LLVMExternalLinkage;

use super::{Value, c_string};

impl Value {
    /// Whether a variable is a note for LLVM alone (`llvm.used` and the like), which no code refers to. The linker may
    /// have changed its name (`llvm.compiler.used.7`), its section it has not.
    pub fn is_bookkeeping(self) -> bool {
        self.section() == "llvm.metadata"
    }

    /// The section of a global; empty if none is stated.
    pub fn section(self) -> String {
        let section = llvm!(core::LLVMGetSection(self.0));
        if section.is_null() {
            return String::new();
        }
        // SAFETY: LLVM gives a NUL-terminated string that lives as long as the variable.
        let section = unsafe { std::ffi::CStr::from_ptr(section) };
        section.to_string_lossy().into_owned()
    }

    /// Sets a section; empty for none.
    pub fn set_section(self, section: &str) {
        llvm!(core::LLVMSetSection(self.0, c_string(section).as_ptr()));
    }
    /// Lets objects that are loaded with its own refer to a local symbol. It is called `name` if it has no name.
    pub fn share(self, name: &str) {
        if self.name().is_empty() {
            self.set_name(name);
        }
        self.set_linkage(LLVMExternalLinkage);
        self.hide();
    }
}
