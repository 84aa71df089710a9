//! gdb stops inside target regions and shows their variables, in either form of a kernel (docs/debugging.md).

use std::path::Path;

use e2e::{Binary, Build, Mode, line_of, run};

const SOURCE: &str = "tests/programs/debug.c";

fn compile(level: &'static str) -> Binary {
    Build::new(&[SOURCE])
        .flags(&["-g"])
        .compile(Mode::Offload(level))
}

/// gdb's output for these commands; `None` where it may not trace processes.
fn session(program: &Binary, commands: &[&str]) -> Option<String> {
    let program = program.path.display().to_string();
    let mut arguments = vec!["-q", "-nx", "-batch", "-iex", "set debuginfod enabled off"];
    for command in commands {
        arguments.extend(["-ex", command]);
    }
    arguments.push(&program);
    let environment = [
        ("OMPTARGET_VGPU_SMS", "1"),
        ("OMPTARGET_VGPU_ENGINE", "workgroup"),
        ("LIBOMPTARGET_INFO", "16"),
    ];
    let outcome = run(Path::new("gdb"), &arguments, &environment);
    if outcome.stderr.contains("ptrace") {
        eprintln!(
            "not checked, gdb may not trace processes here: {}",
            outcome.stderr
        );
        return None;
    }
    Some(outcome.stdout + &outcome.stderr)
}

fn says(said: &str, expected: &[&str]) {
    for text in expected {
        assert!(said.contains(text), "{text:?} is not in\n{said}");
    }
}

/// Code that was not optimised runs thread by thread and has its variables.
#[test]
fn variables_of_a_thread() {
    let place = format!("break debug.c:{}", line_of(SOURCE, "in a function"));
    let commands = [
        place.as_str(),
        "run",
        "next",
        "info locals",
        "up",
        "print a",
        "kill",
    ];
    if let Some(said) = session(&compile("-O0"), &commands) {
        says(
            &said,
            &[
                "twice (x=0)",
                "y = 0",
                "main_l13",
                "= (int (*)[128]) 0x3",
                "-O0 -g",
            ],
        );
    }
}

/// Optimised code runs warp by warp and has its lines.
#[test]
fn lines_of_a_warp() {
    let place = format!("break debug.c:{}", line_of(SOURCE, "in the region"));
    let commands = [
        place.as_str(),
        "run",
        "info symbol $pc",
        "backtrace",
        "kill",
    ];
    if let Some(said) = session(&compile("-O2"), &commands) {
        says(
            &said,
            &[
                "runs warp by warp",
                "vgpu.warp.",
                "a[i] = twice(i)",
                "main_l13 () at",
            ],
        );
    }
}
