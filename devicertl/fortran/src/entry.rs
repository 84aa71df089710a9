//! How flang's functions are defined.

/// Defines functions with C's calling convention under the names that flang calls. Their arguments are as
/// flang's own declarations have them, which is what makes each body sound.
macro_rules! entries {
    ($($(#[$doc:meta])* fn $name:ident($($parameter:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block)*) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, reason = "flang's name")]
        #[allow(unused_unsafe, reason = "the bodies of some are safe")]
        #[allow(clippy::too_many_arguments, reason = "flang's arguments")]
        pub unsafe extern "C" fn $name($($parameter: $type),*) $(-> $result)? {
            // SAFETY: flang's promise: descriptors and texts that are valid for the call.
            unsafe { $body }
        }
    )*};
}
