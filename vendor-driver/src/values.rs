//! Constants of a driver's enumerations.

/// Declares constants of a type that wraps a number. Such a type takes every number that a newer driver may give, which
/// a Rust enumeration does not.
#[macro_export]
macro_rules! values {
    ($type:ident: $($(#[$doc:meta])* $name:ident = $value:literal)*) => {
        impl $type {$(
            $(#[$doc])*
            pub const $name: $type = $type($value);
        )*}
    };
}
