//! Kernel launches without data mapping, on the streams of constructs and of interop objects.

use std::sync::Arc;

use parking_lot::Mutex;
use plugin_api::{Completion, Kernel, KernelInfo, Launch, LaunchBound};

use crate::construct::device_work::DeviceWork;
use crate::device::device_runtime::DeviceRuntime;
use crate::device::kernel_environment::KernelEnvironment;
use crate::device::regions::Region;
use crate::environment::Environment;
use crate::launch::kernel_launch::{LaunchRequest, enqueue_kernel};
use crate::tests::fake_device::FakeDevice;

/// The execution mode of kernels that use no device runtime.
const BARE: u8 = 0;

/// A launch as the device sees it: blocks, threads, dynamic shared memory, parameters.
type Launched = ([u32; 3], [u32; 3], u32, Vec<u64>);

/// A kernel that records its launches.
struct FakeKernel {
    info: KernelInfo,
    launched: Mutex<Vec<Launched>>,
}

impl Kernel for FakeKernel {
    fn info(&self) -> &KernelInfo {
        &self.info
    }

    fn launch(&self, launch: &Launch<'_>) -> plugin_api::Result<()> {
        let words = launch.args.to_vec();
        let launched = (launch.grid, launch.block, launch.dynamic_shared, words);
        self.launched.lock().push(launched);
        Ok(())
    }
}

#[test]
fn shared_memory_of_the_environment_is_given_on_every_stream() {
    let (device, _fake) = FakeDevice::openmp(1 << 20);
    let kernel = Arc::new(FakeKernel {
        info: KernelInfo {
            name: "k".into(),
            parameters: Vec::new(),
            max_threads: 1024,
            bound: LaunchBound::None,
            warp_size: 32,
            default_threads: 128,
            static_shared: 0,
        },
        launched: Mutex::default(),
    });
    let region = Region {
        name: "k".into(),
        kernel: kernel.clone(),
        environment: KernelEnvironment::of_mode(BARE).unwrap(),
        device_runtime: DeviceRuntime::Ours,
        warned_of_cut: Arc::default(),
    };
    let environment = Environment {
        shared_memory_size: Some(4096),
        ..Environment::default()
    };
    let request = |dynamic_shared| LaunchRequest {
        teams: [3, 1, 1],
        threads: [64, 1, 1],
        dynamic_shared,
        ..LaunchRequest::default()
    };
    let own = device.device.clone().stream(Completion::Asynchronous);
    let own = own.unwrap();
    let mut work = DeviceWork::new(&device, Completion::Blocking).unwrap();
    for stream in [&*own, work.stream()] {
        for asked in [0, 8192] {
            let request = request(asked);
            enqueue_kernel(&device, stream, &environment, &region, &request, &[7, 8]).unwrap();
        }
    }
    work.complete(Ok(())).unwrap();
    let expected = [4096, 8192, 4096, 8192];
    let expected = expected.map(|shared| ([3, 1, 1], [64, 1, 1], shared, vec![7, 8]));
    assert_eq!(*kernel.launched.lock(), expected);
}
