//! Takes accesses out of the space of a thread's locals, unless they are to locals (NVIDIA GPUs).
//!
//! LLVM's OpenMP optimiser gives an access that space where the pointer comes from an `alloca`, or is a parameter that
//! is passed by value (`byval`). Later passes replace the pointer and leave the access. The inliner hands a parameter
//! that is only read the caller's own object. Instcombine reads a constant instead of its copy in an `alloca`. A GPU
//! then reads global memory at a local address, and stops with an error
//! (docs/decisions/0077-address-spaces-on-nvidia-gpus.md).
//!
//! An access through a generic pointer is right wherever the memory is. Code generation finds locals again.

use std::collections::HashMap;

use llvm_sys::LLVMOpcode::*;

use crate::ir::{Builder, Module, Type, Value};

/// `ADDRESS_SPACE_LOCAL` of LLVM's NVPTX back end.
const LOCAL: u32 = 5;

/// Makes accesses to the local space generic, unless all that their address may be is the function's own locals.
pub fn run(module: &Module) {
    for function in module.definitions() {
        let mut generic = Generic {
            module,
            made: HashMap::new(),
        };
        for access in function.instructions() {
            let wrong = wrong_addresses(access);
            let addresses: Option<Vec<Value>> = wrong
                .iter()
                .map(|&index| generic.of(access.operand(index), access))
                .collect();
            if let Some(addresses) = addresses.filter(|addresses| !addresses.is_empty()) {
                generic.readdress(access, &wrong, &addresses);
            }
        }
    }
}

/// Which operands of an instruction are local addresses of memory that it accesses, and may be of other memory.
fn wrong_addresses(access: Value) -> Vec<u32> {
    let addresses = match (access.accessed_operand(), intrinsic(access)) {
        (Some(at), _) => at..at + 1,
        (None, Some("llvm.memset")) => 0..1,
        (None, Some(_)) => 0..2,
        (None, None) => 0..0,
    };
    let wrong = |&index: &u32| {
        let address = access.operand(index);
        address.ty().address_space() == LOCAL && !is_of_locals(address, &mut Vec::new())
    };
    addresses.filter(wrong).collect()
}

/// The intrinsic that a call of one that accesses blocks of memory calls.
fn intrinsic(call: Value) -> Option<&'static str> {
    let name = call.called_function()?.name();
    ["llvm.memcpy", "llvm.memmove", "llvm.memset"]
        .into_iter()
        .find(|prefix| {
            name.strip_prefix(prefix)
                .is_some_and(|types| types.starts_with('.'))
        })
}

/// What an address was made of, where it may be in another space: one pointer, or one of several.
fn sources(address: Value) -> Vec<Value> {
    match address.operation() {
        Some(LLVMGetElementPtr | LLVMAddrSpaceCast) => vec![address.operand(0)],
        Some(LLVMSelect) => vec![address.operand(1), address.operand(2)],
        Some(LLVMPHI) => address
            .incoming()
            .into_iter()
            .map(|(value, _)| value)
            .collect(),
        _ => Vec::new(),
    }
}

/// Whether every address that it may be lies in an `alloca`.
fn is_of_locals(address: Value, seen: &mut Vec<Value>) -> bool {
    if address.operation() == Some(LLVMAlloca) || seen.contains(&address) {
        return true;
    }
    seen.push(address);
    let sources = sources(address);
    !sources.is_empty() && sources.into_iter().all(|source| is_of_locals(source, seen))
}

/// The generic pointers of a function that were made in place of local ones.
struct Generic<'a> {
    module: &'a Module,
    made: HashMap<Value, Value>,
}

impl Generic<'_> {
    /// The generic pointer that a local one was made of, if it can be told. A constant's is made before `user`.
    fn of(&mut self, address: Value, user: Value) -> Option<Value> {
        if address.ty().address_space() != LOCAL {
            return Some(address);
        }
        if let Some(&made) = self.made.get(&address) {
            return Some(made);
        }
        let place = if address.is_instruction() {
            address
        } else {
            user
        };
        let builder = Builder::before(self.module.context, place);
        let made = match address.operation()? {
            LLVMAddrSpaceCast => self.of(address.operand(0), place)?,
            LLVMGetElementPtr => {
                let base = self.of(address.operand(0), place)?;
                builder.element_pointer(
                    address.source_element_type(),
                    base,
                    &address.operands()[1..],
                )
            }
            LLVMSelect => {
                let [yes, no] = [1, 2].map(|index| self.of(address.operand(index), place));
                builder.select(address.operand(0), yes?, no?)
            }
            LLVMPHI => {
                let phi = builder.phi(Type::pointer(self.module.context));
                self.made.insert(address, phi);
                for (value, from) in address.incoming() {
                    let end = from.terminator()?;
                    phi.add_incoming(self.of(value, end)?, from);
                }
                phi
            }
            _ => return None,
        };
        if address.is_instruction() {
            self.made.insert(address, made);
        }
        Some(made)
    }

    /// Gives an access other addresses.
    fn readdress(&self, access: Value, operands: &[u32], addresses: &[Value]) {
        let Some(name) = intrinsic(access) else {
            return access.set_operand(operands[0], addresses[0]);
        };
        let mut arguments = access.arguments();
        for (&index, &address) in operands.iter().zip(addresses) {
            arguments[index as usize] = address;
        }
        let pointers = if name == "llvm.memset" { 1 } else { 2 };
        let mut types: Vec<Type> = arguments[..pointers]
            .iter()
            .map(|pointer| pointer.ty())
            .collect();
        types.push(arguments[2].ty());
        let builder = Builder::before(self.module.context, access);
        let call = builder.call_function(self.module.intrinsic(name, &types), &arguments);
        for index in 0..pointers as u32 {
            if let Some(bytes) = access.argument_alignment(index) {
                call.align_argument(self.module.context, index, bytes);
            }
        }
        // SAFETY: it has no result, and the list of instructions names it once.
        unsafe { access.erase() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(body: &str) -> String {
        let text = format!(
            "target triple = \"nvptx64-nvidia-cuda\"
@table = internal constant [32 x i8] zeroinitializer, align 8
declare void @llvm.memcpy.p0.p5.i64(ptr, ptr addrspace(5), i64, i1)
{body}"
        );
        Module::after(&text, run)
    }

    /// What the inliner leaves of a `byval` parameter that is only read.
    #[test]
    fn the_callers_object_is_read_where_it_is() {
        let text = after(
            "define i64 @k(ptr %pair) {
  %a = getelementptr i8, ptr %pair, i64 8
  %l = addrspacecast ptr %a to ptr addrspace(5)
  %f = getelementptr i8, ptr addrspace(5) %l, i64 8
  %x = load i64, ptr addrspace(5) %f, align 8
  ret i64 %x
}",
        );
        assert!(text.contains("getelementptr i8, ptr %a, i64 8"), "{text}");
        assert!(text.contains("%x = load i64, ptr %"), "{text}");
    }

    /// What instcombine leaves of an `alloca` that only holds a constant's bytes.
    #[test]
    fn a_constant_is_copied_from_where_it_is() {
        let text = after(
            "define void @k(ptr %to) {
  call void @llvm.memcpy.p0.p5.i64(ptr align 8 %to, ptr addrspace(5) align 4 addrspacecast (ptr @table to \
             ptr addrspace(5)), i64 32, i1 false)
  ret void
}",
        );
        assert!(
            text.contains(
                "@llvm.memcpy.p0.p0.i64(ptr align 8 %to, ptr align 4 @table, i64 32, i1 false)"
            ),
            "{text}"
        );
    }

    #[test]
    fn locals_stay_local_and_one_of_two_does_not() {
        let text = after(
            "define void @k(ptr %p, i1 %c) {
  %own = alloca i32
  %l = addrspacecast ptr %own to ptr addrspace(5)
  store i32 1, ptr addrspace(5) %l
  br i1 %c, label %a, label %b
a:
  %m = addrspacecast ptr %p to ptr addrspace(5)
  br label %b
b:
  %n = phi ptr addrspace(5) [ %l, %0 ], [ %m, %a ]
  %o = select i1 %c, ptr addrspace(5) %n, ptr addrspace(5) %l
  store i32 2, ptr addrspace(5) %o
  ret void
}",
        );
        assert!(text.contains("store i32 1, ptr addrspace(5) %l"), "{text}");
        assert!(text.contains("phi ptr [ %own, %0 ], [ %p, %a ]"), "{text}");
        assert!(!text.contains("store i32 2, ptr addrspace(5)"), "{text}");
    }
}
