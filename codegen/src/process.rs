//! One run of the compiler.
//!
//! Input, output and messages go through anonymous files, not pipes. So nothing can block, and a compiler that dies
//! early cannot cause a SIGPIPE in the user's program. There is no deadline: a large image may take minutes, and
//! waiting with a deadline would need a handler for SIGCHLD in the user's program.

use std::fs::File;
use std::io::{Read, Seek, Write};
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
    Running::start(tool, arguments, file_of(input)?.into())?.answer(what)
}

/// A compiler process.
#[derive(Debug)]
pub struct Running {
    process: Child,
    output: File,
    /// What it writes to standard error.
    pub messages: File,
}

impl Running {
    /// Starts it.
    pub fn start(tool: &Path, arguments: &[String], input: Stdio) -> Result<Running, CompileError> {
        let (output, messages) = (anonymous_file("output")?, anonymous_file("messages")?);
        let mut command = Command::new(tool);
        NOT_INHERITED.iter().for_each(|name| {
            command.env_remove(name);
        });
        command
            .args(arguments)
            .stdin(input)
            .stdout(shared(&output)?)
            .stderr(shared(&messages)?);
        let starting = || CompileError::system(format!("starting {}", tool.display()));
        // Under an emulator of another CPU a missing program does not fail to start: its process ends with 127.
        std::fs::metadata(tool).map_err(starting())?;
        let process = command.spawn().map_err(starting())?;
        Ok(Running {
            process,
            output,
            messages,
        })
    }

    /// Waits for its end. Returns its standard output.
    pub fn answer(mut self, what: &str) -> Result<Vec<u8>, CompileError> {
        let progress = progress(what, &self.messages)?;
        let status = self.wait();
        drop(progress);
        let text = text_of(&self.messages)?;
        match status.filter(|status| !status.success()) {
            Some(status) => Err(failure(status, text)),
            None => {
                report_warnings(&text);
                self.output()
            }
        }
    }

    /// Waits for its end. If the program ignores SIGCHLD or reaps children itself, the status is lost. Decoding the
    /// answer then shows whether it is complete.
    pub fn wait(&mut self) -> Option<ExitStatus> {
        self.process.wait().ok()
    }

    /// Its standard output so far.
    pub fn output(&mut self) -> Result<Vec<u8>, CompileError> {
        let mut bytes = Vec::new();
        let read = self
            .output
            .rewind()
            .and_then(|()| self.output.read_to_end(&mut bytes));
        read.map_err(CompileError::system("reading the device compiler's answer"))?;
        Ok(bytes)
    }
}

/// Shows who waits for the compiler how far it is, as its messages tell.
pub fn progress(what: &str, messages: &File) -> Result<Progress, CompileError> {
    let messages = duplicate(messages)?;
    Ok(Progress::of(what.to_owned(), move || {
        let mut bytes = vec![0; messages.metadata().ok()?.len() as usize];
        // Reading at an offset leaves the position alone at which the compiler writes.
        let length = messages.read_at(&mut bytes, 0).ok()?;
        progress::last_state(&String::from_utf8_lossy(&bytes[..length]))
    }))
}

/// The compiler's messages, but for those about its progress.
pub fn text_of(messages: &File) -> Result<String, CompileError> {
    let reading = || CompileError::system("reading the device compiler's messages");
    let length = messages.metadata().map_err(reading())?.len();
    let mut bytes = vec![0; length as usize];
    messages.read_exact_at(&mut bytes, 0).map_err(reading())?;
    Ok(progress::without_states(
        String::from_utf8_lossy(&bytes).trim(),
    ))
}

/// A file with these contents, to be read from its start.
pub fn file_of(contents: &[u8]) -> Result<File, CompileError> {
    let mut file = anonymous_file("input")?;
    let written = file.write_all(contents).and_then(|()| file.rewind());
    written.map_err(CompileError::system(
        "passing the image to the device compiler",
    ))?;
    Ok(file)
}

/// Logs the compiler's messages. They come from LLVM (a loop was not vectorised, say) and help only with a closer look.
pub fn report_warnings(message: &str) {
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
            CompileError::Crashed {
                how,
                detail: first_line(&message),
            }
        }
    }
}

/// What LLVM says when it crashes. It prints a stack trace after its message; the message comes first.
pub fn first_line(message: &str) -> Option<String> {
    let line = message.lines().next().map(str::to_owned);
    line.filter(|line| !line.is_empty())
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
    duplicate(file).map(Stdio::from)
}

fn duplicate(file: &File) -> Result<File, CompileError> {
    file.try_clone()
        .map_err(CompileError::system("duplicating a file"))
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
