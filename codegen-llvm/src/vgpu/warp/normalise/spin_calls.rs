//! Puts calls of `vgpu_spin` into loops that wait for other warps or blocks.
//!
//! Needs: a normalised kernel.
//!
//! The pass `spin` puts the same calls into the scalar form. Without them the engine could not end such a loop when it
//! gives up the launch, or after `OMPTARGET_VGPU_TIMEOUT`.

use super::context_marker;
use crate::analysis::control_flow::{ControlFlow, Loop};
use crate::analysis::source_locations::SourceLocations;
use crate::ir::{Builder, Module, Type, Value};
use crate::vgpu::lower::engine::SPIN;
use crate::vgpu::polling_loops;
use crate::vgpu::runtime_variables::RuntimeVariables;
use crate::vgpu::warp::analysis::context_fields::LaneAxis;
use crate::vgpu::warp::analysis::forward_progress::{Wait, wait};
use crate::vgpu::warp::refusal::Refusal;

/// The step, for one kernel. Refuses a kernel in which a lane may wait for another lane of its warp.
pub fn run(
    module: &Module,
    locations: &mut SourceLocations,
    kernel: Value,
    axis: LaneAxis,
    variables: RuntimeVariables,
) -> Result<(), Refusal> {
    let flow = ControlFlow::new(kernel);
    for each in flow.loops() {
        match wait(&flow, &each, axis, variables) {
            Wait::None => {}
            Wait::OtherWarps if polling_loops::yields_to_warps(&each) => {}
            Wait::OtherWarps => insert(module, locations, &each),
            Wait::Lanes => {
                let what = "a loop waits on memory that other threads write";
                return Err(match polling_loops::place(&each) {
                    Some(place) => Refusal::at(module.context, place, what),
                    None => Refusal::new(what),
                });
            }
        }
    }
    Ok(())
}

/// Puts the call at the end of every iteration of a loop.
fn insert(module: &Module, locations: &mut SourceLocations, each: &Loop) {
    let (Some(end), Some(place)) = (each.latch.terminator(), polling_loops::place(each)) else {
        return;
    };
    let context = module.context;
    let (pointer, int) = (Type::pointer(context), Type::int(context, 32));
    let ty = Type::function(Type::void(context), &[pointer, int]);
    let spin = module.declare(SPIN, ty);
    let builder = Builder::before(context, end);
    let cx = context_marker::call(module, &builder);
    let site = Value::int(int, locations.for_call(place).into());
    builder.call_function(spin, &[cx, site]);
}
