//! A strict HSA runtime (`libhsa-runtime64.so.1`) for tests: it exports what `plugin-amdgpu` calls and runs kernels on
//! virtual GPUs, in waves of 64 or 32 lanes as the architecture has them.
//!
//! Machine code cannot run without a GPU, so the *bitcode* runs that a code object was made of. Its section `.comment`
//! names it by the SHA-256 of the image. The test provides the file in the folder `FAKE_HSA_BITCODE`. The device
//! services, which a code object contains, are linked to the bitcode (`FAKE_HSA_SERVICES`), so that the plugin has to
//! provide their memory. Everything else comes from the code object itself: symbols, segment sizes, arguments.
//!
//! Queues are rings in memory, and a thread per queue reads their packets as a packet processor does. It checks what
//! the HSA Runtime Programmer's Reference Manual (1.2), the HSA Platform System Architecture Specification (1.2) and
//! AMD's `hsa_ext_amd.h` (ROCm 5.2) demand. What breaks a rule gets a line on standard error, because many rules have
//! no error code of their own: tests fail on output there.
//!
//! Tests can make calls fail and log them. `config` has the settings.

mod agent;
mod agent_calls;
mod arguments;
mod attribute;
mod call;
mod code_object;
mod config;
mod copy_calls;
mod dispatch;
mod executable;
mod executable_calls;
mod fault;
mod handler;
mod image;
mod isa;
mod leaks;
mod memory;
mod memory_calls;
mod metadata;
mod packet;
mod pool;
mod processor;
mod queue;
mod queue_calls;
mod signal;
mod signal_calls;
mod status;
mod system_calls;
