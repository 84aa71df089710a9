//! Keeps each thread's nest word in a local variable instead of shared memory.
//!
//! Needs: a copy of the module, inlined.
//!
//! In SPMD kernels the device runtime has a word per thread in shared memory, the thread's place in the nest of
//! parallel regions (`devicertl/src/team/nest.rs`). Only that thread accesses it. A load at an address per lane is
//! varying, so every branch on the word would be divergent, and so would the barriers behind it. LLVM follows the word
//! in a local variable: in most kernels it is constant at every place, or the same for all threads.

use std::mem::offset_of;
use std::ops::Range;

use llvm_sys::LLVMOpcode;
use vgpu_abi::ThreadContext;

use super::context_marker;
use crate::ir::{Builder, Layout, Module, Type, Value};
use crate::vgpu::runtime_variables::Extent;
use crate::vgpu::warp::analysis::context_fields::{self, LaneAxis};

/// Bytes of a nest word.
const WORD: i64 = 2;

/// Moves a function's nest words, which lie there in shared memory, to a local variable, if every thread accesses only
/// its own.
pub fn run(module: &Module, function: Value, words: Extent) {
    let accesses = Accesses::find(module.layout(), function, words);
    let Some(pointers) = accesses.filter(|pointers| !pointers.is_empty()) else {
        return;
    };
    let Some(first) = function.instructions().first().copied() else {
        return;
    };
    let context = module.context;
    let ty = Type::int(context, 16);
    let builder = Builder::before(context, first);
    let word = builder.stack_slot(ty, WORD as u32);
    builder.store(
        builder.load(ty, own_word(module, &builder, words.start)),
        word,
    );
    for pointer in pointers {
        let local = Builder::before(context, pointer).to_space(word, pointer.ty());
        pointer.replace_all_uses(local);
    }
}

/// The address of the thread's word. Its value at the start of the kernel is read from there.
fn own_word(module: &Module, builder: &Builder, start: u64) -> Value {
    let context = module.context;
    let int = |bits, value| Value::int(Type::int(context, bits), value);
    let cx = context_marker::call(module, builder);
    let field = |offset: usize| builder.byte_offset(cx, int(64, offset as u64));
    let tid = builder.load(
        Type::int(context, 32),
        field(offset_of!(ThreadContext, tid)),
    );
    let tid = builder.cast_unsigned(tid, Type::int(context, 64));
    let base = field(offset_of!(ThreadContext, shared_base));
    let base = builder.load(Type::pointer(context), base);
    let words = builder.byte_offset(base, int(64, start));
    builder.index(Type::int(context, 16), words, &[tid])
}

/// The search for accesses.
struct Accesses {
    layout: Layout,
    words: Range<i64>,
    found: Vec<Value>,
}

impl Accesses {
    /// The pointers to the thread's own word; `None` if some other use may reach a word.
    fn find(layout: Layout, function: Value, words: Extent) -> Option<Vec<Value>> {
        let start = words.start as i64;
        let mut search = Accesses {
            layout,
            words: start..start + words.bytes as i64,
            found: Vec::new(),
        };
        for instruction in function.instructions() {
            let is_base = instruction.opcode() == Some(LLVMOpcode::LLVMLoad)
                && context_fields::context_field(instruction)
                    == Some(offset_of!(ThreadContext, shared_base));
            if is_base {
                search.follow(instruction, 0)?;
            }
        }
        Some(search.found)
    }

    /// Follows a pointer to byte `at` of shared memory.
    fn follow(&mut self, pointer: Value, at: i64) -> Option<()> {
        let among_words = self.words.contains(&at);
        for user in pointer.users() {
            match user.opcode() {
                Some(LLVMOpcode::LLVMAddrSpaceCast) => self.follow(user, at)?,
                Some(LLVMOpcode::LLVMGetElementPtr) if user.operand(0) == pointer => {
                    match self.constant_offset(user) {
                        Some(offset) => self.follow(user, at + offset)?,
                        None if at == self.words.start => self.own(user)?,
                        None if among_words => return None,
                        // Another variable: accesses to it stay within it.
                        None => {}
                    }
                }
                _ if among_words => return None,
                _ => {}
            }
        }
        Some(())
    }

    fn constant_offset(&self, pointer: Value) -> Option<i64> {
        let indices = context_fields::indices(self.layout, pointer);
        indices.into_iter().try_fold(0, |sum, (index, scale)| {
            Some(sum + index.as_signed_int()? * scale? as i64)
        })
    }

    /// An element of the words: it must be the thread's own, and only be loaded and stored.
    fn own(&mut self, pointer: Value) -> Option<()> {
        let indices = context_fields::indices(self.layout, pointer);
        let [(index, Some(scale))] = indices[..] else {
            return None;
        };
        if scale as i64 != WORD || !context_fields::is_thread_id(index, LaneAxis::X) {
            return None;
        }
        self.only_accessed(pointer)?;
        self.found.push(pointer);
        Some(())
    }

    fn only_accessed(&self, pointer: Value) -> Option<()> {
        for user in pointer.users() {
            let word = |value: Value| value.ty().is_int() && value.ty().int_width() == 16;
            let good = match user.opcode() {
                Some(LLVMOpcode::LLVMLoad) => word(user) && !user.is_volatile(),
                Some(LLVMOpcode::LLVMStore) => {
                    user.operand(1) == pointer && word(user.operand(0)) && !user.is_volatile()
                }
                Some(LLVMOpcode::LLVMAddrSpaceCast) => self.only_accessed(user).is_some(),
                _ => false,
            };
            if !good {
                return None;
            }
        }
        Some(())
    }
}
