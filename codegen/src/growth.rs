//! What a folder of entries holds, told without looking at each of them.
//!
//! A folder may have ten thousand entries, and a program may add hundreds. So a file beside the entries has the bytes
//! that there were when all were counted last, and behind that the bytes of every entry since, as numbers of 8 bytes.
//! Processes append to it. Where one of them replaces the file meanwhile, what others append is lost: the next count
//! finds it.

use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use tempfile::Builder;

/// The file's name.
const NAME: &str = "growth";
/// After this many entries all are counted anew.
const MOST: usize = 256;

/// Notes a new entry. Gives whether all have to be counted: they may be more than `limit` bytes, or nobody has counted
/// them for long.
pub fn note(folder: &Path, size: u64, limit: u64) -> bool {
    let Ok(numbers) = append(folder, size) else {
        return true;
    };
    let total = numbers.iter().fold(0, |sum: u64, n| sum.saturating_add(*n));
    numbers.len() > MOST || total > limit
}

fn append(folder: &Path, size: u64) -> io::Result<Vec<u64>> {
    let mut file = File::options()
        .read(true)
        .append(true)
        .open(folder.join(NAME))?;
    file.write_all(&size.to_le_bytes())?;
    file.rewind()?;
    // A file that is longer than it can be is as good as none.
    let mut bytes = Vec::new();
    file.take(8 * (MOST as u64 + 2)).read_to_end(&mut bytes)?;
    let (numbers, rest) = bytes.as_chunks::<8>();
    match rest.is_empty() {
        true => Ok(numbers.iter().map(|n| u64::from_le_bytes(*n)).collect()),
        false => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// Notes that all entries were counted.
pub fn counted(folder: &Path, total: u64, partial: &str) -> io::Result<()> {
    let mut file = Builder::new()
        .prefix(NAME)
        .suffix(&format!(".{partial}"))
        .tempfile_in(folder)?;
    file.write_all(&total.to_le_bytes())?;
    file.persist(folder.join(NAME))?;
    Ok(())
}

/// Has the next entry be followed by a count.
pub fn forget(folder: &Path) {
    let _ = fs::remove_file(folder.join(NAME));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_asked_for_when_they_are_needed() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        assert!(note(folder, 10, 1000), "nobody has counted");
        counted(folder, 900, "partial").unwrap();
        assert!(!note(folder, 50, 1000));
        assert!(!note(folder, 50, 1000));
        assert!(note(folder, 1, 1000), "beyond the limit");
        counted(folder, 0, "partial").unwrap();
        let count = (0..).position(|_| note(folder, 0, 1000)).unwrap();
        assert_eq!(count, MOST - 1, "nobody has counted for long");
        forget(folder);
        assert!(note(folder, 1, 1000));
    }

    #[test]
    fn a_damaged_file_is_as_good_as_none() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(NAME), b"damaged").unwrap();
        assert!(note(folder.path(), 10, 1 << 20));
        fs::write(folder.path().join(NAME), vec![0; 1 << 16]).unwrap();
        assert!(note(folder.path(), 10, 1 << 20));
    }
}
