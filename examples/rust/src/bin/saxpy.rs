//! The smallest useful program: y += a x, compared with the host.

use omptarget::{Buffer, Shape};

omptarget::kernels! {
    struct Kernels {
        /// Adds `a` times `x` to `y`.
        fn saxpy(n: usize, a: f32, x: &Buffer<f32>, y: &mut Buffer<f32>);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let image = omptarget::include_kernels!();
    let device = omptarget::device_for(image)?;
    let kernels = Kernels::load(&device, image)?;

    let n = 100_000;
    let a = 2.5;
    let xs: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let ys: Vec<f32> = (0..n).map(|i| 1.0 + (i % 7) as f32).collect();
    let x = device.buffer(&xs)?;
    let mut y = device.buffer(&ys)?;
    // SAFETY: both buffers have `n` elements, and a thread writes only its own.
    unsafe {
        kernels
            .saxpy(n, a, &x, &mut y)
            .launch(Shape::covering(n, 256))?
    };

    let expected: Vec<f32> = xs.iter().zip(&ys).map(|(x, y)| y + a * x).collect();
    if y.to_vec()? != expected {
        return Err("the device and the host disagree".into());
    }
    println!("{} elements on {}\nPASS", n, device.name());
    Ok(())
}
