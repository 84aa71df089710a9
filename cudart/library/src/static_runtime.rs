//! A program that NVIDIA's runtime library was linked into runs with this one, if this one is preloaded (`LD_PRELOAD`).
//! Then it is there before the program's constructors, which register kernels, and has the functions in the program
//! lead to its own before anybody calls them. In a program that has no such library nothing happens.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString, c_char, c_void};
use std::path::Path;
use std::sync::Mutex;

use cudart::error::{Code, answer, report};
use static_runtime::file::Content;
use static_runtime::found::{Release, StaticRuntime};
use static_runtime::replacement::{Failure, replace};

/// The program's file.
const PROGRAM: &str = "/proc/self/exe";

#[used]
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn() = start;

extern "C" fn start() {
    let Some(own) = OwnLibrary::find().filter(OwnLibrary::is_preloaded) else {
        return;
    };
    let Ok(file) = Content::of(Path::new(PROGRAM)) else {
        return; // There is no such file where /proc is not mounted.
    };
    let Some(runtime) = StaticRuntime::in_file(&file) else {
        return;
    };
    let version = match runtime.release {
        Release::Cuda12 => c"libcudart.so.12",
        Release::Cuda13 => c"libcudart.so.13",
        Release::Earlier => {
            return stays(
                &"it is of CUDA 11 or before; this library has the interface of 12 and 13",
            );
        }
    };
    let ours = |name: &CStr| own.function(name, version);
    // SAFETY: the program's constructors have not run, and other libraries do not call the program before.
    let done: Result<(), Failure> = unsafe {
        replace(
            Box::leak(Box::new(runtime)),
            &file,
            ours,
            missing as *const () as usize,
        )
    };
    if let Err(failure) = done {
        stays(&failure);
    }
}

fn stays(why: &dyn std::fmt::Display) {
    report(
        "NVIDIA's runtime library in this program cannot be replaced",
        why,
    );
}

/// This library, as the dynamic linker knows it.
struct OwnLibrary(*mut c_void);

impl OwnLibrary {
    fn find() -> Option<OwnLibrary> {
        // SAFETY: plain data, for which zeros are right.
        let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
        // SAFETY: the place is valid.
        let found = unsafe { libc::dladdr(start as *const c_void, &raw mut info) };
        if found == 0 {
            return None;
        }
        // SAFETY: the name is a string.
        let handle = loaded(unsafe { CStr::from_ptr(info.dli_fname) })?;
        Some(OwnLibrary(handle))
    }

    /// Whether the process began with it. The program may have changed its environment since.
    fn is_preloaded(&self) -> bool {
        let environment = std::fs::read("/proc/self/environ").unwrap_or_default();
        let mut variables = environment.split(|&byte| byte == 0);
        let preloaded = variables.find_map(|variable| variable.strip_prefix(b"LD_PRELOAD="));
        let names = preloaded.unwrap_or_default();
        names
            .split(|&byte| byte == b':' || byte == b' ')
            .filter_map(|name| CString::new(name).ok().filter(|name| !name.is_empty()))
            .any(|name| loaded(&name) == Some(self.0))
    }

    /// Its function of a name and a version.
    fn function(&self, name: &CStr, version: &CStr) -> Option<usize> {
        // SAFETY: both are strings, and the library stays.
        let found = unsafe { libc::dlvsym(self.0, name.as_ptr(), version.as_ptr()) };
        (!found.is_null()).then_some(found as usize)
    }
}

/// A library that is loaded.
fn loaded(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: a string; nothing is loaded.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    (!handle.is_null()).then_some(handle)
}

/// Where functions of the program lead that this library has not. The name is in `r11`.
#[unsafe(naked)]
extern "C" fn missing() -> i32 {
    std::arch::naked_asm!("mov rdi, r11", "jmp {refuse}", refuse = sym refuse)
}

/// Refuses a call, and says so once for each function.
///
/// # Safety
/// The name is a string that stays.
unsafe extern "C" fn refuse(name: *const c_char) -> i32 {
    static TOLD: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());
    let is_new = TOLD.lock().is_ok_and(|mut told| told.insert(name as usize));
    if is_new {
        // SAFETY: caller.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
        report(
            &format!("the program calls {name}"),
            &"this library has no such function",
        );
    }
    answer(Err(Code::NOT_SUPPORTED))
}
