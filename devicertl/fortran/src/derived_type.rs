//! What flang says of a derived type (its module `__fortran_type_info`), as far as it matters here: which components
//! are allocatable, and where they lie.

use crate::descriptor::{Descriptor, Header};
use crate::device;
use crate::value::code;

/// Offsets in `derivedtype`.
mod of_type {
    pub const SIZE: usize = 88;
    /// The descriptor of the components: its base, and its extent.
    pub const COMPONENTS: usize = 232;
    pub const COMPONENT_COUNT: usize = 264;
    pub const NEEDS_NO_INITIALIZATION: usize = 429;
    pub const NEEDS_NO_DESTRUCTION: usize = 430;
}

/// Offsets in `component`.
mod of_component {
    pub const BYTES: usize = 256;
    pub const GENRE: usize = 24;
    pub const CATEGORY: usize = 25;
    pub const KIND: usize = 26;
    pub const RANK: usize = 27;
    pub const OFFSET: usize = 32;
    /// A value, with its number at 8.
    pub const LENGTH: usize = 40;
    pub const DERIVED: usize = 56;
    /// The base of the bounds: pairs of values of 16 bytes, each with its number at 8.
    pub const BOUNDS: usize = 160;
    /// What a new element has there, or null.
    pub const INITIAL: usize = 248;
}

/// Genres of components.
const DATA: u8 = 1;
const POINTER: u8 = 2;
const ALLOCATABLE: u8 = 3;
/// Categories of types.
const COMPLEX: u8 = 3;
const CHARACTER: u8 = 4;
const DERIVED: u8 = 6;
/// Types within types that are followed. GPUs have no use for recursion.
const DEPTH: usize = 8;

/// flang's description of a type.
#[derive(Clone, Copy, Debug)]
pub struct DerivedType(*const u8);

impl DerivedType {
    /// None for null.
    ///
    /// # Safety
    /// `information` is null or flang's description of a type.
    pub unsafe fn optional(information: *const u8) -> Option<DerivedType> {
        (!information.is_null()).then_some(DerivedType(information))
    }

    fn field<T: Copy>(self, offset: usize) -> T {
        // SAFETY: within flang's description.
        unsafe { self.0.add(offset).cast::<T>().read_unaligned() }
    }

    /// Whether a new element must be given a value first.
    pub fn needs_initialization(self) -> bool {
        self.field::<u8>(of_type::NEEDS_NO_INITIALIZATION) == 0
    }

    /// Whether an element may own memory.
    pub fn owns_memory(self) -> bool {
        self.field::<u8>(of_type::NEEDS_NO_DESTRUCTION) == 0
    }

    fn size(self) -> usize {
        self.field(of_type::SIZE)
    }

    fn component(self, number: usize) -> Option<Component> {
        let count = usize::try_from(self.field::<i64>(of_type::COMPONENT_COUNT)).unwrap_or(0);
        let first: *const u8 = self.field(of_type::COMPONENTS);
        (number < count).then(|| Component(first.wrapping_add(number * of_component::BYTES)))
    }
}

/// flang's description of a component.
#[derive(Clone, Copy)]
struct Component(*const u8);

impl Component {
    fn field<T: Copy>(self, offset: usize) -> T {
        // SAFETY: within flang's description.
        unsafe { self.0.add(offset).cast::<T>().read_unaligned() }
    }

    fn category(self) -> u8 {
        self.field(of_component::CATEGORY)
    }

    /// The type, if it is derived.
    fn derived(self) -> Option<DerivedType> {
        if self.category() != DERIVED {
            return None;
        }
        // SAFETY: flang's description.
        unsafe { DerivedType::optional(self.field(of_component::DERIVED)) }
    }

    /// The type, if elements of it are to be looked at, too.
    fn followed(self, action: Action) -> Option<DerivedType> {
        self.derived().filter(|inner| match action {
            Action::Initialize => inner.needs_initialization(),
            _ => inner.owns_memory(),
        })
    }

    /// Bytes of an element.
    fn element(self) -> usize {
        let kind = usize::from(self.field::<u8>(of_component::KIND));
        match self.category() {
            COMPLEX => 2 * kind,
            CHARACTER => {
                let length = self.field::<i64>(of_component::LENGTH + 8);
                usize::try_from(length).unwrap_or(0) * kind
            }
            DERIVED => self.derived().map_or(0, DerivedType::size),
            _ => kind,
        }
    }

    /// The descriptor of an allocatable component or a pointer that has no memory.
    ///
    /// # Safety
    /// The component is at `place`.
    unsafe fn nullify(self, place: *mut u8, attribute: u8) {
        let rank = usize::from(self.field::<u8>(of_component::RANK));
        let code = type_code(self.category(), self.field(of_component::KIND));
        let derived = self.derived().map(|of| of.0);
        // SAFETY: the caller's promise.
        unsafe {
            Descriptor::at(place.cast()).nullify(code, self.element(), rank, attribute, derived)
        }
    }

    /// Elements of a component that is not allocatable.
    fn count(self) -> usize {
        let rank = usize::from(self.field::<u8>(of_component::RANK));
        let bounds: *const i64 = self.field(of_component::BOUNDS);
        let bound = |number: usize| {
            // SAFETY: two bounds for each dimension.
            unsafe { bounds.add(number * 2 + 1).read_unaligned() }
        };
        (0..rank)
            .map(|at| usize::try_from(bound(2 * at + 1) - bound(2 * at) + 1).unwrap_or(0))
            .product()
    }
}

/// The code of a type by its category and kind (`value`).
fn type_code(category: u8, kind: u8) -> i8 {
    // 1, 2, 4, 8, 16 by their place.
    let place = kind.trailing_zeros() as i8;
    match (category, kind) {
        (0, _) => code::INTEGER_1 + place,
        (2, 8) => code::REAL_8,
        (2, _) => code::REAL_4,
        (COMPLEX, 8) => code::COMPLEX_8,
        (COMPLEX, _) => code::COMPLEX_4,
        (CHARACTER, _) => code::CHARACTER,
        (5, 1) => code::LOGICAL_1,
        (5, _) => code::LOGICAL_2 + place - 1,
        _ => code::DERIVED,
    }
}

/// What is done with elements and the memory that they own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// New elements get their first values.
    Initialize,
    /// Each gets memory of its own with the same content.
    Clone,
    /// It is given back.
    Destroy,
}

/// Elements whose components are looked at.
#[derive(Clone, Copy)]
struct Level {
    of: DerivedType,
    element: *mut u8,
    left: usize,
    component: usize,
    /// Memory that is given back when all elements are done.
    memory: *mut u8,
}

/// Does it for elements that lie one after the other.
///
/// # Safety
/// `count` elements of the type at `first`, which nobody else uses.
pub unsafe fn for_components(action: Action, of: DerivedType, first: *mut u8, count: usize) {
    let outermost = Level {
        of,
        element: first,
        left: count,
        component: 0,
        memory: core::ptr::null_mut(),
    };
    let mut levels = [outermost; DEPTH];
    let mut depth = 1;
    while depth > 0 {
        let level = &mut levels[depth - 1];
        if level.left == 0 {
            // SAFETY: null, or the memory of an allocatable component.
            unsafe { device::release(level.memory) };
            depth -= 1;
            continue;
        }
        let Some(component) = level.of.component(level.component) else {
            level.component = 0;
            level.left -= 1;
            level.element = level.element.wrapping_add(level.of.size());
            continue;
        };
        level.component += 1;
        let offset = component.field::<u64>(of_component::OFFSET) as usize;
        let place = level.element.wrapping_add(offset);
        // SAFETY: the component of an element.
        let Some(inner) = (unsafe { below(action, component, place) }) else {
            continue;
        };
        if depth == DEPTH {
            device::fail("Fortran types in device code within each other more than 8 levels deep");
        }
        levels[depth] = inner;
        depth += 1;
    }
}

/// Does it for one component. What is to be looked at then.
///
/// # Safety
/// The component is at `place`.
unsafe fn below(action: Action, component: Component, place: *mut u8) -> Option<Level> {
    let level = |of, element, left, memory| Level {
        of,
        element,
        left,
        component: 0,
        memory,
    };
    let nothing = core::ptr::null_mut();
    match component.field::<u8>(of_component::GENRE) {
        DATA => {
            let initial: *const u8 = component.field(of_component::INITIAL);
            if action == Action::Initialize && !initial.is_null() {
                let bytes = component.count() * component.element();
                // SAFETY: flang's value for the whole component.
                unsafe { place.copy_from_nonoverlapping(initial, bytes) };
                return None;
            }
            component
                .followed(action)
                .map(|of| level(of, place, component.count(), nothing))
        }
        genre @ (POINTER | ALLOCATABLE) if action == Action::Initialize => {
            // The attributes of descriptors: 1 is a pointer, 2 allocatable.
            // SAFETY: the caller's promise.
            unsafe { component.nullify(place, genre - 1) };
            None
        }
        ALLOCATABLE => {
            // SAFETY: an allocatable component is a descriptor.
            let owned = unsafe { Descriptor::at(place.cast::<Header>()) };
            let (old, bytes) = (owned.base(), owned.count() * owned.element());
            if old.is_null() {
                return None;
            }
            let memory = match action {
                Action::Destroy => {
                    owned.change(|header| header.base = nothing);
                    old
                }
                _ => {
                    let new = device::allocate(bytes, "an allocatable component");
                    // SAFETY: as many bytes at both; allocatable arrays are contiguous.
                    unsafe { new.copy_from_nonoverlapping(old, bytes) };
                    owned.change(|header| header.base = new);
                    new
                }
            };
            let freed = if action == Action::Destroy {
                memory
            } else {
                nothing
            };
            match component.followed(action) {
                Some(of) => Some(level(of, memory, owned.count(), freed)),
                None => {
                    // SAFETY: null, or memory that the component gave up.
                    unsafe { device::release(freed) };
                    None
                }
            }
        }
        _ => None,
    }
}
