//! `omptarget fc`: flang with its configuration file, and with what flang's driver cannot be told for NVIDIA GPUs.
//!
//! flang 22 compiles device code for AMD GPUs to bitcode, as clang does. For NVIDIA GPUs it makes machine code by
//! `ptxas` only, of a PTX version that knows no GPU of today; options that change this are clang's alone. So its own
//! list of commands (`-###`) is taken, the step with `ptxas` left out, and bitcode put in its place.

use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use omptarget_driver::{Failure, Result, flang};

use crate::precompile;

/// The triple of NVIDIA GPUs.
const NVIDIA: &str = "nvptx64-nvidia-cuda";
/// The PTX version that clang names with our `dist/cuda-stub`. It says what the GPU's instructions may be.
const PTX: &str = "+ptx87";

/// Compiles, links, or both, and fills the cache where the arguments ask for that.
pub fn compile(arguments: Vec<OsString>) -> Result<()> {
    let (program, arguments) = precompile::split(arguments)?;
    let mut job = Job::new(&arguments)?;
    if program.is_none() && !job.has_device_code() {
        // Nothing runs in this process after `exec`.
        drop(job.folder);
        let error = job.flang.exec();
        return Err(cannot_start(&job.flang, error));
    }
    job.run()?;
    program.map_or(Ok(()), |program| precompile::fill(&program))
}

/// Compiles, links, or both.
pub fn build(arguments: &[OsString]) -> Result<()> {
    Job::new(arguments)?.run()
}

/// flang with its arguments, and what its driver would run for them.
struct Job {
    flang: Command,
    commands: Vec<Vec<String>>,
    /// The commands' temporary files.
    folder: tempfile::TempDir,
}

impl Job {
    fn new(arguments: &[OsString]) -> Result<Job> {
        let folder =
            tempfile::tempdir().map_err(Failure::system("cannot make a temporary folder"))?;
        let mut flang = flang::for_offload(arguments)?;
        flang.args(arguments);
        let commands = commands(&flang, folder.path())?;
        Ok(Job {
            flang,
            commands,
            folder,
        })
    }

    fn has_device_code(&self) -> bool {
        self.commands.iter().any(|command| is_device_code(command))
    }

    fn run(mut self) -> Result<()> {
        match self.has_device_code() {
            true => run_all(with_bitcode(self.commands)),
            false => run(&mut self.flang),
        }
    }
}

fn run_all(commands: Vec<Vec<String>>) -> Result<()> {
    commands
        .iter()
        .try_for_each(|words| run(Command::new(&words[0]).args(&words[1..])))
}

/// Runs one of the commands. The first that fails is the last.
fn run(command: &mut Command) -> Result<()> {
    let status = command.status();
    let status = status.map_err(|error| cannot_start(command, error))?;
    match status.success() {
        true => Ok(()),
        false => Err(Failure::Ended(status)),
    }
}

fn cannot_start(command: &Command, source: std::io::Error) -> Failure {
    Failure::System {
        what: format!("cannot start {}", command.get_program().display()),
        source,
    }
}

/// What flang's driver would run, with its temporary files in `folder`. Nothing where it would run nothing: it has an
/// error to report, or a question to answer.
fn commands(flang: &Command, folder: &Path) -> Result<Vec<Vec<String>>> {
    let mut listing = Command::new(flang.get_program());
    listing.args(flang.get_args()).arg("-###");
    let output = listing
        .env("TMPDIR", folder)
        .output()
        .map_err(|error| cannot_start(&listing, error))?;
    if !output.status.success() {
        return Ok(Vec::new());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    // A command's line starts with a space, and its words are quoted.
    let lines = text.lines().filter(|line| line.starts_with(" \""));
    Ok(lines.filter_map(shlex::split).collect())
}

/// Whether a command makes PTX of a source file.
fn is_device_code(command: &[String]) -> bool {
    let has = |word: &str| command.iter().any(|each| each == word);
    has("-fc1") && has(NVIDIA) && has("-S")
}

/// The commands with bitcode in the place of machine code for NVIDIA GPUs.
fn with_bitcode(commands: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let mut bitcode = HashMap::new();
    let mut result = Vec::new();
    for mut command in commands {
        if is_ptxas(&command) {
            bitcode.extend(assembled(&command));
            continue;
        }
        if is_device_code(&command) {
            for word in &mut command {
                if word == "-S" {
                    *word = "-emit-llvm-bc".to_owned();
                } else if word.starts_with("+ptx") {
                    *word = PTX.to_owned();
                }
            }
        }
        for word in &mut command {
            for (object, source) in &bitcode {
                *word = word.replace(&format!("file={object},"), &format!("file={source},"));
            }
        }
        result.push(command);
    }
    result
}

fn is_ptxas(command: &[String]) -> bool {
    Path::new(&command[0]).file_name() == Some("ptxas".as_ref())
}

/// The object that a `ptxas` command makes, and the file that it makes it of: `--output-file OBJECT SOURCE`.
fn assembled(command: &[String]) -> Option<(String, String)> {
    let at = command.iter().position(|word| word == "--output-file")?;
    Some((command.get(at + 1)?.clone(), command.get(at + 2)?.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn machine_code_becomes_bitcode() {
        let commands = [
            "/bin/flang -fc1 -triple x86_64-pc-linux-gnu -emit-llvm-bc -o /t/a.bc a.f90",
            "/bin/flang -fc1 -triple nvptx64-nvidia-cuda -S -target-feature +ptx42 -o /t/a.s a.f90",
            "ptxas -m64 --output-file /t/a.o /t/a.s -c",
            "/bin/llvm-offload-binary -o /t/a.out --image=file=/t/a.o,kind=openmp",
        ];
        let changed = with_bitcode(commands.map(words).to_vec());
        let expected = [
            commands[0],
            "/bin/flang -fc1 -triple nvptx64-nvidia-cuda -emit-llvm-bc -target-feature +ptx87 -o /t/a.s a.f90",
            "/bin/llvm-offload-binary -o /t/a.out --image=file=/t/a.s,kind=openmp",
        ];
        assert_eq!(changed, expected.map(words));
    }
}
