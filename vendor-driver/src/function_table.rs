//! The table of a driver library's functions.

/// The result of a driver's function.
pub trait Status: Copy {
    /// Whether the call did what was asked.
    fn is_success(self) -> bool;
}

/// A driver call that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure<S> {
    /// Symbol of the function.
    pub call: &'static str,
    /// Its result.
    pub result: S,
}

/// The outcome of a driver call.
pub type Outcome<S> = Result<(), Failure<S>>;

impl<S: Status> Failure<S> {
    /// `result` of the function with this symbol, as an outcome.
    pub fn outcome(call: &'static str, result: S) -> Outcome<S> {
        match result.is_success() {
            true => Ok(()),
            false => Err(Failure { call, result }),
        }
    }
}

/// The dynamic linker's own message, if there is one.
pub fn linker_message(error: &libloading::Error) -> String {
    let source = std::error::Error::source(error).map(ToString::to_string);
    source.unwrap_or_else(|| error.to_string())
}

/// Declares the table `Table` of a driver's functions, and a method of `Driver` for each of them. `Driver` is a type of
/// the caller's with a field `table: Table`.
///
/// `status` is the type of results. The functions of `required` and `optional` give one, those of `values` give what
/// stands behind their arguments. `Table::of` gives the symbol of the first function that is neither there nor
/// optional.
#[macro_export]
macro_rules! functions {
    (
        status $status:ty;
        required { $($(#[$doc:meta])* $name:ident = $symbol:literal ($($argument:ident: $type:ty),*);)* }
        values { $(
            $(#[$value_doc:meta])*
            $value:ident = $value_symbol:literal ($($value_argument:ident: $value_type:ty),*) $(-> $given:ty)?;
        )* }
        optional { $(
            $(#[$optional_doc:meta])*
            $optional:ident = $optional_symbol:literal ($($optional_argument:ident: $optional_type:ty),*);
        )* }
    ) => {
        /// Symbols without which the plugin cannot work.
        pub const REQUIRED: &[&str] = &[$($symbol,)* $($value_symbol),*];
        /// Symbols of newer drivers, which the plugin uses where they exist.
        pub const OPTIONAL: &[&str] = &[$($optional_symbol),*];

        struct Table {
            $($name: unsafe extern "C" fn($($argument: $type),*) -> $status,)*
            $($value: unsafe extern "C" fn($($value_argument: $value_type),*) $(-> $given)?,)*
            $($optional: Option<unsafe extern "C" fn($($optional_argument: $optional_type),*) -> $status>,)*
        }

        impl Table {
            fn of(library: &$crate::Library) -> Result<Table, &'static str> {
                Ok(Table {
                    // SAFETY: the symbol is the driver's function of this signature.
                    $($name: *unsafe { library.get($symbol.as_bytes()) }.map_err(|_| $symbol)?,)*
                    // SAFETY: as above.
                    $($value: *unsafe { library.get($value_symbol.as_bytes()) }.map_err(|_| $value_symbol)?,)*
                    // SAFETY: as above.
                    $($optional: unsafe { library.get($optional_symbol.as_bytes()) }.ok().map(|found| *found),)*
                })
            }
        }

        #[expect(clippy::too_many_arguments, reason = "the driver's signatures")]
        impl Driver {
            $(
                $(#[$doc])*
                ///
                /// # Safety
                /// The arguments are valid according to the driver's manual.
                pub unsafe fn $name(&self, $($argument: $type),*) -> $crate::Outcome<$status> {
                    // SAFETY: the driver's function has this signature. The rest is the caller's contract.
                    $crate::Failure::outcome($symbol, unsafe { (self.table.$name)($($argument),*) })
                }
            )*
            $(
                $(#[$value_doc])*
                ///
                /// # Safety
                /// The arguments are valid according to the driver's manual.
                pub unsafe fn $value(&self, $($value_argument: $value_type),*) $(-> $given)? {
                    // SAFETY: as above.
                    unsafe { (self.table.$value)($($value_argument),*) }
                }
            )*
            $(
                $(#[$optional_doc])*
                /// `None`: the driver has no such function.
                ///
                /// # Safety
                /// The arguments are valid according to the driver's manual.
                pub unsafe fn $optional(
                    &self, $($optional_argument: $optional_type),*
                ) -> Option<$crate::Outcome<$status>> {
                    let function = self.table.$optional?;
                    // SAFETY: the driver's function has this signature. The rest is the caller's contract.
                    let result = unsafe { function($($optional_argument),*) };
                    Some($crate::Failure::outcome($optional_symbol, result))
                }
            )*
        }
    };
}
