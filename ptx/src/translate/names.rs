//! Names in LLVM assembly.

/// What LLVM's NVPTX back end writes for a dot, which PTX does not have in names.
const DOT: &str = "_$_";

/// Names of the device runtime's variables, which the virtual GPU knows with their dots.
const RUNTIME: &str = "omptarget_$_";

/// A name of the module, quoted, with its sigil.
pub fn global(name: &str) -> String {
    match name.starts_with(RUNTIME) {
        true => format!("@\"{}\"", name.replace(DOT, ".")),
        false => format!("@\"{name}\""),
    }
}
