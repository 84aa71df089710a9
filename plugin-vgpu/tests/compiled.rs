//! Images compiled by `omptarget-codegen` run as they should.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Once;

/// Points `OMPTARGET_CODEGEN` to the compiler beside this test, and builds it if it is not there.
fn find_compiler() {
    static FOUND: Once = Once::new();
    FOUND.call_once(|| {
        if std::env::var_os("OMPTARGET_CODEGEN").is_some() {
            return;
        }
        let test = std::env::current_exe().unwrap();
        let folder: PathBuf = test.ancestors().nth(2).unwrap().to_owned();
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "-p", "codegen-llvm"]);
        if folder.ends_with("release") {
            build.arg("--release");
        }
        assert!(
            build.status().unwrap().success(),
            "omptarget-codegen does not build"
        );
        // SAFETY: all tests of this program wait here before they read the environment.
        unsafe { std::env::set_var("OMPTARGET_CODEGEN", folder.join("omptarget-codegen")) };
    });
}

#[test]
fn the_benchmark_runs() {
    find_compiler();
    for figure in plugin_vgpu::bench().unwrap() {
        let [low, median, high] = figure.quartiles;
        println!(
            "{}: {median:.2} {} ({low:.2} to {high:.2})",
            figure.what, figure.unit
        );
        assert!(0.0 < low && low <= median && median <= high, "{figure:?}");
    }
}
