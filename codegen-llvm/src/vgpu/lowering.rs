//! Lowers intrinsics.
//!
//! Needs: host triple and layout. Leaves: no call of an intrinsic of the image's instruction set, of a trap, or of a
//! function of the device's C library. Calls of functions written in LLVM assembly stand in their place (see
//! [`super::lower`]).
//!
//! Kernels with an intrinsic of the instruction set that has no lowering are refused.

use std::collections::HashMap;

use anyhow::{Result, bail};

use super::dialect::Dialect;
use super::lower::{self, Body, Request, body, library};
use super::refusal::{self, Refused};
use super::unit::Unit;
use crate::analysis::source_locations::{describe, describe_use};
use crate::ir::{Builder, Type, Value};

/// How code asks for the workspace of its grid.
const GRID_WORKSPACE: &str = "llvm.nvvm.read.ptx.sreg.envreg1";

/// The function that replaces an intrinsic.
struct Lowering {
    /// Its name.
    symbol: String,
    /// Its definition.
    definition: String,
    /// How many call-site indices it takes in front of the intrinsic's own parameters.
    sites: usize,
}

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    let mut found = Vec::new();
    let mut text = lower::engine::prelude(unit.options.window);
    text.push_str(&(unit.dialect.prelude)());
    for function in unit.module.functions() {
        if !function.is_declaration() || function.is_unused() {
            continue;
        }
        if !is_lowered(unit, function) {
            refuse(unit, function)?;
        } else if let Some(lowering) = lowering_of(unit, function) {
            unit.manifest.grid_workspace |= function.name() == GRID_WORKSPACE;
            text.push_str(&lowering.definition);
            found.push((function, lowering));
        }
    }
    let program = unit.module.definitions();
    unit.add_library(&text)?;
    let mut targets = HashMap::new();
    for (function, lowering) in &found {
        targets.insert(
            *function,
            (unit.library_function(&lowering.symbol)?, lowering.sites),
        );
    }
    // In program order, so that call sites are numbered as in the source.
    for call in program
        .into_iter()
        .flat_map(Value::instructions)
        .filter(|it| it.is_call())
    {
        let called = call.called();
        if let Some(&(target, sites)) = targets.get(&called)
            && call.called_type() == called.value_type()
        {
            replace_call(unit, call, target, sites);
        }
    }
    found
        .into_iter()
        .try_for_each(|(function, lowering)| replace_address(unit, function, &lowering))
}

fn lowering_of(unit: &Unit, function: Value) -> Option<Lowering> {
    let (name, ty) = (function.name(), function.value_type());
    let request = Request {
        name: &name,
        result: ty.result().print(),
        parameters: ty.parameters().into_iter().map(Type::print).collect(),
        warp_size: unit.manifest.warp_size,
    };
    definition_of(unit.dialect, &request)
}

/// Whether a function is no intrinsic of the instruction set, or has a lowering.
fn is_lowered(unit: &Unit, function: Value) -> bool {
    let intrinsic = function.name().starts_with(unit.dialect.target.intrinsics);
    !intrinsic || lowering_of(unit, function).is_some()
}

/// Refuses the kernels that use an intrinsic without a lowering.
fn refuse(unit: &mut Unit, function: Value) -> Result<()> {
    let what = format!(
        "the virtual GPU does not know the intrinsic `{}`",
        function.name()
    );
    let users = function.users();
    if users.iter().any(|user| !user.is_call()) {
        bail!("{what}, used {}", describe_use(unit.context(), function));
    }
    let context = unit.context();
    let calls = users.into_iter().map(|call| Refused {
        call,
        why: format!("{what}, used {}", describe(context, call)),
    });
    refusal::refuse(unit, calls.collect())
}

/// Replaces the uses of `function` that are left, those of its address, and deletes it.
fn replace_address(unit: &Unit, function: Value, lowering: &Lowering) -> Result<()> {
    if let Some(user) = function.users().into_iter().next()
        && lowering.sites > 0
    {
        let context = unit.context();
        let place = if user.is_instruction() {
            describe(context, user)
        } else {
            describe_use(context, user)
        };
        bail!(
            "the address of `{}` is taken {place}, which the virtual GPU cannot give",
            function.name()
        );
    }
    function.replace_all_uses(unit.library_function(&lowering.symbol)?);
    // SAFETY: its uses are replaced, and `run` looks at each function once.
    unsafe { function.delete_function() };
    Ok(())
}

/// Replaces a call by one of `target`, with call-site indices of its own in front.
fn replace_call(unit: &mut Unit, call: Value, target: Value, sites: usize) {
    let context = unit.context();
    let mut arguments = Vec::new();
    for _ in 0..sites {
        arguments.push(Value::int(
            Type::int(context, 32),
            u64::from(unit.locations.for_call(call)),
        ));
    }
    arguments.extend(call.arguments());
    let replacement = Builder::before(context, call).call_function(target, &arguments);
    // SAFETY: `run` looks at each call once.
    unsafe { call.replace_with(replacement) };
}

/// The lowering of a declared function: an intrinsic of the dialect, a generic intrinsic with a meaning on GPUs, or a
/// function of the device's C library.
fn definition_of(dialect: &Dialect, request: &Request<'_>) -> Option<Lowering> {
    let body = match request.name.strip_prefix("llvm.") {
        Some(intrinsic) => match request.name.strip_prefix(dialect.target.intrinsics) {
            Some(name) => (dialect.lower)(name, request)?,
            None => generic(intrinsic).or_else(|| (dialect.generic)(intrinsic))?,
        },
        None => library::lower(request, dialect.target.argument_alignment)?,
    };
    let symbol = format!("lower.{}", request.name);
    let sites = ["i32 %site", "i32 %site1"]
        .iter()
        .take(body.sites)
        .map(|&site| site.to_owned());
    let own = request
        .parameters
        .iter()
        .enumerate()
        .map(|(index, ty)| format!("{ty} %a{index}"));
    let parameters = sites.chain(own).collect::<Vec<_>>().join(", ");
    let definition = format!(
        "define {} @\"{symbol}\"({parameters}) {} nounwind {{\n{}\n}}\n",
        request.result,
        body.attributes,
        body.text.trim_end()
    );
    Some(Lowering {
        symbol,
        definition,
        sites: body.sites,
    })
}

/// Generic intrinsics with the same meaning on every GPU.
fn generic(name: &str) -> Option<Body> {
    match name {
        "trap" | "debugtrap" | "ubsantrap" => Body::synchronising(body::call_with_site(
            "call void @vgpu_trap(ptr %cx, i32 %site)",
            "unreachable",
        )),
        _ => None,
    }
}
