//! Which library this is: CUDA's, unless HIP's says otherwise when it is loaded.

use std::sync::OnceLock;

use crate::error::Code;

/// What the library of a language brings with it.
pub struct Front {
    /// Its name, for messages.
    pub library: &'static str,
    /// What its functions' names begin with.
    pub prefix: &'static str,
    /// The families whose devices run its programs.
    pub families: &'static [&'static str],
    /// First word of what its programs register.
    pub magic: u32,
    /// What launches of blocks fail with that a kernel's launch bounds exclude.
    pub beyond_bounds: Code,
    /// Lanes of a warp on devices that run images of any architecture.
    pub warp_size: u32,
}

/// NVIDIA's GPUs, else virtual ones, which take the bitcode for them.
static CUDA: Front = Front {
    library: "libcudart",
    prefix: "cuda",
    families: &["cuda", "vgpu"],
    beyond_bounds: Code::INVALID_VALUE,
    warp_size: 32,
    magic: 0x4662_43b1,
};

static CHOSEN: OnceLock<&'static Front> = OnceLock::new();

/// Makes this the library of another language, before anything of it is used.
pub fn choose(front: &'static Front) {
    // The first choice stays.
    let _ = CHOSEN.set(front);
}

/// While the result lives, what the thread does belongs to the program's call of a routine, in findings. The routine's
/// name stands without the prefix.
pub fn called(routine: &str) -> findings::Origin {
    findings::set_origin(|| findings::caller(&format!("{}{routine}", front().prefix)))
}

/// The library that this is.
pub fn front() -> &'static Front {
    CHOSEN.get_or_init(|| &CUDA)
}
