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
    fs::read_dir(&cache.folder)
        .map(|all| all.flatten().map(|file| file.path()).collect())
        .unwrap_or_default()
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
}

proptest! {
    #[test]
    fn any_damage_is_found(content in proptest::collection::vec(any::<u8>(), 0..200), at in any::<prop::sample::Index>(), flip in 1u8..) {
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
    fn any_truncation_is_found(content in proptest::collection::vec(any::<u8>(), 0..200), cut in any::<prop::sample::Index>()) {
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
    let (_folder, cache) = fresh(3 * (CHECKSUM as u64 + 100));
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
    let (dead, alive) = (
        cache.folder.join("1.partial"),
        cache.folder.join("2.partial"),
    );
    fs::write(&dead, b"x").unwrap();
    fs::write(&alive, b"x").unwrap();
    let long_ago = SystemTime::now() - 2 * ABANDONED;
    File::options()
        .write(true)
        .open(&dead)
        .unwrap()
        .set_modified(long_ago)
        .unwrap();
    cache.store(&key("b"), b"x");
    assert!(!dead.exists() && alive.exists());
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
