//! Which library this is, said when it is loaded.

use cudart::error::Code;
use cudart::front::{Front, choose};

/// AMD's GPUs, else virtual ones, which take the bitcode for them. `etc/omptarget-hip.cfg` has clang compile for an
/// architecture with 64 lanes.
static HIP: Front = Front {
    library: "libamdhip64",
    prefix: "hip",
    families: &["amdgpu", "vgpu"],
    // So does ROCm's runtime.
    beyond_bounds: Code::LAUNCH_FAILURE,
    warp_size: 64,
    magic: 0x4849_5046,
};

extern "C" fn is_loaded() {
    choose(&HIP);
}

/// The loader calls what is in this section before the program's constructors.
#[used]
#[unsafe(link_section = ".init_array")]
static IS_LOADED: extern "C" fn() = is_loaded;
