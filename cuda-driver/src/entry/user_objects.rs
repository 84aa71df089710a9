//! User objects, and the ends of graphs that hold them.

use std::ffi::c_void;

use cudart::entry::graphs;
use cudart::error::{Code, Result, SUCCESS};

use crate::contexts;
use crate::entry::{in_context, place, started};
use crate::status::answer;
use crate::user_objects::{self, Destructor, Holder};

/// `CU_USER_OBJECT_NO_DESTRUCTOR_SYNC`, the one flag that there is.
const NO_SYNC: u32 = 1;
/// `CU_GRAPH_USER_OBJECT_MOVE`: the program gives its references away.
const MOVE: u32 = 1;

/// Makes an object whose function is called at its end.
///
/// # Safety
/// The address is null or valid, and the function may be called with the data on any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuUserObjectCreate(
    object: *mut *mut c_void,
    data: *mut c_void,
    function: Option<unsafe extern "C" fn(*mut c_void)>,
    count: u32,
    flags: u32,
) -> i32 {
    let create = || {
        contexts::started()?;
        // SAFETY: caller.
        let place = unsafe { place(object)? };
        if flags != NO_SYNC {
            return Err(Code::INVALID_VALUE);
        }
        let function = function.ok_or(Code::INVALID_VALUE)?;
        *place = user_objects::create(Destructor { function, data }, count)? as *mut c_void;
        Ok(())
    };
    answer(create())
}

/// Adds references of the program's.
#[unsafe(no_mangle)]
pub extern "C" fn cuUserObjectRetain(object: *mut c_void, count: u32) -> i32 {
    answer(user_objects::retain(
        Holder::Program,
        object as usize,
        count,
    ))
}

/// Takes them away.
#[unsafe(no_mangle)]
pub extern "C" fn cuUserObjectRelease(object: *mut c_void, count: u32) -> i32 {
    answer(user_objects::release(
        Holder::Program,
        object as usize,
        count,
    ))
}

/// Has a graph keep an object.
#[unsafe(no_mangle)]
pub extern "C" fn cuGraphRetainUserObject(
    graph: *mut c_void,
    object: *mut c_void,
    count: u32,
    flags: u32,
) -> i32 {
    let retain = || -> Result<()> {
        if flags & !MOVE != 0 {
            return Err(Code::INVALID_VALUE);
        }
        graphs::graph(graph)?;
        user_objects::retain(Holder::Graph(graph as usize), object as usize, count)?;
        match flags {
            MOVE => user_objects::release(Holder::Program, object as usize, count),
            _ => Ok(()),
        }
    };
    answer(retain())
}

/// Ends that.
#[unsafe(no_mangle)]
pub extern "C" fn cuGraphReleaseUserObject(
    graph: *mut c_void,
    object: *mut c_void,
    count: u32,
) -> i32 {
    let holder = Holder::Graph(graph as usize);
    answer(user_objects::release(holder, object as usize, count))
}

/// Destroys a graph.
#[unsafe(no_mangle)]
pub extern "C" fn cuGraphDestroy(graph: *mut c_void) -> i32 {
    let code = started(|| graphs::cudaGraphDestroy(graph));
    if code == SUCCESS {
        user_objects::end(Holder::Graph(graph as usize));
    }
    code
}

/// Destroys one that can be launched.
#[unsafe(no_mangle)]
pub extern "C" fn cuGraphExecDestroy(executable: *mut c_void) -> i32 {
    let code = started(|| graphs::cudaGraphExecDestroy(executable));
    if code == SUCCESS {
        user_objects::end(Holder::Executable(executable as usize));
    }
    code
}

/// Makes a graph that can be launched. It keeps what the graph keeps.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphInstantiateWithFlags(
    executable: *mut *mut c_void,
    graph: *mut c_void,
    flags: u64,
) -> i32 {
    // SAFETY: caller.
    let code =
        in_context(|| unsafe { graphs::cudaGraphInstantiateWithFlags(executable, graph, flags) });
    // SAFETY: caller.
    unsafe { kept(code, executable, graph) }
}

/// The same with a structure.
///
/// # Safety
/// The addresses are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphInstantiateWithParams(
    executable: *mut *mut c_void,
    graph: *mut c_void,
    parameters: *mut cudart::abi::InstantiateParameters,
) -> i32 {
    // SAFETY: caller.
    let code = in_context(|| unsafe {
        graphs::cudaGraphInstantiateWithParams(executable, graph, parameters)
    });
    // SAFETY: caller.
    unsafe { kept(code, executable, graph) }
}

/// # Safety
/// With success, the address is valid.
unsafe fn kept(code: i32, executable: *mut *mut c_void, graph: *mut c_void) -> i32 {
    if code == SUCCESS {
        // SAFETY: caller.
        let executable = unsafe { *executable } as usize;
        user_objects::share(
            Holder::Graph(graph as usize),
            Holder::Executable(executable),
        );
    }
    code
}
