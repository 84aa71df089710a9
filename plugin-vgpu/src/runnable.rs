//! What is needed to run a kernel: its loaded code, and what is known of its runs so far.

use std::sync::Arc;

use plugin_api::{Error, Result};
use vgpu_abi::artifact::KernelEntry;

use crate::block_time::BlockTime;
use crate::endless_wait::EndlessWait;
use crate::engine::{Engine, Form, Forms};
use crate::form_choice::FormChoice;
use crate::module::Code;

/// A kernel whose code is loaded.
pub struct Runnable {
    /// Its forms.
    pub forms: Forms,
    /// Which of them has been faster.
    pub choice: Arc<FormChoice>,
    /// How long its blocks take.
    pub block_time: Arc<BlockTime>,
    /// The hint about blocks that wait for ever.
    pub endless_wait: Arc<EndlessWait>,
    /// Its code.
    pub code: Arc<Code>,
}

impl Runnable {
    /// The kernel that `entry` describes, to be called `name` in messages.
    pub fn new(code: Arc<Code>, entry: &KernelEntry, name: &str) -> Result<Runnable> {
        let resolve = |symbol: &str| match code.symbol(symbol)? {
            address if code.loaded.is_code(address) => Ok(address),
            _ => Err(Error::Load(format!("kernel {name} is not code"))),
        };
        let forms = Forms::new(entry, resolve)?;
        let endless_wait = EndlessWait::of_kernel(code.clone(), name.to_owned());
        Ok(Runnable {
            forms,
            choice: Arc::default(),
            block_time: Arc::default(),
            endless_wait: Arc::new(endless_wait),
            code,
        })
    }

    /// Whether blocks of this form may run in another one.
    pub fn chooses(&self, form: Form) -> bool {
        let auto = self.code.gpu.config.engine == Engine::Auto;
        auto && matches!(form, Form::Subgroups { .. })
    }
}
