//! Prints the log records of the plugins and of the compiler client on stderr, like the other messages of the library.
//! They contain what these crates cannot return as an error: a cache that cannot be used, a failed destructor of an
//! image.

use log::{Level, LevelFilter, Log, Metadata, Record};

use crate::report::error::warn;
use crate::report::info;

struct Logger;

impl Log for Logger {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        match record.level() {
            Level::Error | Level::Warn => warn(record.args()),
            _ => info::debug(*record.args()),
        }
    }

    fn flush(&self) {}
}

/// Installs the logger, unless the program links the library as a Rust crate and has a logger of its own.
pub fn install() {
    if log::set_logger(&Logger).is_ok() {
        log::set_max_level(LevelFilter::Debug);
    }
}
