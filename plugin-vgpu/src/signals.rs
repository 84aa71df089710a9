//! Signals that device code raises, and the signal handlers that catch them.
//!
//! A signal that arrives while its thread runs a fiber belongs to the kernel: the handler abandons the fiber, and
//! the worker learns why. Any other signal goes to the handler that was installed before.

use std::cell::Cell;
use std::ptr;
use std::sync::OnceLock;

use plugin_api::{Error, Result};

use crate::captured_signal::{CapturedSignal, KEPT_WORDS};
use crate::engine::Form;
use crate::fault::{Cause, FaultLocation, Raised};
use crate::host_access;
use crate::host_cpu::{self, Attempt, FloatEnvironment};
use crate::motion;
use crate::sm::Sm;
use crate::switch;
use crate::warp::Lanes;

thread_local! {
    static RUNNING: Cell<*const Sm> = const { Cell::new(ptr::null()) };
    static SIGNAL_STACK: SignalStack = SignalStack::install();
    static HAS_LATE_STACK: Cell<bool> = const { Cell::new(false) };
}

/// Gives the calling thread an alternate signal stack, once. The main thread still runs kernels after its
/// thread-local values are destroyed: `atexit` handlers and destructors of C++ globals may contain target
/// regions, and images have destructors. The stack that it gets then stays until the process ends.
fn ensure_signal_stack() {
    if SIGNAL_STACK.try_with(|_| ()).is_err() && !HAS_LATE_STACK.replace(true) {
        std::mem::forget(SignalStack::install());
    }
}

/// The state of a CPU thread that runs blocks on a multiprocessor. Dropping it restores the thread.
pub struct Entered {
    floats: FloatEnvironment,
}

/// Prepares the calling CPU thread to run blocks on `sm`. It installs signal handlers and an alternate signal
/// stack. It also sets a GPU's floating-point environment, whatever the host program uses.
pub fn enter(sm: &Sm) -> Result<Entered> {
    install()?;
    ensure_signal_stack();
    RUNNING.set(sm);
    host_cpu::see_new_code();
    Ok(Entered {
        floats: FloatEnvironment::replace(),
    })
}

/// Does `job`, which is no device code, between two blocks on the calling thread.
pub fn as_host<T>(job: impl FnOnce() -> T) -> T {
    let sm = RUNNING.replace(ptr::null());
    let done = job();
    RUNNING.set(sm);
    host_cpu::see_new_code();
    done
}

/// Installs the signal handlers, once.
pub fn install() -> Result<()> {
    static HANDLERS: OnceLock<std::result::Result<(), i32>> = OnceLock::new();
    HANDLERS
        .get_or_init(install_handlers)
        .map_err(|errno| Error::System {
            what: "installing the virtual GPU's signal handlers".to_owned(),
            source: std::io::Error::from_raw_os_error(errno),
        })
}

impl Drop for Entered {
    fn drop(&mut self) {
        RUNNING.set(ptr::null());
        self.floats.restore();
    }
}

/// The fault that made a fiber give up, if there is one.
pub fn pending(sm: &Sm) -> Option<Box<Raised>> {
    match sm.signal.take() {
        Some(signal) => Some(Box::new(raised_by_signal(sm, signal))),
        None => sm.raised.take(),
    }
}

fn raised_by_signal(sm: &Sm, signal: CapturedSignal) -> Raised {
    let thread = sm.current.get();
    // SAFETY: no fiber runs.
    let stacks = unsafe { sm.stacks() };
    let cause = match signal.attempt {
        Attempt::DivideByZero => Cause::Arithmetic,
        Attempt::Illegal => Cause::Other("illegal instruction".to_owned()),
        _ if stacks.in_guard_page(signal.address) => Cause::StackOverflow,
        Attempt::Fetch => Cause::Other(format!("jump to {:#x}, which is not code", signal.address)),
        Attempt::UnknownAddress => Cause::Other("access to a non-canonical address".to_owned()),
        Attempt::Load | Attempt::Store => Cause::WildAccess {
            address: signal.address,
            write: signal.attempt == Attempt::Store,
        },
    };
    Raised {
        thread,
        thread_count: threads_running_with(sm, thread),
        cause,
        place: FaultLocation::Code {
            pc: code_address(&signal),
            caller: call(&signal),
        },
        waiting: Vec::new(),
    }
}

/// How many threads share the code that `thread` runs. In warp form that is a whole subgroup or warp.
fn threads_running_with(sm: &Sm, thread: u16) -> u16 {
    // SAFETY: no fiber runs, and the block's run is valid until the next block.
    let (run, block) = unsafe { (&*sm.run.get(), sm.block()) };
    match run.form {
        Form::Subgroups { width, .. } if u32::from(thread) < run.whole_subgroups(width) => {
            width as u16
        }
        Form::Warps { .. } | Form::Regions { .. } if block.in_warp_form(thread) => {
            (Lanes::BITS - block.live_lanes(thread).leading_zeros()).max(1) as u16
        }
        _ => 1,
    }
}

/// The faulting instruction, or the call that left the device window (to a library function, or by a wild jump).
fn code_address(signal: &CapturedSignal) -> u64 {
    if crate::window::contains(signal.pc) {
        return signal.pc;
    }
    call(signal).unwrap_or(signal.pc)
}

/// The innermost call: what the first return address into code returns to.
fn call(signal: &CapturedSignal) -> Option<u64> {
    let mut words = signal.words.iter().copied();
    let address = words.find(|&word| crate::code_ranges::is_code(word))?;
    Some(address - 1)
}

const SIGNALS: [libc::c_int; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];
static PREVIOUS: OnceLock<[libc::sigaction; 4]> = OnceLock::new();

fn install_handlers() -> std::result::Result<(), i32> {
    let mut previous = [no_action(); 4];
    for (old, &number) in previous.iter_mut().zip(&SIGNALS) {
        // SAFETY: asks only.
        if unsafe { libc::sigaction(number, ptr::null(), old) } != 0 {
            return Err(std::io::Error::last_os_error()
                .raw_os_error()
                .unwrap_or(libc::EINVAL));
        }
    }
    // Stored before the handler can run, so that the handler can always chain.
    PREVIOUS.get_or_init(|| previous);
    let mut action = no_action();
    action.sa_sigaction = on_signal as *const () as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
    for &number in &SIGNALS {
        // SAFETY: `on_signal` is async-signal-safe.
        if unsafe { libc::sigaction(number, &action, ptr::null_mut()) } != 0 {
            return Err(std::io::Error::last_os_error()
                .raw_os_error()
                .unwrap_or(libc::EINVAL));
        }
    }
    Ok(())
}

fn no_action() -> libc::sigaction {
    // SAFETY: an all-zero sigaction is valid: default action, empty mask.
    unsafe { std::mem::zeroed() }
}

/// The handler. It only touches memory that exists already: the thread's `Sm` and the fiber's stack.
extern "C" fn on_signal(
    number: libc::c_int,
    info: *mut libc::siginfo_t,
    context: *mut libc::c_void,
) {
    // SAFETY: the kernel passes valid pointers to a handler with SA_SIGINFO.
    if number == libc::SIGSEGV && unsafe { is_excused(&*info, &*context.cast()) } {
        return;
    }
    let sm = RUNNING.get();
    // SAFETY: `RUNNING` is null or points at the `Sm` that this thread has entered.
    let Some(sm) = (unsafe { sm.as_ref() }).filter(|sm| sm.in_fiber.get()) else {
        return chain(number, info, context);
    };
    // SAFETY: the kernel passes valid pointers to a handler with SA_SIGINFO.
    let (info, context) = unsafe { (&*info, &mut *context.cast::<libc::ucontext_t>()) };
    // The kernel did not cause a signal that another thread or process sent.
    if info.si_code <= 0 {
        return chain(
            number,
            ptr::from_ref(info).cast_mut(),
            ptr::from_mut(context).cast(),
        );
    }
    // SAFETY: for the four signals handled here the field is the fault address.
    let address = unsafe { info.si_addr() } as u64;
    sm.signal.set(Some(CapturedSignal {
        address,
        attempt: host_cpu::attempt(info, context),
        pc: host_cpu::program_counter(context),
        words: return_addresses(sm, context),
    }));
    // The fiber is abandoned. The worker continues where it resumed a fiber.
    let resume = switch::restore_and_return as *const ();
    host_cpu::resume_at(context, resume, sm.worker.get());
}

/// Whether memory moved when it was accessed, or is watched, so that the access is to be done again.
fn is_excused(info: &libc::siginfo_t, context: &libc::ucontext_t) -> bool {
    // A signal that another thread or process sent is about no access.
    if info.si_code <= 0 {
        return false;
    }
    // SAFETY: for SIGSEGV the field is the fault address.
    let address = unsafe { info.si_addr() } as u64;
    motion::excuses(address)
        || host_access::excuses(
            address,
            host_cpu::attempt(info, context),
            host_cpu::program_counter(context),
        )
}

/// What may be return addresses: that in a register, then the words at the top of the running fiber's stack. Missing
/// words are zero.
fn return_addresses(sm: &Sm, context: &libc::ucontext_t) -> [u64; KEPT_WORDS] {
    let mut words = [0; KEPT_WORDS];
    let in_register = host_cpu::latest_return_address(context);
    let on_stack = match in_register {
        Some(address) => {
            words[0] = address;
            &mut words[1..]
        }
        None => &mut words[..],
    };
    let sp = host_cpu::stack_pointer(context);
    // SAFETY: the fiber does not use the stacks while the handler runs.
    let stacks = unsafe { sm.stacks() };
    if let Some(fiber) = stacks.fiber_at(sp)
        && sp.is_multiple_of(8)
        && !stacks.in_guard_page(sp)
    {
        let top = stacks.context(fiber) as u64;
        for (word, at) in on_stack.iter_mut().zip((sp..top).step_by(8)) {
            // SAFETY: `sp..top` lies in a fiber's stack, above its guard page.
            *word = unsafe { (at as *const u64).read_volatile() };
        }
    }
    words
}

/// Passes a signal on to the handler that was installed before.
fn chain(number: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let at = SIGNALS.iter().position(|&signal| signal == number);
    let previous = at
        .and_then(|at| PREVIOUS.get().map(|all| all[at]))
        .unwrap_or_else(no_action);
    match previous.sa_sigaction {
        // Restores the default action. The faulting instruction runs again and ends the process, as it would
        // without this handler. A signal that was sent must be sent again.
        libc::SIG_DFL | libc::SIG_IGN => {
            // SAFETY: sigaction and raise are async-signal-safe; `info` is valid.
            unsafe {
                if previous.sa_sigaction == libc::SIG_IGN && (*info).si_code <= 0 {
                    return;
                }
                libc::sigaction(number, &no_action(), ptr::null_mut());
                if (*info).si_code <= 0 {
                    libc::raise(number);
                }
            }
        }
        handler if previous.sa_flags & libc::SA_SIGINFO != 0 => {
            // SAFETY: the flag says which of the two signatures it has.
            let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                unsafe { std::mem::transmute(handler) };
            handler(number, info, context);
        }
        handler => {
            // SAFETY: as above.
            let handler: extern "C" fn(libc::c_int) = unsafe { std::mem::transmute(handler) };
            handler(number);
        }
    }
}

/// The alternate stack for this thread's signal handlers. A fiber that has overflowed its stack has no room for
/// them.
struct SignalStack {
    memory: Option<Box<[u8]>>,
}

impl SignalStack {
    /// Large enough for the registers of AVX-512 and AMX (`AT_MINSIGSTKSZ` is about 11 KiB there).
    const SIZE: usize = 64 << 10;

    fn install() -> SignalStack {
        let mut old = libc::stack_t {
            ss_sp: ptr::null_mut(),
            ss_flags: 0,
            ss_size: 0,
        };
        // SAFETY: asks only.
        let known = unsafe { libc::sigaltstack(ptr::null(), &mut old) } == 0;
        if known && old.ss_flags & libc::SS_DISABLE == 0 && old.ss_size >= 16 << 10 {
            return SignalStack { memory: None };
        }
        let mut memory = vec![0; Self::SIZE].into_boxed_slice();
        let stack = libc::stack_t {
            ss_sp: memory.as_mut_ptr().cast(),
            ss_flags: 0,
            ss_size: Self::SIZE,
        };
        // SAFETY: the memory lives until this thread ends, and `drop` disables the stack. If the call fails, a
        // stack overflow ends the process as it would without this handler.
        unsafe { libc::sigaltstack(&stack, ptr::null_mut()) };
        SignalStack {
            memory: Some(memory),
        }
    }
}

impl Drop for SignalStack {
    fn drop(&mut self) {
        if self.memory.is_some() {
            let none = libc::stack_t {
                ss_sp: ptr::null_mut(),
                ss_flags: libc::SS_DISABLE,
                ss_size: 0,
            };
            // SAFETY: disables this thread's alternate stack before its memory is freed.
            unsafe { libc::sigaltstack(&none, ptr::null_mut()) };
        }
    }
}
