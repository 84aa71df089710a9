//! Errors of the device compiler.

use codegen::CompileError;
use plugin_api::Error;

/// The error of a device that cannot load an image because it cannot be compiled.
pub fn compile_error(error: CompileError) -> Error {
    match error {
        CompileError::System { what, source } => Error::System { what, source },
        other => Error::Load(other.to_string()),
    }
}
