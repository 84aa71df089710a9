//! What nodes of graphs were made with, and whether they run.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt::Write;

use crate::abi::{
    AllocationParameters, CopyBox, Dim3, FillParameters, HostParameters, KernelParameters,
};
use crate::entry::graphs::{executable, graph};
use crate::entry::place;
use crate::error::{Code, Result, answer};
use crate::graph::described::Described;
use crate::graph::graph_of;
use crate::graph::node::{Node, NodeKind};

/// A node of a handle.
pub fn node(handle: *mut c_void) -> Result<Node> {
    graph_of(handle as usize)?.node(handle as usize)
}

/// What the program said of a node.
pub fn described(handle: *mut c_void) -> Result<Described> {
    node(handle)?.described.ok_or(Code::INVALID_VALUE)
}

/// The launch of a kernel's node. The list of arguments is valid until the node changes.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaGraphKernelNodeGetParams(
    handle: *mut c_void,
    parameters: *mut KernelParameters,
) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(parameters) };
    answer(place.and_then(|place| {
        let node = node(handle)?;
        let launch = node.launch()?;
        let shape = launch.get();
        let size = |[x, y, z]: [u32; 3]| Dim3 { x, y, z };
        *place = KernelParameters {
            function: launch.function as *const c_void,
            grid: size(shape.grid),
            block: size(shape.block),
            shared: shape.dynamic_shared,
            arguments: launch.arguments(),
            extra: std::ptr::null_mut(),
        };
        Ok(())
    }))
}

/// Functions that give the parameters of a sort of node.
macro_rules! asked {
    ($($(#[$doc:meta])* $name:ident: $variant:ident as $type:ty $(, $convert:expr)?;)*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        /// The address is null or valid.
        pub unsafe extern "C" fn $name(node: *mut c_void, parameters: *mut $type) -> i32 {
            // SAFETY: caller.
            let place = unsafe { place(parameters) };
            answer(place.and_then(|place| match described(node)? {
                Described::$variant(found) => {
                    *place = asked!(@value found $(, $convert)?);
                    Ok(())
                }
                _ => Err(Code::INVALID_VALUE),
            }))
        }
    )* };
    (@value $found:ident) => { $found };
    (@value $found:ident, $convert:expr) => { $convert($found) };
}

asked! {
    /// The parameters of a copy.
    cudaGraphMemcpyNodeGetParams: Copy as CopyBox;
    /// The parameters of a fill.
    cudaGraphMemsetNodeGetParams: Fill as FillParameters;
    /// The function of the host that a node calls.
    cudaGraphHostNodeGetParams: Host as HostParameters;
    /// The memory that a node makes.
    cudaGraphMemAllocNodeGetParams: Allocation as AllocationParameters;
    /// The memory whose use a node ends.
    cudaGraphMemFreeNodeGetParams: Free as *mut c_void, |address| address as *mut c_void;
    /// The event that a node records.
    cudaGraphEventRecordNodeGetEvent: Event as *mut c_void, |event| event as *mut c_void;
    /// The event for which a node waits.
    cudaGraphEventWaitNodeGetEvent: Event as *mut c_void, |event| event as *mut c_void;
}

/// Kernels, copies and fills may be left out.
fn may_be_disabled(node: &Node) -> Result<()> {
    match node.kind {
        NodeKind::Kernel | NodeKind::Copy | NodeKind::Fill => Ok(()),
        _ => Err(Code::INVALID_VALUE),
    }
}

/// Has launches of a graph leave a node out, or do it.
pub extern "C" fn cudaGraphNodeSetEnabled(
    handle: *mut c_void,
    node: *mut c_void,
    enabled: u32,
) -> i32 {
    let set = || {
        executable(handle)?.with(node as usize, |node| {
            may_be_disabled(node)?;
            node.is_disabled = enabled == 0;
            Ok(())
        })?
    };
    answer(set())
}

/// Whether launches of a graph do a node.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaGraphNodeGetEnabled(
    handle: *mut c_void,
    node: *mut c_void,
    enabled: *mut u32,
) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(enabled) };
    answer(place.and_then(|place| {
        *place = executable(handle)?.with(node as usize, |node| {
            may_be_disabled(node)?;
            Ok(u32::from(!node.is_disabled))
        })??;
        Ok(())
    }))
}

/// The flags with which a graph was made one that can be launched.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaGraphExecGetFlags(handle: *mut c_void, flags: *mut u64) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(flags) };
    answer(place.and_then(|place| {
        *place = executable(handle)?.flags;
        Ok(())
    }))
}

/// What a node is called in a drawing.
fn label(node: &Node) -> String {
    let kernel = node.launch().ok().map(|launch| {
        let shape = launch.get();
        let name = &launch.kernel.info().name;
        format!("{name}\\n{:?} x {:?}", shape.grid, shape.block)
    });
    kernel.unwrap_or_else(|| format!("{:?}", node.kind))
}

/// Writes a graph in the language of Graphviz. Of the flags none changes it.
///
/// # Safety
/// The path is null or a string.
pub unsafe extern "C" fn cudaGraphDebugDotPrint(
    handle: *mut c_void,
    path: *const c_char,
    _flags: u32,
) -> i32 {
    let write = || {
        let graph = graph(handle)?;
        if path.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        let path = unsafe { CStr::from_ptr(path) };
        let path = path.to_str().map_err(|_| Code::INVALID_VALUE)?;
        let mut text = String::from("digraph graph_of_cuda {\n");
        // Text takes what is written to it.
        for (id, node) in graph.ordered()? {
            let _ = writeln!(text, "  node{id} [shape=box, label=\"{}\"];", label(&node));
        }
        for (from, to) in graph.edges() {
            let _ = writeln!(text, "  node{from} -> node{to};");
        }
        text += "}\n";
        std::fs::write(path, text).map_err(|_| Code::OPERATING_SYSTEM)
    };
    answer(write())
}

/// `cudaLaunchAttributeCooperative`: the one attribute that changes what a kernel does. Others are advice.
const COOPERATIVE: c_int = 2;

/// An attribute of a kernel's node.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaGraphKernelNodeGetAttribute(
    handle: *mut c_void,
    attribute: c_int,
    value: *mut [i32; 16],
) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(value) };
    answer(place.and_then(|place| {
        let node = node(handle)?;
        let launch = node.launch()?.get();
        *place = match attribute {
            COOPERATIVE => [0; 16],
            _ => node.attribute(attribute),
        };
        if attribute == COOPERATIVE {
            place[0] = launch.cooperative.into();
        }
        Ok(())
    }))
}

/// Gives a kernel's node an attribute.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaGraphKernelNodeSetAttribute(
    handle: *mut c_void,
    attribute: c_int,
    value: *const [i32; 16],
) -> i32 {
    let set = || {
        // SAFETY: caller.
        let value = *unsafe { value.as_ref() }.ok_or(Code::INVALID_VALUE)?;
        graph_of(handle as usize)?.change(handle as usize, |node| {
            node.launch()?;
            match attribute {
                COOPERATIVE => node.set_cooperative(value[0] != 0),
                _ => node.set_attribute(attribute, value),
            }
            Ok(())
        })?
    };
    answer(set())
}

/// Gives a kernel's node all attributes of another one.
pub extern "C" fn cudaGraphKernelNodeCopyAttributes(from: *mut c_void, to: *mut c_void) -> i32 {
    // The runtime's first argument is the source, the driver's the destination.
    answer(copy_attributes(from, to))
}

/// The same by names.
pub fn copy_attributes(from: *mut c_void, to: *mut c_void) -> Result<()> {
    let source = node(from)?;
    let cooperative = source.launch()?.get().cooperative;
    graph_of(to as usize)?.change(to as usize, |node| {
        node.launch()?;
        node.set_cooperative(cooperative);
        node.attributes.clone_from(&source.attributes);
        Ok(())
    })?
}
