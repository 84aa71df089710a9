//! Injected failures, and the log of calls.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::str::FromStr;

use parking_lot::Mutex;

use crate::config::Config;
use crate::result::{Failure, Outcome};

/// One entry of `FAKE_CUDA_FAIL`.
#[derive(Debug)]
pub struct Injection {
    function: String,
    /// The number of the call, from 1.
    count: u64,
    and_later: bool,
    failure: Failure,
}

impl FromStr for Injection {
    type Err = String;

    fn from_str(text: &str) -> Result<Injection, String> {
        let wrong = || format!("FAKE_CUDA_FAIL: {text:?} is not NAME:COUNT:ERROR");
        let [function, count, error] = text
            .split(':')
            .collect::<Vec<_>>()
            .try_into()
            .map_err(|_| wrong())?;
        let number = count.strip_suffix('+');
        Ok(Injection {
            function: function.to_owned(),
            count: number.unwrap_or(count).parse().map_err(|_| wrong())?,
            and_later: number.is_some(),
            failure: Failure::named(error)
                .ok_or_else(|| format!("FAKE_CUDA_FAIL: {error} is not known"))?,
        })
    }
}

/// Counts a call of `function`. Fails if a failure is injected there.
pub fn count(config: &Config, function: &str) -> Outcome {
    static COUNTS: Mutex<Option<HashMap<String, u64>>> = Mutex::new(None);
    let mut counts = COUNTS.lock();
    let counts = counts.get_or_insert_default();
    let number = counts.entry(function.to_owned()).or_default();
    *number += 1;
    if let Some(log) = &config.log {
        let file = OpenOptions::new().append(true).create(true).open(log);
        let written = file.and_then(|mut file| writeln!(file, "{function} {number}"));
        if let Err(error) = written {
            eprintln!("fake CUDA driver: {}: {error}", log.display());
            return Err(Failure::OPERATING_SYSTEM);
        }
    }
    let injected = config.injections.iter().find(|one| {
        one.function == function && (one.count == *number || one.and_later && *number > one.count)
    });
    injected.map_or(Ok(()), |injection| Err(injection.failure))
}
