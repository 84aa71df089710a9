//! The disk cache of compiled code.
//!
//! Each entry is a file. Its name is the hash of everything that the result depends on, so an entry never becomes
//! wrong, only unused. Any number of processes may use the folder at once. A file is written under another name and
//! then renamed, so that it appears whole; it never changes afterwards. It starts with a checksum: a damaged entry is
//! found, and the code is compiled again. No error here makes a compilation fail.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};
use tempfile::Builder;

use crate::claim::Claim;
use crate::growth;

/// Default of `OMPTARGET_CACHE_LIMIT`, in MiB.
const DEFAULT_LIMIT: u64 = 512;
/// Extension of entries.
const ENTRY: &str = "entry";
/// Extension of files being written.
const PARTIAL: &str = "partial";
/// Extension of files that say who compiles.
const CLAIM: &str = "claim";
/// A partial file or a claim this old belongs to a process that died.
const ABANDONED: Duration = Duration::from_secs(3600);
/// Bytes of the checksum at the start of an entry.
const CHECKSUM: usize = 32;

/// Name of an entry: a hash of everything that it depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// Hashes the parts, each with its length, so that no two lists of parts give the same input.
    pub fn of(parts: &[&[u8]]) -> Key {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Key(hex::encode(hash.finalize()))
    }

    /// The name of a part of the entry.
    pub fn part(&self, name: &str) -> Key {
        Key::of(&[self.0.as_bytes(), name.as_bytes()])
    }
}

/// A folder of entries.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    limit: u64,
}

impl Cache {
    /// The user's cache, `$XDG_CACHE_HOME/omptarget` or `~/.cache/omptarget`. None if `OMPTARGET_CACHE=0`, or if there
    /// is no home folder.
    pub fn of_user() -> Option<Cache> {
        if std::env::var_os("OMPTARGET_CACHE").is_some_and(|value| value == "0") {
            return None;
        }
        // The XDG specification says that relative paths are invalid and must be ignored.
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

    /// Removes every entry; returns their number and bytes.
    pub fn clear(&self) -> io::Result<(usize, u64)> {
        let entries = self.entries()?;
        growth::forget(&self.folder);
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
        // The least recently used entries are removed first. A read-only cache stays usable without this.
        let _ = file.set_modified(SystemTime::now());
        bytes.drain(..CHECKSUM);
        Some(bytes)
    }

    /// Adds an entry and removes old ones beyond the limit. Errors are only logged.
    pub fn store(&self, key: &Key, bytes: &[u8]) {
        let size = (CHECKSUM + bytes.len()) as u64;
        if size > self.limit {
            log::debug!("not cached: {size} bytes are more than OMPTARGET_CACHE_LIMIT");
            return;
        }
        let stored = self.write(key, bytes).and_then(|()| {
            match growth::note(&self.folder, size, self.limit) {
                true => self.trim(),
                false => Ok(()),
            }
        });
        if let Err(error) = stored {
            log::debug!("cache {}: {error}", self.folder.display());
        }
    }

    /// The right to make an entry: waits for the process that has it. None where there can be no such right.
    pub fn claim(&self, key: &Key) -> Option<Claim> {
        self.make_folder().ok()?;
        Claim::wait_for(&self.folder.join(format!("{}.{CLAIM}", key.0)))
    }

    fn make_folder(&self) -> io::Result<()> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.folder)?;
        if is_private(&self.folder) {
            return Ok(());
        }
        Err(io::Error::other(
            "the folder is another user's, or others may write to it",
        ))
    }

    fn write(&self, key: &Key, bytes: &[u8]) -> io::Result<()> {
        self.make_folder()?;
        let mut partial = Builder::new()
            .prefix(&key.0)
            .suffix(&format!(".{PARTIAL}"))
            .tempfile_in(&self.folder)?;
        partial.write_all(&Sha256::digest(bytes))?;
        partial.write_all(bytes)?;
        partial.persist(self.path(key))?;
        Ok(())
    }

    /// Where entries are beyond the limit, removes the least recently used ones; always, the files that dead processes
    /// left. Another process may do the same at the same time, so a missing file is no error.
    fn trim(&self) -> io::Result<()> {
        let mut entries = Vec::new();
        for file in fs::read_dir(&self.folder)?.flatten() {
            let (path, Ok(metadata)) = (file.path(), file.metadata()) else {
                continue;
            };
            let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            match path.extension().and_then(|extension| extension.to_str()) {
                Some(ENTRY) => entries.push((modified, metadata.len(), path)),
                Some(PARTIAL | CLAIM) if modified.elapsed().is_ok_and(|age| age > ABANDONED) => {
                    let _ = fs::remove_file(path);
                }
                _ => {}
            }
        }
        entries.sort();
        let mut total: u64 = entries.iter().map(|(_, size, _)| size).sum();
        // Room for what comes next, lest each new entry be followed by a count.
        let room = match total > self.limit {
            true => self.limit - self.limit / 16,
            false => self.limit,
        };
        for (_, size, path) in entries {
            if total <= room {
                break;
            }
            let _ = fs::remove_file(path);
            total -= size;
        }
        growth::counted(&self.folder, total, PARTIAL)
    }

    fn path(&self, key: &Key) -> PathBuf {
        self.folder.join(format!("{}.{ENTRY}", key.0))
    }
}

fn is_whole(bytes: &[u8]) -> bool {
    bytes
        .split_at_checked(CHECKSUM)
        .is_some_and(|(checksum, content)| Sha256::digest(content).as_slice() == checksum)
}

/// Whether only this user can put files there. The files are code that will run.
fn is_private(folder: &Path) -> bool {
    let me = rustix::process::geteuid().as_raw();
    fs::metadata(folder).is_ok_and(|metadata| metadata.uid() == me && metadata.mode() & 0o022 == 0)
}

/// The limit in bytes, from the variable's text in MiB.
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
mod tests {
    //! The properties the cache promises.

    use std::os::unix::fs::PermissionsExt;

    use proptest::prelude::*;

    use super::*;

    /// A cache in a folder of its own; the folder goes with the first element.
    fn fresh(limit: u64) -> (tempfile::TempDir, Cache) {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().join("omptarget"), limit);
        (folder, cache)
    }

    fn key(name: &str) -> Key {
        Key::of(&[name.as_bytes()])
    }

    fn entries(cache: &Cache) -> Vec<PathBuf> {
        let files = fs::read_dir(&cache.folder);
        let paths = files
            .into_iter()
            .flatten()
            .flatten()
            .map(|file| file.path());
        paths.filter(|path| !path.ends_with("growth")).collect()
    }

    #[test]
    fn what_is_stored_is_loaded() {
        let (_folder, cache) = fresh(1 << 20);
        assert_eq!(cache.load(&key("a")), None);
        cache.store(&key("a"), b"code");
        assert_eq!(cache.load(&key("a")).as_deref(), Some(&b"code"[..]));
        assert_eq!(cache.load(&key("b")), None);
        let mode = fs::metadata(&cache.folder).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }

    #[test]
    fn parts_of_a_key_do_not_run_together() {
        assert_ne!(Key::of(&[b"ab", b"c"]), Key::of(&[b"a", b"bc"]));
        assert_ne!(Key::of(&[b"a"]), Key::of(&[b"a", b""]));
        assert_ne!(key("a").part("b"), key("a").part("c"));
    }

    proptest! {
        #[test]
        fn any_damage_is_found(
            content in proptest::collection::vec(any::<u8>(), 0..200),
            at in any::<prop::sample::Index>(),
            flip in 1u8..,
        ) {
            let (_folder, cache) = fresh(1 << 20);
            cache.store(&key("a"), &content);
            let path = cache.path(&key("a"));
            let mut bytes = fs::read(&path).unwrap();
            let at = at.index(bytes.len());
            bytes[at] ^= flip;
            fs::write(&path, &bytes).unwrap();
            prop_assert_eq!(cache.load(&key("a")), None);
            prop_assert!(!path.exists(), "the damaged entry stays");
            cache.store(&key("a"), &content);
            prop_assert_eq!(cache.load(&key("a")), Some(content));
        }

        #[test]
        fn any_truncation_is_found(
            content in proptest::collection::vec(any::<u8>(), 0..200),
            cut in any::<prop::sample::Index>(),
        ) {
            let (_folder, cache) = fresh(1 << 20);
            cache.store(&key("a"), &content);
            let path = cache.path(&key("a"));
            let bytes = fs::read(&path).unwrap();
            fs::write(&path, &bytes[..cut.index(bytes.len())]).unwrap();
            prop_assert_eq!(cache.load(&key("a")), None);
        }

        #[test]
        fn the_limit_holds(sizes in proptest::collection::vec(0usize..400, 1..20)) {
            let (_folder, cache) = fresh(1000);
            for (index, size) in sizes.iter().enumerate() {
                cache.store(&key(&index.to_string()), &vec![0; *size]);
                let total: u64 = entries(&cache).iter().map(|path| path.metadata().unwrap().len()).sum();
                prop_assert!(total <= 1000, "{total}");
            }
        }
    }

    #[test]
    fn the_least_recently_used_goes_first() {
        let (_folder, cache) = fresh(3 * (CHECKSUM as u64 + 100) * 16 / 15 + 1);
        let old = SystemTime::now() - Duration::from_secs(1000);
        for (age, name) in ["a", "b", "c"].into_iter().enumerate() {
            cache.store(&key(name), &[0; 100]);
            let file = File::options()
                .write(true)
                .open(cache.path(&key(name)))
                .unwrap();
            file.set_modified(old + Duration::from_secs(age as u64))
                .unwrap();
        }
        assert!(cache.load(&key("a")).is_some(), "a is used again");
        cache.store(&key("d"), &[0; 100]);
        let there = ["a", "b", "c", "d"].map(|name| cache.path(&key(name)).exists());
        assert_eq!(there, [true, false, true, true]);
    }

    #[test]
    fn an_entry_beyond_the_limit_is_not_stored() {
        let (_folder, cache) = fresh(50);
        cache.store(&key("a"), &[0; 100]);
        assert!(entries(&cache).is_empty());
    }

    #[test]
    fn leftovers_of_dead_processes_are_removed() {
        let (_folder, cache) = fresh(1 << 20);
        cache.store(&key("a"), b"x");
        let file = |name: &str, modified| {
            let path = cache.folder.join(name);
            fs::write(&path, b"x").unwrap();
            let file = File::options().write(true).open(&path).unwrap();
            file.set_modified(modified).unwrap();
            path
        };
        let now = SystemTime::now();
        let long_ago = now - 2 * ABANDONED;
        let dead = ["1.partial", "1.claim"].map(|name| file(name, long_ago));
        let alive = ["2.partial", "2.claim"].map(|name| file(name, now));
        growth::forget(&cache.folder);
        cache.store(&key("b"), b"x");
        assert!(dead.iter().all(|path| !path.exists()));
        assert!(alive.iter().all(|path| path.exists()));
    }

    #[test]
    fn concurrent_use_gives_whole_entries_or_none() {
        let (_folder, cache) = fresh(20_000);
        std::thread::scope(|scope| {
            for thread in 0..8usize {
                let cache = cache.clone();
                scope.spawn(move || {
                    for round in 0..50usize {
                        let which = (thread * 7 + round) % 10;
                        let content = vec![which as u8; 100 * which + 1000];
                        cache.store(&key(&which.to_string()), &content);
                        let other = (which + 3) % 10;
                        if let Some(found) = cache.load(&key(&other.to_string())) {
                            assert_eq!(found, vec![other as u8; 100 * other + 1000]);
                        }
                    }
                });
            }
        });
        assert!(
            entries(&cache)
                .iter()
                .all(|path| path.extension().unwrap() == ENTRY)
        );
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, b"").unwrap();
        let cache = Cache::new(file.join("omptarget"), 1 << 20);
        cache.store(&key("a"), b"x");
        assert_eq!(cache.load(&key("a")), None);
    }

    #[test]
    fn a_folder_others_can_write_to_is_not_trusted() {
        let (_folder, cache) = fresh(1 << 20);
        cache.store(&key("a"), b"x");
        fs::set_permissions(&cache.folder, fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(cache.load(&key("a")), None);
    }

    #[test]
    fn the_limit_is_read_in_mebibytes() {
        assert_eq!(limit_of(Some("2")), 2 << 20);
        assert_eq!(limit_of(None), 512 << 20);
        assert_eq!(limit_of(Some("lots")), 512 << 20);
        assert_eq!(limit_of(Some("0")), 0);
    }
}
