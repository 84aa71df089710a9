//! The metadata note of a code object: a MessagePack map ("AMDGPU Usage", "Code Object V3 Metadata" and later).

use std::collections::HashMap;

use rmpv::Value;

/// What it says of a kernel.
#[derive(Clone, Debug)]
pub struct KernelMetadata {
    /// Its arguments, hidden ones included.
    pub arguments: Vec<Argument>,
    /// Bytes of its arguments.
    pub kernarg_size: u32,
    /// Their alignment.
    pub kernarg_align: u32,
    /// Static LDS.
    pub group_size: u32,
    /// Scratch of a work-item.
    pub private_size: u32,
    /// Most work-items of a work-group.
    pub max_work_items: u32,
    /// Lanes of a wave.
    pub wave: u32,
    /// Whether it may need more scratch than is known.
    pub dynamic_stack: bool,
}

/// An argument.
#[derive(Clone, Debug)]
pub struct Argument {
    /// Where it begins.
    pub offset: usize,
    /// Bytes.
    pub size: usize,
    /// `by_value`, `global_buffer`, `hidden_…`
    pub kind: String,
}

fn field<'a>(map: &'a Value, name: &str) -> Option<&'a Value> {
    let pairs = map.as_map()?;
    let found = pairs.iter().find(|(key, _)| key.as_str() == Some(name));
    found.map(|(_, value)| value)
}

fn number(map: &Value, name: &str) -> Option<u32> {
    field(map, name)?.as_u64()?.try_into().ok()
}

fn argument(map: &Value) -> Option<Argument> {
    Some(Argument {
        offset: number(map, ".offset")? as usize,
        size: number(map, ".size")? as usize,
        kind: field(map, ".value_kind")?.as_str()?.to_owned(),
    })
}

fn kernel(map: &Value) -> Option<(String, KernelMetadata)> {
    let symbol = field(map, ".symbol")?.as_str()?.to_owned();
    let arguments = match field(map, ".args") {
        Some(list) => list
            .as_array()?
            .iter()
            .map(argument)
            .collect::<Option<_>>()?,
        None => Vec::new(),
    };
    let dynamic = field(map, ".uses_dynamic_stack");
    let metadata = KernelMetadata {
        arguments,
        kernarg_size: number(map, ".kernarg_segment_size")?,
        kernarg_align: number(map, ".kernarg_segment_align")?,
        group_size: number(map, ".group_segment_fixed_size")?,
        private_size: number(map, ".private_segment_fixed_size")?,
        max_work_items: number(map, ".max_flat_workgroup_size")?,
        wave: number(map, ".wavefront_size")?,
        dynamic_stack: dynamic.and_then(Value::as_bool).unwrap_or(false),
    };
    Some((symbol, metadata))
}

/// The kernels of a note, by symbol (`name.kd`). `None` if it is malformed.
pub fn kernels(mut note: &[u8]) -> Option<HashMap<String, KernelMetadata>> {
    let root = rmpv::decode::read_value(&mut note).ok()?;
    match field(&root, "amdhsa.kernels") {
        Some(list) => list.as_array()?.iter().map(kernel).collect(),
        None => Some(HashMap::new()),
    }
}
