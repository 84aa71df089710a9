//! What the compiler and the device link say of programs that cannot work on a device.

use std::ffi::OsString;

use e2e::{Outcome, compiler, dist, root, run};

const CONFIGURATIONS: [&str; 3] = ["omptarget.cfg", "omptarget-amdgpu.cfg", "omptarget-lto.cfg"];

/// Compiles a program of `tests/programs/diagnosed`; gives what the compiler said, and what the program did.
fn compile(configuration: &str, source: &str, flags: &[&str]) -> (Outcome, Option<Outcome>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let configuration = dist("etc").join(configuration);
    let mut arguments = vec![OsString::from(format!(
        "--config={}",
        configuration.display()
    ))];
    arguments.extend(flags.iter().map(OsString::from));
    arguments.push(root().join("tests/programs/diagnosed").join(source).into());
    arguments.extend(["-o", "program"].map(OsString::from));
    let said = compiler(source.ends_with(".cpp"), &arguments, folder.path());
    let program = folder.path().join("program");
    let did = program
        .exists()
        .then(|| run(&program, &[], &[("OMP_TARGET_OFFLOAD", "MANDATORY")]));
    (said, did)
}

/// A function that only the host defines ends the device link, with the place of the call.
#[test]
fn undefined_functions() {
    for configuration in CONFIGURATIONS {
        let (said, _) = compile(configuration, "undefined.c", &["-DCALL", "-O2"]);
        let facts = [
            "device code calls `nowhere`, which neither the program nor the device runtime defines",
            "compile with -g for the line",
            "reached from kernel `__omp_offloading_",
        ];
        said.failed_with(configuration, &facts);
        let (said, _) = compile(configuration, "undefined.c", &["-DCALL", "-O0", "-g"]);
        said.failed_with(
            configuration,
            &["in function `helper` (", "undefined.c:8:12)"],
        );
    }
}

/// What no kernel reaches may be undefined, and so may weak symbols.
#[test]
fn undefined_functions_that_nothing_needs() {
    for level in ["-O0", "-O2"] {
        let (said, did) = compile("omptarget.cfg", "undefined.c", &[level]);
        assert_eq!(said.passed("the link"), "");
        assert_eq!(did.expect("a program").passed("undefined.c"), "PASS\n");
    }
}

/// A region that clang has for the host alone.
#[test]
fn regions_without_device_code() {
    let (said, did) = compile("omptarget.cfg", "absent_region.c", &[]);
    let expected = "warning: the target region in `main`, line 4, has no device code";
    assert!(said.stderr.contains(expected), "{}", said.stderr);
    let did = did.expect("a program");
    did.failed_with("its run", &["the device image has no kernel called"]);
}

#[test]
fn virtual_functions_without_a_table() {
    let (said, _) = compile("omptarget.cfg", "no_table.cpp", &["-O1", "-g"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    for fact in ["warning: a virtual function is called", "no_table.cpp:15:"] {
        assert!(said.stderr.contains(fact), "{}", said.stderr);
    }
}
