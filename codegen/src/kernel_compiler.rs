//! Compiles the kernels of an image that were left for later.

use std::sync::{Arc, Mutex, PoisonError};

use vgpu_abi::artifact::Artifact;

use crate::cache::Key;
use crate::compiler::Job;
use crate::requests::Wanted;
use crate::server::Server;
use crate::{CompileError, Compiler};

/// An image, of which groups of kernels are compiled one by one.
#[derive(Debug)]
pub struct KernelCompiler {
    compiler: Compiler,
    /// How the image was compiled.
    job: Job,
    /// The key of the whole image.
    key: Key,
    image: Vec<u8>,
    /// The process that has it in memory, if there is one.
    server: Mutex<Option<Arc<Server>>>,
}

impl KernelCompiler {
    pub(crate) fn new(
        compiler: Compiler,
        job: Job,
        key: Key,
        image: Vec<u8>,
        server: Option<Server>,
    ) -> KernelCompiler {
        KernelCompiler {
            compiler,
            job,
            key,
            image,
            server: Mutex::new(server.map(Arc::new)),
        }
    }

    /// Compiles a group, or takes it from the cache. `what` is told to who waits for long.
    pub fn get(&self, wanted: Wanted, what: &str) -> Result<Artifact, CompileError> {
        let read = |bytes: &[u8]| Ok(Artifact::decode(bytes)?);
        let compile = || self.compile(wanted, what);
        self.compiler
            .cached_or(&self.key_of(wanted), &self.job.target, read, compile)
    }

    /// A group, if it is in the cache.
    pub fn cached(&self, wanted: Wanted) -> Option<Artifact> {
        self.compiler.cached_artifact(&self.key_of(wanted))
    }

    fn key_of(&self, wanted: Wanted) -> Key {
        self.key.part(&match wanted {
            Wanted::Group(number) => format!("group {number}"),
            Wanted::Start(number) => format!("start {number}"),
        })
    }

    fn compile(&self, wanted: Wanted, what: &str) -> Result<Vec<u8>, CompileError> {
        let old = self.server()?;
        if let Some(bytes) = old.compile(wanted, what)? {
            return Ok(bytes);
        }
        self.forget(&old);
        let answer = self.server()?.compile(wanted, what)?;
        answer.ok_or_else(no_answer)
    }

    /// The process, started anew if there is none. Others wait meanwhile, and use the same.
    fn server(&self) -> Result<Arc<Server>, CompileError> {
        let mut server = self.server.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(server) = &*server {
            return Ok(server.clone());
        }
        let (_, started) = self.compiler.serve(&self.job, &self.image)?;
        let started = started.ok_or_else(no_answer)?;
        Ok(server.insert(Arc::new(started)).clone())
    }

    /// Drops a process that has ended.
    fn forget(&self, ended: &Arc<Server>) {
        let mut server = self.server.lock().unwrap_or_else(PoisonError::into_inner);
        server.take_if(|server| Arc::ptr_eq(server, ended));
    }
}

/// The process has ended, and not said why.
fn no_answer() -> CompileError {
    CompileError::Crashed {
        how: "no answer".to_owned(),
        detail: None,
    }
}
