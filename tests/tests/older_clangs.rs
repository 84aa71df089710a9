//! Programs of older clangs, host and device code, without a device runtime. The real releases made
//! `tests/older_clangs/clang-N.*.bc` from `program.c` (scripts/older-clangs). Their device code is linked with a unit
//! of clang 22's, as in a device link of several units. The runtime is linked when the image is loaded.

use std::path::{Path, PathBuf};

use e2e::cuda;
use e2e::registered::{self, ENTRIES, OLDER_ENTRIES};
use e2e::{clang, dist, in_parallel, ir, root, run};

/// The releases, the section of their offload entries, and the compute capability of the device that gets the PTX.
const RELEASES: [(&str, &str, &str); 5] = [
    ("17", OLDER_ENTRIES, "7.5"),
    ("18", OLDER_ENTRIES, "8.0"),
    ("19", OLDER_ENTRIES, "9.0"),
    ("20", OLDER_ENTRIES, "10.0"),
    ("21", ENTRIES, "12.0"),
];

fn source(name: &str) -> PathBuf {
    root().join("tests/older_clangs").join(name)
}

/// The unit of clang 22's, as bitcode for the device.
fn other_unit(folder: &Path) -> PathBuf {
    let unit = folder.join("other_unit.bc");
    let flags = ["-nogpulib", "--offload-device-only", "-emit-llvm", "-O2"];
    let mut arguments = vec![format!("--config={}", dist("etc/omptarget.cfg").display()).into()];
    arguments.extend(flags.map(Into::into));
    arguments.extend(["-c".into(), source("other_unit.c").into(), "-o".into()]);
    arguments.push(unit.clone().into());
    clang(false, &arguments, folder);
    unit
}

/// The image of a release, linked with that unit.
fn image(release: &str, unit: &Path, folder: &Path) -> PathBuf {
    let image = folder.join("image.bc");
    let own = source(&format!("clang-{release}.device.bc"));
    ir::link(&[&own, unit], &image);
    image
}

/// On the virtual GPU, and as PTX, which `ptxas` assembles, on the CUDA driver for tests.
#[test]
fn programs_of_clang_17_to_21() {
    let common = tempfile::tempdir().expect("a temporary folder");
    let unit = other_unit(common.path());
    in_parallel(&RELEASES, |&(release, entries, capability)| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let what = format!("clang {release}");
        let image = image(release, &unit, folder.path());
        let host = source(&format!("clang-{release}.host.bc"));
        let program = registered::program(
            &[&host, &source("other_unit.c")],
            &image,
            entries,
            folder.path(),
        );
        let virtual_gpu = [
            ("OMP_TARGET_OFFLOAD", "MANDATORY"),
            ("OMPTARGET_DEVICES", "vgpu"),
        ];
        assert_eq!(run(&program, &[], &virtual_gpu).passed(&what), "PASS\n");
        let driver = cuda::driver().with("FAKE_CUDA_CAPABILITY", capability);
        let known = driver.folder().join("images/image.bc");
        std::fs::copy(image, known).expect("the image is copied");
        assert_eq!(driver.run(&program, &[]).passed(&what), "PASS\n");
    });
}
