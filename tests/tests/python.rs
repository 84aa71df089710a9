//! Target regions in a shared library that Python calls (docs/python.md).

use e2e::{dist, run};

#[test]
fn python_calls_regions_through_ctypes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let library = folder.path().join("libheat.so").display().to_string();
    let source = "examples/python/heat.c";
    let words = ["cc", "-O2", "-fPIC", "-shared", source, "-o", &library];
    run(&dist("bin/omptarget"), &words, &[]).passed("omptarget cc -shared");
    for (policy, devices) in [("MANDATORY", "devices: 1"), ("DISABLED", "devices: 0")] {
        let words = ["python3", "examples/python/heat.py", &library];
        let environment = [
            ("OMP_TARGET_OFFLOAD", policy),
            ("OMPTARGET_DEVICES", "vgpu"),
        ];
        let outcome = run("/usr/bin/env".as_ref(), &words, &environment);
        let told = outcome.passed(policy);
        assert!(told.contains(devices) && told.ends_with("PASS\n"), "{told}");
    }
}
