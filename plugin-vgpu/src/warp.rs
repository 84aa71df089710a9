//! Warp operations: which lanes they wait for, and the result of each lane.
//!
//! Operations with a member mask are those of the PTX ISA (`shfl.sync`, `vote.sync`, `match.sync`, `redux.sync`,
//! `bar.warp.sync`). Such an operation completes when every lane in the mask has either ended or arrived at an
//! operation with the same qualifiers and the same mask. The last lane to arrive completes it for all.
//!
//! Operations without a mask (`activemask` and all of AMDGCN's) are for the lanes that *converge* there. Such an
//! operation completes when no other lane of the warp can run.

use vgpu_abi::{ReduxOp, ShuffleMode, VoteMode};

/// Most lanes per warp.
pub const MAX_LANES: usize = vgpu_abi::MAX_WARP_SIZE as usize;

/// Fewest lanes per warp.
pub const MIN_LANES: usize = 32;

/// A set of lanes of one warp.
pub type Lanes = u64;

/// An operation with its qualifiers. Lanes meet at equal operations with equal masks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarpOp {
    /// `bar.warp.sync`
    Sync,
    /// `shfl.sync`
    Shuffle(ShuffleMode),
    /// `vote.sync`
    Vote(VoteMode),
    /// `match.any.sync`
    MatchAny,
    /// `match.all.sync`
    MatchAll,
    /// `redux.sync`; AMDGCN's `wave.reduce`
    Redux(ReduxOp),
    /// `activemask`
    Active,
    /// AMDGCN's `wave.barrier`
    Converge,
    /// AMDGCN's `ballot`
    Ballot,
    /// AMDGCN's `readfirstlane`
    First,
    /// Reads another lane's value: AMDGCN's `ds_bpermute`, `readlane`, DPP and the like
    Gather,
    /// Gives another lane a value: AMDGCN's `ds_permute`
    Scatter,
}

impl WarpOp {
    /// The instruction's name, for messages.
    pub fn mnemonic(self) -> &'static str {
        match self {
            WarpOp::Sync => "bar.warp.sync",
            WarpOp::Shuffle(ShuffleMode::Up) => "shfl.sync.up",
            WarpOp::Shuffle(ShuffleMode::Down) => "shfl.sync.down",
            WarpOp::Shuffle(ShuffleMode::Bfly) => "shfl.sync.bfly",
            WarpOp::Shuffle(ShuffleMode::Idx) => "shfl.sync.idx",
            WarpOp::Vote(_) => "vote.sync",
            WarpOp::MatchAny => "match.any.sync",
            WarpOp::MatchAll => "match.all.sync",
            WarpOp::Redux(_) => "redux.sync",
            WarpOp::Active => "activemask",
            WarpOp::Converge => "wave_barrier",
            WarpOp::Ballot => "ballot",
            WarpOp::First => "readfirstlane",
            WarpOp::Gather => "a read of another lane",
            WarpOp::Scatter => "ds_permute",
        }
    }
}

/// A lane's operands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Operand {
    /// The value shuffled, matched or reduced, or the predicate.
    pub value: u64,
    /// `shfl`'s operand b: distance, lane mask or source lane. For [`WarpOp::Gather`] and [`WarpOp::Scatter`],
    /// the other lane.
    pub b: u32,
    /// `shfl`'s operand c: clamp in bits 0-4, segment mask in bits 8-12.
    pub c: u32,
}

/// Lanes that wait for other lanes at one operation.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// The operation.
    pub op: WarpOp,
    /// Member mask.
    pub mask: Lanes,
    /// Lanes that have arrived.
    pub arrived: Lanes,
}

/// The results of an operation, by lane.
pub type Results = [u64; MAX_LANES];

/// The state of one warp.
pub struct Warp {
    /// Lanes that have ended, or never had a thread.
    pub exited: Lanes,
    /// Lanes that can run: neither ended nor waiting.
    pub runnable: Lanes,
    /// Lanes that wait to converge.
    pub converging: Lanes,
    groups: Vec<Group>,
    operands: [Operand; MAX_LANES],
    sites: [u32; MAX_LANES],
    /// The operations that the converging lanes wait at.
    converging_ops: [WarpOp; MAX_LANES],
    /// The lanes that each lane's last operation named, and that had ended or never had a thread.
    absent: [Lanes; MAX_LANES],
}

impl Warp {
    /// A warp without lanes.
    pub fn new() -> Warp {
        Warp {
            exited: !0,
            runnable: 0,
            converging: 0,
            groups: Vec::with_capacity(4),
            operands: [Operand::default(); MAX_LANES],
            sites: [0; MAX_LANES],
            converging_ops: [WarpOp::Active; MAX_LANES],
            absent: [0; MAX_LANES],
        }
    }

    /// Resets to a warp of `size` lanes. The first `threads` lanes have threads, none of which has started.
    pub fn reset(&mut self, size: u32, threads: u32) {
        let first = |lanes| Lanes::MAX.checked_shr(Lanes::BITS - lanes).unwrap_or(0);
        self.runnable = first(threads);
        self.exited = first(size) & !self.runnable;
        self.converging = 0;
        self.groups.clear();
    }

    /// Lanes waiting at operations with a mask.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The lanes that a lane's last operation with a mask named, and that had ended or never had a thread.
    pub fn absent(&self, lane: usize) -> Lanes {
        self.absent[lane]
    }

    /// The site where a lane waits.
    pub fn site(&self, lane: usize) -> u32 {
        self.sites[lane]
    }

    /// Lane `lane` arrives at `op`. If that completes the operation, this function writes the results and returns
    /// the participating lanes, whose waits are over. Otherwise the lane waits.
    pub fn arrive(
        &mut self,
        lane: usize,
        site: u32,
        op: WarpOp,
        mask: Lanes,
        operand: Operand,
        results: &mut Results,
    ) -> Option<Lanes> {
        let bit = 1 << lane;
        self.operands[lane] = operand;
        let pending = self
            .groups
            .iter()
            .position(|group| group.op == op && group.mask == mask);
        let arrived = bit | pending.map_or(0, |at| self.groups[at].arrived);
        if mask & !(arrived | self.exited) == 0 {
            if let Some(at) = pending {
                self.groups.swap_remove(at);
            }
            self.complete(arrived, mask);
            evaluate(op, arrived, &self.operands, results);
            return Some(arrived);
        }
        self.sites[lane] = site;
        self.runnable &= !bit;
        match pending {
            Some(at) => self.groups[at].arrived = arrived,
            None => self.groups.push(Group { op, mask, arrived }),
        }
        None
    }

    /// Those who have arrived go on.
    fn complete(&mut self, arrived: Lanes, mask: Lanes) {
        self.runnable |= arrived;
        let absent = mask & !arrived;
        lanes(arrived).for_each(|lane| self.absent[lane] = absent);
    }

    /// Lane `lane` ends.
    pub fn exit(&mut self, lane: usize) {
        let bit = 1 << lane;
        self.exited |= bit;
        self.runnable &= !bit;
    }

    /// Completes an operation that waited only for lanes that have ended, if there is one. Writes the results and
    /// returns the participating lanes.
    pub fn completed_by_exit(&mut self, results: &mut Results) -> Option<Lanes> {
        let exited = self.exited;
        let complete = |group: &Group| group.mask & !(group.arrived | exited) == 0;
        let at = self.groups.iter().position(complete)?;
        let group = self.groups.swap_remove(at);
        self.complete(group.arrived, group.mask);
        evaluate(group.op, group.arrived, &self.operands, results);
        Some(group.arrived)
    }

    /// Lane `lane` waits to converge with the lanes that reach the same `site`. They execute the same `op`.
    pub fn converge(&mut self, lane: usize, site: u32, op: WarpOp, operand: Operand) {
        self.converging |= 1 << lane;
        self.runnable &= !(1 << lane);
        self.sites[lane] = site;
        self.converging_ops[lane] = op;
        self.operands[lane] = operand;
    }

    /// The operation that a converging lane waits at.
    pub fn converging_op(&self, lane: usize) -> WarpOp {
        self.converging_ops[lane]
    }

    /// Ends the wait of the converging lanes at the earliest site. Writes the results and returns the lanes. The
    /// compiler numbers sites in program order. So lanes that are still inside a branch or loop leave it before
    /// those behind it continue: the minimum-PC rule of SIMT hardware without a reconvergence stack.
    pub fn release_converged(&mut self, results: &mut Results) -> Lanes {
        let first = lanes(self.converging).min_by_key(|&lane| self.sites[lane]);
        let Some(first) = first else { return 0 };
        let group = lanes(self.converging)
            .filter(|&lane| self.sites[lane] == self.sites[first])
            .fold(0, |mask, lane| mask | 1 << lane);
        self.converging &= !group;
        self.runnable |= group;
        evaluate(self.converging_ops[first], group, &self.operands, results);
        group
    }
}

/// The lanes a mask names, in order.
pub fn lanes(mut mask: Lanes) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (lane < MAX_LANES).then_some(lane)
    })
}

/// Completes `op` for the lanes `active`. A gather or scatter without a partner leaves a lane's result unchanged.
fn evaluate(op: WarpOp, active: Lanes, operands: &[Operand; MAX_LANES], results: &mut Results) {
    match op {
        WarpOp::Sync | WarpOp::Converge => {}
        WarpOp::Shuffle(mode) => {
            for lane in lanes(active) {
                results[lane] = shuffle(mode, lane as i32, active, operands);
            }
        }
        WarpOp::Vote(mode) => fill(results, active, vote(mode, active, operands)),
        WarpOp::Redux(op) => fill(results, active, reduce(op, active, operands)),
        WarpOp::MatchAny => {
            for lane in lanes(active) {
                results[lane] = equal_lanes(active, operands, operands[lane].value);
            }
        }
        WarpOp::MatchAll => {
            let first = operands[active.trailing_zeros() as usize].value;
            let all = equal_lanes(active, operands, first) == active;
            fill(results, active, if all { active } else { 0 });
        }
        WarpOp::Active => fill(results, active, active),
        WarpOp::Ballot => fill(results, active, holding(active, operands)),
        WarpOp::First => {
            let first = operands[active.trailing_zeros() as usize].value;
            fill(results, active, first);
        }
        WarpOp::Gather => {
            for lane in lanes(active) {
                if let Some(source) = partner(active, &operands[lane]) {
                    results[lane] = operands[source].value;
                }
            }
        }
        WarpOp::Scatter => {
            // In lane order: if several lanes write to one lane, the highest lane wins.
            for lane in lanes(active) {
                if let Some(target) = partner(active, &operands[lane]) {
                    results[target] = operands[lane].value;
                }
            }
        }
    }
}

/// The other lane that an operand names, if it participates.
fn partner(active: Lanes, operand: &Operand) -> Option<usize> {
    let takes_part = active.checked_shr(operand.b).unwrap_or(0) & 1 != 0;
    takes_part.then_some(operand.b as usize)
}

fn fill(results: &mut Results, active: Lanes, value: u64) {
    for lane in lanes(active) {
        results[lane] = value;
    }
}

/// PTX ISA, `shfl.sync`: source lane and predicate. If the source lane does not participate, the value is
/// undefined on hardware. Here the lane keeps its own value.
fn shuffle(mode: ShuffleMode, lane: i32, active: Lanes, operands: &[Operand; MAX_LANES]) -> u64 {
    let Operand { value, b, c } = operands[lane as usize];
    let (b, clamp, segment) = ((b & 31) as i32, (c & 31) as i32, (c >> 8 & 31) as i32);
    let bound = lane & segment | clamp & !segment;
    let (source, inside) = match mode {
        ShuffleMode::Up => (lane - b, lane - b >= bound),
        ShuffleMode::Down => (lane + b, lane + b <= bound),
        ShuffleMode::Bfly => (lane ^ b, lane ^ b <= bound),
        ShuffleMode::Idx => {
            let source = lane & segment | b & !segment;
            (source, source <= bound)
        }
    };
    let taken = inside && active >> source & 1 != 0;
    let got = if taken {
        operands[source as usize].value
    } else {
        value
    };
    u64::from(got as u32) | u64::from(inside) << 32
}

fn vote(mode: VoteMode, active: Lanes, operands: &[Operand; MAX_LANES]) -> u64 {
    let holds = holding(active, operands);
    match mode {
        VoteMode::All => u64::from(holds == active),
        VoteMode::Any => u64::from(holds != 0),
        VoteMode::Uni => u64::from(holds == active || holds == 0),
        VoteMode::Ballot => holds,
    }
}

/// The lanes whose predicate holds.
fn holding(active: Lanes, operands: &[Operand; MAX_LANES]) -> Lanes {
    lanes(active)
        .filter(|&lane| operands[lane].value != 0)
        .fold(0, |mask, lane| mask | 1 << lane)
}

/// 32-bit values arrive extended to 64 bits. The signed operations get them sign-extended.
fn reduce(op: ReduxOp, active: Lanes, operands: &[Operand; MAX_LANES]) -> u64 {
    let values = lanes(active).map(|lane| operands[lane].value);
    let combine = |a: u64, b: u64| match op {
        ReduxOp::Add => a.wrapping_add(b),
        ReduxOp::Umin => a.min(b),
        ReduxOp::Umax => a.max(b),
        ReduxOp::Smin => (a as i64).min(b as i64) as u64,
        ReduxOp::Smax => (a as i64).max(b as i64) as u64,
        ReduxOp::And => a & b,
        ReduxOp::Or => a | b,
        ReduxOp::Xor => a ^ b,
    };
    values.reduce(combine).unwrap_or(0)
}

fn equal_lanes(active: Lanes, operands: &[Operand; MAX_LANES], value: u64) -> Lanes {
    lanes(active)
        .filter(|&lane| operands[lane].value == value)
        .fold(0, |mask, lane| mask | 1 << lane)
}
