//! Injected failures, and the log of calls.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

/// A call that fails.
#[derive(Debug)]
struct Injection {
    function: String,
    /// The number of the call, from 1.
    count: u64,
    and_later: bool,
    result: u32,
}

/// Counts a library's calls.
#[derive(Debug)]
pub struct Calls {
    injections: Vec<Injection>,
    log: Option<PathBuf>,
    counts: Mutex<HashMap<String, u64>>,
}

impl Calls {
    /// Which calls fail: the text of `variable`, `NAME:COUNT:ERROR` separated by commas. `named` knows the errors. Each
    /// call is appended to the file `log`, with name and count.
    pub fn new(
        variable: &str,
        text: &str,
        log: Option<PathBuf>,
        named: impl Fn(&str) -> Option<u32>,
    ) -> Result<Calls, String> {
        let injections = text.split_terminator(',').map(|one| {
            let wrong = || format!("{variable}: {one:?} is not NAME:COUNT:ERROR");
            let parts: Vec<_> = one.split(':').collect();
            let [function, count, error] = parts.try_into().map_err(|_| wrong())?;
            let number = count.strip_suffix('+');
            Ok(Injection {
                function: function.to_owned(),
                count: number.unwrap_or(count).parse().map_err(|_| wrong())?,
                and_later: number.is_some(),
                result: named(error).ok_or_else(|| format!("{variable}: {error} is not known"))?,
            })
        });
        Ok(Calls {
            injections: injections.collect::<Result<_, String>>()?,
            log,
            counts: Mutex::default(),
        })
    }

    /// Counts a call of `function`. Gives the result of a failure that is injected there.
    pub fn count(&self, function: &str) -> io::Result<Option<u32>> {
        let mut counts = self.counts.lock();
        let number = counts.entry(function.to_owned()).or_default();
        *number += 1;
        if let Some(log) = &self.log {
            let mut file = OpenOptions::new().append(true).create(true).open(log)?;
            writeln!(file, "{function} {number}")?;
        }
        let injected = self.injections.iter().find(|one| {
            one.function == function
                && (one.count == *number || one.and_later && *number > one.count)
        });
        Ok(injected.map(|injection| injection.result))
    }

    /// The file of the log, for messages.
    pub fn log(&self) -> Option<&Path> {
        self.log.as_deref()
    }
}
