//! The interface to `libhsa-runtime64.so.1`: the functions of the HSA runtime that this plugin calls.
//!
//! The dynamic linker finds the library as it finds any other: through `LD_LIBRARY_PATH`, then in the system's
//! folders. The runtime of the tests is a library of that name in a folder of its own.
//!
//! Signatures and values are those of `hsa.h` and `hsa_ext_amd.h` (ROCR 5.2.3, the oldest that is supported).

use std::ffi::{CStr, c_char, c_int, c_void};

use vendor_driver::{Library, Status, linker_message};

pub use crate::hsa_types::*;

/// File name of the runtime's library.
pub const LIBRARY: &str = "libhsa-runtime64.so.1";

/// A call of the runtime that failed.
pub type Failure = vendor_driver::Failure<HsaStatus>;

/// The outcome of a call of the runtime.
pub type Outcome = vendor_driver::Outcome<HsaStatus>;

impl Status for HsaStatus {
    fn is_success(self) -> bool {
        // An iteration that its callback ended early is no failure.
        matches!(self, HsaStatus::SUCCESS | HsaStatus::INFO_BREAK)
    }
}

/// Why the runtime's library cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DriverError {
    /// It cannot be opened: the dynamic linker's message.
    #[error("there is no AMD driver ({0})")]
    Library(String),
    /// It lacks a function.
    #[error("{LIBRARY} is too old, or not AMD's: it has no {0}")]
    Function(&'static str),
}

/// The runtime.
pub struct Driver {
    table: Table,
    /// Stays open as long as its functions may be called.
    _library: Library,
}

vendor_driver::functions! {
    status HsaStatus;
    required {
        /// Starts the runtime, or counts one more user of it.
        init = "hsa_init"();
        /// Ends what `hsa_init` began. The last one stops the runtime.
        shut_down = "hsa_shut_down"();
        /// The words for a status. Valid without `hsa_init`.
        status_string = "hsa_status_string"(status: HsaStatus, text: *mut CText);
        /// One of the system's properties.
        system_get_info = "hsa_system_get_info"(attribute: HsaSystemInfo, value: *mut c_void);

        /// Calls a function for each processor, after `ROCR_VISIBLE_DEVICES`.
        iterate_agents = "hsa_iterate_agents"(callback: AgentCallback, data: *mut c_void);
        /// One of an agent's properties.
        agent_get_info = "hsa_agent_get_info"(agent: HsaAgent, attribute: HsaAgentInfo, value: *mut c_void);
        /// Calls a function for each instruction set that an agent executes, the best one first.
        agent_iterate_isas = "hsa_agent_iterate_isas"(agent: HsaAgent, callback: IsaCallback, data: *mut c_void);
        /// One of an instruction set's properties.
        isa_get_info = "hsa_isa_get_info_alt"(isa: HsaIsa, attribute: HsaIsaInfo, value: *mut c_void);

        /// A signal with a first value. Without consumers named, every agent may use it.
        signal_create = "hsa_signal_create"(
            initial: i64, consumers: u32, agents: *const HsaAgent, signal: *mut HsaSignal
        );
        /// Destroys it.
        signal_destroy = "hsa_signal_destroy"(signal: HsaSignal);

        /// A queue of `size` packets, a power of two. `u32::MAX` leaves a segment's size to the runtime.
        queue_create = "hsa_queue_create"(
            agent: HsaAgent, size: u32, kind: u32, callback: Option<QueueCallback>, data: *mut c_void,
            private_segment: u32, group_segment: u32, queue: *mut *mut HsaQueue
        );
        /// Destroys it. Packets that are still in it are dropped.
        queue_destroy = "hsa_queue_destroy"(queue: *mut HsaQueue);

        /// A reader of machine code that lies in memory until the reader is destroyed.
        reader_create = "hsa_code_object_reader_create_from_memory"(
            code: *const c_void, size: usize, reader: *mut HsaReader
        );
        /// Destroys it.
        reader_destroy = "hsa_code_object_reader_destroy"(reader: HsaReader);
        /// An executable without code. `options` may be null.
        executable_create = "hsa_executable_create_alt"(
            profile: u32, rounding: u32, options: CText, executable: *mut HsaExecutable
        );
        /// Unloads it.
        executable_destroy = "hsa_executable_destroy"(executable: HsaExecutable);
        /// Loads machine code for an agent. `options` and `loaded` may be null.
        executable_load = "hsa_executable_load_agent_code_object"(
            executable: HsaExecutable, agent: HsaAgent, reader: HsaReader, options: CText, loaded: *mut HsaLoadedCode
        );
        /// Makes the executable ready for use; nothing more can be loaded. `options` may be null.
        executable_freeze = "hsa_executable_freeze"(executable: HsaExecutable, options: CText);
        /// Stores 0 in `result` if the executable is valid.
        executable_validate = "hsa_executable_validate"(executable: HsaExecutable, result: *mut u32);
        /// The symbol of this name: a variable, or with `.kd` at its end a kernel.
        executable_get_symbol = "hsa_executable_get_symbol_by_name"(
            executable: HsaExecutable, name: CText, agent: *const HsaAgent, symbol: *mut HsaSymbol
        );
        /// One of a symbol's properties.
        symbol_get_info = "hsa_executable_symbol_get_info"(
            symbol: HsaSymbol, attribute: HsaSymbolInfo, value: *mut c_void
        );

        /// Calls a function for each memory pool of an agent.
        agent_iterate_pools = "hsa_amd_agent_iterate_memory_pools"(
            agent: HsaAgent, callback: PoolCallback, data: *mut c_void
        );
        /// One of a pool's properties.
        pool_get_info = "hsa_amd_memory_pool_get_info"(pool: HsaPool, attribute: HsaPoolInfo, value: *mut c_void);
        /// How an agent may use a pool.
        agent_pool_get_info = "hsa_amd_agent_memory_pool_get_info"(
            agent: HsaAgent, pool: HsaPool, attribute: HsaAgentPoolInfo, value: *mut c_void
        );
        /// Allocates, in whole pages. `flags` is 0.
        pool_allocate = "hsa_amd_memory_pool_allocate"(
            pool: HsaPool, size: usize, flags: u32, address: *mut *mut c_void
        );
        /// Frees that. Nothing may be using it.
        pool_free = "hsa_amd_memory_pool_free"(address: *mut c_void);
        /// Lets these agents, and the owner, use an allocation, and no others. `flags` is null.
        agents_allow_access = "hsa_amd_agents_allow_access"(
            count: u32, agents: *const HsaAgent, flags: *const u32, address: *const c_void
        );
        /// Pins memory of the host for agents, and gives the address that they use.
        memory_lock = "hsa_amd_memory_lock"(
            host: *mut c_void, size: usize, agents: *mut HsaAgent, count: c_int, device: *mut *mut c_void
        );
        /// Unpins it.
        memory_unlock = "hsa_amd_memory_unlock"(host: *mut c_void);
        /// Stores a value `count` times, and waits for that. The address is aligned to 4.
        memory_fill = "hsa_amd_memory_fill"(address: *mut c_void, value: u32, count: usize);
        /// Copies when all dependences are 0, and then decrements the completion signal. After an error it is negative.
        memory_async_copy = "hsa_amd_memory_async_copy"(
            dst: *mut c_void, dst_agent: HsaAgent, src: *const c_void, src_agent: HsaAgent, size: usize,
            dependences: u32, signals: *const HsaSignal, completion: HsaSignal
        );
        /// What is known about the allocation that an address lies in. The last three may be null.
        pointer_info = "hsa_amd_pointer_info"(
            address: *const c_void, info: *mut HsaPointerInfo, allocate: Option<Allocator>,
            count: *mut u32, agents: *mut *mut HsaAgent
        );
        /// Calls a function when a device faults. There is one for the whole process.
        register_event_handler = "hsa_amd_register_system_event_handler"(callback: EventCallback, data: *mut c_void);
    }
    values {
        /// The signal's value; orders memory behind the load.
        signal_load = "hsa_signal_load_scacquire"(signal: HsaSignal) -> i64;
        /// Sets it; orders memory before the store.
        signal_store = "hsa_signal_store_screlease"(signal: HsaSignal, value: i64);
        /// Waits until the condition holds or `timeout` ticks have passed. The value then; orders memory behind it.
        signal_wait = "hsa_signal_wait_scacquire"(
            signal: HsaSignal, condition: u32, value: i64, timeout: u64, state: u32
        ) -> i64;
        /// Claims places in the ring: the number of the first one.
        queue_claim = "hsa_queue_add_write_index_scacq_screl"(queue: *const HsaQueue, count: u64) -> u64;
        /// The number of the oldest packet that the device has not taken yet.
        queue_taken = "hsa_queue_load_read_index_scacquire"(queue: *const HsaQueue) -> u64;
    }
    optional {
        /// Reserves addresses. Not called here: it tells a runtime of ROCm 5.6 or newer.
        address_reserve = "hsa_amd_vmem_address_reserve"(
            address: *mut *mut c_void, size: usize, wanted: u64, flags: u64
        );
    }
}

impl Driver {
    /// Opens the runtime's library and finds its functions. Calls none of them.
    pub fn open() -> Result<Driver, DriverError> {
        // SAFETY: the runtime's library may be loaded at any time.
        let library = unsafe { Library::new(LIBRARY) }
            .map_err(|why| DriverError::Library(linker_message(&why)))?;
        Driver::of(library)
    }

    fn of(library: Library) -> Result<Driver, DriverError> {
        Ok(Driver {
            table: Table::of(&library).map_err(DriverError::Function)?,
            _library: library,
        })
    }

    /// Whether the runtime is one of ROCm 5.6 or newer, which has more attributes.
    pub fn is_recent(&self) -> bool {
        self.table.address_reserve.is_some()
    }

    /// The runtime's words for a status: `HSA_STATUS_…: …` split at the colon. The second part may be empty.
    pub fn describe(&self, status: HsaStatus) -> (String, String) {
        let mut text: *const c_char = std::ptr::null();
        // SAFETY: `text` is writable.
        let found = unsafe { self.status_string(status, &mut text) };
        if found.is_err() || text.is_null() {
            return (format!("HSA status {:#x}", status.0), String::new());
        }
        // SAFETY: a C string that lives as long as the runtime.
        let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
        match text.split_once(':') {
            Some((name, words)) => (name.trim().to_owned(), words.trim().to_owned()),
            None => (text.trim().to_owned(), String::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_symbol_is_listed_twice() {
        let mut all: Vec<_> = REQUIRED.iter().chain(OPTIONAL).collect();
        all.sort();
        let count = all.len();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn what_is_missing_is_named() {
        // SAFETY: the C library is loaded already.
        let library = unsafe { Library::new("libc.so.6") }.unwrap();
        let missing = Driver::of(library).err().unwrap();
        assert_eq!(missing, DriverError::Function("hsa_init"));
    }

    /// Debian's library has every function, and says on a machine without AMD's kernel driver that there is no device.
    #[test]
    fn the_real_library_without_a_device() {
        let driver = Driver::open().unwrap();
        if std::path::Path::new("/dev/kfd").exists() {
            return;
        }
        // SAFETY: there is no precondition.
        let failure = unsafe { driver.init() }.unwrap_err();
        assert_eq!(failure.result, HsaStatus::OUT_OF_RESOURCES);
        // SAFETY: as above.
        let failure = unsafe { driver.shut_down() }.unwrap_err();
        assert_eq!(failure.result, HsaStatus::NOT_INITIALIZED);
        let (name, text) = driver.describe(HsaStatus::OUT_OF_RESOURCES);
        assert!(
            name.starts_with("HSA_STATUS_ERROR_OUT_OF_RESOURCES"),
            "{name}"
        );
        assert!(!text.is_empty());
    }
}
