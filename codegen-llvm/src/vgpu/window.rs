//! Checks that accesses stay in the device window.
//!
//! Needs: lowerings inlined, no unreachable blocks. Leaves: a check before every access whose address is not known to
//! be the device's. A check that fails asks for memory of the host's that the program has registered; else it ends the
//! kernel, and reports the address and the source location.
//!
//! What is checked is the *base* of an address, the pointer that index arithmetic starts from: it must lie in the
//! device window (`vgpu_abi`). If it does not, the address itself decides, as the base of an array section may lie far
//! in front of the section. An address outside with a base inside would need an index of 2^40 bytes; that is left to
//! the CPU's own protection. Checking bases makes one check serve all accesses through a pointer, and lets LLVM move
//! it out of loops.
//!
//! Local variables, device variables, shared memory, the context, the launch environment with its buffer, and what the
//! device heap returned need no check.

use std::collections::{HashMap, HashSet};
use std::mem::offset_of;

use anyhow::Result;
use llvm_sys::LLVMOpcode;
use vgpu_abi::{ThreadContext, WINDOW_SHIFT};

use super::host::reads_stack_pointer;
use super::unit::Unit;
use crate::analysis::control_flow::ControlFlow;
use crate::ir::{Block, Builder, Type, Value};

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    if !unit.options.window_check {
        return Ok(());
    }
    let functions: Vec<_> = unit
        .module
        .definitions()
        .into_iter()
        .filter(|function| !function.name().starts_with("vgpu."))
        .collect();
    unit.add_library(&library(unit.options.window))?;
    let mut pass = WindowPass {
        checker: unit.library_function("vgpu.check")?,
        ranger: unit.library_function("vgpu.check_range")?,
        environments: launch_environments(unit),
        unit,
    };
    functions
        .into_iter()
        .for_each(|function| pass.function(function));
    Ok(())
}

/// The checks. `vgpu.check` is inlined; the code after a failed check of the base is out of line.
fn library(window: u64) -> String {
    format!(
        r#"
define void @vgpu.check(ptr %base, ptr %address, i32 %site, i32 %write) alwaysinline nounwind {{
  %bits = ptrtoint ptr %base to i64
  %window = lshr i64 %bits, {WINDOW_SHIFT}
  %inside = icmp eq i64 %window, {window}
  br i1 %inside, label %done, label %suspect, !prof !1
suspect:
  call void @vgpu.check_exact(ptr %address, i32 %site, i32 %write)
  br label %done
done:
  ret void
}}
define internal void @vgpu.check_exact(ptr %address, i32 %site, i32 %write)
  noinline cold nounwind memory(inaccessiblemem: readwrite) {{
  %bits = ptrtoint ptr %address to i64
  %window = lshr i64 %bits, {WINDOW_SHIFT}
  %inside = icmp eq i64 %window, {window}
  br i1 %inside, label %done, label %outside
outside:
  %cx = call ptr @vgpu.context()
  %reached = call i32 @vgpu_reaches_host(ptr %cx, i64 %bits)
  %is.wild = icmp eq i32 %reached, 0
  br i1 %is.wild, label %wild, label %done
wild:
  call void @vgpu_wild_access(ptr %cx, i32 %site, i64 %bits, i32 %write)
  unreachable
done:
  ret void
}}
define void @vgpu.check_range(ptr %first, i64 %size, i32 %site, i32 %write)
  noinline nounwind memory(inaccessiblemem: readwrite) {{
  %none = icmp eq i64 %size, 0
  br i1 %none, label %done, label %check
check:
  call void @vgpu.check_exact(ptr %first, i32 %site, i32 %write)
  %to.last = sub i64 %size, 1
  %last = getelementptr i8, ptr %first, i64 %to.last
  call void @vgpu.check_exact(ptr %last, i32 %site, i32 %write)
  br label %done
done:
  ret void
}}
!1 = !{{!"branch_weights", i32 1048575, i32 1}}
declare i32 @vgpu_reaches_host(ptr, i64) cold nounwind memory(inaccessiblemem: readwrite)
declare void @vgpu_wild_access(ptr, i32, i64, i32) cold noreturn nounwind memory(inaccessiblemem: readwrite)
"#
    )
}

/// The kernels' launch environments: the first parameter of a kernel that has a kernel environment. The host runtime
/// makes them, and the buffer for reductions that they name, in device memory (docs/abi.md, section 4).
fn launch_environments(unit: &Unit) -> HashSet<Value> {
    let kernels = unit.kernels.iter().filter(|kernel| {
        let environment = format!("{}_kernel_environment", kernel.name);
        unit.module.global(&environment).is_some()
    });
    kernels
        .filter_map(|kernel| kernel.function.parameters().into_iter().next())
        .collect()
}

/// One memory access of an instruction.
struct Access {
    address: Value,
    /// Bytes, unless the check of the first byte covers the access.
    size: Option<Value>,
    write: bool,
}

struct WindowPass<'a> {
    unit: &'a mut Unit,
    checker: Value,
    ranger: Value,
    /// See [`launch_environments`].
    environments: HashSet<Value>,
}

impl WindowPass<'_> {
    fn function(&mut self, function: Value) {
        let flow = ControlFlow::new(function);
        let mut checked: HashMap<Value, HashSet<Block>> = HashMap::new();
        let mut origins: HashMap<Value, Value> = HashMap::new();
        for &block in flow.blocks() {
            for instruction in block.instructions() {
                for access in accesses(instruction) {
                    let base = base_of(access.address);
                    let base = *origins.entry(base).or_insert_with(|| origin_of(base));
                    if access.size.is_none() {
                        let before = checked.entry(base).or_default();
                        if flow
                            .dominators(block)
                            .any(|dominator| before.contains(&dominator))
                        {
                            continue;
                        }
                        before.insert(block);
                    }
                    if !self.is_device(base) {
                        self.check(instruction, base, &access);
                    }
                }
            }
        }
    }

    /// Whether a base is the device's by construction.
    fn is_device(&self, base: Value) -> bool {
        has_only_sources(base, |source| {
            is_device_source(source) || self.is_of_launch(source)
        })
    }

    /// Whether a value is a kernel's launch environment, or a pointer that is in it.
    fn is_of_launch(&self, value: Value) -> bool {
        let from = match value.opcode() {
            Some(LLVMOpcode::LLVMLoad) => base_of(value.operand(0)),
            _ => value,
        };
        self.environments.contains(&from)
    }

    fn check(&mut self, instruction: Value, base: Value, access: &Access) {
        let context = self.unit.context();
        let int = |value: u32| Value::int(Type::int(context, 32), u64::from(value));
        let site = int(self.unit.locations.for_message(instruction));
        let write = int(u32::from(access.write));
        let builder = Builder::before(context, instruction);
        let flat = |pointer: Value| builder.to_space(pointer, Type::pointer(context));
        let address = flat(access.address);
        match access.size {
            Some(size) => {
                let size = builder.cast_unsigned(size, Type::int(context, 64));
                builder.call_function(self.ranger, &[address, size, site, write])
            }
            None => builder.call_function(self.checker, &[flat(base), address, site, write]),
        };
    }
}

/// The accesses of an instruction through pointers.
fn accesses(instruction: Value) -> Vec<Access> {
    let one = |address, write| {
        vec![Access {
            address,
            size: None,
            write,
        }]
    };
    match instruction.opcode() {
        Some(LLVMOpcode::LLVMLoad) => one(instruction.operand(0), false),
        Some(LLVMOpcode::LLVMStore) => one(instruction.operand(1), true),
        Some(LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg) => {
            one(instruction.operand(0), true)
        }
        Some(LLVMOpcode::LLVMCall) => transfer(instruction),
        _ => Vec::new(),
    }
}

/// The accesses of `llvm.mem*` and masked intrinsics.
fn transfer(call: Value) -> Vec<Access> {
    let Some(name) = call
        .called_function()
        .map(Value::name)
        .filter(|name| name.starts_with("llvm."))
    else {
        return Vec::new();
    };
    let arguments = call.arguments();
    let all = |address: Value, write| {
        // A copy or fill of a known, small size is an access like any other.
        let size = arguments[2];
        let small = size.as_int().is_some_and(|bytes| bytes <= 4096);
        Access {
            address,
            size: (!small).then_some(size),
            write,
        }
    };
    if arguments
        .get(2)
        .is_some_and(|size| size.as_int() == Some(0))
    {
        return Vec::new();
    }
    if name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove.") {
        return vec![all(arguments[1], false), all(arguments[0], true)];
    }
    if name.starts_with("llvm.memset.") {
        return vec![all(arguments[0], true)];
    }
    if name.starts_with("llvm.masked.load.") {
        return vec![Access {
            address: arguments[0],
            size: None,
            write: false,
        }];
    }
    if name.starts_with("llvm.masked.store.") {
        return vec![Access {
            address: arguments[1],
            size: None,
            write: true,
        }];
    }
    Vec::new()
}

/// The pointer that an address's arithmetic starts from. The search ends: only unreachable blocks can hold arithmetic
/// that starts from itself, and those are gone.
pub(super) fn base_of(mut address: Value) -> Value {
    use LLVMOpcode::{LLVMAddrSpaceCast, LLVMBitCast, LLVMGetElementPtr};
    while let Some(LLVMGetElementPtr | LLVMAddrSpaceCast | LLVMBitCast) = address.operation() {
        address = address.operand(0);
    }
    address
}

/// The base that all have which a base may be chosen from: a pointer that counts in a loop starts from one. It is
/// computed before the choice, as it is before all that is chosen from.
fn origin_of(base: Value) -> Value {
    let mut sources = HashSet::new();
    let (mut seen, mut pending) = (HashSet::from([base]), vec![base]);
    while let Some(value) = pending.pop() {
        match choices(value) {
            Some(choices) => {
                let bases = choices.into_iter().map(base_of);
                pending.extend(bases.filter(|&choice| seen.insert(choice)));
            }
            None => {
                sources.insert(value);
            }
        }
        if sources.len() > 1 {
            return base;
        }
    }
    sources.into_iter().next().unwrap_or(base)
}

/// Whether an address lies in the shared memory of the block by construction.
pub fn is_shared(address: Value) -> bool {
    has_only_sources(base_of(address), is_shared_base)
}

/// Whether an address lies in a local or constant variable by construction.
pub fn is_local_or_constant(address: Value) -> bool {
    has_only_sources(base_of(address), |source| match source.opcode() {
        None => source.is_global_variable() && source.is_constant_variable(),
        Some(opcode) => opcode == LLVMOpcode::LLVMAlloca,
    })
}

/// Whether every value that a base may be chosen from is the device's. Phis and selects can form cycles and long
/// chains, hence a list and no recursion.
fn has_only_sources(base: Value, is_source: impl Fn(Value) -> bool) -> bool {
    let mut seen = HashSet::from([base]);
    let mut pending = vec![base];
    while let Some(value) = pending.pop() {
        if let Some(choices) = choices(value) {
            let bases = choices.into_iter().map(base_of);
            pending.extend(bases.filter(|&choice| seen.insert(choice)));
        } else if !is_source(value) {
            return false;
        }
    }
    true
}

/// The values that a phi or a select chooses from; `None` for anything else.
fn choices(value: Value) -> Option<Vec<Value>> {
    match value.opcode()? {
        LLVMOpcode::LLVMSelect => Some(vec![value.operand(1), value.operand(2)]),
        LLVMOpcode::LLVMPHI => {
            let incoming = value.incoming().into_iter();
            Some(incoming.map(|(value, _)| value).collect())
        }
        _ => None,
    }
}

/// Whether a value that is no phi or select is an address of the device's.
fn is_device_source(value: Value) -> bool {
    match value.opcode() {
        None => value.is_global_variable(),
        Some(LLVMOpcode::LLVMAlloca) => true,
        // The context, and the pointers that the engine keeps in it, such as the start of shared memory.
        Some(LLVMOpcode::LLVMIntToPtr) => is_context(value.operand(0)),
        Some(LLVMOpcode::LLVMLoad) => {
            let from = base_of(value.operand(0));
            from.opcode() == Some(LLVMOpcode::LLVMIntToPtr) && is_context(from.operand(0))
        }
        Some(LLVMOpcode::LLVMCall) => value.called_function().is_some_and(|function| {
            matches!(
                function.name().as_str(),
                "vgpu_malloc" | "vgpu_realloc" | "vgpu.shared_base" | "vgpu.context"
            )
        }),
        _ => false,
    }
}

/// Whether a value is the start of the block's shared memory, read from the context.
fn is_shared_base(value: Value) -> bool {
    if value.opcode() != Some(LLVMOpcode::LLVMLoad) {
        return false;
    }
    let field = value.operand(0);
    let offset = match field.opcode() {
        Some(LLVMOpcode::LLVMGetElementPtr) if field.operand_count() == 2 => field.operand(1),
        _ => return false,
    };
    let context = field.operand(0);
    offset.as_int() == Some(offset_of!(ThreadContext, shared_base) as u64)
        && context.opcode() == Some(LLVMOpcode::LLVMIntToPtr)
        && is_context(context.operand(0))
}

/// Whether an integer is derived from the stack pointer as `vgpu.context` does it.
fn is_context(value: Value) -> bool {
    match value.opcode() {
        Some(LLVMOpcode::LLVMOr | LLVMOpcode::LLVMAnd) => is_context(value.operand(0)),
        Some(LLVMOpcode::LLVMCall) => reads_stack_pointer(value.called()),
        _ => false,
    }
}
