//! What each intrinsic does, as LLVM assembly: one always-inlined function per intrinsic used.
//!
//! Written as assembly text because that is the language everybody who checks them reads. `nvptx` goes by the
//! chapters of the PTX ISA, `amdgcn` by LLVM's AMDGPU usage and AMD's ISA manuals; what both use is in `engine`.

pub mod amdgcn;
mod body;
pub mod engine;
mod library;
pub mod nvptx;

pub use body::Body;

use super::dialect::Dialect;

/// A declared function that may have a lowering.
pub struct Request<'a> {
    /// Its name.
    pub name: &'a str,
    /// Result type as LLVM prints it.
    pub result: String,
    /// Parameter types as LLVM prints them.
    pub parameters: Vec<String>,
    /// Lanes per warp of the image.
    pub warp_size: u32,
}

/// The function that takes an intrinsic's place.
pub struct Lowering {
    /// Its name.
    pub symbol: String,
    /// Its definition.
    pub definition: String,
    /// How many site indices it takes in front of the intrinsic's own parameters.
    pub sites: usize,
}

/// The lowering of a declared function: an intrinsic of the dialect's, a generic intrinsic with a GPU meaning,
/// or a function of the device's C library.
pub fn lower(dialect: &Dialect, request: &Request<'_>) -> Option<Lowering> {
    let body = match request.name.strip_prefix("llvm.") {
        Some(intrinsic) => match request.name.strip_prefix(dialect.intrinsics) {
            Some(name) => (dialect.lower)(name, request)?,
            None => generic(intrinsic).or_else(|| (dialect.generic)(intrinsic))?,
        },
        None => library::lower(request, dialect.argument_alignment)?,
    };
    let symbol = format!("lower.{}", request.name);
    let sites = ["i32 %site", "i32 %site1"]
        .iter()
        .take(body.sites)
        .map(|&site| site.to_owned());
    let own = request
        .parameters
        .iter()
        .enumerate()
        .map(|(index, ty)| format!("{ty} %a{index}"));
    let parameters = sites.chain(own).collect::<Vec<_>>().join(", ");
    let definition = format!(
        "define {} @\"{symbol}\"({parameters}) {} nounwind {{\n{}\n}}\n",
        request.result,
        body.attributes,
        body.text.trim_end()
    );
    Some(Lowering {
        symbol,
        definition,
        sites: body.sites,
    })
}

/// Generic intrinsics with the same meaning on every GPU.
fn generic(name: &str) -> Option<Body> {
    match name {
        "trap" | "debugtrap" | "ubsantrap" => Body::synchronising(body::call_with_site(
            "call void @vgpu_trap(ptr %cx, i32 %site)",
            "unreachable",
        )),
        _ => None,
    }
}
