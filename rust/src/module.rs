//! Loaded images and their kernels.

use std::fmt;
use std::sync::Arc;

use plugin_api::KernelInfo;

use crate::argument::Words;
use crate::{Arguments, Call, Device, Error, Result};

/// An image that a device has loaded.
#[derive(Clone)]
pub struct Module {
    device: Device,
    raw: Arc<dyn plugin_api::Module>,
}

impl Module {
    pub(crate) fn new(device: Device, raw: Arc<dyn plugin_api::Module>) -> Module {
        Module { device, raw }
    }

    /// The device that has loaded it.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The kernel called `name`.
    pub fn kernel(&self, name: &str) -> Result<Kernel> {
        let no_kernel = || Error::NoKernel(name.to_owned());
        Ok(Kernel {
            device: self.device.clone(),
            raw: self.raw.kernel(name).ok_or_else(no_kernel)?,
            _module: self.raw.clone(),
        })
    }

    /// The kernel called `name`, which must take parameters of these sizes. [`kernels!`](crate::kernels!) calls it.
    #[doc(hidden)]
    pub fn kernel_with(&self, name: &str, sizes: &[u32]) -> Result<Kernel> {
        let kernel = self.kernel(name)?;
        kernel.check(sizes)?;
        Ok(kernel)
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a module of {:?}", self.device)
    }
}

/// A kernel of a loaded image. It keeps the image loaded.
#[derive(Clone)]
pub struct Kernel {
    pub(crate) device: Device,
    pub(crate) raw: Arc<dyn plugin_api::Kernel>,
    _module: Arc<dyn plugin_api::Module>,
}

impl Kernel {
    /// What is known about it.
    pub fn info(&self) -> &KernelInfo {
        self.raw.info()
    }

    /// The kernel with its arguments, a tuple: `kernel.call((n, 2.0f32, &x, &mut y))`. Their number and sizes are
    /// checked against the kernel's parameters, as far as the device knows those. Their types are not: use
    /// [`kernels!`](crate::kernels!), which states them in one place.
    pub fn call<'a>(&'a self, arguments: impl Arguments + 'a) -> Result<Call<'a>> {
        let mut words = Words::default();
        arguments.add_to(&mut words);
        self.check(&words.sizes)?;
        Ok(Call::new(self, words))
    }

    /// The same for arguments whose sizes [`Module::kernel_with`] has checked.
    #[doc(hidden)]
    pub fn checked_call<'a>(&'a self, arguments: impl Arguments + 'a) -> Call<'a> {
        let mut words = Words::default();
        arguments.add_to(&mut words);
        Call::new(self, words)
    }

    /// Whether the kernel takes parameters of these sizes. Some drivers cannot say which it takes.
    fn check(&self, sizes: &[u32]) -> Result<()> {
        let info = self.info();
        let taken = info.parameters.iter().map(|parameter| parameter.size);
        if info.parameters.is_empty() || taken.clone().eq(sizes.iter().copied()) {
            return Ok(());
        }
        Err(Error::Arguments {
            kernel: info.name.clone(),
            given: describe(sizes),
            taken: describe(&taken.collect::<Vec<_>>()),
        })
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {} of {:?}", self.info().name, self.device)
    }
}

/// Sizes in words for people: `3 arguments of 8, 4 and 8 bytes`.
fn describe(sizes: &[u32]) -> String {
    let texts: Vec<String> = sizes.iter().map(u32::to_string).collect();
    match texts.as_slice() {
        [] => "no arguments".to_owned(),
        [one] => format!("1 argument of {one} bytes"),
        [first @ .., last] => {
            let first = first.join(", ");
            format!("{} arguments of {first} and {last} bytes", sizes.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::describe;

    #[test]
    fn sizes_for_people() {
        assert_eq!(describe(&[]), "no arguments");
        assert_eq!(describe(&[4]), "1 argument of 4 bytes");
        assert_eq!(describe(&[8, 4, 12]), "3 arguments of 8, 4 and 12 bytes");
    }
}
