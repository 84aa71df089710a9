//! One run of the compiler.
//!
//! Input, output and messages go through anonymous files, not pipes. So nothing can block, and a compiler that dies
//! early cannot cause a SIGPIPE in the user's program. There is no deadline: a large image may take minutes, and
//! waiting with a deadline would need a handler for SIGCHLD in the user's program.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use rustix::fs::{MemfdFlags, memfd_create};

use crate::CompileError;
use crate::progress::{self, Progress};

/// Environment variables of the user's program that the compiler must not get. What they preload (sanitizers,
/// profilers, MPI) would be preloaded into LLVM, too.
const NOT_INHERITED: &[&str] = &["LD_PRELOAD", "LD_AUDIT", "MALLOC_CONF", "GLIBC_TUNABLES"];

/// Runs the compiler with `arguments`, and with `input` as its standard input. Returns its standard output. Who waits
/// for long at a terminal is told `what` is being done.
pub fn run(
    tool: &Path,
    arguments: &[String],
    input: &[u8],
    what: &str,
) -> Result<Vec<u8>, CompileError> {
    let (mut stdin, mut stdout, mut stderr) = (
        anonymous_file("input")?,
        anonymous_file("output")?,
        anonymous_file("messages")?,
    );
    let transfer = || CompileError::system("passing the image to the device compiler");
    stdin.write_all(input).map_err(transfer())?;
    stdin.rewind().map_err(transfer())?;
    let told = stderr
        .try_clone()
        .map_err(CompileError::system("duplicating a file"))?;
    let mut command = Command::new(tool);
    NOT_INHERITED.iter().for_each(|name| {
        command.env_remove(name);
    });
    command
        .args(arguments)
        .stdin(stdin)
        .stdout(shared(&stdout)?)
        .stderr(shared(&stderr)?);
    let starting = || CompileError::system(format!("starting {}", tool.display()));
    // Under an emulator of another CPU a missing program does not fail to start: its process ends with 127.
    std::fs::metadata(tool).map_err(starting())?;
    let running = command.spawn().map_err(starting());
    // If the program ignores SIGCHLD or reaps children itself, the status is lost. Decoding the answer then shows
    // whether it is complete.
    let status = wait(running?, told, what).ok();
    let message = read_from_start(&mut stderr)?;
    let message = progress::without_states(String::from_utf8_lossy(&message).trim());
    match status.filter(|status| !status.success()) {
        Some(status) => Err(failure(status, message)),
        None => {
            report_warnings(&message);
            read_from_start(&mut stdout)
        }
    }
}

/// Waits for the compiler. Its messages tell how far it is.
fn wait(mut running: Child, messages: File, what: &str) -> io::Result<ExitStatus> {
    let _progress = Progress::of(what.to_owned(), move || {
        let mut bytes = vec![0; messages.metadata().ok()?.len() as usize];
        // Reading at an offset leaves the position alone at which the compiler writes.
        let length = messages.read_at(&mut bytes, 0).ok()?;
        progress::last_state(&String::from_utf8_lossy(&bytes[..length]))
    });
    running.wait()
}

/// Logs the compiler's messages. They come from LLVM (a loop was not vectorised, say) and help only with a closer look.
fn report_warnings(message: &str) {
    if !message.is_empty() {
        log::debug!("device compiler: {message}");
    }
}

fn failure(status: ExitStatus, message: String) -> CompileError {
    // Exit code 1 with a message is the compiler's own decision. LLVM may have warned before. Any other failure is
    // LLVM's.
    let verdict = match message.split_once("\nerror: ") {
        Some((_, verdict)) => Some(verdict),
        None => message.strip_prefix("error: "),
    };
    match verdict {
        Some(verdict) if status.code() == Some(1) => CompileError::Rejected(verdict.to_owned()),
        _ => {
            let how = match (status.signal(), status.code()) {
                (Some(signal), _) => format!("signal {signal}"),
                (None, Some(code)) => format!("code {code}"),
                (None, None) => "an unknown status".to_owned(),
            };
            // LLVM prints a stack trace after its message; the message comes first.
            let detail = message
                .lines()
                .next()
                .map(str::to_owned)
                .filter(|line| !line.is_empty());
            CompileError::Crashed { how, detail }
        }
    }
}

/// A file without a name. It is gone when its last handle is closed.
fn anonymous_file(what: &str) -> Result<File, CompileError> {
    memfd_create(c"omptarget-codegen", MemfdFlags::CLOEXEC)
        .map(File::from)
        .map_err(|error| {
            let what = format!("making room for the device compiler's {what}");
            CompileError::system(what)(error.into())
        })
}

fn shared(file: &File) -> Result<Stdio, CompileError> {
    file.try_clone()
        .map(Stdio::from)
        .map_err(CompileError::system("duplicating a file"))
}

fn read_from_start(file: &mut File) -> Result<Vec<u8>, CompileError> {
    let mut bytes = Vec::new();
    let read = file.rewind().and_then(|()| file.read_to_end(&mut bytes));
    read.map_err(CompileError::system("reading the device compiler's answer"))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, input: &[u8]) -> Result<Vec<u8>, CompileError> {
        run(
            Path::new("/bin/sh"),
            &["-c".to_owned(), script.to_owned()],
            input,
            "testing",
        )
    }

    #[test]
    fn input_and_output_pass_whole() {
        let input: Vec<u8> = (0..1_000_000u32).map(|byte| byte as u8).collect();
        assert_eq!(shell("cat", &input).unwrap(), input);
    }

    #[test]
    fn a_compiler_that_reads_nothing_does_no_harm() {
        assert_eq!(shell("echo done", &vec![0; 1 << 20]).unwrap(), b"done\n");
    }

    #[test]
    fn a_verdict_is_told_from_a_crash() {
        let verdict = shell("echo 'error: no good' >&2; exit 1", b"").unwrap_err();
        assert!(
            matches!(&verdict, CompileError::Rejected(text) if text == "no good"),
            "{verdict}"
        );
        let crash = shell("echo 'LLVM ERROR: oh' >&2; kill -ABRT $$", b"").unwrap_err();
        assert_eq!(
            crash.to_string(),
            "the device compiler ended with signal 6: LLVM ERROR: oh"
        );
        let code = shell("exit 3", b"").unwrap_err();
        assert_eq!(code.to_string(), "the device compiler ended with code 3");
    }

    #[test]
    fn a_missing_tool_is_named() {
        let error = run(Path::new("/nonexistent/tool"), &[], b"", "testing").unwrap_err();
        assert!(error.to_string().contains("/nonexistent/tool"), "{error}");
    }
}
