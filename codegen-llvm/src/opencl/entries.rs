//! Gives kernels the parameters that devices know.
//!
//! A `__local` argument is memory of a work-group, and the host says how much. A device has one block of dynamic shared
//! memory for a launch. So the parameter becomes the offset of the argument's part in that block. Behind the kernel's
//! own parameters come those that `index_space` reads ([`codegen::opencl::HIDDEN_WORDS`]).
//!
//! clang leaves a kernel in two functions: one that other kernels may call (`__clang_ocl_kern_imp_NAME`), and an entry
//! that only calls it. The entry is made anew. Kernels of SPIR-V are one function, which becomes the first of the two.

use anyhow::{Result, bail};
use llvm_sys::LLVMLinkage::LLVMExternalLinkage;

use crate::analysis::kernels;
use crate::analysis::target::SHARED;
use crate::ir::{Builder, Module, Type, Value};

/// The block of dynamic shared memory.
const DYNAMIC: &str = "__omptarget_opencl_local";
/// Its alignment: that of OpenCL's largest type, `double16`.
const ALIGNMENT: u32 = 128;

/// Makes the entries anew; gives them.
pub fn run(module: &Module) -> Result<Vec<Value>> {
    let found = kernels::find(module);
    found
        .into_iter()
        .map(|kernel| entry(module, kernel.function))
        .collect()
}

fn entry(module: &Module, old: Value) -> Result<Value> {
    let context = module.context;
    let calls = |value: &Value| value.is_call() && value.called_function().is_some();
    let name = old.name();
    let implementation = format!("__clang_ocl_kern_imp_{name}");
    let is_that = |call: &Value| {
        let called = call.called_function().map(Value::name);
        called.is_some_and(|called| called == implementation)
    };
    let call = old.instructions().into_iter().filter(calls).find(is_that);
    let body = match call {
        Some(call) => call.called(),
        // A kernel of SPIR-V is in one function, which nobody calls.
        None if old.users().is_empty() => old,
        None => {
            bail!("kernel {name} is called: it was compiled by another clang than 22")
        }
    };
    let parameters = old.parameters();
    let mut types: Vec<Type> = parameters
        .iter()
        .map(|parameter| match is_local(parameter.ty()) {
            true => Type::int(context, 32),
            false => parameter.ty(),
        })
        .collect();
    types.extend([64, 64, 64, 32].map(|bits| Type::int(context, bits)));
    let ty = Type::function(Type::void(context), &types);
    match body == old {
        true => old.set_name(&implementation),
        false => old.set_name(&format!("{name}.old")),
    }
    let new = module.declare(&name, ty);
    new.set_linkage(LLVMExternalLinkage);
    new.set_calling_convention(old.calling_convention());
    new.add_attribute(context, "convergent");
    new.add_attribute(context, "nounwind");
    if body != old {
        new.take_subprogram(old);
    }
    let block = Builder::append_block(context, new, "entry");
    let builder = Builder::at_end(context, block);
    if let Some(call) = call {
        builder.locate_as(call);
    }
    let mut arguments = Vec::new();
    for (index, parameter) in parameters.iter().enumerate() {
        let own = new.parameters()[index];
        let place = index as u32 + 1;
        if let Some(ty) = old.type_attribute_at(place, "byval") {
            new.add_type_attribute_at(context, place, "byval", ty);
            if let Some(bytes) = old.int_attribute_at(place, "align") {
                new.add_int_attribute_at(context, place, "align", bytes);
            }
        }
        arguments.push(match is_local(parameter.ty()) {
            true => builder.byte_offset(dynamic(module), own),
            false => own,
        });
    }
    builder.call_function(body, &arguments);
    builder.return_void();
    for callee in [body, new] {
        callee.remove_attribute("noinline");
    }
    match body == old {
        true => old.set_calling_convention(0),
        // SAFETY: clang calls an implementation, never an entry, and no handle to the entry is used any more.
        false => unsafe { old.delete_function() },
    }
    Ok(new)
}

fn is_local(ty: Type) -> bool {
    ty.is_pointer() && ty.address_space() == SHARED
}

fn dynamic(module: &Module) -> Value {
    if let Some(known) = module.global(DYNAMIC) {
        return known;
    }
    let memory = module.add_global_in(Type::int(module.context, 8).array(0), SHARED);
    memory.set_name(DYNAMIC);
    memory.set_alignment(ALIGNMENT);
    memory
}

/// Removes what keeps functions of different units from being inlined into each other.
pub fn drop_unit_attributes(function: Value) {
    function.remove_attribute("noinline");
    function.remove_attribute("optnone");
    for key in function.text_attribute_keys() {
        function.remove_text_attribute(&key);
    }
}
