//! `<kernel>_kernel_environment`: what clang and openmp-opt know of a kernel (docs/abi.md).

/// How a kernel runs (`OMPTgtExecModeFlags` in `OMPDeviceConstants.h`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExecutionMode {
    /// `ompx_bare`: no device runtime, the program states grid and block.
    Bare,
    /// A master warp hands parallel regions to worker warps.
    Generic,
    /// Every thread runs the region.
    Spmd,
    /// Generic in the source, made SPMD by openmp-opt. A distributed loop still gives one iteration to each team.
    GenericSpmd,
    /// SPMD whose loop body runs once per thread: the grid must cover the trip count.
    SpmdNoLoop,
}

impl ExecutionMode {
    fn from_byte(byte: u8) -> Option<ExecutionMode> {
        match byte {
            0 => Some(ExecutionMode::Bare),
            1 => Some(ExecutionMode::Generic),
            2 => Some(ExecutionMode::Spmd),
            3 => Some(ExecutionMode::GenericSpmd),
            6 => Some(ExecutionMode::SpmdNoLoop),
            _ => None,
        }
    }
}

/// What stands in place of the fewest teams (docs/abi.md).
const DEALS_ROWS: i32 = -2;

/// A kernel's environment. Bounds are `None` where the compiler states none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelEnvironment {
    /// Whether the image has an environment for the kernel. Such a kernel also takes the environment of its launch,
    /// even where the host's arguments are of version 2 (clang 18).
    pub present: bool,
    /// How it runs.
    pub mode: ExecutionMode,
    /// Fewest OpenMP threads per team.
    pub min_threads: Option<u32>,
    /// Most OpenMP threads per team.
    pub max_threads: Option<u32>,
    /// The kernel's parameter whose low 32 bits, if they are a positive number, limit the threads per team: the clause
    /// `num_threads(t)`. Our pass for translation units writes it.
    pub thread_limit_parameter: Option<usize>,
    /// Whether a device that executes a thread's iterations one after the other may deal consecutive iterations to a
    /// warp. Our pass for translation units writes it, as a number of fewest teams that is none.
    pub deals_rows: bool,
    /// Fewest teams.
    pub min_teams: Option<u32>,
    /// Most teams.
    pub max_teams: Option<u32>,
    /// Bytes a team contributes to cross-team reductions.
    pub reduction_data_size: u32,
    /// Records of that size in the reduction buffer.
    pub reduction_buffer_length: u32,
}

impl KernelEnvironment {
    /// Bytes needed from the start of the global.
    pub const SIZE: usize = 28;

    /// Parses the global's first bytes. The layout between clang 17 and 18 ends after the mode.
    pub fn parse(bytes: &[u8]) -> Option<KernelEnvironment> {
        let mode = ExecutionMode::from_byte(*bytes.get(2)?)?;
        let field = |offset: usize| -> i32 {
            let word = bytes
                .get(offset..offset + 4)
                .and_then(|word| word.try_into().ok());
            word.map_or(0, i32::from_le_bytes)
        };
        let bound = |offset| u32::try_from(field(offset)).ok().filter(|bound| *bound > 0);
        Some(KernelEnvironment {
            present: true,
            mode,
            min_threads: bound(4),
            max_threads: bound(8),
            thread_limit_parameter: field(8)
                .checked_neg()
                .and_then(|number| usize::try_from(number).ok().filter(|number| *number > 0)),
            deals_rows: field(12) == DEALS_ROWS,
            min_teams: bound(12),
            max_teams: bound(16),
            reduction_data_size: bound(20).unwrap_or(0),
            reduction_buffer_length: bound(24).unwrap_or(0),
        })
    }

    /// The environment of a launch: the parameter that limits its threads is a bound like others. `parameter` has the
    /// values of the launch's parameters by number.
    pub fn of_launch(self, parameter: impl Fn(usize) -> Option<u64>) -> KernelEnvironment {
        let limit = self.thread_limit_parameter.and_then(parameter);
        let limit = limit.and_then(|value| u32::try_from(value as i32).ok());
        KernelEnvironment {
            max_threads: limit.filter(|limit| *limit > 0).or(self.max_threads),
            ..self
        }
    }

    /// The environment of clang 17 and older: a mode and nothing else.
    pub fn of_mode(byte: u8) -> Option<KernelEnvironment> {
        let environment = KernelEnvironment::parse(&[0, 0, byte])?;
        Some(KernelEnvironment {
            present: false,
            ..environment
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_clang_22_writes_it() {
        let mut bytes = vec![0u8, 0, 2, 0];
        for field in [1i32, 128, 0, -1, 8, 1024] {
            bytes.extend(field.to_le_bytes());
        }
        let environment = KernelEnvironment::parse(&bytes).unwrap();
        assert_eq!(bytes.len(), KernelEnvironment::SIZE);
        assert_eq!(environment.mode, ExecutionMode::Spmd);
        assert!(environment.present && !KernelEnvironment::of_mode(2).unwrap().present);
        assert_eq!(
            (environment.min_threads, environment.max_threads),
            (Some(1), Some(128))
        );
        assert_eq!((environment.min_teams, environment.max_teams), (None, None));
        assert_eq!(
            (
                environment.reduction_data_size,
                environment.reduction_buffer_length
            ),
            (8, 1024)
        );
    }

    #[test]
    fn a_loop_may_be_dealt_in_rows() {
        let with_fewest_teams = |teams: i32| {
            let mut bytes = vec![0u8, 0, 2, 0];
            for field in [1i32, 128, teams, 0, 0, 0] {
                bytes.extend(field.to_le_bytes());
            }
            KernelEnvironment::parse(&bytes).unwrap()
        };
        let rows = with_fewest_teams(-2);
        assert_eq!((rows.deals_rows, rows.min_teams), (true, None));
        assert!(!with_fewest_teams(-1).deals_rows && !with_fewest_teams(4).deals_rows);
    }

    #[test]
    fn a_parameter_limits_the_threads() {
        let mut bytes = vec![0u8, 0, 2, 0];
        for field in [1i32, -3, 0, 0, 0, 0] {
            bytes.extend(field.to_le_bytes());
        }
        let environment = KernelEnvironment::parse(&bytes).unwrap();
        assert_eq!(environment.max_threads, None);
        let limit = |value: u64| {
            let parameter = |number| [None, None, None, Some(value)][number];
            environment.of_launch(parameter).max_threads
        };
        assert_eq!(limit(96), Some(96));
        assert_eq!(limit(0xffff_ffff_0000_0060), Some(96), "the low 32 bits");
        assert_eq!((limit(0), limit(0xffff_ffff)), (None, None));
        assert_eq!(environment.of_launch(|_| None).max_threads, None);
    }

    #[test]
    fn malformed() {
        assert_eq!(KernelEnvironment::parse(&[]), None);
        assert_eq!(KernelEnvironment::parse(&[0, 0, 9]), None);
        assert_eq!(
            KernelEnvironment::of_mode(1).unwrap().mode,
            ExecutionMode::Generic
        );
    }
}
