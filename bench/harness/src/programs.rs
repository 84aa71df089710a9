//! Measuring programs. Their sources are part of the command, which compiles them or takes programs that were compiled
//! elsewhere.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

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
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let output = folder.path().join("output");
    let file = File::create(&output).map_err(|error| error.to_string())?;
    let mut child = Command::new(program)
        .args(arguments)
        .env("OMP_TARGET_OFFLOAD", "MANDATORY")
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .stdout(file)
        .spawn()
        .map_err(|error| format!("{shown} does not start: {error}"))?;
    let ended = child.wait_timeout(limit);
    let Some(status) = ended.map_err(|error| error.to_string())? else {
        // Both fail only for a child that has ended meanwhile.
        let _ = child.kill();
        let _ = child.wait();
        return Err(format!("{shown} ran longer than {} s", limit.as_secs()));
    };
    let text = std::fs::read_to_string(&output).map_err(|error| format!("{shown}: {error}"))?;
    match status.success() {
        true => Ok(text),
        false => Err(format!("{shown} ended with {status}\n{text}")
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
