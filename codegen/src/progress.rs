//! A line on the terminal while somebody waits for compiled code.
//!
//! A cold first run may compile for many seconds and would look as if it hung. After two seconds a line on standard
//! error says what is being done, if that is a terminal. It goes when the code is there. `OMPTARGET_QUIET` suppresses
//! it.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// How long there is no line.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often it is written anew.
const INTERVAL: Duration = Duration::from_secs(1);
/// What the compiler's messages about its progress begin with (`--progress`).
pub const MARK: &str = "progress: ";
/// Returns to the first column and clears the line.
const CLEAR: &str = "\r\x1b[K";

/// The line. It goes when this is dropped.
#[derive(Debug)]
pub struct Progress {
    /// The thread that writes it, and what is disconnected to end the thread. None where nobody would see the line.
    thread: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Begins to wait. `what` is being done; `state` is asked how far it is. Does nothing where nobody would see it.
    pub fn of(what: String, state: impl Fn() -> Option<String> + Send + 'static) -> Progress {
        let is_set = |value: std::ffi::OsString| !value.is_empty() && value != "0";
        let quiet = std::env::var_os("OMPTARGET_QUIET").is_some_and(is_set);
        if quiet || !io::stderr().is_terminal() {
            return Progress { thread: None };
        }
        Progress::on(io::stderr(), PATIENCE, what, state)
    }

    fn on(
        terminal: impl Write + Send + 'static,
        patience: Duration,
        what: String,
        state: impl Fn() -> Option<String> + Send + 'static,
    ) -> Progress {
        let (running, ends) = channel();
        let work = move || show(terminal, patience, &ends, &what, state);
        // Without the thread there is no line, and nothing else is missing.
        let thread = Builder::new().name("omptarget-progress".to_owned());
        let thread = thread.spawn(work).ok();
        Progress {
            thread: thread.map(|thread| (running, thread)),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((running, thread)) = self.thread.take() {
            drop(running);
            // A panic in the thread has been reported already.
            let _ = thread.join();
        }
    }
}

/// The thread. A terminal that cannot be written to is no reason to stop the program.
fn show(
    mut terminal: impl Write,
    patience: Duration,
    ends: &Receiver<()>,
    what: &str,
    state: impl Fn() -> Option<String>,
) {
    let begin = Instant::now();
    let mut wait = patience;
    let mut shown = false;
    while ends.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
        let seconds = begin.elapsed().as_secs();
        let state = state().map_or(String::new(), |state| format!(": {state}"));
        let _ = write!(terminal, "{CLEAR}omptarget: {what}, {seconds} s{state}");
        let _ = terminal.flush();
        shown = true;
        wait = INTERVAL;
    }
    if shown {
        let _ = write!(terminal, "{CLEAR}");
        let _ = terminal.flush();
    }
}

/// The last state that the compiler's messages tell.
pub fn last_state(messages: &str) -> Option<String> {
    let complete = &messages[..messages.rfind('\n')?];
    let mut lines = complete.lines().rev();
    lines.find_map(|line| line.strip_prefix(MARK).map(str::to_owned))
}

/// The compiler's messages without those about its progress.
pub fn without_states(messages: &str) -> String {
    let kept = messages.lines().filter(|line| !line.starts_with(MARK));
    kept.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A terminal that passes on what is written to it.
    struct Terminal(Sender<String>);

    impl Write for Terminal {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.0.send(String::from_utf8_lossy(bytes).into_owned());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_line_says_what_and_how_far_and_goes() {
        let (sender, written) = channel();
        let state = || Some("warp form 4 of 15".to_owned());
        let line = Progress::on(
            Terminal(sender),
            Duration::ZERO,
            "compiling kernels".to_owned(),
            state,
        );
        let mut text = String::new();
        while !text.ends_with("warp form 4 of 15") {
            text += &written.recv().expect("the thread writes");
        }
        assert!(text.contains("\x1b[Komptarget: compiling kernels, 0 s: "));
        drop(line);
        let rest: String = written.iter().collect();
        assert!(rest.ends_with(CLEAR), "{rest:?}");
    }

    #[test]
    fn who_is_quick_sees_nothing() {
        let (sender, written) = channel();
        drop(Progress::on(
            Terminal(sender),
            Duration::from_secs(3600),
            "compiling".to_owned(),
            || None,
        ));
        assert_eq!(written.iter().count(), 0);
    }

    #[test]
    fn states_are_told_from_messages() {
        let messages = "warning: x\nprogress: a\nprogress: b\nerror: y\nprogress: c";
        assert_eq!(last_state(messages).as_deref(), Some("b"), "c may go on");
        assert_eq!(last_state("warning: x\n"), None);
        assert_eq!(without_states(messages), "warning: x\nerror: y");
    }
}
