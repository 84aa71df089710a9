//! Kernels with the types of their arguments.

/// Declares a structure of kernels with the types of their arguments, as the device code has them.
///
/// `load` loads an image, finds every kernel and compares the sizes of its parameters with those declared. Each kernel
/// becomes a method that gives a [`Call`](crate::Call).
///
/// ```
/// use omptarget::Buffer;
///
/// omptarget::kernels! {
///     /// The program's kernels.
///     pub struct Kernels {
///         /// Adds `a` times `x` to `y`.
///         fn saxpy(n: usize, a: f32, x: &Buffer<f32>, y: &mut Buffer<f32>);
///     }
/// }
///
/// // Bytes that are no image are an error.
/// let device = omptarget::devices()?.pop().expect("there is one");
/// assert!(Kernels::load(&device, b"nonsense").is_err());
/// # Ok::<(), omptarget::Error>(())
/// ```
///
/// A `*const T` or `*mut T` of the device code is a `&Buffer<T>` or `&mut Buffer<T>` here. A `#[repr(C)]` structure by
/// value is a [`Value`](crate::Value).
#[macro_export]
macro_rules! kernels {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident {
            $(
                $(#[$kernel_attribute:meta])*
                fn $kernel:ident($($argument:ident: $type:ty),* $(,)?);
            )*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug)]
        $visibility struct $name {
            $($kernel: $crate::Kernel,)*
        }

        impl $name {
            /// Loads an image on a device, and finds the kernels in it.
            $visibility fn load(device: &$crate::Device, image: &[u8]) -> $crate::Result<$name> {
                let module = device.load(image)?;
                Ok($name {
                    $(
                        $kernel: module.kernel_with(
                            stringify!($kernel),
                            &[$(<$type as $crate::Argument>::SIZE),*],
                        )?,
                    )*
                })
            }

            $(
                $(#[$kernel_attribute])*
                #[allow(clippy::too_many_arguments)]
                $visibility fn $kernel<'a>(
                    &'a self,
                    $($argument: <$type as $crate::Argument>::Borrowed<'a>),*
                ) -> $crate::Call<'a> {
                    self.$kernel.checked_call(($($argument,)*))
                }
            )*
        }
    };
}

/// The image that `omptarget_build::kernels` made in the build script of this package.
#[macro_export]
macro_rules! include_kernels {
    () => {{
        static IMAGE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/kernels.bc"));
        IMAGE
    }};
}
