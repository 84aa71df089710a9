//! Attributes of functions, parameters and calls.

use llvm_sys::prelude::LLVMAttributeRef;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMAttributeIndex, LLVMAttributeReturnIndex};

use super::{Context, Type, Value, c_string};

/// LLVM's number of an enum or type attribute; 0 for a name that it does not know.
fn kind_of(name: &str) -> u32 {
    llvm!(core::LLVMGetEnumAttributeKindForName(
        name.as_ptr().cast(),
        name.len()
    ))
}

/// The value of a string attribute; `None` for the null pointer.
fn text_of(attribute: LLVMAttributeRef) -> Option<String> {
    if attribute.is_null() {
        return None;
    }
    let mut length = 0;
    let raw = llvm!(core::LLVMGetStringAttributeValue(attribute, &mut length));
    // SAFETY: LLVM returns a pointer to `length` bytes that live as long as the context.
    let bytes = unsafe { std::slice::from_raw_parts(raw.cast::<u8>(), length as usize) };
    Some(String::from_utf8_lossy(bytes).into_owned())
}

/// The string attribute `"key"="value"`.
fn text_attribute(context: Context, key: &str, value: &str) -> LLVMAttributeRef {
    let (k, v) = (c_string(key), c_string(value));
    llvm!(core::LLVMCreateStringAttribute(
        context.0,
        k.as_ptr(),
        key.len() as u32,
        v.as_ptr(),
        value.len() as u32
    ))
}

impl Value {
    /// Adds an enum attribute (`noinline`, `nounwind`) to a function.
    pub fn add_attribute(self, context: Context, name: &str) {
        let kind = kind_of(name);
        debug_assert_ne!(kind, 0, "{name} is no attribute of this LLVM");
        let attribute = llvm!(core::LLVMCreateEnumAttribute(context.0, kind, 0));
        llvm!(core::LLVMAddAttributeAtIndex(
            self.0,
            LLVMAttributeFunctionIndex,
            attribute
        ));
    }

    /// Gives a parameter, counted from 1, a type attribute (`byval`).
    pub fn add_type_attribute_at(
        self,
        context: Context,
        index: LLVMAttributeIndex,
        name: &str,
        ty: Type,
    ) {
        let attribute = llvm!(core::LLVMCreateTypeAttribute(
            context.0,
            kind_of(name),
            ty.0
        ));
        llvm!(core::LLVMAddAttributeAtIndex(self.0, index, attribute));
    }

    /// Gives a parameter, counted from 1, an attribute with a number (`align`).
    pub fn add_int_attribute_at(
        self,
        context: Context,
        index: LLVMAttributeIndex,
        name: &str,
        value: u64,
    ) {
        let attribute = llvm!(core::LLVMCreateEnumAttribute(
            context.0,
            kind_of(name),
            value
        ));
        llvm!(core::LLVMAddAttributeAtIndex(self.0, index, attribute));
    }

    /// States that a function accesses no memory (`memory(none)`).
    pub fn set_no_memory(self, context: Context) {
        let kind = kind_of("memory");
        let attribute = llvm!(core::LLVMCreateEnumAttribute(context.0, kind, 0));
        llvm!(core::LLVMAddAttributeAtIndex(
            self.0,
            LLVMAttributeFunctionIndex,
            attribute
        ));
    }

    /// States that a function accesses only memory that no other code sees (`memory(inaccessiblemem: readwrite)`).
    pub fn set_effects_unseen(self, context: Context) {
        // Two bits per kind of memory: read and write. Inaccessible memory is the second kind.
        let kind = kind_of("memory");
        let attribute = llvm!(core::LLVMCreateEnumAttribute(context.0, kind, 0b11 << 2));
        llvm!(core::LLVMAddAttributeAtIndex(
            self.0,
            LLVMAttributeFunctionIndex,
            attribute
        ));
    }

    /// Whether a function is known to access no memory.
    pub fn has_no_memory(self) -> bool {
        self.int_attribute_at(LLVMAttributeFunctionIndex, "memory") == Some(0)
    }

    /// Gives a call's argument `index` an alignment.
    pub fn align_argument(self, context: Context, index: u32, bytes: u64) {
        let kind = kind_of("align");
        let attribute = llvm!(core::LLVMCreateEnumAttribute(context.0, kind, bytes));
        llvm!(core::LLVMAddCallSiteAttribute(self.0, index + 1, attribute));
    }

    /// The alignment that a call states of its argument `index`.
    pub fn argument_alignment(self, index: u32) -> Option<u64> {
        let kind = kind_of("align");
        let attribute = llvm!(core::LLVMGetCallSiteEnumAttribute(self.0, index + 1, kind));
        (!attribute.is_null()).then(|| llvm!(core::LLVMGetEnumAttributeValue(attribute)))
    }

    /// States that the result of a call or a load is at least `from` and less than `to`.
    pub fn set_result_range(self, context: Context, from: u64, to: u64) {
        if !self.is_call() {
            let bounds = [from, to].map(|bound| Value::int(self.ty(), bound));
            return self.set_metadata(context, "range", &bounds);
        }
        let kind = kind_of("range");
        let bits = self.ty().int_width();
        let range = llvm!(core::LLVMCreateConstantRangeAttribute(
            context.0, kind, bits, &from, &to
        ));
        llvm!(core::LLVMAddCallSiteAttribute(
            self.0,
            LLVMAttributeReturnIndex,
            range
        ));
    }

    /// Removes an enum attribute of a call itself, if it has it.
    pub fn remove_call_attribute(self, name: &str) {
        self.remove_call_attribute_at(LLVMAttributeFunctionIndex, name);
    }

    /// Removes an enum attribute of a call at `index` (arguments count from 1), if it is there.
    pub fn remove_call_attribute_at(self, index: LLVMAttributeIndex, name: &str) {
        let kind = kind_of(name);
        llvm!(core::LLVMRemoveCallSiteEnumAttribute(self.0, index, kind));
    }

    /// Removes an enum attribute from a function, if it has it.
    pub fn remove_attribute(self, name: &str) {
        let kind = kind_of(name);
        llvm!(core::LLVMRemoveEnumAttributeAtIndex(
            self.0,
            LLVMAttributeFunctionIndex,
            kind
        ));
    }

    /// A function's enum or type attribute at `index` (parameters count from 1).
    fn attribute_at(self, index: LLVMAttributeIndex, name: &str) -> Option<LLVMAttributeRef> {
        let kind = kind_of(name);
        let attribute = llvm!(core::LLVMGetEnumAttributeAtIndex(self.0, index, kind));
        (!attribute.is_null()).then_some(attribute)
    }

    /// The value of a function's enum attribute at `index`, for example of `align`.
    pub fn int_attribute_at(self, index: LLVMAttributeIndex, name: &str) -> Option<u64> {
        self.attribute_at(index, name)
            .map(|attribute| llvm!(core::LLVMGetEnumAttributeValue(attribute)))
    }

    /// The type of a function's type attribute at `index`, for example of `byval`.
    pub fn type_attribute_at(self, index: LLVMAttributeIndex, name: &str) -> Option<Type> {
        self.attribute_at(index, name)
            .map(|attribute| Type(llvm!(core::LLVMGetTypeAttributeValue(attribute))))
    }

    /// Removes an enum or type attribute of a function at `index`, if it is there.
    pub fn remove_attribute_at(self, index: LLVMAttributeIndex, name: &str) {
        let kind = kind_of(name);
        llvm!(core::LLVMRemoveEnumAttributeAtIndex(self.0, index, kind));
    }

    /// Whether a function itself has an enum attribute.
    pub fn has_function_attribute(self, name: &str) -> bool {
        self.attribute_at(LLVMAttributeFunctionIndex, name)
            .is_some()
    }

    /// Adds or replaces a string attribute (`"key"="value"`) of a function.
    pub fn set_text_attribute(self, context: Context, key: &str, value: &str) {
        let attribute = text_attribute(context, key, value);
        llvm!(core::LLVMAddAttributeAtIndex(
            self.0,
            LLVMAttributeFunctionIndex,
            attribute
        ));
    }

    /// The value of a string attribute of a function.
    pub fn text_attribute(self, key: &str) -> Option<String> {
        let index = LLVMAttributeFunctionIndex;
        text_of(llvm!(core::LLVMGetStringAttributeAtIndex(
            self.0,
            index,
            key.as_ptr().cast(),
            key.len() as u32
        )))
    }

    /// Adds or replaces a string attribute of a call.
    pub fn set_call_text_attribute(self, context: Context, key: &str, value: &str) {
        let attribute = text_attribute(context, key, value);
        llvm!(core::LLVMAddCallSiteAttribute(
            self.0,
            LLVMAttributeFunctionIndex,
            attribute
        ));
    }

    /// The value of a string attribute of a call.
    pub fn call_text_attribute(self, key: &str) -> Option<String> {
        text_of(llvm!(core::LLVMGetCallSiteStringAttribute(
            self.0,
            LLVMAttributeFunctionIndex,
            key.as_ptr().cast(),
            key.len() as u32
        )))
    }

    /// The keys of a function's string attributes.
    pub fn text_attribute_keys(self) -> Vec<String> {
        let count = llvm!(core::LLVMGetAttributeCountAtIndex(
            self.0,
            LLVMAttributeFunctionIndex
        )) as usize;
        let mut raw = vec![std::ptr::null_mut(); count];
        llvm!(core::LLVMGetAttributesAtIndex(
            self.0,
            LLVMAttributeFunctionIndex,
            raw.as_mut_ptr()
        ));
        raw.into_iter()
            .filter(|attribute| llvm!(core::LLVMIsStringAttribute(*attribute)) != 0)
            .map(|attribute| {
                let mut length = 0;
                let key = llvm!(core::LLVMGetStringAttributeKind(attribute, &mut length));
                // SAFETY: LLVM returns a pointer to `length` bytes that live as long as the context.
                let bytes =
                    unsafe { std::slice::from_raw_parts(key.cast::<u8>(), length as usize) };
                String::from_utf8_lossy(bytes).into_owned()
            })
            .collect()
    }

    /// Removes a string attribute from a function, if it has it.
    pub fn remove_text_attribute(self, key: &str) {
        let index = LLVMAttributeFunctionIndex;
        llvm!(core::LLVMRemoveStringAttributeAtIndex(
            self.0,
            index,
            key.as_ptr().cast(),
            key.len() as u32
        ));
    }
}
