//! Chooses the engine for a kernel: a fiber per thread, which runs every kernel, or the kernel's warp form
//! (`docs/vgpu.md`).

use vgpu_abi::artifact::{KernelEntry, WarpForm};
use vgpu_abi::{EntryFn, WarpEntryFn};

/// `OMPTARGET_VGPU_ENGINE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// A fiber per thread, always.
    Fiber,
    /// The warp form of every kernel that has one.
    Workgroup,
    /// The warp form of every kernel that has one, unless its threads one after the other turn out to be faster.
    Auto,
}

impl Engine {
    /// The engine of that name.
    pub fn named(name: &str) -> Option<Engine> {
        match name {
            "fiber" => Some(Engine::Fiber),
            "workgroup" => Some(Engine::Workgroup),
            "auto" => Some(Engine::Auto),
            _ => None,
        }
    }

    /// Whether kernels are compiled in warp form as well.
    pub fn wants_warp_forms(self) -> bool {
        self != Engine::Fiber
    }
}

/// How the threads of a block are run.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// Each on a fiber of its own.
    Threads(EntryFn),
    /// One after the other on one stack, all threads of a block in a call ([`vgpu_abi::SubgroupCall`]). Nothing in them
    /// waits.
    OneByOne(WarpEntryFn),
    /// Each warp on a fiber of its own.
    Warps {
        /// The kernel.
        entry: WarpEntryFn,
        /// In generic mode: the thread entry that the threads of the last warp run instead, each on a fiber of its own.
        /// The master is one of them.
        last: Option<EntryFn>,
    },
    /// All warps of a block on one fiber, from barrier to barrier ([`vgpu_abi::RegionCall`]).
    Regions {
        /// The kernel.
        entry: WarpEntryFn,
        /// Bytes of a warp's frame.
        frame: u32,
    },
    /// Subgroups of `width` threads run one after another on one stack, and then the threads behind the last whole
    /// one. Nothing in them waits.
    Subgroups {
        /// The kernel.
        entry: WarpEntryFn,
        /// The kernel for the threads that are in no whole subgroup.
        rest: EntryFn,
        /// Threads of a subgroup.
        width: u32,
        /// Whether a call runs all subgroups of a block ([`vgpu_abi::SubgroupCall`]).
        loops: bool,
        /// What runs threads [one by one](Form::OneByOne), if threads that run so never wait either.
        threads: Option<WarpEntryFn>,
    },
}

impl Form {
    /// The address of the code that is called.
    pub fn address(self) -> u64 {
        match self {
            Form::Threads(entry) => entry as usize as u64,
            Form::OneByOne(entry)
            | Form::Warps { entry, .. }
            | Form::Regions { entry, .. }
            | Form::Subgroups { entry, .. } => entry as usize as u64,
        }
    }
}

/// The forms of one kernel.
#[derive(Clone, Debug)]
pub struct Forms {
    thread: EntryFn,
    /// What runs threads one by one, if none of them waits.
    threads: Option<WarpEntryFn>,
    warp: Result<WarpKernel, String>,
}

#[derive(Clone, Copy, Debug)]
struct WarpKernel {
    entry: WarpEntryFn,
    width: u32,
    fiber: bool,
    workers: bool,
    partial: bool,
    max_threads: u32,
    regions: Option<u32>,
    loops: bool,
}

impl Forms {
    /// The forms of a compiled kernel. `resolve` finds code by its symbol.
    pub fn new<E>(
        entry: &KernelEntry,
        resolve: impl Fn(&str) -> Result<u64, E>,
    ) -> Result<Forms, E> {
        let warp_entry = |symbol: &str| {
            let address = resolve(symbol)?;
            // SAFETY: the manifest says that the symbol is an entry of this type, and `resolve` checks that it is code.
            Ok(unsafe { std::mem::transmute::<usize, WarpEntryFn>(address as usize) })
        };
        let address = resolve(&entry.symbol)?;
        // SAFETY: as above.
        let thread = unsafe { std::mem::transmute::<usize, EntryFn>(address as usize) };
        let warp = match &entry.warp {
            WarpForm::Absent(why) => Err(why.clone()),
            WarpForm::Present {
                symbol,
                width,
                fiber,
                workers,
                partial,
                max_threads,
                regions,
                loops,
            } => Ok(WarpKernel {
                entry: warp_entry(symbol)?,
                width: *width,
                fiber: *fiber,
                workers: *workers,
                partial: *partial,
                max_threads: *max_threads,
                regions: *regions,
                loops: *loops,
            }),
        };
        Ok(Forms {
            thread,
            threads: entry.threads.as_deref().map(warp_entry).transpose()?,
            warp,
        })
    }

    /// The form for blocks of this shape. `one_by_one`: whether threads that never wait may run so, which is in the
    /// order of their numbers and without checks.
    pub fn choose(&self, block: [u32; 3], one_by_one: bool) -> Form {
        match &self.warp {
            Ok(warp) if unsuitable_shape(warp, block).is_none() => match (warp.regions, warp.fiber)
            {
                (Some(frame), _) => Form::Regions {
                    entry: warp.entry,
                    frame,
                },
                (None, true) => Form::Warps {
                    entry: warp.entry,
                    last: warp.workers.then_some(self.thread),
                },
                (None, false) => Form::Subgroups {
                    entry: warp.entry,
                    rest: self.thread,
                    width: warp.width,
                    loops: warp.loops,
                    threads: self.threads.filter(|_| one_by_one),
                },
            },
            _ => self.by_threads(one_by_one),
        }
    }

    /// The form without warps.
    fn by_threads(&self, one_by_one: bool) -> Form {
        match self.threads {
            Some(threads) if one_by_one => Form::OneByOne(threads),
            _ => Form::Threads(self.thread),
        }
    }

    /// Why blocks of this shape run thread by thread. `None` if they do not.
    pub fn why_not_warps(&self, block: [u32; 3]) -> Option<String> {
        match &self.warp {
            Ok(warp) => unsuitable_shape(warp, block),
            Err(why) => Some(why.clone()),
        }
    }
}

/// Why a warp form cannot run such a block. The block may have more threads than the form was compiled for. Or it
/// may not divide into subgroups of this width, as the threads of a subgroup must have the same y and z.
fn unsuitable_shape(warp: &WarpKernel, [x, y, z]: [u32; 3]) -> Option<String> {
    let (width, most) = (warp.width, warp.max_threads);
    if x.saturating_mul(y).saturating_mul(z) > most {
        return Some(format!(
            "blocks have more than {most} threads, the kernel's launch bound"
        ));
    }
    if warp.workers {
        let generic = x == 1 && z == 1 && y > width;
        return (!generic)
            .then(|| format!("blocks of {x} x {y} x {z} threads do not fit a generic kernel"));
    }
    if !warp.partial && y == 1 && z == 1 && x < width {
        return Some(format!(
            "a block of {x} threads is smaller than a subgroup of {width}"
        ));
    }
    if warp.fiber && !warp.partial && !x.is_multiple_of(width) {
        return Some(format!(
            "blocks of {x} threads are not whole warps, as the kernel's launch bound is"
        ));
    }
    let fits = (y == 1 && z == 1) || x.is_multiple_of(width);
    (!fits).then(|| {
        format!(
            "blocks of {x} x {y} x {z} threads have rows whose length is not a multiple of {width}"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" fn code(_: *mut vgpu_abi::ThreadContext, _: *const u64, _: u64) {}

    fn forms(fiber: bool) -> Forms {
        let form = WarpForm::Present {
            symbol: "warp".into(),
            width: 32,
            max_threads: 256,
            regions: None,
            loops: false,
            fiber,
            workers: false,
            partial: fiber,
        };
        forms_of(form)
    }

    fn forms_of(warp: WarpForm) -> Forms {
        forms_with(warp, None)
    }

    fn forms_with(warp: WarpForm, threads: Option<String>) -> Forms {
        let entry = KernelEntry {
            warp,
            threads,
            ..KernelEntry::default()
        };
        Forms::new(&entry, |_| Ok::<_, ()>(code as *const () as u64)).unwrap()
    }

    #[test]
    fn workers_in_warp_form_need_the_master_beside_them() {
        let forms = forms_of(WarpForm::Present {
            symbol: "warp".into(),
            width: 32,
            max_threads: 160,
            regions: None,
            loops: false,
            fiber: true,
            workers: true,
            partial: false,
        });
        for threads in [33, 64, 82, 160] {
            assert!(matches!(
                forms.choose([1, threads, 1], true),
                Form::Warps { last: Some(_), .. }
            ));
        }
        for block in [[1, 32, 1], [160, 1, 1], [32, 2, 1], [1, 64, 2], [1, 161, 1]] {
            assert!(matches!(forms.choose(block, true), Form::Threads(_)));
        }
    }

    #[test]
    fn blocks_that_are_not_whole_warps_run_thread_by_thread_if_the_form_relies_on_it() {
        let forms = forms_of(WarpForm::Present {
            symbol: "warp".into(),
            width: 32,
            max_threads: 128,
            regions: None,
            loops: false,
            fiber: true,
            workers: false,
            partial: false,
        });
        for block in [[128, 1, 1], [64, 1, 1], [32, 2, 2]] {
            assert!(matches!(
                forms.choose(block, true),
                Form::Warps { last: None, .. }
            ));
        }
        for block in [[100, 1, 1], [31, 1, 1], [48, 2, 1]] {
            assert!(matches!(forms.choose(block, true), Form::Threads(_)));
        }
        assert_eq!(
            forms.why_not_warps([100, 1, 1]).unwrap(),
            "blocks of 100 threads are not whole warps, as the kernel's launch bound is"
        );
    }

    #[test]
    fn the_shape_of_the_block_decides() {
        for block in [[32, 1, 1], [33, 1, 1], [32, 3, 1], [64, 2, 2]] {
            assert!(matches!(
                forms(true).choose(block, true),
                Form::Warps { .. }
            ));
            assert!(matches!(
                forms(false).choose(block, true),
                Form::Subgroups { width: 32, .. }
            ));
            assert_eq!(forms(true).why_not_warps(block), None);
        }
        assert!(matches!(
            forms(true).choose([16, 16, 1], true),
            Form::Threads(_)
        ));
        assert!(matches!(
            forms(true).choose([1, 1, 1], true),
            Form::Warps { .. }
        ));
        assert_eq!(
            forms(false).why_not_warps([31, 1, 1]).unwrap(),
            "a block of 31 threads is smaller than a subgroup of 32"
        );
        assert_eq!(
            forms(false).why_not_warps([16, 1, 2]).unwrap(),
            "blocks of 16 x 1 x 2 threads have rows whose length is not a multiple of 32"
        );
    }

    #[test]
    fn blocks_that_do_not_fit_run_in_a_loop_over_threads_if_there_is_one() {
        let warp = WarpForm::Present {
            symbol: "warp".into(),
            width: 32,
            max_threads: 256,
            regions: None,
            loops: true,
            fiber: false,
            workers: false,
            partial: false,
        };
        let forms = forms_with(warp, Some("threads".into()));
        for block in [[31, 1, 1], [16, 4, 1], [1, 1, 1]] {
            assert!(matches!(forms.choose(block, true), Form::OneByOne(_)));
            assert!(matches!(forms.choose(block, false), Form::Threads(_)));
        }
        for one_by_one in [false, true] {
            let Form::Subgroups { threads, .. } = forms.choose([100, 1, 1], one_by_one) else {
                panic!("the block has whole subgroups");
            };
            assert_eq!(threads.is_some(), one_by_one);
        }
    }

    #[test]
    fn a_kernel_without_warp_form_says_why() {
        let absent = || WarpForm::Absent("recursion at a.c:3".into());
        let forms = forms_with(absent(), Some("threads".into()));
        assert!(matches!(forms.choose([32, 1, 1], true), Form::OneByOne(_)));
        let forms = forms_of(absent());
        assert!(matches!(forms.choose([32, 1, 1], true), Form::Threads(_)));
        assert_eq!(
            forms.why_not_warps([32, 1, 1]).unwrap(),
            "recursion at a.c:3"
        );
    }
}
