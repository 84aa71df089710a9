//! A device, and kernels that clang compiled for it.
#![allow(dead_code, reason = "every test program uses a part")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Once, OnceLock};

use plugin_api::{Launch, Module};
use plugin_vgpu::{Config, VirtualGpu};
use vgpu_abi::artifact::{Artifact, GlobalEntry, KernelEntry, Manifest, Parameter, Site};

pub fn compile(source: &Path, flags: &[&str]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let object = folder.path().join("kernels.o");
    let mut clang = Command::new("clang-22");
    clang
        .args(["-c", "-g", "-O1", "-fno-builtin", "-fno-stack-protector"])
        .args(flags);
    let status = clang
        .arg(source)
        .arg("-o")
        .arg(&object)
        .status()
        .expect("clang-22 is installed");
    assert!(status.success());
    std::fs::read(object).unwrap()
}

pub fn kernels() -> &'static [u8] {
    static OBJECT: OnceLock<Vec<u8>> = OnceLock::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects/kernels.c");
    OBJECT.get_or_init(|| compile(&source, &["-fPIC"]))
}

pub fn text(source: &str, flags: &[&str]) -> Vec<u8> {
    let file = tempfile::Builder::new().suffix(".c").tempfile().unwrap();
    std::fs::write(file.path(), source).unwrap();
    compile(file.path(), flags)
}

pub fn manifest() -> Manifest {
    let kernel = |name: &str, parameters: u32| KernelEntry {
        name: name.into(),
        symbol: format!("entry_{name}"),
        parameters: (0..parameters)
            .map(|index| Parameter {
                offset: 8 * index,
                size: 8,
            })
            .collect(),
        max_threads: 128,
        static_shared: 1024,
        warp: vgpu_abi::artifact::WarpForm::default(),
    };
    let global = |name: &str, size| GlobalEntry {
        name: name.into(),
        symbol: name.into(),
        size,
    };
    Manifest {
        abi: vgpu_abi::VERSION,
        warp_size: 32,
        lockstep: false,
        default_threads: 128,
        kernels: vec![
            kernel("sum", 2),
            kernel("wild", 1),
            kernel("checked", 1),
            kernel("in_library", 2),
        ],
        globals: vec![
            global("counter", 4),
            global("constructed", 4),
            global("big", 800_000),
        ],
        constructors: Some("entry_construct".into()),
        destructors: Some("entry_destruct".into()),
        sites: vec![
            Site::default(),
            Site {
                file: "a.c".into(),
                line: 3,
                column: 4,
                function: "f".into(),
            },
            Site {
                file: "b.c".into(),
                line: 5,
                column: 0,
                function: String::new(),
            },
        ],
    }
}

/// The line of the test kernels that has this comment.
pub fn line_of(comment: &str) -> u32 {
    let lines = include_str!("../objects/kernels.c").lines();
    1 + lines
        .into_iter()
        .position(|line| line.contains(comment))
        .unwrap() as u32
}

pub fn device() -> VirtualGpu {
    VirtualGpu::new(&Config {
        multiprocessors: 2,
        memory: 64 << 20,
        heap: 1 << 20,
        timeout: None,
        count: false,
        engine: plugin_vgpu::Engine::Fiber,
    })
    .unwrap()
}

pub fn load(device: &VirtualGpu) -> Arc<dyn Module> {
    device
        .load_artifact(Artifact {
            manifest: manifest(),
            object: kernels().to_vec(),
        })
        .unwrap()
}

pub fn launch(
    module: &dyn Module,
    kernel: &str,
    threads: u32,
    args: &[u64],
) -> plugin_api::Result<()> {
    let launch = Launch {
        grid: [1; 3],
        block: [threads, 1, 1],
        dynamic_shared: 0,
        args,
    };
    module.kernel(kernel).unwrap().launch(&launch)
}

/// Points `OMPTARGET_CODEGEN` to the compiler beside this test. Builds the compiler if it is missing.
pub fn find_compiler() {
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
