//! A reduction: blocks add their threads' sums in shared memory, on two streams at once.

use omptarget::{Buffer, Device, Shape};

omptarget::kernels! {
    struct Kernels {
        /// The sum of `x`, one number per block of 256 threads.
        fn sum(n: usize, x: &Buffer<f64>, sums: &mut Buffer<f64>);
    }
}

const BLOCKS: u32 = 16;
const THREADS: u32 = 256;

/// The sums of several arrays, each on a stream of its own.
fn sums(device: &Device, kernels: &Kernels, arrays: &[Vec<f64>]) -> omptarget::Result<Vec<f64>> {
    let mut downloads = Vec::new();
    for array in arrays {
        let stream = device.stream()?;
        let mut x = device.zeroed(array.len())?;
        let mut partial = device.zeroed(BLOCKS as usize)?;
        stream.write(&mut x, array)?;
        let call = kernels.sum(array.len(), &x, &mut partial);
        // SAFETY: `x` has as many elements as the kernel is told, `partial` has one for each block, and a block has the
        // 256 threads that the kernel wants.
        unsafe { call.launch_on(&stream, Shape::linear(BLOCKS, THREADS))? };
        // The stream keeps the buffers as long as it needs them.
        downloads.push(stream.read(&partial)?);
    }
    let total = |download: omptarget::Download<f64>| Ok(download.wait()?.iter().sum());
    downloads.into_iter().map(total).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let image = omptarget::include_kernels!();
    let device = omptarget::device_for(image)?;
    let kernels = Kernels::load(&device, image)?;
    // Sums of whole numbers are exact in any order.
    let arrays: Vec<Vec<f64>> = [100_000, 33_333]
        .map(|n| (0..n).map(|i| (i % 1000) as f64).collect())
        .into();
    let expected: Vec<f64> = arrays.iter().map(|array| array.iter().sum()).collect();
    let found = sums(&device, &kernels, &arrays)?;
    if found != expected {
        return Err(format!("the device found {found:?}, the host {expected:?}").into());
    }
    println!("{found:?} on {}\nPASS", device.name());
    Ok(())
}
