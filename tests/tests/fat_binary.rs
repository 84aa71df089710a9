//! Programs whose image is a CUDA fat binary, on the CUDA driver for tests. NVIDIA's `fatbinary` packs machine code and
//! PTX of one program. All its variables, constructors and kernels must be found.

use std::path::{Path, PathBuf};
use std::process::Command;

use device_image::fat_entries;
use e2e::cuda;
use e2e::registered::{self, ENTRIES};

use e2e::{Build, Mode, Outcome, clang, dist, root, run};

const SOURCE: &str = "examples/declare_target.cpp";

/// The parts of the program: host bitcode, device bitcode and what is made of it.
struct Parts {
    folder: tempfile::TempDir,
}

impl Parts {
    fn make() -> Parts {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let parts = Parts { folder };
        let binary = Build::new(&[SOURCE]).compile(Mode::Offload("-O2"));
        let images = parts.at("images").display().to_string();
        let path = binary.path.display().to_string();
        run(
            &dist("bin/omptarget"),
            &["image", "--extract", &images, &path],
            &[],
        )
        .passed("omptarget image --extract");
        let mut found = std::fs::read_dir(&images).expect("the images are there");
        let bitcode = found.next().expect("one image").expect("readable").path();
        std::fs::rename(bitcode, parts.at("image.bc")).expect("renamed");
        let config = format!("--config={}", dist("etc/omptarget.cfg").display());
        let flags = [
            "--offload-host-only",
            "-DOFFLOAD",
            "-O2",
            "-emit-llvm",
            "-c",
        ];
        let mut arguments = vec![config.into(), root().join(SOURCE).into(), "-o".into()];
        arguments.push(parts.at("host.bc").into());
        arguments.extend(flags.map(Into::into));
        clang(true, &arguments, parts.folder.path());
        let text = |arch: &str| parts.at(&format!("{arch}.ptx"));
        parts.tool(
            "libexec/omptarget-codegen",
            &["ptx", "--arch", "sm_80"],
            &text("sm_80"),
            "image.bc",
        );
        parts.tool(
            "tools/ptxas",
            &["-arch", "sm_80"],
            &parts.at("sm_80.cubin"),
            "sm_80.ptx",
        );
        parts
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn tool(&self, tool: &str, words: &[&str], output: &Path, input: &str) {
        let mut command = Command::new(dist(tool));
        command
            .args(words)
            .arg("-o")
            .arg(output)
            .arg(self.at(input));
        assert!(
            command.status().expect("the tool runs").success(),
            "{command:?}"
        );
    }

    /// Packs kinds and files into the image.
    fn pack(&self, packing: &[&str], entries: &[(&str, &str)]) -> PathBuf {
        let image = self.at("image.fatbin");
        let mut packer = Command::new(dist("tools/fatbinary"));
        packer.args(["--64", "--create"]).arg(&image).args(packing);
        for (kind, file) in entries {
            let file = self.at(file).display().to_string();
            packer.arg(format!("--image3=kind={kind},sm=80,file={file}"));
        }
        let status = packer.status().expect("fatbinary runs");
        assert!(status.success(), "{packer:?}");
        image
    }

    /// The PTX as it lies in fat binaries, without its comments. The driver must recognise it.
    fn packed_ptx(&self) -> Vec<u8> {
        let image = self.pack(&["--compress=false"], &[PTX]);
        let bytes = std::fs::read(image).expect("the image is there");
        let entries = fat_entries(&bytes).expect("fatbinary writes fat binaries");
        let text = entries[0].content;
        let end = text.iter().rposition(|byte| *byte != 0);
        text[..=end.expect("it is not empty")].to_vec()
    }

    /// Runs the program with such an image on a device of a compute capability.
    fn run(&self, packing: &[&str], entries: &[(&str, &str)], capability: &str) -> Outcome {
        let driver = cuda::driver().with("FAKE_CUDA_CAPABILITY", capability);
        let known = driver.folder().join("images");
        for name in ["image.bc", "sm_80.cubin"] {
            std::fs::copy(self.at(name), known.join(name)).expect("the image is copied");
        }
        std::fs::write(known.join("packed.ptx"), self.packed_ptx()).expect("written");
        let image = self.pack(packing, entries);
        let host = self.at("host.bc");
        let program = registered::program(&[&host], &image, ENTRIES, self.folder.path());
        driver.run(&program, &[])
    }
}

const MACHINE_CODE: (&str, &str) = ("elf", "sm_80.cubin");
const PTX: (&str, &str) = ("ptx", "sm_80.ptx");

#[test]
fn what_a_fat_binary_holds_is_loaded() {
    let parts = Parts::make();
    for packing in [
        &["--compress=false"][..],
        &[],
        &["--compress-all", "--compress-mode=size"],
        &["--compress-all", "--compress-mode=speed"],
    ] {
        // Machine code of the device's own architecture, that of an older one of the same family, PTX.
        for (entries, capability) in [
            (&[MACHINE_CODE, PTX][..], "8.0"),
            (&[PTX, MACHINE_CODE], "8.6"),
            (&[MACHINE_CODE, PTX], "9.0"),
        ] {
            let outcome = parts.run(packing, entries, capability);
            let said = outcome.passed(&format!("{packing:?} on {capability}"));
            assert!(said.ends_with("PASS\n"), "{said}");
        }
    }
    let facts = [
        "a CUDA fat binary",
        "machine code for sm_80",
        "the device is sm_90",
    ];
    let outcome = parts.run(&[], &[MACHINE_CODE], "9.0");
    outcome.failed_with("machine code of another family", &facts);
}
