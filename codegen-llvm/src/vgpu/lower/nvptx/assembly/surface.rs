//! Accesses of surfaces (PTX ISA, "Surface Instructions"): `devicertl/textures` finds the place of an element, which is
//! read or written here.

use super::emitter::Emitter;
use super::syntax::{Instruction, Operand};
use super::texture::{Geometry, descriptor, number, place};
use super::types::{Kind, Ty, unsigned};

/// Emits an instruction of this family.
pub fn emit(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let operands = instruction.operands.as_slice();
    match (instruction.opcode[0].as_str(), operands) {
        ("suld", [to, Operand::Texel(object, at)]) if instruction.has("b") => {
            let access = Access::of(instruction)?;
            let places = access.begin(emitter, object, at)?;
            access.load(emitter, &places.element, to)?;
            access.end(emitter, &places, |emitter| access.clear(emitter, to))
        }
        ("sust", [Operand::Texel(object, at), from]) if instruction.has("b") => {
            let access = Access::of(instruction)?;
            let places = access.begin(emitter, object, at)?;
            access.store(emitter, &places.element, from)?;
            access.end(emitter, &places, |_| Some(()))
        }
        ("sured", [Operand::Texel(object, at), value]) if instruction.has("b") => {
            let access = Access::of(instruction)?;
            let places = access.begin(emitter, object, at)?;
            access.reduce(emitter, instruction, &places.element, value)?;
            access.end(emitter, &places, |_| Some(()))
        }
        _ => None,
    }
}

/// What an access moves, and what it does outside (`cudaSurfaceBoundaryMode`).
struct Access {
    geometry: Geometry,
    ty: Ty,
    count: usize,
    outside: u32,
}

/// An element's address, and the labels behind the access.
struct Places {
    element: String,
    outside: String,
    after: String,
}

impl Access {
    /// `suld.b.geom{.vec}.type.clamp`
    fn of(instruction: &Instruction) -> Option<Access> {
        let [.., ty, clamp] = instruction.opcode.as_slice() else {
            return None;
        };
        let outside = ["zero", "clamp", "trap"]
            .iter()
            .position(|name| name == clamp)?;
        let count = match (instruction.has("v2"), instruction.has("v4")) {
            (true, _) => 2,
            (_, true) => 4,
            _ => 1,
        };
        Some(Access {
            geometry: Geometry::of(instruction)?,
            ty: Ty::of(ty).filter(|ty| !ty.is_float() && ty.bits >= 8)?,
            count,
            outside: outside as u32,
        })
    }

    /// Finds the element; what follows is for one that is there.
    fn begin(&self, emitter: &mut Emitter, object: &Operand, at: &[Operand]) -> Option<Places> {
        let mut arguments = vec![descriptor(emitter, object)?, number(self.geometry.shape)];
        arguments.extend(place(emitter, self.geometry, at, unsigned(32))?);
        arguments.push(number(self.ty.bits / 8 * self.count as u32));
        arguments.push(number(self.outside));
        let address = emitter.call("i64", "__omptarget_surface_element", &arguments);
        let is_inside = emitter.op(&format!("icmp ne i64 {address}, 0"));
        let [inside, outside, after] = [(); 3].map(|()| emitter.fresh());
        emitter.line(&format!(
            "  br i1 {is_inside}, label {inside}, label {outside}\n{}:",
            &inside[1..]
        ));
        let element = emitter.op(&format!("inttoptr i64 {address} to ptr"));
        Some(Places {
            element,
            outside,
            after,
        })
    }

    /// Ends the access, with what is done outside.
    fn end(
        &self,
        emitter: &mut Emitter,
        places: &Places,
        outside: impl FnOnce(&mut Emitter) -> Option<()>,
    ) -> Option<()> {
        emitter.line(&format!(
            "  br label {}\n{}:",
            places.after,
            &places.outside[1..]
        ));
        /// `cudaBoundaryModeTrap`
        const TRAP: u32 = 2;
        match self.outside == TRAP {
            true => {
                emitter.call("void", "llvm.trap", &[]);
            }
            false => outside(emitter)?,
        }
        emitter.line(&format!(
            "  br label {}\n{}:",
            places.after,
            &places.after[1..]
        ));
        Some(())
    }

    /// The registers of an access.
    fn parts<'a>(&self, operand: &'a Operand) -> Option<Vec<&'a Operand>> {
        let parts = match operand {
            Operand::Tuple(parts) => parts.iter().collect(),
            one => vec![one],
        };
        (parts.len() == self.count).then_some(parts)
    }

    fn part_address(&self, emitter: &mut Emitter, element: &str, index: usize) -> String {
        let offset = index as u32 * self.ty.bits / 8;
        emitter.op(&format!("getelementptr i8, ptr {element}, i64 {offset}"))
    }

    fn load(&self, emitter: &mut Emitter, element: &str, to: &Operand) -> Option<()> {
        let (llvm, align) = (self.ty.llvm(), self.ty.bits / 8);
        for (index, part) in self.parts(to)?.into_iter().enumerate() {
            let address = self.part_address(emitter, element, index);
            let value = emitter.op(&format!("load {llvm}, ptr {address}, align {align}"));
            emitter.assign(part, self.ty, &value)?;
        }
        Some(())
    }

    fn clear(&self, emitter: &mut Emitter, to: &Operand) -> Option<()> {
        let mut parts = self.parts(to)?.into_iter();
        parts.try_for_each(|part| emitter.assign(part, self.ty, "0"))
    }

    fn store(&self, emitter: &mut Emitter, element: &str, from: &Operand) -> Option<()> {
        let (llvm, align) = (self.ty.llvm(), self.ty.bits / 8);
        for (index, part) in self.parts(from)?.into_iter().enumerate() {
            let value = emitter.value(part, self.ty)?;
            let address = self.part_address(emitter, element, index);
            emitter.line(&format!(
                "  store {llvm} {value}, ptr {address}, align {align}"
            ));
        }
        Some(())
    }

    /// `sured.b.op.geom.type.clamp [a, c], v`
    fn reduce(
        &self,
        emitter: &mut Emitter,
        instruction: &Instruction,
        element: &str,
        value: &Operand,
    ) -> Option<()> {
        let [value] = self.parts(value)?[..] else {
            return None;
        };
        let operation = match (instruction.opcode.get(2)?.as_str(), self.ty.kind) {
            ("min", Kind::Unsigned) => "umin",
            ("max", Kind::Unsigned) => "umax",
            (name @ ("add" | "min" | "max" | "and" | "or"), _) => name,
            _ => return None,
        };
        let (llvm, value) = (self.ty.llvm(), emitter.value(value, self.ty)?);
        emitter.op(&format!(
            "atomicrmw {operation} ptr {element}, {llvm} {value} monotonic"
        ));
        Some(())
    }
}
