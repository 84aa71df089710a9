//! Images that `omptarget-codegen` compiles run correctly.

mod fixture;

use device_image::{Image, ImageKind};
use fixture::find_compiler;
use plugin_api::{Device, Error, FaultKind, LoadOptions, MemoryKind};
use plugin_vgpu::{Config, Engine, VirtualGpu};

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

/// 1000 divided by the thread's number less `zero`, but not by the thread `skipped`.
const DIVIDE: &str = r#"
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @divide(ptr %out, i32 %zero, i32 %skipped) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %skip = icmp eq i32 %tid, %skipped
  br i1 %skip, label %done, label %divide
divide:
  %divisor = sub i32 %tid, %zero
  %quotient = sdiv i32 1000, %divisor
  %i = zext i32 %tid to i64
  %at = getelementptr i32, ptr %out, i64 %i
  store i32 %quotient, ptr %at
  br label %done
done:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
"#;

#[test]
fn only_lanes_that_divide_divide_by_zero() {
    find_compiler();
    for engine in [Engine::Fiber, Engine::Workgroup] {
        let device = VirtualGpu::new(&Config {
            engine,
            memory: 64 << 20,
            ..Config::detect()
        })
        .unwrap();
        let image = Image {
            kind: ImageKind::Bitcode,
            triple: "",
            arch: "",
            bytes: DIVIDE.as_bytes(),
        };
        let module = device.load(&image, &LoadOptions::default()).unwrap();
        let out = device.alloc(4 * 32, MemoryKind::Device).unwrap();
        fixture::launch(&*module, "divide", 32, &[out.0, 5, 5]).unwrap();
        let mut quotients = [0_i32; 32];
        // SAFETY: the array is as long as the copy.
        unsafe { device.read(quotients.as_mut_ptr().cast(), out, 4 * 32) }.unwrap();
        assert_eq!((quotients[0], quotients[31]), (-200, 38), "{engine:?}");
        let error = fixture::launch(&*module, "divide", 32, &[out.0, 5, 32]).unwrap_err();
        match error {
            Error::Fault(fault) => assert!(matches!(fault.kind, FaultKind::Arithmetic), "{fault}"),
            other => panic!("{engine:?}: {other}"),
        }
    }
}
