//! `omptarget hip`: clang++ with the configuration file for HIP programs, and arguments as `hipcc` takes them.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::Path;

use omptarget_driver::{Failure, Result, clang};

use crate::aot;

/// The release of HIP whose interface the headers have (`hiprt/include/hip/hip_version.h`).
const RELEASE: &str = "6.0.0";
/// The ends of sources that `hipcc` compiles as HIP. To clang, `.cu` is CUDA and the others are C++.
const SOURCES: [&str; 5] = ["cu", "cpp", "cc", "cxx", "C"];
/// Options whose value is the next argument, and may have such an end.
const WITH_VALUE: [&str; 7] = [
    "-o", "-include", "-MF", "-MT", "-MQ", "-imacros", "-Xlinker",
];

/// Replaces this process by clang.
pub fn compile(arguments: &[OsString]) -> Result<()> {
    if arguments.iter().any(|argument| argument == "--version") {
        // Build files look for these words.
        println!("HIP version: {RELEASE}");
        println!(
            "omptarget hip {}: HIP C++ by clang",
            env!("CARGO_PKG_VERSION")
        );
        return Ok(());
    }
    let (architectures, arguments) = aot::split(&as_hip(arguments))?;
    let mut clang = clang::for_hip(&arguments)?;
    if !architectures.is_empty() {
        aot::request(&mut clang, &architectures, &arguments)?;
    }
    clang.arg("--driver-mode=g++").args(arguments);
    let cannot_start = format!("cannot start {}", clang.get_program().display());
    Err(Failure::system(cannot_start)(clang.exec()))
}

/// The arguments, with the language in front of each source. Who names a language (`-x`) means it.
fn as_hip(arguments: &[OsString]) -> Vec<OsString> {
    let names_language = |it: &OsString| it.as_encoded_bytes().starts_with(b"-x");
    if arguments.iter().any(names_language) {
        return arguments.to_vec();
    }
    let mut made: Vec<OsString> = Vec::new();
    let (mut is_value, mut hip) = (false, false);
    for argument in arguments {
        let is_input = !is_value && !argument.as_encoded_bytes().starts_with(b"-");
        if is_input && is_source(argument) != hip {
            hip = !hip;
            made.push(if hip { "-xhip" } else { "-xnone" }.into());
        }
        made.push(argument.clone());
        is_value = !is_value && WITH_VALUE.iter().any(|option| argument == option);
    }
    made
}

fn is_source(argument: &OsStr) -> bool {
    let extension = Path::new(argument).extension().and_then(OsStr::to_str);
    extension.is_some_and(|extension| SOURCES.contains(&extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_hip_unless_somebody_says_otherwise() {
        let made = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            as_hip(&words).join(OsStr::new(" "))
        };
        let line = "-O3 a.o main.cu -MF main.cpp b.cpp c.o -o main";
        let expected = "-O3 a.o -xhip main.cu -MF main.cpp b.cpp -xnone c.o -o main";
        assert_eq!(made(line), expected);
        assert_eq!(made("a.hip b.c c.o -lm"), "a.hip b.c c.o -lm");
        assert_eq!(made("-x c++ a.cpp"), "-x c++ a.cpp");
    }
}
