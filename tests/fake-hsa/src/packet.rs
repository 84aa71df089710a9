//! AQL packets: 64 bytes each (HSA Platform System Architecture Specification, "AQL").

use fake_driver::handle::Handle;

/// A packet as it lies in the ring.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct Raw(pub [u8; 64]);

/// Packets of these types (`hsa_packet_type_t`).
pub mod kind {
    pub const INVALID: u8 = 1;
    pub const DISPATCH: u8 = 2;
    pub const BARRIER_AND: u8 = 3;
    pub const BARRIER_OR: u8 = 5;
}

/// Scopes of fences (`hsa_fence_scope_t`).
const AGENT: u16 = 1;
const SYSTEM: u16 = 2;

/// A packet that was understood.
#[derive(Debug)]
pub struct Packet {
    /// Whether it waits for all packets before it.
    pub barrier: bool,
    /// The signal to complete, or 0.
    pub completion: Handle,
    /// What it asks for.
    pub content: Content,
}

/// What a packet asks for.
#[derive(Debug)]
pub enum Content {
    /// A kernel.
    Dispatch(Dispatch),
    /// To wait for all of these signals (0: none).
    BarrierAnd([Handle; 5]),
    /// To wait for one of them.
    BarrierOr([Handle; 5]),
}

/// `hsa_kernel_dispatch_packet_t`
#[derive(Debug)]
pub struct Dispatch {
    /// Dimensions of the grid.
    pub dimensions: u16,
    /// Work-items of a work-group.
    pub workgroup: [u32; 3],
    /// Work-items of the grid.
    pub grid: [u32; 3],
    /// Bytes of scratch per work-item.
    pub private: u32,
    /// Bytes of LDS per work-group.
    pub group: u32,
    /// The kernel.
    pub object: Handle,
    /// Its arguments.
    pub arguments: u64,
}

fn half(raw: &Raw, at: usize) -> u16 {
    u16::from_le_bytes([raw.0[at], raw.0[at + 1]])
}

fn word(raw: &Raw, at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|index| raw.0[at + index]))
}

fn long(raw: &Raw, at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|index| raw.0[at + index]))
}

fn expect_zero(what: &str, value: u64) -> Result<(), String> {
    match value {
        0 => Ok(()),
        _ => Err(format!("{what} is {value:#x} and must be 0")),
    }
}

impl Packet {
    /// Understands a packet whose header is not INVALID.
    pub fn parse(raw: &Raw) -> Result<Packet, String> {
        let header = half(raw, 0);
        let (acquire, release) = (header >> 9 & 3, header >> 11 & 3);
        expect_zero("the reserved part of the header", (header >> 13).into())?;
        if acquire > SYSTEM || release > SYSTEM {
            return Err(format!("fence scopes {acquire} and {release}"));
        }
        let completion = long(raw, 56) as Handle;
        let content = match header as u8 {
            kind::DISPATCH => Content::Dispatch(dispatch(raw)?),
            kind::BARRIER_AND => Content::BarrierAnd(dependences(raw)?),
            kind::BARRIER_OR => Content::BarrierOr(dependences(raw)?),
            other => return Err(format!("packets of type {other} are not emulated")),
        };
        let is_dispatch = matches!(content, Content::Dispatch(_));
        // Whoever waits for the signal is not on the agent, or cannot know that everything before is.
        if is_dispatch && completion != 0 && release < SYSTEM {
            return Err(format!(
                "a kernel that completes a signal releases to scope {release}, not to the system"
            ));
        }
        if is_dispatch && acquire < AGENT {
            return Err("a kernel without an acquire fence".into());
        }
        Ok(Packet {
            barrier: header >> 8 & 1 == 1,
            completion,
            content,
        })
    }
}

fn dispatch(raw: &Raw) -> Result<Dispatch, String> {
    let setup = half(raw, 2);
    expect_zero("the reserved part of the setup", (setup >> 2).into())?;
    expect_zero("reserved0", half(raw, 10).into())?;
    expect_zero("reserved2", long(raw, 48))?;
    if setup == 0 {
        return Err("a grid of 0 dimensions".into());
    }
    let packet = Dispatch {
        dimensions: setup,
        workgroup: [4, 6, 8].map(|at| half(raw, at).into()),
        grid: [12, 16, 20].map(|at| word(raw, at)),
        private: word(raw, 24),
        group: word(raw, 28),
        object: long(raw, 32) as Handle,
        arguments: long(raw, 40),
    };
    for dimension in 0..3 {
        let (items, grid) = (packet.workgroup[dimension], packet.grid[dimension]);
        if items == 0 || grid == 0 {
            return Err(format!(
                "a grid of {:?} in groups of {:?}",
                packet.grid, packet.workgroup
            ));
        }
        if dimension >= usize::from(setup) && (items, grid) != (1, 1) {
            return Err(format!(
                "{items} of {grid} work-items in dimension {dimension} of {setup}"
            ));
        }
        if !grid.is_multiple_of(items) {
            return Err(format!(
                "a grid of {grid} work-items is not a multiple of {items}"
            ));
        }
    }
    Ok(packet)
}

fn dependences(raw: &Raw) -> Result<[Handle; 5], String> {
    expect_zero("reserved0", half(raw, 2).into())?;
    expect_zero("reserved1", word(raw, 4).into())?;
    expect_zero("reserved2", long(raw, 48))?;
    Ok([8, 16, 24, 32, 40].map(|at| long(raw, at) as Handle))
}
