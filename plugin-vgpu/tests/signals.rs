//! Signals that a kernel did not raise keep their meaning. Each case runs in a separate process: this test
//! program with `VGPU_SIGNAL_CASE` set.

mod fixture;

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};

const CASE: &str = "VGPU_SIGNAL_CASE";

extern "C" fn plain_handler(signal: libc::c_int) {
    // SAFETY: `_exit` is async-signal-safe.
    unsafe { libc::_exit(40 + signal) }
}

extern "C" fn detailed_handler(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the handler was installed with SA_SIGINFO.
    unsafe {
        libc::_exit(if (*info).si_addr() as usize == 0x18 {
            7
        } else {
            8
        })
    }
}

fn install(handler: usize, flags: libc::c_int) {
    // SAFETY: an all-zero action is valid, and the handlers are async-signal-safe.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler;
        action.sa_flags = flags;
        libc::sigaction(libc::SIGSEGV, &action, std::ptr::null_mut());
    }
}

/// The child process. It installs its handler, lets a kernel fault, then faults itself.
fn child(case: &str) {
    match case {
        "plain" => install(plain_handler as *const () as usize, 0),
        "detailed" => install(detailed_handler as *const () as usize, libc::SA_SIGINFO),
        "none" | "sent" => install(libc::SIG_DFL, 0),
        other => panic!("{other}"),
    }
    let device = fixture::device();
    let module = fixture::load(&device);
    let fault = fixture::launch(&*module, "wild", 4, &[0x10]).unwrap_err();
    assert!(fault.to_string().contains("store to 0x10"), "{fault}");
    if case == "sent" {
        // SAFETY: ends this process.
        unsafe { libc::raise(libc::SIGSEGV) };
    }
    // SAFETY: it is not; that is the test.
    unsafe { (std::hint::black_box(0x18) as *mut u8).write_volatile(1) };
}

/// This test program, run as cargo runs it: by an emulator where the environment names one.
fn this_program() -> Command {
    let architecture = std::env::consts::ARCH.to_uppercase();
    let runner = format!("CARGO_TARGET_{architecture}_UNKNOWN_LINUX_GNU_RUNNER");
    let runner = std::env::var(runner).unwrap_or_default();
    let program = std::env::current_exe().unwrap();
    let mut words = runner.split_whitespace().map(OsString::from);
    let Some(first) = words.next() else {
        return Command::new(program);
    };
    let mut command = Command::new(first);
    command.args(words).arg(program);
    command
}

fn run(case: &str) -> ExitStatus {
    let arguments = [
        "--exact",
        "signals_of_the_host_keep_their_meaning",
        "--nocapture",
    ];
    this_program()
        .args(arguments)
        .env(CASE, case)
        .output()
        .unwrap()
        .status
}

#[test]
fn signals_of_the_host_keep_their_meaning() {
    if let Ok(case) = std::env::var(CASE) {
        return child(&case);
    }
    assert_eq!(run("plain").code(), Some(40 + libc::SIGSEGV));
    assert_eq!(run("detailed").code(), Some(7));
    assert_eq!(run("none").signal(), Some(libc::SIGSEGV));
    assert_eq!(run("sent").signal(), Some(libc::SIGSEGV));
}
