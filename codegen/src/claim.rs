//! Who compiles: of all processes that miss the same entry of the cache, one.
//!
//! MPI ranks on a node, or a test suite's programs, start at once and need the same code. The first takes a lock on a
//! file beside the entry; the others wait for it, and find the entry then. The lock is `flock`'s, which the kernel
//! releases when its holder dies. Whatever goes wrong with it, code is compiled twice, and nothing worse happens.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often a waiting process looks. `flock` itself would wait for ever for a holder that a debugger has stopped.
const POLL: Duration = Duration::from_millis(20);
/// How long a process waits for another before it compiles itself. Large images take minutes.
const PATIENCE: Duration = Duration::from_secs(300);

/// The right to make an entry, given up when dropped.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    waited: bool,
    /// Its lock goes when it is closed.
    _file: File,
}

impl Claim {
    /// Waits until no other process has the claim at `path`. None where there can be no lock: in a read-only folder,
    /// in a file system without them, or when another process has held it for too long.
    pub fn wait_for(path: &Path) -> Option<Claim> {
        Claim::within(path, PATIENCE)
    }

    fn within(path: &Path, patience: Duration) -> Option<Claim> {
        let file = File::create(path).ok()?;
        let start = Instant::now();
        let mut waited = false;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if start.elapsed() < patience => {
                    waited = true;
                    std::thread::sleep(POLL);
                }
                Err(why) => {
                    log::debug!("not waiting for {}: {why}", path.display());
                    return None;
                }
            }
        }
        Some(Claim {
            path: path.to_owned(),
            waited,
            _file: file,
        })
    }

    /// Whether another process had it before. If there is no entry now, that one could not make it.
    pub fn waited(&self) -> bool {
        self.waited
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // A process that has opened this file, and one that makes it anew, may then both hold a claim. The entry is
        // there by then, and both look for it first.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_and_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.claim");
        let first = Claim::wait_for(&path).expect("nobody has it");
        assert!(!first.waited());
        assert!(Claim::within(&path, Duration::ZERO).is_none());
        let other = Claim::within(&folder.path().join("b.claim"), Duration::ZERO);
        assert!(other.is_some(), "another entry's claim is free");
        drop((first, other));
        assert!(fs::read_dir(&folder).unwrap().next().is_none());
        assert!(Claim::within(&path, Duration::ZERO).is_some());
    }

    #[test]
    fn a_folder_without_locks_is_no_error() {
        assert!(Claim::wait_for(Path::new("/nonexistent/a.claim")).is_none());
    }
}
