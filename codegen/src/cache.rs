//! The disk cache of compiled code.
//!
//! One file per entry, named by the hash of everything the result depends on, so an entry never
//! becomes wrong, only unused. Any number of processes may use the folder at once: a file appears
//! whole (written under another name, then renamed), is never changed, and starts with a checksum, so
//! that damage is found and the entry compiled anew. Nothing here can fail a compilation.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

/// Default of `OMPTARGET_CACHE_LIMIT`, MiB.
const DEFAULT_LIMIT: u64 = 512;
/// Extension of entries.
const ENTRY: &str = "entry";
/// Extension of files being written.
const PARTIAL: &str = "partial";
/// A partial file this old belongs to a process that died.
const ABANDONED: Duration = Duration::from_secs(3600);
/// Bytes of the checksum at the start of an entry.
const CHECKSUM: usize = 32;

/// Name of an entry: a hash of what it depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// Hashes the parts, each with its length, so that no two lists of parts look alike.
    pub fn of(parts: &[&[u8]]) -> Key {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Key(hash
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect())
    }
}

/// A folder of entries.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    limit: u64,
}

impl Cache {
    /// The user's cache, `$XDG_CACHE_HOME/omptarget` or `~/.cache/omptarget`; none if
    /// `OMPTARGET_CACHE=0` or there is no home.
    pub fn of_user() -> Option<Cache> {
        if std::env::var_os("OMPTARGET_CACHE").is_some_and(|value| value == "0") {
            return None;
        }
        // The XDG specification: relative paths are invalid and to be ignored.
        let absolute = |name: &str| {
            std::env::var_os(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
        Some(Cache::new(
            base.join("omptarget"),
            limit_of(std::env::var("OMPTARGET_CACHE_LIMIT").ok().as_deref()),
        ))
    }

    /// A cache in `folder` that keeps at most `limit` bytes.
    pub fn new(folder: PathBuf, limit: u64) -> Cache {
        Cache { folder, limit }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The limit in bytes.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Number of entries and their bytes.
    pub fn usage(&self) -> io::Result<(usize, u64)> {
        let entries = self.entries()?;
        Ok((entries.len(), entries.iter().map(|(_, size)| size).sum()))
    }

    /// Removes every entry; gives their number and bytes.
    pub fn clear(&self) -> io::Result<(usize, u64)> {
        let entries = self.entries()?;
        for (path, _) in &entries {
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok((entries.len(), entries.iter().map(|(_, size)| size).sum()))
    }

    /// Path and size of each entry; none where there is no folder yet.
    fn entries(&self) -> io::Result<Vec<(PathBuf, u64)>> {
        let files = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            files => files?,
        };
        let entries = files.flatten().map(|file| {
            (
                file.path(),
                file.metadata().map_or(0, |metadata| metadata.len()),
            )
        });
        Ok(entries
            .filter(|(path, _)| path.extension().is_some_and(|extension| extension == ENTRY))
            .collect())
    }

    /// The entry's bytes, if it is there and whole. A damaged one is removed.
    pub fn load(&self, key: &Key) -> Option<Vec<u8>> {
        if !is_private(&self.folder) {
            return None;
        }
        let path = self.path(key);
        let mut file = File::open(&path).ok()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        if !is_whole(&bytes) {
            log::warn!("cache entry {} is damaged; compiling anew", path.display());
            let _ = fs::remove_file(&path);
            return None;
        }
        // The least recently used entries go first. A read-only cache stays usable without.
        let _ = file.set_modified(SystemTime::now());
        bytes.drain(..CHECKSUM);
        Some(bytes)
    }

    /// Adds an entry and removes old ones beyond the limit. What goes wrong is only logged.
    pub fn store(&self, key: &Key, bytes: &[u8]) {
        let size = (CHECKSUM + bytes.len()) as u64;
        if size > self.limit {
            log::debug!("not cached: {size} bytes are more than OMPTARGET_CACHE_LIMIT");
            return;
        }
        let stored = self.write(key, bytes).and_then(|()| self.trim());
        if let Err(error) = stored {
            log::debug!("cache {}: {error}", self.folder.display());
        }
    }

    fn write(&self, key: &Key, bytes: &[u8]) -> io::Result<()> {
        static SERIAL: AtomicU64 = AtomicU64::new(0);
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.folder)?;
        if !is_private(&self.folder) {
            return Err(io::Error::other(
                "the folder is another user's, or others may write to it",
            ));
        }
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let partial = self.folder.join(format!(
            "{}.{}.{serial}.{PARTIAL}",
            key.0,
            std::process::id()
        ));
        let written =
            write_entry(&partial, bytes).and_then(|()| fs::rename(&partial, self.path(key)));
        if written.is_err() {
            let _ = fs::remove_file(&partial);
        }
        written
    }

    /// Removes the least recently used entries until the rest is within the limit, and what dead
    /// processes left. Another process may be doing the same: a file already gone is fine.
    fn trim(&self) -> io::Result<()> {
        let mut entries = Vec::new();
        for file in fs::read_dir(&self.folder)?.flatten() {
            let (path, Ok(metadata)) = (file.path(), file.metadata()) else {
                continue;
            };
            let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            match path.extension().and_then(|extension| extension.to_str()) {
                Some(ENTRY) => entries.push((modified, metadata.len(), path)),
                Some(PARTIAL) if modified.elapsed().is_ok_and(|age| age > ABANDONED) => {
                    let _ = fs::remove_file(path);
                }
                _ => {}
            }
        }
        entries.sort();
        let mut total: u64 = entries.iter().map(|(_, size, _)| size).sum();
        for (_, size, path) in entries {
            if total <= self.limit {
                break;
            }
            let _ = fs::remove_file(path);
            total -= size;
        }
        Ok(())
    }

    fn path(&self, key: &Key) -> PathBuf {
        self.folder.join(format!("{}.{ENTRY}", key.0))
    }
}

fn write_entry(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(&Sha256::digest(bytes))?;
    file.write_all(bytes)
}

fn is_whole(bytes: &[u8]) -> bool {
    bytes
        .split_at_checked(CHECKSUM)
        .is_some_and(|(checksum, content)| Sha256::digest(content).as_slice() == checksum)
}

/// Whether only this user can put files there: they are code that will run.
fn is_private(folder: &Path) -> bool {
    // SAFETY: `geteuid` has no preconditions.
    let me = unsafe { libc::geteuid() };
    fs::metadata(folder).is_ok_and(|metadata| metadata.uid() == me && metadata.mode() & 0o022 == 0)
}

/// The limit in bytes from the variable's text, MiB.
fn limit_of(text: Option<&str>) -> u64 {
    let limit = match text.map(|text| (text, text.trim().parse::<u64>())) {
        None => DEFAULT_LIMIT,
        Some((_, Ok(limit))) => limit,
        Some((text, Err(_))) => {
            log::warn!(
                "OMPTARGET_CACHE_LIMIT={text} is not a number of MiB; using {DEFAULT_LIMIT}"
            );
            DEFAULT_LIMIT
        }
    };
    limit.saturating_mul(1 << 20)
}

#[cfg(test)]
mod tests;
