//! The metadata of a code object: MessagePack, as LLVM's "User Guide for AMDGPU Backend" describes it.

use std::collections::HashMap;

use plugin_api::Parameter;
use rmpv::Value;

/// What a code object says of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelMetadata {
    /// The symbol of what a dispatch packet names.
    pub symbol: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// What the host adds behind them.
    pub hidden: Vec<HiddenArgument>,
    /// Most threads of a block.
    pub max_threads: u32,
    /// Lanes of a wave.
    pub wave_size: u32,
    /// Vector registers of a thread, those for matrices included.
    pub vector_registers: u32,
    /// Scalar registers of a wave.
    pub scalar_registers: u32,
}

/// An implicit argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HiddenArgument {
    /// Offset in the arguments, bytes.
    pub offset: u32,
    /// Its size, bytes.
    pub size: u32,
    /// What it is.
    pub kind: Hidden,
}

/// The implicit arguments that the host fills. All others stay 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// Blocks along a dimension.
    BlockCount(usize),
    /// Threads of a block along a dimension.
    GroupSize(usize),
    /// Threads of the last block along a dimension, if that is not full.
    Remainder(usize),
    /// How many dimensions the grid has.
    GridDimensions,
    /// Dynamic shared memory of a block, bytes.
    DynamicSharedSize,
    /// Another, which OpenMP's and CUDA's kernels do not use.
    Other,
}

impl Hidden {
    fn of(kind: &str) -> Option<Hidden> {
        let kind = kind.strip_prefix("hidden_")?;
        let dimension = |letter: &str| match letter {
            "x" => Some(0),
            "y" => Some(1),
            "z" => Some(2),
            _ => None,
        };
        let (name, letter) = kind.rsplit_once('_').unwrap_or((kind, ""));
        Some(match (name, dimension(letter)) {
            ("block_count", Some(index)) => Hidden::BlockCount(index),
            ("group_size", Some(index)) => Hidden::GroupSize(index),
            ("remainder", Some(index)) => Hidden::Remainder(index),
            _ if kind == "grid_dims" => Hidden::GridDimensions,
            _ if kind == "dynamic_lds_size" => Hidden::DynamicSharedSize,
            _ => Hidden::Other,
        })
    }
}

/// The kernels that the metadata describes, by name.
pub fn kernels(note: &[u8]) -> Result<HashMap<String, KernelMetadata>, String> {
    let value = rmpv::decode::read_value(&mut &note[..])
        .map_err(|why| format!("its metadata is no MessagePack: {why}"))?;
    let list = field(&value, "amdhsa.kernels").and_then(Value::as_array);
    let list = list.ok_or("its metadata has no list of kernels")?;
    list.iter()
        .map(|kernel| {
            let name = text(kernel, ".name").ok_or("its metadata has a kernel without a name")?;
            Ok((name.to_owned(), describe(kernel)?))
        })
        .collect()
}

fn describe(kernel: &Value) -> Result<KernelMetadata, String> {
    let mut found = KernelMetadata {
        symbol: text(kernel, ".symbol").unwrap_or_default().to_owned(),
        max_threads: number(kernel, ".max_flat_workgroup_size").unwrap_or(0),
        wave_size: number(kernel, ".wavefront_size").unwrap_or(0),
        vector_registers: number(kernel, ".vgpr_count").unwrap_or(0),
        scalar_registers: number(kernel, ".sgpr_count").unwrap_or(0),
        ..KernelMetadata::default()
    };
    let arguments = field(kernel, ".args").and_then(Value::as_array);
    for argument in arguments.into_iter().flatten() {
        let (Some(offset), Some(size), Some(kind)) = (
            number(argument, ".offset"),
            number(argument, ".size"),
            text(argument, ".value_kind"),
        ) else {
            return Err("its metadata has an argument without offset, size or kind".into());
        };
        match Hidden::of(kind) {
            Some(kind) => found.hidden.push(HiddenArgument { offset, size, kind }),
            None => found.parameters.push(Parameter { offset, size }),
        }
    }
    Ok(found)
}

fn field<'a>(map: &'a Value, key: &str) -> Option<&'a Value> {
    let entries = map.as_map()?;
    let entry = entries
        .iter()
        .find(|(name, _)| name.as_str() == Some(key))?;
    Some(&entry.1)
}

fn text<'a>(map: &'a Value, key: &str) -> Option<&'a str> {
    field(map, key)?.as_str()
}

fn number(map: &Value, key: &str) -> Option<u32> {
    u32::try_from(field(map, key)?.as_u64()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(entries: &[(&str, Value)]) -> Value {
        Value::Map(
            entries
                .iter()
                .map(|(key, value)| ((*key).into(), value.clone()))
                .collect(),
        )
    }

    fn argument(offset: u32, size: u32, kind: &str) -> Value {
        map(&[
            (".offset", offset.into()),
            (".size", size.into()),
            (".value_kind", kind.into()),
        ])
    }

    fn encoded(value: &Value) -> Vec<u8> {
        let mut bytes = Vec::new();
        rmpv::encode::write_value(&mut bytes, value).unwrap();
        bytes
    }

    #[test]
    fn kernels_and_their_arguments() {
        let kernel = map(&[
            (".name", "k".into()),
            (".symbol", "k.kd".into()),
            (".max_flat_workgroup_size", 256.into()),
            (".wavefront_size", 64.into()),
            (
                ".args",
                Value::Array(vec![
                    argument(0, 8, "global_buffer"),
                    argument(8, 24, "by_value"),
                    argument(32, 4, "hidden_block_count_x"),
                    argument(46, 2, "hidden_group_size_y"),
                    argument(50, 2, "hidden_remainder_x"),
                    argument(96, 2, "hidden_grid_dims"),
                    argument(152, 4, "hidden_dynamic_lds_size"),
                    argument(72, 8, "hidden_global_offset_x"),
                ]),
            ),
        ]);
        let note = map(&[("amdhsa.kernels", Value::Array(vec![kernel]))]);
        let kernels = kernels(&encoded(&note)).unwrap();
        let kernel = &kernels["k"];
        assert_eq!((kernel.symbol.as_str(), kernel.wave_size), ("k.kd", 64));
        let parameters: Vec<_> = kernel.parameters.iter().map(|each| each.words()).collect();
        assert_eq!(parameters, [1, 3]);
        let kinds: Vec<_> = kernel.hidden.iter().map(|each| each.kind).collect();
        assert_eq!(
            kinds,
            [
                Hidden::BlockCount(0),
                Hidden::GroupSize(1),
                Hidden::Remainder(0),
                Hidden::GridDimensions,
                Hidden::DynamicSharedSize,
                Hidden::Other
            ]
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(kernels(b"\x81").unwrap_err().contains("MessagePack"));
        assert!(
            kernels(&encoded(&map(&[])))
                .unwrap_err()
                .contains("list of kernels")
        );
        let nameless = map(&[("amdhsa.kernels", Value::Array(vec![map(&[])]))]);
        assert!(
            kernels(&encoded(&nameless))
                .unwrap_err()
                .contains("without a name")
        );
    }
}
