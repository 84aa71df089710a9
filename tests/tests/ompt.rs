//! The events of offloading that a tool gets (OMPT), from this library and from LLVM's.

use std::path::Path;

use e2e::{Binary, Build, Mode, dist, shared_library};

const TOOL: &str = "tests/programs/ompt_tool.c";
const PROGRAM: &str = "tests/programs/ompt.c";

fn program(mode: Mode, flags: &[&str]) -> Binary {
    // The tool names functions and globals by the program's dynamic symbols.
    let build = Build::new(&[PROGRAM]).flags(&["-rdynamic"]);
    build.flags(flags).compile(mode)
}

/// The tool's lines, with the library in `folder` and these further variables.
fn events(binary: &Binary, folder: &str, environment: &[(&str, &str)]) -> Vec<String> {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let (tool, log) = (scratch.path().join("tool.so"), scratch.path().join("log"));
    shared_library(TOOL, &tool);
    let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    let (tool, path) = (text(&tool), text(&log));
    let libraries = text(&dist(folder));
    let mut all = vec![
        ("OMP_TOOL_LIBRARIES", tool.as_str()),
        ("OMPT_TOOL_LOG", &path),
        ("LD_LIBRARY_PATH", &libraries),
        ("OMP_TARGET_OFFLOAD", "MANDATORY"),
    ];
    all.extend(environment);
    let outcome = binary.run_with(&[], &all);
    assert_eq!(outcome.passed("the program with a tool"), "PASS\n");
    let log = std::fs::read_to_string(&log).expect("the tool wrote its log");
    log.lines().map(str::to_owned).collect()
}

const PLAIN: [(&str, &str); 1] = [("OMPT_TOOL_STYLE", "plain")];

/// LLVM does not tell that images go.
fn without_unloading(lines: Vec<String>) -> Vec<String> {
    let stays = |line: &String| !line.starts_with("image leaves");
    lines.into_iter().filter(stays).collect()
}

/// The same binary on both libraries.
#[test]
fn events_are_llvms() {
    let binary = program(Mode::HostDevice, &[]);
    let llvm = events(&binary, "llvm", &[]);
    assert!(llvm.len() > 60, "{llvm:#?}");
    assert_eq!(without_unloading(llvm.clone()), llvm, "it is LLVM's");
    assert_eq!(without_unloading(events(&binary, "lib", &[])), llvm);
    // LLVM 22 gives `target enter data` the number 0 in this style, which is no number.
    let mut llvm = events(&binary, "llvm", &PLAIN);
    llvm.retain(|line| !line.starts_with("WRONG id != 0"));
    assert_eq!(without_unloading(events(&binary, "lib", &PLAIN)), llvm);
}

/// The virtual GPU's events are those of the host device; only there is one device, so the host is number 1.
#[test]
fn devices_do_not_matter() {
    let (host, virtual_gpu) = (
        program(Mode::HostDevice, &[]),
        program(Mode::Offload("-O1"), &[]),
    );
    for style in [&[("OMPT_TOOL_DEVICE_INTERFACE", "1")], &PLAIN] {
        let mut expected = events(&host, "lib", style);
        expected.retain(|line| {
            !["device 1", "device 2", "device 3"]
                .iter()
                .any(|other| line.starts_with(other))
        });
        let expected: Vec<_> = expected
            .iter()
            .map(|line| line.replace("on 4", "on 1"))
            .collect();
        assert_eq!(events(&virtual_gpu, "lib", style), expected);
        assert!(
            !expected.iter().any(|line| line.contains("WRONG")),
            "{expected:#?}"
        );
    }
}

#[test]
fn constructs_that_do_not_wait_are_told_so() {
    for style in [&[][..], &PLAIN] {
        let lines = events(&program(Mode::Offload("-O1"), &["-DNOWAIT"]), "lib", style);
        let begins = |text: &str| lines.iter().filter(|line| line.starts_with(text)).count();
        assert_eq!(begins("begin target nowait on 0"), 1, "{lines:#?}");
        assert_eq!(begins("end target nowait on 0"), 1, "{lines:#?}");
        assert_eq!(begins("WRONG"), 0, "{lines:#?}");
    }
}

#[test]
fn tools_can_be_disabled() {
    let outcome = program(Mode::Offload("-O1"), &[]).run_with(&[], &[("OMP_TOOL", "disabled")]);
    assert_eq!(outcome.passed("without a tool"), "PASS\n");
}
