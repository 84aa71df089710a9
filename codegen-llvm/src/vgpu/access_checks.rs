//! With `--check`: announces accesses to memory to the engine, before they are made.
//!
//! Needs: the image's own instructions and variables, inline assembly as intrinsics, the host's triple and layout.
//! Leaves: calls of `vgpu.check_access` and its like, which both forms of a kernel have code for.
//!
//! An access to a variable that the code names is compared with the variable's size at once. Nothing is left of that
//! where LLVM knows the place. The engine compares all other accesses with its shadow memory. Local variables that no
//! other thread can reach are of interest to it only where reads are checked (`checked_locals`).

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use llvm_sys::LLVMOpcode;
use vgpu_abi::{AccessKind, CHECKED_SYMBOLS, checked_symbol};

use super::checked_instructions::{
    SYNCWARP, alignment, atomic, calls_one_of, fence, has_members, is_store, stored_value,
};
use super::checked_locks::Lock;
use super::unit::Unit;
use super::window::base_of;
use super::{checked_headers, checked_locals, checked_locks, checked_tasks};
use crate::analysis::variable_names;
use crate::ir::{Builder, Layout, Location, Type, Value};

/// Announces an access.
const ACCESS: &str = "vgpu.check_access";
/// Compares an access with the object that it names.
const OBJECT: &str = "vgpu.check_object";
/// Announces a fence.
const FENCE: &str = "vgpu.check_fence";
/// Announces that a thread comes to lanes that it waits for.
const ARRIVE: &str = "vgpu.check_arrive";
/// Announces that it has waited for them.
const SYNC: &str = "vgpu.check_sync";
/// Announces that a thread has met the members of a mask.
const MEMBERS: &str = "vgpu.check_members";

/// The functions of the heap.
const HEAP: [&str; 3] = ["malloc", "realloc", "free"];

/// Most bytes of a copy whose contents are compared with what other threads write there.
const LARGEST_STRUCTURE: u64 = 128;

/// How the device runtime's variables are called.
const RUNTIME_VARIABLES: [&str; 2] = ["omptarget.", "__omp"];

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    let checks = unit.options.checks;
    if !checks.any() {
        return Ok(());
    }
    checked_headers::inline(unit)?;
    let functions = unit.module.definitions();
    // Functions that were known not to write memory do so now.
    functions
        .iter()
        .for_each(|function| function.remove_attribute("memory"));
    unit.add_library(LIBRARY)?;
    let mut pass = AccessPass {
        access: unit.library_function(ACCESS)?,
        object: unit.library_function(OBJECT)?,
        fence: unit.library_function(FENCE)?,
        arrive: unit.library_function(ARRIVE)?,
        sync: unit.library_function(SYNC)?,
        members: unit.library_function(MEMBERS)?,
        layout: unit.module.layout(),
        has_lines: !unit.module.named_metadata("llvm.dbg.cu").is_empty(),
        locals: HashSet::new(),
        declarations: HashMap::new(),
        unit,
    };
    // Only lines tell which reads are the program's and which an optimiser has moved.
    if checks.init && pass.has_lines {
        pass.locals = checked_locals::of(&functions, pass.layout);
    }
    for &function in &functions {
        pass.declarations = function.local_declarations(pass.unit.context());
        for instruction in function.instructions() {
            pass.instruction(instruction);
        }
    }
    checked_locks::release(pass.unit);
    checked_locals::announce(pass.unit.context(), pass.layout, &pass.locals, pass.access);
    if checks.race {
        checked_tasks::announce(unit, &functions)?;
    }
    Ok(())
}

/// The pass `inline-checks`: so far the announcements were calls, which warp forms take for all lanes at once. In a
/// thread's form their code stands in their places.
pub fn expand(unit: &mut Unit) -> Result<()> {
    for name in [
        ACCESS,
        OBJECT,
        FENCE,
        ARRIVE,
        SYNC,
        MEMBERS,
        checked_tasks::TASK,
    ] {
        if let Some(function) = unit.module.function(name) {
            function.remove_attribute("noinline");
            function.add_attribute(unit.context(), "alwaysinline");
        }
    }
    Ok(())
}

/// The pass `checked-calls`: barriers and the heap are the checker's.
pub fn redirect(unit: &mut Unit) -> Result<()> {
    if unit.options.checks.any() {
        for symbol in CHECKED_SYMBOLS {
            if let Some(function) = unit.module.function(symbol) {
                function.set_name(&checked_symbol(symbol));
            }
        }
    }
    Ok(())
}

/// The announcements. All but the comparison are the engine's.
const LIBRARY: &str = r#"
define void @vgpu.check_access(ptr %address, i64 %size, i64 %value, i32 %site, i32 %kind)
  noinline nounwind memory(inaccessiblemem: readwrite) {
  %cx = call ptr @vgpu.context()
  call void @vgpu_access(ptr %cx, i32 %site, i32 %kind, i64 %size, ptr %address, i64 %value)
  ret void
}
define void @vgpu.check_object(ptr %object, i64 %extent, ptr %address, i64 %size, i32 %site, i32 %kind, i32 %declaration)
  noinline nounwind memory(inaccessiblemem: readwrite) {
  %first = ptrtoint ptr %object to i64
  %bits = ptrtoint ptr %address to i64
  %offset = sub i64 %bits, %first
  %room = sub i64 %extent, %size
  %outside = icmp ugt i64 %offset, %room
  br i1 %outside, label %report, label %done, !prof !0
report:
  %cx = call ptr @vgpu.context()
  call void @vgpu_outside(ptr %cx, i32 %site, i32 %kind, i64 %size, ptr %address, ptr %object, i64 %extent,
    i32 %declaration)
  br label %done
done:
  ret void
}
define void @vgpu.check_fence(i32 %kind) noinline nounwind memory(inaccessiblemem: readwrite) {
  %cx = call ptr @vgpu.context()
  call void @vgpu_fence(ptr %cx, i32 %kind)
  ret void
}
define void @vgpu.check_arrive(i32 %mask) noinline nounwind memory(inaccessiblemem: readwrite) {
  %cx = call ptr @vgpu.context()
  %lanes = zext i32 %mask to i64
  call void @vgpu_lanes_arrive(ptr %cx, i64 %lanes)
  ret void
}
define void @vgpu.check_sync(i32 %mask) noinline nounwind memory(inaccessiblemem: readwrite) {
  %cx = call ptr @vgpu.context()
  %lanes = zext i32 %mask to i64
  call void @vgpu_lanes_leave(ptr %cx, i64 %lanes)
  ret void
}
define void @vgpu.check_members(i32 %mask, i32 %site) noinline nounwind memory(inaccessiblemem: readwrite) {
  %cx = call ptr @vgpu.context()
  call void @vgpu_members(ptr %cx, i32 %site)
  ret void
}
declare void @vgpu_access(ptr, i32, i32, i64, ptr captures(none), i64) nounwind memory(inaccessiblemem: readwrite)
declare void @vgpu_outside(ptr, i32, i32, i64, ptr captures(none), ptr captures(none), i64, i32)
  cold nounwind memory(inaccessiblemem: readwrite)
declare void @vgpu_fence(ptr, i32) nounwind memory(inaccessiblemem: readwrite)
declare void @vgpu_lanes_arrive(ptr, i64) nounwind memory(inaccessiblemem: readwrite)
declare void @vgpu_lanes_leave(ptr, i64) nounwind memory(inaccessiblemem: readwrite)
declare void @vgpu_members(ptr, i32) nounwind memory(inaccessiblemem: readwrite)
!0 = !{!"branch_weights", i32 1, i32 1048575}
"#;

/// One access of an instruction.
struct Access {
    address: Value,
    /// Bytes, an integer of 64 bits.
    size: Value,
    kind: AccessKind,
    /// What is stored, if that is a scalar of up to 64 bits, or 128 bits of numbers.
    value: Option<Value>,
}

struct AccessPass<'a> {
    unit: &'a mut Unit,
    layout: Layout,
    /// Whether the image has debug information.
    has_lines: bool,
    access: Value,
    object: Value,
    fence: Value,
    arrive: Value,
    sync: Value,
    members: Value,
    /// The local variables whose reads are checked.
    locals: HashSet<Value>,
    /// The declarations of the present function's locals.
    declarations: HashMap<Value, Location>,
}

impl AccessPass<'_> {
    fn instruction(&mut self, instruction: Value) {
        if self.unit.options.checks.of_accesses() {
            for access in self.accesses(instruction) {
                self.align(instruction, &access);
                self.announce(instruction, &access);
            }
        }
        if self.unit.options.checks.sync
            && has_members(instruction)
            && !self.is_foreign(instruction)
        {
            let mask = instruction.operand(0);
            let site = self.place(instruction);
            self.after(instruction)
                .call_function(self.members, &[mask, site]);
        }
        if self.unit.options.checks.memory && calls_one_of(instruction, &HEAP) {
            self.announce_place(instruction);
        }
        let checks = self.unit.options.checks;
        if (checks.race || checks.sync)
            && let Some(lock) = checked_locks::lock_of(instruction)
        {
            self.announce_lock(instruction, lock);
        }
        if !checks.race {
            return;
        }
        if let Some(kind) = fence(instruction) {
            let kind = self.kind(kind);
            self.after(instruction).call_function(self.fence, &[kind]);
        }
        if calls_one_of(instruction, &[SYNCWARP]) {
            let mask = instruction.operand(0);
            Builder::before(self.unit.context(), instruction).call_function(self.arrive, &[mask]);
            self.after(instruction).call_function(self.sync, &[mask]);
        }
    }

    /// Compares an address with the alignment that NVIDIA's GPUs need (CUDA C++ Programming Guide, "Device Memory
    /// Accesses"). AMD's read and write at any address.
    fn align(&mut self, instruction: Value, access: &Access) {
        let wants = self.unit.options.checks.memory && !self.unit.dialect.target.lockstep;
        let Some(alignment) = alignment(instruction).filter(|&bytes| wants && bytes > 1) else {
            return;
        };
        let base = base_of(access.address);
        // A variable has its own alignment, or more.
        if base.opcode() == Some(LLVMOpcode::LLVMAlloca) || is_runtime_variable(base) {
            return;
        }
        let context = self.unit.context();
        let site = self.place(instruction);
        let kind = self.kind(access.kind.and(AccessKind::ALIGNMENT));
        let (wide, flat) = (Type::int(context, 64), Type::pointer(context));
        let builder = Builder::before(context, instruction);
        let address = builder.to_space(access.address, flat);
        let bits = builder.cast(LLVMOpcode::LLVMPtrToInt, address, wide);
        let mask = Value::int(wide, !(alignment - 1));
        let before = builder.binary(LLVMOpcode::LLVMAnd, bits, mask);
        let before = builder.cast(LLVMOpcode::LLVMIntToPtr, before, flat);
        let wanted = Value::int(Type::int(context, 32), alignment);
        let arguments = [
            before,
            access.size,
            address,
            access.size,
            site,
            kind,
            wanted,
        ];
        builder.call_function(self.object, &arguments);
    }

    /// Says where the heap is used.
    fn announce_place(&mut self, call: Value) {
        let context = self.unit.context();
        let int = Type::int(context, 32);
        let site = self.place(call);
        let nowhere = Value::zero(Type::pointer(context));
        let none = self.number(0);
        let arguments = [nowhere, none, none, site, Value::zero(int)];
        Builder::before(context, call).call_function(self.access, &arguments);
    }

    /// Says that the memory at an address is a lock, and whether it is given back.
    fn announce_lock(&mut self, call: Value, lock: Lock) {
        let context = self.unit.context();
        let site = self.place(call);
        let kind = AccessKind::LOCK.and(AccessKind::ORDER);
        let kind = self.kind(match lock.is_released {
            true => kind.and(AccessKind::RELEASE),
            false => kind,
        });
        let builder = Builder::before(context, call);
        let address = builder.to_space(lock.address, Type::pointer(context));
        let arguments = [address, self.number(4), self.number(0), site, kind];
        builder.call_function(self.access, &arguments);
    }

    fn announce(&mut self, instruction: Value, access: &Access) {
        let base = base_of(access.address);
        let own = is_runtime_variable(base);
        if own && !self.concerns_program(access.kind) {
            return;
        }
        let extent = self.extent(base);
        let fits = || {
            let offset = self.offset(base, access.address)?;
            Some(offset.checked_add(access.size.as_int()?)? <= extent?)
        };
        let inside = fits().unwrap_or(false);
        let local = base.opcode() == Some(LLVMOpcode::LLVMAlloca);
        let checks = self.unit.options.checks;
        let named = extent.filter(|_| checks.memory && !inside);
        // What the code names lies where it may lie if its offset is in bounds, which the first comparison says.
        let announced = match local {
            true => self.locals.contains(&base),
            false => checks.race || checks.init || extent.is_none(),
        };
        if named.is_none() && !announced {
            return;
        }
        let context = self.unit.context();
        let site = self.place(instruction);
        let mut kind = access.kind;
        if local {
            kind = kind.and(AccessKind::PRIVATE);
        }
        if own {
            kind = kind.and(AccessKind::ORDER);
        }
        // A copy of a local is no use of it: a structure may have members that nobody has set.
        if self.is_foreign(instruction) || local && instruction.is_call() {
            kind = kind.and(AccessKind::FOREIGN);
        }
        if access.value.is_some() {
            kind = kind.and(AccessKind::VALUE);
        }
        let kind = self.kind(kind);
        let declaration = match named.is_some() || local {
            true => self.declaration(base),
            false => 0,
        };
        let builder = Builder::before(context, instruction);
        let flat = |pointer: Value| builder.to_space(pointer, Type::pointer(context));
        let address = flat(access.address);
        if let Some(extent) = named {
            let extent = Value::int(Type::int(context, 64), extent);
            let declaration = Value::int(Type::int(context, 32), declaration.into());
            let arguments = [
                flat(base),
                extent,
                address,
                access.size,
                site,
                kind,
                declaration,
            ];
            builder.call_function(self.object, &arguments);
        }
        if announced {
            let value = match local && access.value.is_none() {
                true => self.number(declaration.into()),
                false => self.number_of(&builder, access.value),
            };
            let arguments = [address, access.size, value, site, kind];
            builder.call_function(self.access, &arguments);
        }
    }

    /// The site of an instruction.
    fn place(&mut self, instruction: Value) -> Value {
        let site = self.unit.locations.for_message(instruction);
        Value::int(Type::int(self.unit.context(), 32), site.into())
    }

    /// The site of a variable's declaration; 0 if nothing is known of it.
    fn declaration(&mut self, variable: Value) -> u32 {
        let declared = match variable.is_global_variable() {
            true => variable_names::of_global(self.unit.context(), variable),
            false => {
                let local = self.declarations.get(&variable).cloned();
                local.map(variable_names::site)
            }
        };
        declared.map_or(0, |site| self.unit.locations.index_of(site))
    }

    /// Whether an access to a variable of the device runtime's matters for the program: atomic operations order its
    /// threads, and what the runtime writes there the program may read through a pointer.
    fn concerns_program(&self, kind: AccessKind) -> bool {
        let checks = self.unit.options.checks;
        checks.race && kind.has(AccessKind::ATOMIC) || checks.init && kind.has(AccessKind::WRITE)
    }

    /// The accesses of an instruction through pointers.
    fn accesses(&self, instruction: Value) -> Vec<Access> {
        let volatile = match instruction.opcode() {
            Some(LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMStore) if instruction.is_volatile() => {
                AccessKind::ATOMIC.and(AccessKind::VOLATILE)
            }
            _ => AccessKind(0),
        };
        let one = |pointer: u32, ty: Type, kind: AccessKind| {
            vec![Access {
                address: instruction.operand(pointer),
                size: self.number(self.layout.store_size(ty)),
                kind: kind.and(volatile).and(atomic(instruction)),
                value: stored_value(self.layout, instruction),
            }]
        };
        let update = AccessKind::READ.and(AccessKind::WRITE);
        match instruction.opcode() {
            Some(LLVMOpcode::LLVMLoad) => one(0, instruction.ty(), AccessKind::READ),
            Some(LLVMOpcode::LLVMStore) => one(1, instruction.operand(0).ty(), AccessKind::WRITE),
            Some(LLVMOpcode::LLVMAtomicRMW) => {
                let kind = match is_store(instruction) {
                    true => AccessKind::WRITE,
                    false => update,
                };
                one(0, instruction.operand(1).ty(), kind)
            }
            Some(LLVMOpcode::LLVMAtomicCmpXchg) => one(0, instruction.operand(1).ty(), update),
            Some(LLVMOpcode::LLVMCall) => self.transfer(instruction),
            _ => Vec::new(),
        }
    }

    /// The accesses of `llvm.memcpy` and its like.
    fn transfer(&self, call: Value) -> Vec<Access> {
        let name = call.called_function().map(Value::name).unwrap_or_default();
        let copies = ["llvm.memcpy.", "llvm.memmove."];
        let copies = copies.iter().any(|intrinsic| name.starts_with(intrinsic));
        if !copies && !name.starts_with("llvm.memset.") {
            return Vec::new();
        }
        let wide = Type::int(self.unit.context(), 64);
        let size = match call.operand(2).as_int() {
            Some(size) => Value::int(wide, size),
            None => Builder::before(self.unit.context(), call).cast_unsigned(call.operand(2), wide),
        };
        let access = |operand, kind| Access {
            address: call.operand(operand),
            size,
            kind,
            value: None,
        };
        let mut write = access(0, AccessKind::WRITE);
        if self.unit.options.checks.race {
            write.value = match copies {
                true => self.copied(call, size.as_int().unwrap_or(0)),
                false => Some(call.operand(1)),
            };
        }
        if !copies {
            return vec![write];
        }
        vec![access(1, AccessKind::READ), write]
    }

    /// What `llvm.memcpy` writes, as one number: threads that all copy the same structure are known to. `None` for
    /// nothing and for long copies.
    fn copied(&self, call: Value, bytes: u64) -> Option<Value> {
        if bytes == 0 || bytes > LARGEST_STRUCTURE {
            return None;
        }
        let context = self.unit.context();
        let wide = Type::int(context, 64);
        let builder = Builder::before(context, call);
        let word = |offset: u64| {
            let bits = Type::int(context, 8 * (bytes - offset).min(8) as u32);
            let place = builder.byte_offset(call.operand(1), Value::int(wide, offset));
            let loaded = builder.load(bits, place);
            loaded.set_alignment(1);
            builder.cast_unsigned(loaded, wide)
        };
        let more = (8..bytes).step_by(8);
        Some(more.fold(word(0), |sum, offset| {
            self.mixed(&builder, sum, word(offset))
        }))
    }

    /// Bytes of a variable; `None` for anything else, and for a variable whose size the launch decides.
    fn extent(&self, base: Value) -> Option<u64> {
        let size = match base.opcode() {
            None if base.is_global_variable() => self.layout.alloc_size(base.value_type()),
            _ => self.layout.local_size(base)?,
        };
        (size > 0).then_some(size)
    }

    /// The constant distance of an address from its base.
    fn offset(&self, base: Value, mut address: Value) -> Option<u64> {
        let mut offset = 0_u64;
        while address != base {
            offset = offset.wrapping_add(self.layout.constant_offset(address)?);
            address = address.operand(0);
        }
        Some(offset)
    }

    /// A value as a number of 64 bits; 0 if there is none.
    fn number_of(&self, builder: &Builder, scalar: Option<Value>) -> Value {
        let context = self.unit.context();
        let wide = Type::int(context, 64);
        let Some(scalar) = scalar else {
            return Value::zero(wide);
        };
        let ty = scalar.ty();
        if self.layout.store_size(ty) == 16 {
            return self.halves(builder, scalar);
        }
        let bits = if ty.is_pointer() {
            builder.cast(LLVMOpcode::LLVMPtrToInt, scalar, wide)
        } else if ty.is_float() {
            let width = 8 * self.layout.store_size(ty) as u32;
            builder.cast(LLVMOpcode::LLVMBitCast, scalar, Type::int(context, width))
        } else {
            scalar
        };
        builder.cast_unsigned(bits, wide)
    }

    /// One number for a value of 128 bits.
    fn halves(&self, builder: &Builder, value: Value) -> Value {
        let context = self.unit.context();
        let (wide, both) = (Type::int(context, 64), Type::int(context, 128));
        let bits = builder.cast(LLVMOpcode::LLVMBitCast, value, both);
        let high = builder.binary(LLVMOpcode::LLVMLShr, bits, Value::int(both, 64));
        let half = |bits| builder.cast(LLVMOpcode::LLVMTrunc, bits, wide);
        self.mixed(builder, half(high), half(bits))
    }

    /// One number for two. An odd factor: those that change places make another one.
    fn mixed(&self, builder: &Builder, one: Value, other: Value) -> Value {
        let factor = Value::int(one.ty(), 0x9e37_79b9);
        let product = builder.binary(LLVMOpcode::LLVMMul, one, factor);
        builder.binary(LLVMOpcode::LLVMXor, product, other)
    }

    /// Whether an instruction is none of the program's source: where there is debug information, it has no line. A
    /// store that has a place without a line was several of the program's: an optimiser makes one of the two branches'.
    fn is_foreign(&self, instruction: Value) -> bool {
        let frames = instruction.locations(self.unit.context());
        let is_store = instruction.opcode() == Some(LLVMOpcode::LLVMStore);
        self.has_lines
            && frames
                .first()
                .is_none_or(|frame| frame.line == 0 && !is_store)
    }

    fn number(&self, value: u64) -> Value {
        Value::int(Type::int(self.unit.context(), 64), value)
    }

    fn kind(&self, kind: AccessKind) -> Value {
        Value::int(Type::int(self.unit.context(), 32), kind.0.into())
    }

    /// Inserts behind an instruction that does not end its block.
    fn after(&self, instruction: Value) -> Builder {
        let next = instruction.next().unwrap_or(instruction);
        Builder::before(self.unit.context(), next)
    }
}

/// Whether an address is that of a variable of the device runtime's, whose threads know what they do.
fn is_runtime_variable(base: Value) -> bool {
    base.is_global_variable() && is_runtimes(&base.name())
}

/// Whether the device runtime has a variable of this name.
pub fn is_runtimes(name: &str) -> bool {
    let mut prefixes = RUNTIME_VARIABLES.iter();
    prefixes.any(|prefix| name.starts_with(prefix))
}
