//! Makes accesses of lanes that the host's CPU has no instruction for calls of functions with a loop over the lanes,
//! where there are many.
//!
//! Needs: everything optimised. Leaves: few masked intrinsics that the back end has no instruction for.
//!
//! The back end writes each such access in place, as a test, a branch and a load or store for every lane. That is fast
//! code. But some warp forms have hundreds of them. Vectors of 32 lanes, each in eight registers of AVX2, stay live
//! over the thousands of blocks that they become, and passes of the back end take time by blocks times live registers
//! (docs/decisions/0048-lanes-accessed-out-of-line.md).

use std::collections::HashMap;

use anyhow::Result;
use llvm_sys::LLVMOpcode;

use super::unit::Unit;
use crate::ir::{Builder, Machine, Type, Value};

/// Alignment of the memory through which vectors are passed: that of the widest registers.
const ALIGNMENT: u32 = 64;

/// Lanes in an iteration where all are active. Warps are a multiple; of other vectors all lanes are one iteration.
const TOGETHER: u32 = 8;

/// Most accesses of a function that the back end may write in place.
const IN_PLACE: usize = 16;

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    let instructions = Instructions::of(&unit.machine);
    for function in unit.module.definitions() {
        let all = function.instructions();
        let lacks = |&it: &Value| Access::of(unit, it).is_some_and(|it| !instructions.have(&it));
        let calls: Vec<_> = all.iter().copied().filter(lacks).collect();
        if calls.len() <= IN_PLACE {
            continue;
        }
        let mut slots = Slots::before(all[0]);
        // Looked at anew, one by one: what an access stores may have been loaded by one that is replaced.
        for access in calls.into_iter().filter_map(|it| Access::of(unit, it)) {
            let callee = access.function(unit)?;
            access.replace(unit, callee, &mut slots);
        }
    }
    Ok(())
}

/// Which masked accesses the host's CPU has instructions for.
struct Instructions {
    /// Gathers and scatters of 4 and 8 bytes.
    gathers: bool,
    /// Masked loads and stores of 4 and 8 bytes.
    masks: bool,
    /// Masked loads and stores of 1 and 2 bytes.
    narrow_masks: bool,
}

impl Instructions {
    fn of(machine: &Machine) -> Instructions {
        Instructions {
            gathers: machine.has("avx512f"),
            masks: machine.has("avx"),
            narrow_masks: machine.has("avx512bw"),
        }
    }

    fn have(&self, access: &Access) -> bool {
        match (access.addresses, access.element_size) {
            (Addresses::Each, 4 | 8) => self.gathers,
            (Addresses::Each, _) => false,
            (Addresses::Consecutive, 4 | 8) => self.masks,
            (Addresses::Consecutive, _) => self.narrow_masks,
        }
    }
}

/// How an access names its places.
#[derive(Clone, Copy, PartialEq)]
enum Addresses {
    /// An address for each lane.
    Each,
    /// That of the first lane; the others follow.
    Consecutive,
}

/// One masked access.
struct Access {
    call: Value,
    addresses: Addresses,
    loads: bool,
    /// Bytes of a lane.
    element_size: u64,
    place: Value,
    mask: Value,
    /// What is stored, or what lanes outside of the mask get.
    value: Value,
}

impl Access {
    /// The access that an instruction is.
    fn of(unit: &Unit, call: Value) -> Option<Access> {
        let name = call.is_call().then(|| call.called_function())??.name();
        let addresses = match name.strip_prefix("llvm.masked.")?.split('.').next()? {
            "gather" | "scatter" => Addresses::Each,
            "load" | "store" => Addresses::Consecutive,
            _ => return None,
        };
        let loads = !call.ty().is_void();
        let arguments = call.arguments();
        let (value, place, mask) = match loads {
            true => (arguments[2], arguments[0], arguments[1]),
            false => (arguments[0], arguments[1], arguments[2]),
        };
        Some(Access {
            call,
            addresses,
            loads,
            element_size: unit.module.layout().alloc_size(value.ty().element(0)),
            place,
            mask,
            value,
        })
    }

    fn lanes(&self) -> u32 {
        self.value.ty().length()
    }

    /// The name of the function that does it.
    fn symbol(&self) -> String {
        let what = match (self.addresses, self.loads) {
            (Addresses::Each, true) => "gather",
            (Addresses::Each, false) => "scatter",
            (Addresses::Consecutive, true) => "load",
            (Addresses::Consecutive, false) => "store",
        };
        format!(
            "vgpu.lanes.{what}.{}.i{}",
            self.lanes(),
            8 * self.element_size
        )
    }

    /// That function.
    fn function(&self, unit: &Unit) -> Result<Value> {
        let symbol = self.symbol();
        if unit.module.function(&symbol).is_none() {
            unit.add_library(&self.definition())?;
        }
        unit.library_function(&symbol)
    }

    /// How many lanes an iteration has where all are active.
    fn together(&self) -> u32 {
        match self.lanes().is_multiple_of(TOGETHER) {
            true => TOGETHER,
            false => self.lanes(),
        }
    }

    /// Its definition: a loop over the lanes of the mask, lowest first, or over all, several in an iteration.
    /// It has no frame, so that where the CPU finds a fault in it, the stack begins with the address of the call.
    fn definition(&self) -> String {
        let mask = format!("i{}", self.lanes());
        let widen = match self.lanes() {
            64 => "%lane = add i64 %number, 0".to_owned(),
            _ => format!("%lane = zext {mask} %number to i64"),
        };
        let one = self.one_lane("lane", "");
        let several: String = (0..self.together())
            .map(|step| {
                let lane = format!(" %lane.{step} = add i64 %first, {step}\n");
                lane + &self.one_lane(&format!("lane.{step}"), &format!(".{step}"))
            })
            .collect();
        format!(
            "define void @\"{}\"(ptr %items, ptr %place, {mask} %mask) noinline nounwind {{
entry:
 %whole = icmp eq {mask} %mask, -1
 br i1 %whole, label %together, label %some
together:
 %first = phi i64 [ 0, %entry ], [ %next, %together ]
{several} %next = add i64 %first, {}
 %over = icmp eq i64 %next, {}
 br i1 %over, label %end, label %together
some:
 %none = icmp eq {mask} %mask, 0
 br i1 %none, label %end, label %each
each:
 %left = phi {mask} [ %mask, %some ], [ %rest, %each ]
 %number = call {mask} @llvm.cttz.{mask}({mask} %left, i1 true)
 {widen}
{one} %less = sub {mask} %left, 1
 %rest = and {mask} %left, %less
 %done = icmp eq {mask} %rest, 0
 br i1 %done, label %end, label %each
end:
 ret void
}}
declare {mask} @llvm.cttz.{mask}({mask}, i1)
",
            self.symbol(),
            self.together(),
            self.lanes(),
        )
    }

    /// The access of the lane whose number has this name; names end with `suffix`.
    fn one_lane(&self, lane: &str, suffix: &str) -> String {
        let element = format!("i{}", 8 * self.element_size);
        let at = format!("%at{suffix}");
        let item = format!("%item{suffix}");
        let find = match self.addresses {
            Addresses::Each => format!(
                " %slot{suffix} = getelementptr ptr, ptr %place, i64 %{lane}\n \
                 {at} = load ptr, ptr %slot{suffix}\n"
            ),
            Addresses::Consecutive => {
                format!(" {at} = getelementptr {element}, ptr %place, i64 %{lane}\n")
            }
        };
        let (from, to) = match self.loads {
            true => (&at, &item),
            false => (&item, &at),
        };
        format!(
            "{find} {item} = getelementptr {element}, ptr %items, i64 %{lane}
 %moved{suffix} = load {element}, ptr {from}, align 1
 store {element} %moved{suffix}, ptr {to}, align 1
"
        )
    }

    /// Calls that function instead.
    fn replace(self, unit: &Unit, callee: Value, slots: &mut Slots) {
        let context = unit.context();
        let ty = self.value.ty();
        let builder = Builder::before(context, self.call);
        let items = slots.get(unit, Purpose::Items, ty);
        builder.store(self.value, items).set_alignment(ALIGNMENT);
        let place = match self.addresses {
            Addresses::Each => {
                let slot = slots.get(unit, Purpose::Places, self.place.ty());
                builder.store(self.place, slot).set_alignment(ALIGNMENT);
                slot
            }
            Addresses::Consecutive => builder.to_space(self.place, Type::pointer(context)),
        };
        let bits = Type::int(context, self.lanes());
        let mask = builder.cast(LLVMOpcode::LLVMBitCast, self.mask, bits);
        builder.call_function(callee, &[items, place, mask]);
        // SAFETY: `run` looks at each access once. Nothing uses a store.
        unsafe {
            if self.loads {
                let loaded = builder.load(ty, items);
                loaded.set_alignment(ALIGNMENT);
                self.call.replace_with(loaded);
            } else {
                self.call.erase();
            }
        }
    }
}

/// The stack memory through which a function passes vectors. One access is over before the next begins, so all that
/// pass the same type share it.
struct Slots {
    /// The function's first instruction.
    beginning: Value,
    made: HashMap<(Purpose, Type), Value>,
}

/// What a slot holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Purpose {
    Places,
    Items,
}

impl Slots {
    fn before(beginning: Value) -> Slots {
        Slots {
            beginning,
            made: HashMap::new(),
        }
    }

    /// The slot for vectors of a type.
    fn get(&mut self, unit: &Unit, purpose: Purpose, ty: Type) -> Value {
        *self.made.entry((purpose, ty)).or_insert_with(|| {
            let builder = Builder::before(unit.context(), self.beginning);
            self.beginning = builder.stack_slot(ty, ALIGNMENT);
            self.beginning
        })
    }
}
