//! Questions to the runtime: attributes and lists.

use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;

use crate::driver::{
    Driver, Failure, HsaAgent, HsaAgentInfo, HsaIsa, HsaIsaInfo, HsaPool, HsaPoolInfo, HsaStatus,
    Outcome,
};

/// The answer to a question whose answer is a `T`.
fn answer<T: Copy>(ask: impl FnOnce(*mut c_void) -> Outcome) -> Result<T, Failure> {
    // Zeroed, because the runtime may write fewer bytes than the type of the answer has.
    let mut value = MaybeUninit::<T>::zeroed();
    ask(value.as_mut_ptr().cast())?;
    // SAFETY: plain numbers, of which every pattern of bits is one.
    Ok(unsafe { value.assume_init() })
}

/// One of an agent's properties, of the type that [`HsaAgentInfo`] says.
pub fn agent<T: Copy>(
    driver: &Driver,
    agent: HsaAgent,
    attribute: HsaAgentInfo,
) -> Result<T, Failure> {
    // SAFETY: the agent exists, and the value has the attribute's size.
    answer(|value| unsafe { driver.agent_get_info(agent, attribute, value) })
}

/// An agent's property that is a text.
pub fn agent_text(
    driver: &Driver,
    of: HsaAgent,
    attribute: HsaAgentInfo,
) -> Result<String, Failure> {
    let bytes: [u8; 64] = agent(driver, of, attribute)?;
    Ok(text(&bytes))
}

/// One of a pool's properties, of the type that [`HsaPoolInfo`] says.
pub fn pool<T: Copy>(driver: &Driver, pool: HsaPool, attribute: HsaPoolInfo) -> Result<T, Failure> {
    // SAFETY: the pool exists, and the value has the attribute's size.
    answer(|value| unsafe { driver.pool_get_info(pool, attribute, value) })
}

/// An instruction set's name.
pub fn isa_name(driver: &Driver, isa: HsaIsa) -> Result<String, Failure> {
    // SAFETY: the instruction set exists, and the value has the attribute's size.
    let length: u32 =
        answer(|value| unsafe { driver.isa_get_info(isa, HsaIsaInfo::NAME_LENGTH, value) })?;
    let mut bytes = vec![0u8; length as usize + 1];
    // SAFETY: as above.
    unsafe { driver.isa_get_info(isa, HsaIsaInfo::NAME, bytes.as_mut_ptr().cast()) }?;
    Ok(text(&bytes))
}

/// The system's processors.
pub fn agents(driver: &Driver) -> Result<Vec<HsaAgent>, Failure> {
    // SAFETY: the callback gets the list that it expects.
    list(|data| unsafe { driver.iterate_agents(collect, data) })
}

/// An agent's instruction sets, the best one first.
pub fn isas(driver: &Driver, agent: HsaAgent) -> Result<Vec<HsaIsa>, Failure> {
    // SAFETY: the agent exists, and the callback gets the list that it expects.
    list(|data| unsafe { driver.agent_iterate_isas(agent, collect, data) })
}

/// An agent's memory pools.
pub fn pools(driver: &Driver, agent: HsaAgent) -> Result<Vec<HsaPool>, Failure> {
    // SAFETY: the agent exists, and the callback gets the list that it expects.
    list(|data| unsafe { driver.agent_iterate_pools(agent, collect, data) })
}

fn list<T>(iterate: impl FnOnce(*mut c_void) -> Outcome) -> Result<Vec<T>, Failure> {
    let mut items: Vec<T> = Vec::new();
    iterate((&raw mut items).cast())?;
    Ok(items)
}

/// Adds an item to a `Vec<T>`.
unsafe extern "C" fn collect<T>(item: T, data: *mut c_void) -> HsaStatus {
    // SAFETY: [`list`] passes a vector of this type, which nothing else uses during the iteration.
    unsafe { &mut *data.cast::<Vec<T>>() }.push(item);
    HsaStatus::SUCCESS
}

/// A text up to its null character.
fn text(bytes: &[u8]) -> String {
    let text = CStr::from_bytes_until_nul(bytes).unwrap_or_default();
    text.to_string_lossy().trim().to_owned()
}
