//! Modules: reading, linking, checking, writing.

use anyhow::{Result, bail};
use llvm_sys::analysis::LLVMVerifierFailureAction::LLVMReturnStatusAction;
use llvm_sys::prelude::{LLVMMemoryBufferRef, LLVMModuleRef};

use super::{Context, Layout, Type, Value, c_string, take_message};

/// An LLVM module.
pub struct Module {
    pub(super) raw: LLVMModuleRef,
    /// The context it is in.
    pub context: Context,
}

impl Module {
    /// Reads bitcode, or LLVM assembly. Whatever the bytes are, this returns or LLVM ends the process
    /// with a message.
    pub fn read(context: Context, bytes: &[u8]) -> Result<Module> {
        const MAGIC: [&[u8]; 2] = [b"BC\xc0\xde", &[0xde, 0xc0, 0x17, 0x0b]];
        if MAGIC.iter().any(|magic| bytes.starts_with(magic)) {
            return Module::read_bitcode(context, bytes);
        }
        match std::str::from_utf8(bytes) {
            Ok(text) if !text.is_empty() && !text.contains('\0') => {
                Module::parse(context, text, "the LLVM assembly")
            }
            _ => bail!(
                "the input is not LLVM bitcode (first bytes {:02x?})",
                &bytes[..bytes.len().min(4)]
            ),
        }
    }

    /// A module that a linker with an LLVM of its own context has made.
    ///
    /// # Safety
    ///
    /// `raw` is a valid module that nothing else uses as long as the handles of this module are used.
    pub unsafe fn of_linker(raw: LLVMModuleRef) -> Module {
        // SAFETY: as the caller promises.
        let context = unsafe { llvm_sys::core::LLVMGetModuleContext(raw) };
        // Linkers drop value names for speed, but LLVM assembly cannot be parsed without them.
        llvm!(core::LLVMContextSetDiscardValueNames(context, 0));
        Module {
            raw,
            context: Context(context),
        }
    }

    /// What becomes of a module in LLVM assembly by a pass.
    #[cfg(test)]
    pub fn after(text: &str, pass: impl FnOnce(&Module)) -> String {
        let module = Module::parse(Context::new(), text, "test").unwrap();
        pass(&module);
        module.verify("after the pass").unwrap();
        module.print()
    }

    /// What becomes of a module in LLVM assembly when its first function is changed.
    #[cfg(test)]
    pub fn changed(text: &str, change: impl FnOnce(Context, super::Value)) -> String {
        Module::after(text, |module| {
            change(module.context, module.definitions()[0])
        })
    }

    /// LLVM's handle of it.
    #[cfg(test)]
    pub fn raw(&self) -> LLVMModuleRef {
        self.raw
    }

    fn read_bitcode(context: Context, bytes: &[u8]) -> Result<Module> {
        let buffer = buffer_of(bytes, "image");
        let mut raw = std::ptr::null_mut();
        let failed = llvm!(bit_reader::LLVMParseBitcodeInContext2(
            context.0, buffer, &mut raw
        )) != 0;
        let errors = context.take_errors();
        if failed || raw.is_null() || !errors.is_empty() {
            bail!("the bitcode is malformed: {}", non_empty(errors.join("; ")));
        }
        Ok(Module { raw, context })
    }

    /// Parses LLVM assembly; `what` names it in the error.
    pub fn parse(context: Context, text: &str, what: &str) -> Result<Module> {
        let buffer = buffer_of(text.as_bytes(), what);
        let (mut raw, mut message) = (std::ptr::null_mut(), std::ptr::null_mut());
        let failed = llvm!(ir_reader::LLVMParseIRInContext2(
            context.0,
            buffer,
            &mut raw,
            &mut message
        )) != 0;
        let message = take_message(message);
        if failed || raw.is_null() {
            bail!("{what} does not parse: {message}");
        }
        Ok(Module { raw, context })
    }

    /// Moves everything of `other` into this module.
    pub fn link(&self, other: Module) -> Result<()> {
        let failed = llvm!(linker::LLVMLinkModules2(self.raw, other.raw)) != 0;
        let errors = self.context.take_errors();
        if failed || !errors.is_empty() {
            bail!("linking failed: {}", non_empty(errors.join("; ")));
        }
        Ok(())
    }

    /// A copy of everything.
    pub fn duplicate(&self) -> Module {
        Module {
            raw: llvm!(core::LLVMCloneModule(self.raw)),
            context: self.context,
        }
    }

    /// Verifies the module. `stage` tells the message after what.
    pub fn verify(&self, stage: &str) -> Result<()> {
        let mut message = std::ptr::null_mut();
        let broken = llvm!(analysis::LLVMVerifyModule(
            self.raw,
            LLVMReturnStatusAction,
            &mut message
        )) != 0;
        let message = take_message(message);
        if broken {
            bail!(
                "the module is not valid LLVM IR {stage}: {}",
                message.trim_end()
            );
        }
        Ok(())
    }

    /// Target triple.
    pub fn triple(&self) -> String {
        // SAFETY: LLVM returns a NUL-terminated string that lives as long as the module's triple.
        unsafe { std::ffi::CStr::from_ptr(llvm_sys::core::LLVMGetTarget(self.raw)) }
            .to_string_lossy()
            .into_owned()
    }

    /// Sets the target triple.
    pub fn set_triple(&self, triple: &str) {
        llvm!(core::LLVMSetTarget(self.raw, c_string(triple).as_ptr()));
    }

    /// Sets the data layout.
    pub fn set_layout(&self, layout: &str) {
        llvm!(core::LLVMSetDataLayout(self.raw, c_string(layout).as_ptr()));
    }

    /// The data layout, as text.
    pub fn layout_text(&self) -> String {
        // SAFETY: LLVM returns a NUL-terminated string that lives as long as the module's layout.
        unsafe { std::ffi::CStr::from_ptr(llvm_sys::core::LLVMGetDataLayoutStr(self.raw)) }
            .to_string_lossy()
            .into_owned()
    }

    /// The data layout.
    pub fn layout(&self) -> Layout {
        Layout(llvm!(target::LLVMGetModuleDataLayout(self.raw)))
    }

    /// All functions, declarations included; a snapshot.
    pub fn functions(&self) -> Vec<Value> {
        let mut all = Vec::new();
        let mut next = super::value::wrap(llvm!(core::LLVMGetFirstFunction(self.raw)));
        while let Some(function) = next {
            all.push(function);
            next = super::value::wrap(llvm!(core::LLVMGetNextFunction(function.0)));
        }
        all
    }

    /// All functions with a body; a snapshot.
    pub fn definitions(&self) -> Vec<Value> {
        self.functions()
            .into_iter()
            .filter(|function| !function.is_declaration())
            .collect()
    }

    /// All global variables; a snapshot.
    pub fn globals(&self) -> Vec<Value> {
        let mut all = Vec::new();
        let mut next = super::value::wrap(llvm!(core::LLVMGetFirstGlobal(self.raw)));
        while let Some(global) = next {
            all.push(global);
            next = super::value::wrap(llvm!(core::LLVMGetNextGlobal(global.0)));
        }
        all
    }

    /// Whether functions or variables have other names, or functions are chosen at load (`alias`, `ifunc`).
    pub fn has_aliases(&self) -> bool {
        let (alias, chosen) = (
            llvm!(core::LLVMGetFirstGlobalAlias(self.raw)),
            llvm!(core::LLVMGetFirstGlobalIFunc(self.raw)),
        );
        !alias.is_null() || !chosen.is_null()
    }

    /// The function called `name`.
    pub fn function(&self, name: &str) -> Option<Value> {
        super::value::wrap(llvm!(core::LLVMGetNamedFunction(
            self.raw,
            c_string(name).as_ptr()
        )))
    }

    /// The global variable called `name`.
    pub fn global(&self, name: &str) -> Option<Value> {
        super::value::wrap(llvm!(core::LLVMGetNamedGlobal(
            self.raw,
            c_string(name).as_ptr()
        )))
    }

    /// Declares or finds a function.
    pub fn declare(&self, name: &str, ty: Type) -> Value {
        let known = self.function(name);
        known.unwrap_or_else(|| {
            Value(llvm!(core::LLVMAddFunction(
                self.raw,
                c_string(name).as_ptr(),
                ty.0
            )))
        })
    }

    /// A variable without a name or a value, in an address space.
    pub fn add_global_in(&self, ty: Type, space: u32) -> Value {
        Value(llvm!(core::LLVMAddGlobalInAddressSpace(
            self.raw,
            ty.0,
            c"".as_ptr(),
            space
        )))
    }

    /// Module-level assembly.
    pub fn inline_assembly(&self) -> String {
        let mut length = 0;
        let raw = llvm!(core::LLVMGetModuleInlineAsm(self.raw, &mut length));
        // SAFETY: LLVM returns a pointer to `length` bytes that live as long as the module.
        let bytes = unsafe { std::slice::from_raw_parts(raw.cast::<u8>(), length) };
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// The operands of a named metadata node, each a metadata tuple's operands.
    pub fn named_metadata(&self, name: &str) -> Vec<Vec<Option<Value>>> {
        self.named_metadata_nodes(name)
            .into_iter()
            .map(super::debug::tuple_operands)
            .collect()
    }

    fn named_metadata_nodes(&self, name: &str) -> Vec<Value> {
        let name = c_string(name);
        let count = llvm!(core::LLVMGetNamedMetadataNumOperands(
            self.raw,
            name.as_ptr()
        )) as usize;
        let mut nodes = vec![std::ptr::null_mut(); count];
        llvm!(core::LLVMGetNamedMetadataOperands(
            self.raw,
            name.as_ptr(),
            nodes.as_mut_ptr()
        ));
        nodes.into_iter().map(Value).collect()
    }

    /// The nodes of a named metadata node, as LLVM prints each.
    pub fn named_metadata_text(&self, name: &str) -> Vec<String> {
        self.named_metadata_nodes(name)
            .into_iter()
            .map(Value::print)
            .collect()
    }

    /// Adds a node with one string to a named metadata node.
    pub fn add_named_string(&self, name: &str, text: &str) {
        let context = self.context.0;
        let mut string = llvm!(core::LLVMMDStringInContext2(
            context,
            text.as_ptr().cast(),
            text.len()
        ));
        let node = llvm!(core::LLVMMDNodeInContext2(context, &mut string, 1));
        llvm!(core::LLVMAddNamedMetadataOperand(
            self.raw,
            c_string(name).as_ptr(),
            llvm!(core::LLVMMetadataAsValue(context, node))
        ));
    }

    /// Adds the annotation of a global that NVIDIA's back end reads: a key and a number.
    pub fn annotate_for_nvptx(&self, global: Value, key: &str, number: Value) {
        let context = self.context.0;
        let mut parts = [
            llvm!(core::LLVMValueAsMetadata(global.0)),
            llvm!(core::LLVMMDStringInContext2(
                context,
                key.as_ptr().cast(),
                key.len()
            )),
            llvm!(core::LLVMValueAsMetadata(number.0)),
        ];
        let node = llvm!(core::LLVMMDNodeInContext2(
            context,
            parts.as_mut_ptr(),
            parts.len()
        ));
        llvm!(core::LLVMAddNamedMetadataOperand(
            self.raw,
            c"nvvm.annotations".as_ptr(),
            llvm!(core::LLVMMetadataAsValue(context, node))
        ));
    }

    /// The number that a module flag has.
    pub fn flag(&self, name: &str) -> Option<u64> {
        self.named_metadata("llvm.module.flags")
            .into_iter()
            .find_map(|flag| match flag[..] {
                [_, Some(key), Some(value)] if super::metadata_string(key) == name => {
                    value.as_int()
                }
                _ => None,
            })
    }

    /// As bitcode.
    pub fn bitcode(&self) -> Vec<u8> {
        let buffer = llvm!(bit_writer::LLVMWriteBitcodeToMemoryBuffer(self.raw));
        let start = llvm!(core::LLVMGetBufferStart(buffer)).cast::<u8>();
        let length = llvm!(core::LLVMGetBufferSize(buffer));
        // SAFETY: the buffer has `length` bytes and lives until it is disposed of.
        let bytes = unsafe { std::slice::from_raw_parts(start, length) }.to_vec();
        llvm!(core::LLVMDisposeMemoryBuffer(buffer));
        bytes
    }

    /// As LLVM assembly.
    pub fn print(&self) -> String {
        take_message(llvm!(core::LLVMPrintModuleToString(self.raw)))
    }
}

fn non_empty(message: String) -> String {
    if message.is_empty() {
        "LLVM gives no reason".to_owned()
    } else {
        message
    }
}

fn buffer_of(bytes: &[u8], name: &str) -> LLVMMemoryBufferRef {
    let name = c_string(name);
    llvm!(core::LLVMCreateMemoryBufferWithMemoryRangeCopy(
        bytes.as_ptr().cast(),
        bytes.len(),
        name.as_ptr()
    ))
}
