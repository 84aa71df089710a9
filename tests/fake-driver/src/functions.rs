//! The macro that defines a library's functions.

/// Defines functions of a library. Each names the phase in which it may be called. A phase is a function of the
/// caller's module `call`, which gets the name and the body and returns the number of the result.
#[allow(clippy::crate_in_macro_def, reason = "the phases are the caller's")]
#[macro_export]
macro_rules! functions {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) in $phase:ident $body:block)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// Pointers are null or valid, as the library's reference demands.
        #[unsafe(no_mangle)]
        #[allow(non_snake_case)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> u32 {
            let body = move || -> crate::call::Outcome { $body };
            crate::call::$phase(stringify!($name), body)
        }
    )*};
}
