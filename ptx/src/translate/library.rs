//! Functions that CUDA's device library defines, with the types that C gives them.

/// A function's result and parameters.
pub struct Signature {
    /// The result.
    pub result: &'static str,
    /// The parameters.
    pub parameters: &'static [&'static str],
}

/// The signature of a library's function.
pub fn signature(name: &str) -> Option<Signature> {
    let (result, parameters): (_, &[_]) = match name {
        "vprintf" => ("i32", &["ptr", "ptr"]),
        "malloc" | "_Znwm" | "_Znam" => ("ptr", &["i64"]),
        "calloc" => ("ptr", &["i64", "i64"]),
        "realloc" => ("ptr", &["ptr", "i64"]),
        "free" | "_ZdlPv" | "_ZdaPv" => ("void", &["ptr"]),
        "_ZdlPvm" | "_ZdaPvm" => ("void", &["ptr", "i64"]),
        "__assertfail" => ("void", &["ptr", "ptr", "i32", "ptr", "i64"]),
        "__assert_fail" => ("void", &["ptr", "ptr", "i32", "ptr"]),
        "abort" | "__cxa_pure_virtual" | "__cxa_deleted_virtual" => ("void", &[]),
        _ => return None,
    };
    Some(Signature { result, parameters })
}
