//! Kernels of a divided image are compiled when they are first launched.

mod fixture;

use std::fmt::Write;
use std::sync::Arc;

use codegen::{Compiler, VgpuOptions};
use fixture::blocks;
use fixture::setting::{Setting, device};
use plugin_api::{Device, DevicePtr, MemoryKind, Module};
use plugin_vgpu::VirtualGpu;

/// How many kernels there are. The last two take the address of one function.
const KERNELS: usize = 12;
/// The kernel that calls a function which nobody defines.
const UNDEFINED: usize = 5;

/// The image. Each kernel counts its threads in a variable, and writes the address and an element of a constant, the
/// address of a function if it takes one, and a sum that takes long to compile.
fn image() -> String {
    let mut text = r#"
        target triple = "nvptx64-nvidia-cuda"
        @count = global i64 0
        @table = internal constant [4 x i64] [i64 11, i64 22, i64 33, i64 44]
        @written = externally_initialized constant i64 7
        @0 = private unnamed_addr constant [2 x i64] [i64 5, i64 6]
        define internal i64 @taken(i64 %x) noinline { ret i64 %x }
        declare i64 @missing(i64)
        declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    "#
    .to_owned();
    for kernel in 0..KERNELS {
        let taken = if kernel + 2 < KERNELS {
            "null"
        } else {
            "@taken"
        };
        write!(
            text,
            "
            define ptx_kernel void @k{kernel}(ptr %out) {{
              %before = atomicrmw add ptr @count, i64 1 syncscope(\"device\") monotonic
              store ptr @table, ptr %out
              %given = load i64, ptr @written
              %fifth = getelementptr i64, ptr %out, i64 4
              store i64 %given, ptr %fifth
              %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
              %i = zext i32 %tid to i64
              %element = getelementptr i64, ptr @table, i64 %i
              %value = load i64, ptr %element
              %private = getelementptr i64, ptr @0, i64 %i
              %v0 = load i64, ptr %private
              %second = getelementptr i64, ptr %out, i64 1
              store i64 %value, ptr %second
              %third = getelementptr i64, ptr %out, i64 2
              store ptr {taken}, ptr %third
            "
        )
        .unwrap();
        let last = if kernel == UNDEFINED {
            text += "%last = call i64 @missing(i64 %v0)\n";
            "last".to_owned()
        } else {
            for step in 0..200 {
                let next = step + 1;
                let odd = 2 * step + 3 + kernel;
                writeln!(text, "%m{next} = mul i64 %v{step}, {odd}").unwrap();
                writeln!(text, "%v{next} = xor i64 %m{next}, {}", 7 * step + 1).unwrap();
            }
            "v200".to_owned()
        };
        write!(
            text,
            "
              %fourth = getelementptr i64, ptr %out, i64 3
              store i64 %{last}, ptr %fourth
              ret void
            }}"
        )
        .unwrap();
    }
    text
}

/// What `k{kernel}` computes in its first thread.
fn sum(kernel: usize) -> u64 {
    let step =
        |value: u64, step: u64| value.wrapping_mul(2 * step + 3 + kernel as u64) ^ (7 * step + 1);
    (0..200).fold(5, step)
}

/// A setting, a device, and the image on it.
fn start() -> (Setting, VirtualGpu, Arc<dyn Module>) {
    let (setting, device) = (Setting::new(), device());
    let module = setting.load(&device, &image());
    (setting, device, module)
}

/// Launches `k{kernel}` and gives what it writes.
fn run(device: &VirtualGpu, module: &dyn Module, kernel: usize) -> [u64; 5] {
    let out = device.alloc(40, MemoryKind::Device).unwrap();
    fixture::launch(module, &format!("k{kernel}"), 1, &[out.0]).unwrap();
    let mut written = [0; 5];
    // SAFETY: the array is as long as the copy.
    unsafe { device.read(written.as_mut_ptr().cast(), out, 40) }.unwrap();
    device.free(out).unwrap();
    assert_eq!(written[1], 11);
    assert_eq!(written[3], sum(kernel));
    written
}

fn count(device: &VirtualGpu, module: &dyn Module) -> u64 {
    let variable = module.global("count").unwrap();
    let mut count = 0_u64;
    let to = (&raw mut count).cast();
    // SAFETY: the variable has eight bytes.
    unsafe { device.read(to, DevicePtr(variable.address.0), 8) }.unwrap();
    count
}

#[test]
fn kernels_share_variables_and_functions_whose_address_they_take() {
    let (setting, device, module) = start();
    assert_eq!(setting.entries(), 1, "no kernel has been launched");
    let constant = module.global("written").unwrap();
    let value = 8_u64;
    // SAFETY: the variable has eight bytes.
    unsafe { device.write(constant.address, (&raw const value).cast(), 8) }.unwrap();
    let order = [3, 10, 0, 1, 2, 4, 11];
    let written = order.map(|kernel| run(&device, &*module, kernel));
    assert_eq!(count(&device, &*module), order.len() as u64);
    assert!(written.iter().all(|it| it[0] == written[0][0]), "the table");
    assert!(written.iter().all(|it| it[4] == 8), "what the host wrote");
    assert_ne!(written[1][2], 0);
    assert_eq!(written[1][2], written[6][2], "the function");
    assert_eq!(setting.entries(), 7, "two of the kernels are a group");
    assert_eq!(setting.processes().len(), 1);
}

#[test]
fn what_was_compiled_is_not_compiled_again() {
    let (setting, device, module) = start();
    run(&device, &*module, 3);
    let kernel = module.kernel("k3").unwrap();
    assert!(kernel.prepare(&blocks(1, 1, &[])).unwrap().is_empty());
    drop((kernel, module));
    let module = setting.load(&device, &image());
    run(&device, &*module, 3);
    assert_eq!(setting.processes().len(), 1, "all of it is in the cache");
    let kernel = module.kernel("k4").unwrap();
    let stages = kernel.prepare(&blocks(1, 1, &[])).unwrap();
    let stages: Vec<_> = stages.iter().map(|stage| stage.name).collect();
    assert_eq!(stages, ["compile", "load"]);
    run(&device, &*module, 4);
    assert_eq!(count(&device, &*module), 2, "in this module");
    assert_eq!(setting.processes().len(), 2);
}

#[test]
fn a_compiler_that_is_gone_is_started_again() {
    let (setting, device, module) = start();
    run(&device, &*module, 0);
    setting.kill();
    run(&device, &*module, 1);
    assert_eq!(setting.processes().len(), 2);
}

#[test]
fn several_threads_may_launch_at_once() {
    let (setting, device, module) = start();
    std::thread::scope(|scope| {
        for first in [0, 1, 6] {
            let (device, module) = (&device, &*module);
            scope.spawn(move || {
                run(device, module, first);
                run(device, module, 9);
            });
        }
    });
    assert_eq!(count(&device, &*module), 6);
    assert_eq!(setting.processes().len(), 1);
}

#[test]
fn a_kernel_that_does_not_compile_hinders_no_other() {
    let (_setting, device, module) = start();
    for _ in 0..2 {
        let launched = fixture::launch(&*module, &format!("k{UNDEFINED}"), 1, &[0]);
        let error = launched.unwrap_err().to_string();
        assert!(error.contains("device code calls `missing`"), "{error}");
    }
    run(&device, &*module, UNDEFINED + 1);
}

/// A sandbox may forbid sockets.
#[cfg(target_arch = "x86_64")]
#[test]
fn without_sockets_the_image_is_compiled_whole() {
    let setting = Setting::new();
    let inside = || {
        forbid_sockets();
        let compiler = Compiler::at(&setting.tool, None);
        let missing = "declare i64 @missing(i64)";
        let image = image().replace(missing, "define i64 @missing(i64 %x) { ret i64 %x }");
        compiler.vgpu_by_group(image.as_bytes(), &VgpuOptions::default())
    };
    let compiled = std::thread::scope(|scope| scope.spawn(inside).join().unwrap());
    let (artifact, later) = compiled.unwrap();
    assert!(later.is_none());
    let kernels = &artifact.manifest.kernels;
    assert!(kernels.iter().all(|kernel| kernel.group.is_none()));
}

/// Lets `socketpair` fail in this thread and in what it starts (seccomp(2)).
#[cfg(target_arch = "x86_64")]
fn forbid_sockets() {
    let step = |code: u32, if_not: u8, k: u32| libc::sock_filter {
        code: code as u16,
        jt: 0,
        jf: if_not,
        k,
    };
    let refused = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
    let mut program = [
        // The call's number is the first word of what a filter sees.
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0),
        step(
            libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K,
            1,
            libc::SYS_socketpair as u32,
        ),
        step(libc::BPF_RET | libc::BPF_K, 0, refused),
        step(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let filter = libc::sock_fprog {
        len: program.len() as u16,
        filter: program.as_mut_ptr(),
    };
    // SAFETY: the kernel reads the filter during the call.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        assert_eq!(
            libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &filter),
            0
        );
    }
}
