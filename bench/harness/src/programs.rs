//! Measuring programs. Their sources are part of the command, which compiles them or takes programs that were compiled
//! elsewhere.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use omptarget_driver::{Failure, Result, clang};
use wait_timeout::ChildExt;

/// A source file: its name, its text.
pub type Source = (&'static str, &'static str);

/// Compiles the program `sources[0]` (the others are what it includes) into `folder`, under the name `name`, with
/// `flags` after `-O3`.
pub fn compile(
    name: &str,
    sources: &[Source],
    folder: &Path,
    flags: &[OsString],
) -> Result<PathBuf> {
    compile_by(clang::for_offload(flags)?, name, sources, folder, flags)
}

/// The same with a given compiler.
pub fn compile_by(
    mut clang: Command,
    name: &str,
    sources: &[Source],
    folder: &Path,
    flags: &[OsString],
) -> Result<PathBuf> {
    let texts = tempfile::tempdir().map_err(Failure::system("cannot make a temporary folder"))?;
    for (file, text) in sources {
        std::fs::write(texts.path().join(file), text)
            .map_err(Failure::system(format!("cannot write {file}")))?;
    }
    let program = folder.join(name);
    let status = clang
        .arg("-O3")
        .args(flags)
        .arg(texts.path().join(sources[0].0))
        .args(["-lm", "-o"])
        .arg(&program)
        .status()
        .map_err(Failure::system("cannot start clang"))?;
    if !status.success() {
        return Err(Failure::Compile(status));
    }
    Ok(program)
}

/// How a child process ended, and what it took.
pub struct Ended {
    /// `None`: it was ended at the time limit.
    pub status: Option<ExitStatus>,
    pub output: String,
    pub wall: Duration,
    /// User and system time of all its threads, and of the processes that it waited for.
    pub cpu: Duration,
}

/// Runs a child process with its standard output in a file, for at most `limit`. No other child may run meanwhile:
/// the CPU time is that of all children.
pub fn measure(command: &mut Command, limit: Duration) -> io::Result<Ended> {
    let folder = tempfile::tempdir()?;
    let output = folder.path().join("output");
    command.stdin(Stdio::null()).stdout(File::create(&output)?);
    let (start, before) = (Instant::now(), children_cpu());
    let mut child = command.spawn()?;
    let status = child.wait_timeout(limit)?;
    if status.is_none() {
        // Both fail only for a child that has ended meanwhile.
        let _ = child.kill();
        let _ = child.wait();
    }
    Ok(Ended {
        status,
        wall: start.elapsed(),
        cpu: children_cpu().saturating_sub(before),
        output: String::from_utf8_lossy(&std::fs::read(&output)?).into_owned(),
    })
}

/// User and system time of the children that have ended.
fn children_cpu() -> Duration {
    // SAFETY: a `rusage` is numbers, for which zeros are valid; the call writes nothing else.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        let result = libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        assert_eq!(result, 0, "getrusage fails only for a wrong argument");
        usage
    };
    let duration = |time: libc::timeval| {
        Duration::from_secs(time.tv_sec as u64) + Duration::from_micros(time.tv_usec as u64)
    };
    duration(usage.ru_utime) + duration(usage.ru_stime)
}

/// Runs a program on a device, with these environment variables, and returns its standard output. It must succeed
/// within `limit`. Its standard error is this command's. Offload is mandatory: figures of the host could be mistaken
/// for the device's.
pub fn run(
    program: &Path,
    arguments: &[String],
    environment: &[(&str, &str)],
    limit: Duration,
) -> std::result::Result<String, String> {
    let shown = program.display();
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env("OMP_TARGET_OFFLOAD", "MANDATORY")
        .envs(environment.iter().copied());
    let ended = measure(&mut command, limit).map_err(|error| format!("{shown}: {error}"))?;
    match ended.status {
        None => Err(format!("{shown} ran longer than {} s", limit.as_secs())),
        Some(status) if status.success() => Ok(ended.output),
        Some(status) => Err(format!("{shown} ended with {status}\n{}", ended.output)
            .trim_end()
            .to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_a_program_ended() {
        let shell = Path::new("/bin/sh");
        let run = |script: &str, seconds| {
            run(
                shell,
                &["-c".into(), script.into()],
                &[("NUMBER", "7")],
                Duration::from_secs(seconds),
            )
        };
        assert_eq!(
            run("echo $OMP_TARGET_OFFLOAD $NUMBER", 60),
            Ok("MANDATORY 7\n".into())
        );
        let failed = run("echo half; exit 3", 60).expect_err("it fails");
        assert!(failed.contains('3') && failed.contains("half"), "{failed}");
        let late = run("exec sleep 60", 0).expect_err("it is late");
        assert!(late.contains("longer than 0 s"), "{late}");
    }
}
