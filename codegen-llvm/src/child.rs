//! A part of the compiler's work in a process of its own, a copy of this one.
//!
//! LLVM's objects belong to a context, which one thread at a time may use, and a context cannot be copied. A forked
//! process has a copy of everything, for the price of the pages that it changes.

use std::io::{self, Write, pipe};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::exit;

use anyhow::{Result, anyhow};
use codegen::requests;

/// The process. It ends when this is dropped, or when this process ends.
pub struct Child {
    process: libc::pid_t,
    answer: io::PipeReader,
}

impl Child {
    /// Begins to do `job`. Fails if the system allows no further process.
    ///
    /// # Safety
    ///
    /// `job` takes no lock that another thread of this process may hold: this process has one thread, or `job` does
    /// nothing but to compute.
    pub unsafe fn start(job: impl FnOnce() -> Result<Vec<u8>>) -> io::Result<Child> {
        let (answer, writer) = pipe()?;
        // SAFETY: the caller vouches for `job`.
        let process = unsafe { fork(|| work(job, writer)) }?;
        Ok(Child { process, answer })
    }

    /// Waits for what `job` returns. If the child crashed, LLVM has said why on standard error, and this process ends
    /// as the child did.
    pub fn answer(mut self) -> Result<Vec<u8>> {
        match requests::read_answer(&mut self.answer)? {
            Some(answer) => answer.map_err(|reason| anyhow!("{reason}")),
            None => exit(self.wait()),
        }
    }

    /// Waits for its end and returns its exit code as a shell would tell it.
    fn wait(&mut self) -> i32 {
        let mut status = 0;
        // SAFETY: `status` is writable, and the process is a child that nobody has waited for.
        let waited = unsafe { libc::waitpid(self.process, &mut status, 0) };
        self.process = 0;
        match libc::WIFSIGNALED(status) {
            _ if waited < 0 => 1,
            true => 128 + libc::WTERMSIG(status),
            false => libc::WEXITSTATUS(status),
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.process != 0 {
            end(self.process);
        }
    }
}

/// Processes that work and answer by themselves. Those that still work when this is dropped end.
#[derive(Default)]
pub struct Children(Vec<libc::pid_t>);

impl Children {
    /// Begins to do `job` in a process that writes what [`Child::answer`] reads to `answer`. Gives its number.
    ///
    /// # Safety
    ///
    /// See [`Child::start`].
    pub unsafe fn start(
        &mut self,
        answer: impl Write,
        job: impl FnOnce() -> Result<Vec<u8>>,
    ) -> io::Result<libc::pid_t> {
        // SAFETY: the caller vouches for `job`.
        let process = unsafe { fork(|| work(job, answer)) }?;
        self.0.push(process);
        Ok(process)
    }

    /// Ends one of them, and waits for that.
    pub fn end(&mut self, process: libc::pid_t) {
        if let Some(place) = self.0.iter().position(|it| *it == process) {
            end(self.0.swap_remove(place));
        }
    }

    /// Waits for those that have ended. Says whether none is left.
    pub fn none_is_left(&mut self) -> bool {
        // SAFETY: no status is asked for, and nobody has waited for the process.
        let works = |it: &libc::pid_t| unsafe {
            libc::waitpid(*it, std::ptr::null_mut(), libc::WNOHANG) == 0
        };
        self.0.retain(works);
        self.0.is_empty()
    }
}

impl Drop for Children {
    fn drop(&mut self) {
        self.0.drain(..).for_each(end);
    }
}

/// Ends a child that nobody has waited for, and waits. One that has answered is about to end.
///
/// What a process has waited for is part of the time that its own parent sees.
fn end(process: libc::pid_t) {
    // SAFETY: the process is a child that nobody has waited for, so its number is still its own.
    unsafe {
        libc::kill(process, libc::SIGKILL);
        libc::waitpid(process, std::ptr::null_mut(), 0);
    }
}

/// Forks. Gives the child's number to the parent. The child ends with the exit code that `child` returns, or when its
/// parent ends.
///
/// # Safety
///
/// See [`Child::start`].
unsafe fn fork(child: impl FnOnce() -> i32) -> io::Result<libc::pid_t> {
    // SAFETY: `getpid` has no preconditions.
    let parent = unsafe { libc::getpid() };
    // SAFETY: the child does what the caller vouches for, and ends without returning.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            end_with(parent);
            let code = child();
            // What is registered to run at exit is the parent's to run.
            // SAFETY: ends the process; nothing runs afterwards.
            unsafe { libc::_exit(code) }
        }
        process => Ok(process),
    }
}

/// Has the child end when its parent ends.
fn end_with(parent: libc::pid_t) {
    // SAFETY: both only change or read what the kernel knows of this process.
    let orphan = unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::getppid() != parent
    };
    if orphan {
        // SAFETY: ends the process; nothing runs afterwards.
        unsafe { libc::_exit(1) };
    }
}

/// Does the job and writes the answer. Returns the process's exit code.
fn work(job: impl FnOnce() -> Result<Vec<u8>>, mut answer: impl Write) -> i32 {
    let done = catch_unwind(AssertUnwindSafe(job));
    let reason = |error| format!("{error:#}");
    let written = match done.map(|done| done.map_err(reason)) {
        Ok(Ok(bytes)) => requests::write_answer(&mut answer, Ok(&bytes)),
        Ok(Err(reason)) => requests::write_answer(&mut answer, Err(&reason)),
        // The panic's message has been printed.
        Err(_) => return 101,
    };
    i32::from(written.is_err())
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    fn answer_of(job: impl FnOnce() -> Result<Vec<u8>>) -> Result<Vec<u8>> {
        // SAFETY: the jobs of these tests only compute.
        unsafe { Child::start(job) }.unwrap().answer()
    }

    #[test]
    fn an_answer_is_longer_than_a_pipe() {
        let long: Vec<u8> = (0..1_000_000_u32).map(|byte| byte as u8).collect();
        assert_eq!(answer_of(|| Ok(long.clone())).unwrap(), long);
        assert_eq!(answer_of(|| Ok(Vec::new())).unwrap(), b"");
    }

    #[test]
    fn a_refusal_is_told_whole() {
        let refused = answer_of(|| bail!("no such register"));
        assert_eq!(refused.unwrap_err().to_string(), "no such register");
    }

    #[test]
    fn who_is_not_asked_ends() {
        // SAFETY: the job only waits.
        let child = unsafe {
            Child::start(|| {
                loop {
                    libc::pause();
                }
            })
        };
        drop(child.unwrap());
    }

    #[test]
    fn a_crash_is_an_exit_code() {
        // SAFETY: the job only ends.
        let mut killed = unsafe { Child::start(|| libc::abort()) }.unwrap();
        assert_eq!(killed.wait(), 128 + libc::SIGABRT);
        // SAFETY: the job only ends.
        let mut left = unsafe { Child::start(|| libc::_exit(3)) }.unwrap();
        assert_eq!(left.wait(), 3);
    }

    #[test]
    fn children_answer_by_themselves_and_end_when_they_should() {
        let mut children = Children::default();
        assert!(children.none_is_left());
        let (mut answer, writer) = pipe().unwrap();
        // SAFETY: the jobs only return or wait.
        let (answers, waits) = unsafe {
            let answers = children.start(writer, || Ok(b"done".to_vec()));
            let waits = children.start(io::sink(), || {
                loop {
                    libc::pause();
                }
            });
            (answers.unwrap(), waits.unwrap())
        };
        let read = requests::read_answer(&mut answer).unwrap();
        assert_eq!(read.unwrap().unwrap(), b"done");
        children.end(answers);
        assert!(!children.none_is_left(), "one waits");
        drop(children);
        // SAFETY: signal 0 only asks whether there is such a process.
        assert_eq!(unsafe { libc::kill(waits, 0) }, -1);
    }
}
