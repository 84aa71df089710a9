//! NVIDIA's runtime library, which does not start over this driver (docs/decisions/0100): who has it in the process is
//! told so, once, with what to do.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use parking_lot::Mutex;
use static_runtime::asker::{Asker, Kind, object_at, of_call};
use static_runtime::found::Release;

/// Tells who made a call, by where it returns to, if that is NVIDIA's runtime library. Others make such calls and do
/// without an answer, as NVRTC does.
pub fn notice(returns_to: usize) {
    static TOLD: OnceLock<()> = OnceLock::new();
    static SEEN: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());
    if TOLD.get().is_some() || !SEEN.lock().insert(returns_to) {
        return;
    }
    let Some(asker) = of_call(returns_to) else {
        return;
    };
    if let (Some(what), Some(remedy)) = (what(&asker), remedy(&asker)) {
        TOLD.get_or_init(|| eprintln!("libcuda: {what}: {remedy}"));
    }
}

fn what(asker: &Asker) -> Option<String> {
    let file = asker.path.display();
    Some(match asker.kind {
        Kind::Shared => format!("{file} is NVIDIA's and runs with NVIDIA's driver alone"),
        Kind::Static(_) => {
            format!(
                "{file} has NVIDIA's runtime library in it, which runs with NVIDIA's driver alone"
            )
        }
        Kind::Stripped => format!(
            "{file} seems to have NVIDIA's runtime library in it, which runs with NVIDIA's driver alone"
        ),
        Kind::Other => return None,
    })
}

/// Whether our runtime library takes the place of one in a program (`static_runtime::replacement`).
const REPLACES: bool = cfg!(target_arch = "x86_64");

/// What helps.
fn remedy(asker: &Asker) -> Option<String> {
    const LINK: &str = "link it with -cudart shared";
    Some(match asker.kind {
        Kind::Shared => {
            let folder = own_file().parent().map(Path::to_owned).unwrap_or_default();
            format!("put {} first in LD_LIBRARY_PATH", folder.display())
        }
        Kind::Static(Release::Earlier) => format!("{LINK}, and with CUDA 12 or 13"),
        Kind::Static(_) if asker.is_program && REPLACES => {
            let own = own_file();
            format!("run it with LD_PRELOAD={}, or {LINK}", own.display())
        }
        Kind::Stripped if asker.is_program && REPLACES => {
            format!("its symbols are gone (strip); keep them and set LD_PRELOAD, or {LINK}")
        }
        Kind::Static(_) | Kind::Stripped => {
            format!("{LINK}; ours takes its place (LD_PRELOAD) only in programs, on x86-64")
        }
        Kind::Other => return None,
    })
}

/// The file of this library.
fn own_file() -> PathBuf {
    let own = object_at(own_file as *const () as usize).map(|(path, _)| path);
    let path = own.unwrap_or_default();
    // `libcuda.so.1` is a link to it.
    path.canonicalize().unwrap_or(path)
}
