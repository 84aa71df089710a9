//! What happens when no device can run a program's image. The tests call the library's entry points like clang's host
//! code. They run in processes of their own, because the environment is read once.

use std::ffi::{c_char, c_void};
use std::process::{Command, Output};
use std::ptr::null;

use host_api::abi::{BinaryDescriptor, DeviceImage, Entry, KernelArguments};

unsafe extern "C" {
    fn __tgt_register_lib(descriptor: *const BinaryDescriptor);
    fn __tgt_unregister_lib(descriptor: *const BinaryDescriptor);
    fn __tgt_target_kernel(
        location: *const c_void,
        device: i64,
        teams: i32,
        threads: i32,
        region: *const c_void,
        arguments: *const KernelArguments,
    ) -> i32;
    fn omp_get_num_devices() -> i32;
    fn omp_get_initial_device() -> i32;
}

/// Runs the ignored test `name` of this file in a child process.
fn child(name: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("a test has a path"));
    command.args([
        "--exact",
        name,
        "--ignored",
        "--nocapture",
        "--test-threads=1",
    ]);
    for variable in [
        "OMP_TARGET_OFFLOAD",
        "OMPTARGET_DEVICES",
        "OMPTARGET_VGPU_SMS",
        "LIBOMPTARGET_INFO",
        "LIBOMPTARGET_DEBUG",
    ] {
        command.env_remove(variable);
    }
    command
        .envs(variables.iter().copied())
        .output()
        .expect("the child runs")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Registers `image` with one region, offloads it once and prints the result.
fn offload_once(image: &[u8]) {
    static REGION: u8 = 0;
    let region: *const c_void = (&raw const REGION).cast();
    let entry = Entry {
        reserved: 0,
        version: 1,
        kind: 1,
        flags: 0,
        address: region,
        name: c"__omp_offloading_1_2_solve_l42".as_ptr().cast::<c_char>(),
        size: 0,
        data: 0,
        auxiliary: null(),
    };
    let (begin, end): (*const c_void, *const c_void) = (
        (&raw const entry).cast(),
        (&raw const entry).wrapping_add(1).cast(),
    );
    let images = [DeviceImage {
        start: image.as_ptr(),
        end: image.as_ptr_range().end,
        entries_begin: begin,
        entries_end: end,
    }];
    let descriptor = BinaryDescriptor {
        images: 1,
        device_images: images.as_ptr(),
        host_entries_begin: begin,
        host_entries_end: end,
    };
    let arguments = KernelArguments {
        version: 3,
        count: 0,
        bases: std::ptr::null_mut(),
        begins: std::ptr::null_mut(),
        sizes: std::ptr::null_mut(),
        types: std::ptr::null_mut(),
        names: std::ptr::null_mut(),
        mappers: std::ptr::null_mut(),
        trip_count: 0,
        flags: 0,
        num_teams: [1, 0, 0],
        thread_limit: [1, 0, 0],
        dynamic_shared: 0,
    };
    // SAFETY: the structures are laid out as clang's and live until the library is unregistered.
    unsafe {
        __tgt_register_lib(&descriptor);
        println!("devices {}", omp_get_num_devices());
        assert_eq!(omp_get_initial_device(), omp_get_num_devices());
        println!(
            "answer {}",
            __tgt_target_kernel(null(), -1, 1, 1, region, &arguments)
        );
        println!(
            "again {}",
            __tgt_target_kernel(null(), -1, 1, 1, region, &arguments)
        );
        __tgt_unregister_lib(&descriptor);
    }
}

/// Bitcode whose first block claims to be longer than the file.
const TRUNCATED: &[u8] = b"BC\xc0\xde\x35\x14\x00\x00\x40\x00\x00\x00\x62\x0c\x30\x24";

#[test]
#[ignore = "run by the tests below, in a process of its own"]
fn offload_truncated_image() {
    offload_once(TRUNCATED);
}

#[test]
#[ignore = "run by the tests below, in a process of its own"]
fn offload_foreign_image() {
    offload_once(b"SPIR-V or something");
}

#[test]
fn a_truncated_image_falls_back_to_the_host_and_says_why() {
    let output = child("offload_truncated_image", &[]);
    let (text, printed) = (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr(&output),
    );
    assert!(output.status.success(), "{text}{printed}");
    for line in ["devices 0", "answer -1", "again -1"] {
        assert!(text.contains(line), "{line} missing in {text}");
    }
    assert!(
        printed.contains("bitcode block needs 268 bytes, 16 are there"),
        "{printed}"
    );
    assert_eq!(
        printed.matches("run on the host").count(),
        1,
        "once: {printed}"
    );
}

#[test]
fn mandatory_makes_it_an_error() {
    for name in ["offload_truncated_image", "offload_foreign_image"] {
        let output = child(name, &[("OMP_TARGET_OFFLOAD", "MANDATORY")]);
        let printed = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{printed}");
        assert!(
            printed.contains("omptarget error: OMP_TARGET_OFFLOAD=MANDATORY"),
            "{printed}"
        );
        assert!(
            printed.contains("construct: target at line 42 in solve"),
            "{printed}"
        );
        assert!(printed.contains("hint:"), "{printed}");
    }
}

#[test]
fn disabled_is_silent() {
    let output = child(
        "offload_truncated_image",
        &[("OMP_TARGET_OFFLOAD", "disabled")],
    );
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("answer -1"));
    assert!(
        !stderr(&output).contains("omptarget"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn devices_can_be_excluded() {
    let output = child(
        "offload_foreign_image",
        &[
            ("OMPTARGET_DEVICES", "none"),
            ("OMP_TARGET_OFFLOAD", "MANDATORY"),
        ],
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("OMPTARGET_DEVICES=none"),
        "{}",
        stderr(&output)
    );
    let unknown = child("offload_foreign_image", &[("OMPTARGET_DEVICES", "quantum")]);
    assert!(unknown.status.success());
    assert!(stderr(&unknown).contains("quantum"), "{}", stderr(&unknown));
}

#[test]
fn a_setting_that_cannot_be_understood_is_named_once() {
    for policy in ["DEFAULT", "MANDATORY"] {
        let output = child(
            "offload_truncated_image",
            &[
                ("OMPTARGET_VGPU_SMS", "9999"),
                ("OMP_TARGET_OFFLOAD", policy),
            ],
        );
        let printed = stderr(&output);
        assert_eq!(output.status.success(), policy == "DEFAULT", "{printed}");
        assert_eq!(
            printed.matches("OMPTARGET_VGPU_SMS=9999").count(),
            1,
            "{printed}"
        );
    }
}

#[test]
#[ignore = "run by the test below, in a process of its own"]
fn log_as_a_plugin_does() {
    // SAFETY: no preconditions; the first use of the library.
    unsafe { omp_get_num_devices() };
    log::warn!("a worn cache");
    log::debug!("a detail");
}

#[test]
fn log_records_of_plugins_are_shown() {
    let printed = stderr(&child("log_as_a_plugin_does", &[]));
    assert!(
        printed.contains("omptarget warning: a worn cache"),
        "{printed}"
    );
    assert!(!printed.contains("a detail"), "{printed}");
    let printed = stderr(&child(
        "log_as_a_plugin_does",
        &[("LIBOMPTARGET_DEBUG", "1")],
    ));
    assert!(printed.contains("omptarget debug: a detail"), "{printed}");
}
