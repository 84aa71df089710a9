//! Which headers CUDA programs compile with: NVIDIA's, if `scripts/fetch` got them, or omptarget's own.

use std::ffi::OsString;

use omptarget_driver::{Failure, Result, dist};

const OPTION: &str = "--cuda-headers=";

/// A set of headers.
struct Headers {
    /// The name after `--cuda-headers=`.
    name: &'static str,
    configuration: &'static str,
    /// CUDA's release that they are of.
    release: &'static str,
    /// A file that is there if the headers are.
    sign: &'static str,
}

/// In the order of preference.
static HEADERS: [Headers; 3] = [
    Headers {
        name: "12",
        configuration: "etc/omptarget-cudart-12.cfg",
        release: "12.9",
        sign: "cuda-headers/12/include/cuda_runtime.h",
    },
    Headers {
        name: "13",
        configuration: "etc/omptarget-cudart-13.cfg",
        release: "13.0",
        sign: "cuda-headers/13/include/cuda_runtime.h",
    },
    Headers {
        name: "own",
        configuration: "etc/omptarget-cudart.cfg",
        release: "12.9",
        sign: "cuda-stub/include/cuda_runtime.h",
    },
];

/// The configuration file, and the arguments that are clang's.
pub fn choose(arguments: &[OsString]) -> Result<(&'static str, Vec<OsString>)> {
    let others = arguments
        .iter()
        .filter(|&argument| name(argument).is_none());
    Ok((chosen(arguments)?.configuration, others.cloned().collect()))
}

/// CUDA's release of the headers that the arguments choose.
pub fn release(arguments: &[OsString]) -> Result<&'static str> {
    Ok(chosen(arguments)?.release)
}

fn name(argument: &OsString) -> Option<&str> {
    argument.to_str()?.strip_prefix(OPTION)
}

fn chosen(arguments: &[OsString]) -> Result<&'static Headers> {
    let wanted = arguments.iter().rev().find_map(name);
    let Some(wanted) = wanted else {
        let found = HEADERS
            .iter()
            .find(|headers| dist::file(headers.sign).is_ok());
        return Ok(found.unwrap_or(&HEADERS[2]));
    };
    let found = HEADERS.iter().find(|headers| headers.name == wanted);
    let headers = found.ok_or_else(|| {
        let names: Vec<_> = HEADERS.iter().map(|headers| headers.name).collect();
        let names = names.join(", ");
        Failure::Usage(format!("{OPTION}{wanted}: there are {names}"))
    })?;
    match dist::file(headers.sign) {
        Ok(_) => Ok(headers),
        Err(_) => Err(Failure::Usage(format!(
            "{OPTION}{wanted}: not there; `scripts/fetch --cuda-headers {wanted}` gets them"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        let unknown = choose(&["--cuda-headers=11".into()]);
        let said = unknown.expect_err("no such headers").to_string();
        assert_eq!(said, "--cuda-headers=11: there are 12, 13, own");
    }
}
