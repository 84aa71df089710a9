//! `omptarget run`: compile to a temporary file, then become the program.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use omptarget_driver::{Failure, Result, clang};

use crate::{cuda, finished_program, fortran};

const HELP: &str = "\
Examples:
  omptarget run saxpy.c
  omptarget run -g -O1 main.c kernel.c -DN=100 -- input.txt 42
  omptarget run --offload-arch=gfx90a saxpy.c    AMD's device code instead of NVIDIA's
  omptarget run saxpy.f90
  omptarget run vector_add.cu                    a CUDA program
  omptarget run vector_add.hip                   a HIP program
  omptarget run ./program -- input.txt           a CUDA program that NVIDIA's nvcc has compiled


Without -O… the program is compiled at -O2; it is linked with the mathematical library, and with the C++
library if a source file is C++. flang compiles where a source file is Fortran; its module files are
temporary. The program replaces this command, so its exit code or signal is its own.

A program that is compiled already finds the libraries of CUDA that belong to this command.";

/// Arguments of `omptarget run`.
#[derive(clap::Args)]
#[command(override_usage = "omptarget run [OPTION|FILE]... [-- ARGUMENT...]", after_help = HELP)]
pub struct Options {
    /// Source files, objects, libraries and options of clang or flang; or a program; after `--`, its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "WORD"
    )]
    words: Vec<OsString>,
}

impl Options {
    /// The compiler's arguments and the program's.
    fn split(&self) -> (&[OsString], &[OsString]) {
        match self.words.iter().position(|word| word == "--") {
            Some(at) => (&self.words[..at], &self.words[at + 1..]),
            None => (&self.words, &[]),
        }
    }
}

/// Compiles and becomes the program.
pub fn run(options: &Options) -> Result<()> {
    let (inputs, arguments) = options.split();
    if let [program] = inputs
        && finished_program::is_program(Path::new(program))
    {
        return become_finished(program, arguments);
    }
    let name = check(inputs)?;
    let folder = tempfile::tempdir().map_err(Failure::system("cannot make a temporary folder"))?;
    let path = folder.path().join("program");
    if has(inputs, Language::Fortran) {
        fortran::build(&fortran_arguments(inputs, &path, folder.path()))?;
    } else {
        let status = command_line(inputs, &path)?
            .status()
            .map_err(Failure::system("cannot start clang"))?;
        if !status.success() {
            return Err(Failure::Compile(status));
        }
    }
    // The open file outlives its folder. So nothing is left behind however the program ends, and no process stands
    // between the program and its parent.
    let program = File::open(&path).map_err(Failure::system("cannot open the compiled program"))?;
    folder
        .close()
        .map_err(Failure::system("cannot remove the temporary folder"))?;
    let error = Command::new(format!("/proc/self/fd/{}", program.as_raw_fd()))
        .arg0(name)
        .args(arguments)
        .exec();
    Err(Failure::System {
        what: "cannot start the compiled program".into(),
        source: error,
    })
}

/// Becomes a program that others compiled.
fn become_finished(program: &OsStr, arguments: &[OsString]) -> Result<()> {
    let path = finished_program::path(program);
    let error = Command::new(&path)
        .args(arguments)
        .envs(finished_program::settings(&path)?)
        .exec();
    Err(Failure::System {
        what: format!("cannot start {}", path.display()),
        source: error,
    })
}

/// The program's name: that of the first source file. Rejects options with which clang would not make a program.
fn check(inputs: &[OsString]) -> Result<OsString> {
    for refused in ["-c", "-S", "-E", "-o", "-shared"] {
        if inputs.iter().any(|input| input == refused) {
            return Err(Failure::Usage(format!(
                "{refused} makes no program to run; use omptarget cc"
            )));
        }
    }
    let first = inputs.iter().find(|input| language(input).is_some());
    match first.and_then(|file| Path::new(file).file_stem()) {
        Some(stem) => Ok(stem.to_owned()),
        None => Err(Failure::Usage(
            "no source file given (.c, .cc, .cpp, .cxx, .C, .cu, .hip, .f90, .F90, .f)".into(),
        )),
    }
}

fn command_line(inputs: &[OsString], output: &Path) -> Result<Command> {
    let (cuda, hip) = (has(inputs, Language::Cuda), has(inputs, Language::Hip));
    let (mut clang, inputs) = match (cuda, hip) {
        (true, true) => {
            return Err(Failure::Usage(
                "a program is in CUDA or in HIP, not in both".into(),
            ));
        }
        (true, false) => cuda::clang(inputs)?,
        (false, true) => (clang::for_hip(inputs)?, inputs.to_vec()),
        (false, false) => (clang::for_offload(inputs)?, inputs.to_vec()),
    };
    let inputs = &inputs;
    if !has_option(inputs, "-O") {
        clang.arg("-O2");
    }
    clang.args(inputs).arg("-o").arg(output).arg("-lm");
    // As a C driver, clang compiles every file by its suffix. For C++ only the library is missing.
    if has(inputs, Language::Cxx) || cuda || hip {
        clang.arg("-lstdc++");
    }
    Ok(clang)
}

/// flang's arguments for a program with Fortran sources. Module files go to `folder` unless the arguments name another.
fn fortran_arguments(inputs: &[OsString], output: &Path, folder: &Path) -> Vec<OsString> {
    let mut arguments = inputs.to_vec();
    if !has_option(inputs, "-O") {
        arguments.push("-O2".into());
    }
    if !has_option(inputs, "-J") && !has_option(inputs, "-module-dir") {
        arguments.extend(["-J".into(), folder.into()]);
    }
    arguments.extend(["-o".into(), output.into()]);
    arguments
}

fn has_option(inputs: &[OsString], begin: &str) -> bool {
    inputs
        .iter()
        .any(|input| input.to_string_lossy().starts_with(begin))
}

/// Whether one of the files is written in a language.
fn has(inputs: &[OsString], wanted: Language) -> bool {
    inputs.iter().any(|input| language(input) == Some(wanted))
}

/// What a source file is written in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    C,
    Cxx,
    Cuda,
    Fortran,
    Hip,
}

fn language(input: &OsStr) -> Option<Language> {
    if input.to_string_lossy().starts_with('-') {
        return None;
    }
    match Path::new(input).extension()?.to_str()? {
        "c" => Some(Language::C),
        "cc" | "cpp" | "cxx" | "c++" | "C" | "CPP" => Some(Language::Cxx),
        "cu" => Some(Language::Cuda),
        "hip" => Some(Language::Hip),
        other => {
            let fortran = ["f", "for", "ftn", "f77", "f90", "f95", "f03", "f08", "f18"];
            let is_fortran = fortran.contains(&other.to_ascii_lowercase().as_str());
            is_fortran.then_some(Language::Fortran)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(inputs: &[&str]) -> Result<OsString> {
        check(&inputs.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn the_program_gets_what_follows_the_dashes() {
        let words = |text: &str| {
            text.split_whitespace()
                .map(OsString::from)
                .collect::<Vec<_>>()
        };
        let options = Options {
            words: words("-g a.c -- -x -- y"),
        };
        assert_eq!(
            options.split(),
            (&words("-g a.c")[..], &words("-x -- y")[..])
        );
        let options = Options {
            words: words("a.c"),
        };
        assert_eq!(options.split(), (&words("a.c")[..], &[][..]));
    }

    #[test]
    fn the_first_source_names_the_program() {
        assert_eq!(
            name(&["-O3", "dir/main.c", "b.cpp"]).expect("a program"),
            "main"
        );
        assert_eq!(name(&["lib.a", "x.C"]).expect("a program"), "x");
        assert_eq!(name(&["-J", ".", "m.F90"]).expect("a program"), "m");
        assert_eq!(name(&["sum.cu"]).expect("a program"), "sum");
    }

    #[test]
    fn what_makes_no_program_is_refused() {
        assert!(matches!(name(&["-c", "main.c"]), Err(Failure::Usage(_))));
        assert!(matches!(
            name(&["-o", "out", "main.c"]),
            Err(Failure::Usage(_))
        ));
        assert!(matches!(name(&["-O2", "main.o"]), Err(Failure::Usage(_))));
    }
}
