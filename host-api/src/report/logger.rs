//! Where the plugins' and the compiler client's log records go: stderr, in the words of the rest of the
//! library. What they cannot return as an error would otherwise be lost: a cache that cannot be used, a
//! failed destructor of an image.

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

/// Takes the log records of this library's crates, unless the program that links it as a Rust crate takes them itself.
pub fn install() {
    if log::set_logger(&Logger).is_ok() {
        log::set_max_level(LevelFilter::Debug);
    }
}
