//! Warp operations: which lanes they wait for and what each lane gets.
//!
//! Semantics are those of the PTX ISA (`shfl.sync`, `vote.sync`, `match.sync`, `redux.sync`,
//! `bar.warp.sync`, `activemask`): an operation with a member mask completes when every lane the mask
//! names has either ended or arrived at an operation with the same qualifiers and the same mask. The
//! last lane to arrive completes it for all.

use codegen::vgpu_abi::{ReduxOp, ShuffleMode, VoteMode};

/// Lanes per warp.
pub const WARP_SIZE: usize = 32;

/// An operation with its qualifiers; lanes meet at equal operations with equal masks.
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
    /// `redux.sync`
    Redux(ReduxOp),
}

impl WarpOp {
    /// The PTX mnemonic, for messages.
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
        }
    }
}

/// What a lane brings to an operation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Operand {
    /// The value shuffled, matched or reduced, or the predicate.
    pub value: u64,
    /// `shfl`'s operand b: distance, lane mask or source lane.
    pub b: u32,
    /// `shfl`'s operand c: clamp in bits 0-4, segment mask in bits 8-12.
    pub c: u32,
}

/// Lanes that wait for others at one operation.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Where.
    pub op: WarpOp,
    /// Member mask.
    pub mask: u32,
    /// Lanes that have arrived.
    pub arrived: u32,
}

/// What each lane of a warp gets from an operation.
pub type Results = [u64; WARP_SIZE];

/// The state of one warp.
pub struct Warp {
    /// Lanes that have ended, or never had a thread.
    pub exited: u32,
    /// Lanes that can run: neither ended nor waiting.
    pub runnable: u32,
    /// Lanes that wait to converge (`activemask`).
    pub converging: u32,
    groups: Vec<Group>,
    operands: [Operand; WARP_SIZE],
    sites: [u32; WARP_SIZE],
}

impl Warp {
    /// A warp with no lanes yet.
    pub fn new() -> Warp {
        Warp {
            exited: !0,
            runnable: 0,
            converging: 0,
            groups: Vec::with_capacity(4),
            operands: [Operand::default(); WARP_SIZE],
            sites: [0; WARP_SIZE],
        }
    }

    /// Makes it a warp of `lanes` lanes, none of which has started.
    pub fn reset(&mut self, lanes: u32) {
        self.runnable = u32::MAX.checked_shr(32 - lanes).unwrap_or(0);
        self.exited = !self.runnable;
        self.converging = 0;
        self.groups.clear();
    }

    /// Lanes waiting at operations with a mask.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Where a waiting lane waits.
    pub fn site(&self, lane: usize) -> u32 {
        self.sites[lane]
    }

    /// Lane `lane` arrives at `op`. If that completes the operation, writes the results and returns the
    /// lanes that took part, whose waits are over. Otherwise the lane waits.
    pub fn arrive(
        &mut self,
        lane: usize,
        site: u32,
        op: WarpOp,
        mask: u32,
        operand: Operand,
        results: &mut Results,
    ) -> Option<u32> {
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
            self.runnable |= arrived;
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

    /// Lane `lane` ends.
    pub fn exit(&mut self, lane: usize) {
        let bit = 1 << lane;
        self.exited |= bit;
        self.runnable &= !bit;
    }

    /// Completes an operation that waited only for lanes that have ended, if there is one: writes the
    /// results and returns the lanes that took part.
    pub fn completed_by_exit(&mut self, results: &mut Results) -> Option<u32> {
        let exited = self.exited;
        let complete = |group: &Group| group.mask & !(group.arrived | exited) == 0;
        let at = self.groups.iter().position(complete)?;
        let group = self.groups.swap_remove(at);
        self.runnable |= group.arrived;
        evaluate(group.op, group.arrived, &self.operands, results);
        Some(group.arrived)
    }

    /// Lane `lane` waits to converge with the lanes that come to the same `site`.
    pub fn converge(&mut self, lane: usize, site: u32) {
        self.converging |= 1 << lane;
        self.runnable &= !(1 << lane);
        self.sites[lane] = site;
    }

    /// Ends the wait of the converging lanes at the earliest site, and returns them. The compiler
    /// numbers sites in program order, so lanes still inside a branch or loop leave it before those
    /// behind it go on: the minimum-PC rule of SIMT hardware without a reconvergence stack.
    pub fn release_converged(&mut self) -> u32 {
        let first = lanes(self.converging).map(|lane| self.sites[lane]).min();
        let Some(site) = first else { return 0 };
        let group = lanes(self.converging)
            .filter(|&lane| self.sites[lane] == site)
            .fold(0, |mask, lane| mask | 1 << lane);
        self.converging &= !group;
        self.runnable |= group;
        group
    }
}

/// The lanes a mask names, in order.
pub fn lanes(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (lane < WARP_SIZE).then_some(lane)
    })
}

fn evaluate(op: WarpOp, active: u32, operands: &[Operand; WARP_SIZE], results: &mut Results) {
    match op {
        WarpOp::Sync => {}
        WarpOp::Shuffle(mode) => {
            for lane in lanes(active) {
                results[lane] = shuffle(mode, lane as i32, active, operands);
            }
        }
        WarpOp::Vote(mode) => fill(results, active, vote(mode, active, operands).into()),
        WarpOp::Redux(op) => fill(results, active, reduce(op, active, operands).into()),
        WarpOp::MatchAny => {
            for lane in lanes(active) {
                results[lane] = equal_lanes(active, operands, operands[lane].value).into();
            }
        }
        WarpOp::MatchAll => {
            let first = operands[active.trailing_zeros() as usize].value;
            let all = equal_lanes(active, operands, first) == active;
            fill(
                results,
                active,
                if all { 1 << 32 | u64::from(active) } else { 0 },
            );
        }
    }
}

fn fill(results: &mut Results, active: u32, value: u64) {
    for lane in lanes(active) {
        results[lane] = value;
    }
}

/// PTX ISA, `shfl.sync`: source lane and predicate. A source lane that does not take part gives an
/// undefined value on hardware; here the lane keeps its own.
fn shuffle(mode: ShuffleMode, lane: i32, active: u32, operands: &[Operand; WARP_SIZE]) -> u64 {
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

fn vote(mode: VoteMode, active: u32, operands: &[Operand; WARP_SIZE]) -> u32 {
    let holds = lanes(active)
        .filter(|&lane| operands[lane].value != 0)
        .fold(0, |mask, lane| mask | 1 << lane);
    match mode {
        VoteMode::All => u32::from(holds == active),
        VoteMode::Any => u32::from(holds != 0),
        VoteMode::Uni => u32::from(holds == active || holds == 0),
        VoteMode::Ballot => holds,
    }
}

fn reduce(op: ReduxOp, active: u32, operands: &[Operand; WARP_SIZE]) -> u32 {
    let values = lanes(active).map(|lane| operands[lane].value as u32);
    let combine = |a: u32, b: u32| match op {
        ReduxOp::Add => a.wrapping_add(b),
        ReduxOp::Umin => a.min(b),
        ReduxOp::Umax => a.max(b),
        ReduxOp::Smin => (a as i32).min(b as i32) as u32,
        ReduxOp::Smax => (a as i32).max(b as i32) as u32,
        ReduxOp::And => a & b,
        ReduxOp::Or => a | b,
        ReduxOp::Xor => a ^ b,
    };
    values.reduce(combine).unwrap_or(0)
}

fn equal_lanes(active: u32, operands: &[Operand; WARP_SIZE], value: u64) -> u32 {
    lanes(active)
        .filter(|&lane| operands[lane].value == value)
        .fold(0, |mask, lane| mask | 1 << lane)
}
