//! The device services of AMD GPUs (`libompservices.a`) linked to bitcode: the virtual GPU runs them like any other
//! code, if they get memory as from a plugin.

use std::path::Path;

use device_image::Image;
use e2e::ir::{llvm, silent, use_compiler_of_dist};
use e2e::{Build, Mode, dist, run};
use plugin_api::{Device, DevicePtr, Launch, LoadOptions, MemoryKind};
use plugin_vgpu::{Config, VirtualGpu};

fn write(device: &VirtualGpu, address: DevicePtr, words: &[u64]) {
    // SAFETY: readable for its length.
    unsafe { device.write(address, words.as_ptr().cast(), size_of_val(words)) }
        .expect("the address is good");
}

fn read(device: &VirtualGpu, address: DevicePtr, count: usize) -> Vec<u64> {
    let mut words = vec![0; count];
    // SAFETY: writable for its length.
    unsafe { device.read(words.as_mut_ptr().cast(), address, count * 8) }
        .expect("the address is good");
    words
}

#[test]
fn kernels_allocate_and_print() {
    use_compiler_of_dist();
    let program = Build::new(&["tests/programs/services.c"]).compile(Mode::Amd("gfx90a", "-O2"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    let path = program.path.to_str().expect("UTF-8");
    let images = folder.path().to_str().expect("UTF-8");
    run(
        &dist("bin/omptarget"),
        &["image", "--extract", images, path],
        &[],
    )
    .passed("omptarget image");
    link(&at("0.gfx90a.bc"), &at("linked.bc"));
    let bytes = std::fs::read(at("linked.bc")).expect("the linked image");
    let images = Image::parse(&bytes).expect("an image");
    let device = VirtualGpu::new(&Config::detect()).expect("a device");
    let module = device.load(&images[0], &LoadOptions::default());
    let module = module.unwrap_or_else(|error| panic!("{error}"));
    let allocate = |size| device.alloc(size, MemoryKind::Device).expect("memory");
    let variable = |name: &str| module.global(name).expect("the services have it").address;
    let (heap, records, result) = (allocate(1 << 20), allocate(1 << 16), allocate(8));
    write(&device, variable("__omptarget_heap"), &[heap.0, 1 << 20]);
    write(
        &device,
        variable("__omptarget_printf_buffer"),
        &[records.0, 1 << 16],
    );
    let globals = module.globals();
    let name = globals
        .iter()
        .find_map(|(name, _)| name.strip_suffix("_kernel_environment"));
    let kernel = module.kernel(name.expect("a kernel")).expect("the kernel");
    let launch = Launch {
        grid: [4, 1, 1],
        block: [128, 1, 1],
        dynamic_shared: 0,
        cooperative: false,
        args: &[0, result.0],
    };
    write(&device, result, &[0]);
    kernel
        .launch(&launch)
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(read(&device, result, 1), [512]);
    let [_, _, used, lost] = read(&device, variable("__omptarget_printf_buffer"), 4)[..] else {
        unreachable!("four words were asked for");
    };
    // A head, the format, a number, a text, a number: `devicertl/services/src/output.rs`.
    let record = 16 + (8 + 24) + 8 + (8 + 8) + 8;
    assert_eq!((used, lost), (4 * record, 0));
    assert_eq!(read(&device, records, 2), [record, 0]);
}

fn link(image: &Path, linked: &Path) {
    let services = dist("lib/amdgcn-amd-amdhsa/libompservices.a");
    let mut linker = llvm("llvm-link");
    linker.arg("--only-needed").args([image, &services]);
    silent(linker.arg("-o").arg(linked));
}
