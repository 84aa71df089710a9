//! Source locations: of instructions, for messages, and the table that compiled code indexes into.

use std::collections::HashMap;

use vgpu_abi::artifact::Site;

use crate::ir::{Block, Context, Location, Value};

/// The table of source locations under construction. Entry 0 is "unknown".
pub struct SourceLocations {
    context: Context,
    table: Vec<Site>,
    shared: HashMap<Site, u32>,
}

impl SourceLocations {
    /// A table with only the unknown location.
    pub fn new(context: Context) -> SourceLocations {
        SourceLocations {
            context,
            table: vec![Site::default()],
            shared: HashMap::new(),
        }
    }

    /// The index of a synchronising call, shared with no other call.
    ///
    /// Lanes that wait at one index are at one call. So two calls must not share an index even where they share a
    /// source line (a runtime function that is inlined there may synchronise several times). Indices are given before
    /// optimisation, so that what LLVM duplicates stays one call.
    pub fn for_call(&mut self, instruction: Value) -> u32 {
        self.table.push(self.place(instruction));
        self.table.len() as u32 - 1
    }

    /// The index of an instruction's location, for messages only.
    pub fn for_message(&mut self, instruction: Value) -> u32 {
        self.index_of(self.place(instruction))
    }

    /// The index of a place, for messages only.
    pub fn index_of(&mut self, site: Site) -> u32 {
        if let Some(&index) = self.shared.get(&site) {
            return index;
        }
        self.table.push(site.clone());
        let index = self.table.len() as u32 - 1;
        self.shared.insert(site, index);
        index
    }

    /// The table.
    pub fn table(&self) -> Vec<Site> {
        self.table.clone()
    }

    fn place(&self, instruction: Value) -> Site {
        let function = function_name(instruction);
        match place_near(self.context, instruction) {
            Some(frame) => {
                let function = if frame.function.is_empty() {
                    function
                } else {
                    frame.function
                };
                Site {
                    file: frame.file,
                    line: frame.line,
                    column: frame.column,
                    function,
                }
            }
            None => Site {
                function,
                ..Site::default()
            },
        }
    }
}

/// The function that an instruction is in. The device runtime's functions have mangled Rust names.
fn function_name(instruction: Value) -> String {
    format!(
        "{:#}",
        rustc_demangle::demangle(&instruction.block().function().name())
    )
}

/// The innermost frame in the user's source, as opposed to the device runtime's or the compiler's own. If there is
/// none, the outermost frame.
fn user_frame(frames: Vec<Location>) -> Option<Location> {
    let user = frames
        .iter()
        .find(|frame| frame.line != 0 && !is_library(&frame.file))
        .cloned();
    user.or_else(|| frames.into_iter().next_back())
}

/// The place of an instruction in the user's source. One that an optimiser has made of several has a place without a
/// line: that of an instruction which is executed just before it stands for it.
fn place_near(context: Context, instruction: Value) -> Option<Location> {
    let place = user_frame(instruction.locations(context))?;
    if place.line != 0 {
        return Some(place);
    }
    let block = instruction.block();
    let before = std::iter::successors(instruction.previous(), |it| it.previous());
    let branches = block
        .predecessors()
        .into_iter()
        .filter_map(Block::terminator);
    let mut near = before.chain(branches);
    let near = near.find_map(|it| user_frame(it.locations(context)).filter(|near| near.line != 0));
    Some(near.unwrap_or(place))
}

/// Whether a file is a library's. The device runtime and the device math library are Rust; programs are C, C++ or
/// Fortran. clang's headers wrap library functions, and so do those for CUDA.
fn is_library(file: &str) -> bool {
    let headers = [
        "/lib/clang/",
        "/cuda-headers/",
        "/cuda-stub/include/",
        "/hip/include/",
    ];
    file.ends_with(".rs") || headers.iter().any(|folder| file.contains(folder))
}

/// Whether a function is a header's of clang's or of CUDA's.
pub fn is_of_header(context: Context, function: Value) -> bool {
    let mut frames = function.instructions().into_iter().flat_map(|it| {
        let frames = it.locations(context);
        frames.into_iter().next_back()
    });
    let frame = frames.find(|frame| frame.line != 0);
    frame.is_some_and(|frame| is_library(&frame.file) && !frame.file.ends_with(".rs"))
}

/// Where an instruction is, for error messages: `in function f (file.c:3:5)`.
pub fn describe(context: Context, instruction: Value) -> String {
    let function = function_name(instruction);
    match user_frame(instruction.locations(context)) {
        Some(frame) if frame.line != 0 => {
            format!(
                "in function `{function}` ({}:{}:{})",
                frame.file, frame.line, frame.column
            )
        }
        _ => format!("in function `{function}` (compile with -g for the line)"),
    }
}

/// Where a value is used: the first instruction that uses it, directly or through constants.
pub fn describe_use(context: Context, value: Value) -> String {
    match first_instruction(value, 8) {
        Some(instruction) => describe(context, instruction),
        None => "in the initializer of a variable".to_owned(),
    }
}

fn first_instruction(value: Value, depth: u32) -> Option<Value> {
    if depth == 0 {
        return None;
    }
    let users = value.users();
    let direct = users.iter().copied().find(|user| user.is_instruction());
    direct.or_else(|| {
        users
            .into_iter()
            .find_map(|user| first_instruction(user, depth - 1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(file: &str, line: u32) -> Location {
        Location {
            file: file.into(),
            line,
            ..Location::default()
        }
    }

    #[test]
    fn innermost_user_frame_wins() {
        let header = frame("/usr/lib/clang/22/include/__clang_cuda_math.h", 297);
        let frames = vec![
            frame("sync.rs", 4),
            header,
            frame(
                "dist/cuda-headers/12/include/device_atomic_functions.hpp",
                226,
            ),
            frame("a.c", 9),
            frame("a.c", 20),
        ];
        assert_eq!(user_frame(frames), Some(frame("a.c", 9)));
    }

    #[test]
    fn runtime_frames_alone_give_the_outermost() {
        assert_eq!(
            user_frame(vec![frame("sync.rs", 4), frame("kernel.rs", 7)]),
            Some(frame("kernel.rs", 7))
        );
        assert_eq!(user_frame(Vec::new()), None);
    }
}
