//! The device runtime's shared variables that passes of the virtual GPU know by name.

/// Where a variable lies in a block's shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Its offset.
    pub start: u64,
    /// Its bytes.
    pub bytes: u64,
}

/// Offsets of these variables in a block's shared memory; `None` for a variable that the image does not have.
#[derive(Clone, Copy, Debug, Default)]
pub struct RuntimeVariables {
    /// A word per thread: its place in the nest of parallel regions (`devicertl/src/team/nest.rs`).
    pub nest: Option<Extent>,
    /// The generation of the barrier for teams with a part of a warp (`devicertl/src/sync/barrier.rs`).
    pub barrier: Option<u64>,
    /// The shape of the team, which is written only while no thread is in a region.
    pub team_shape: Option<u64>,
    /// Where the team's state is (`devicertl/src/team/state.rs`); threads wait for nothing there.
    pub state: Option<u64>,
}

impl RuntimeVariables {
    /// Finds the variables; `extent_of` gives the place of a variable by its name.
    pub fn find(extent_of: impl Fn(&str) -> Option<Extent>) -> RuntimeVariables {
        let offset_of = |name| extent_of(name).map(|extent| extent.start);
        RuntimeVariables {
            nest: extent_of("omptarget.nest"),
            barrier: offset_of("omptarget.generation"),
            team_shape: offset_of("omptarget.team_shape"),
            state: offset_of("omptarget.state"),
        }
    }
}
