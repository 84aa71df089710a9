//! A compiler process that holds an image in memory and compiles groups of its kernels on request
//! (`omptarget-codegen vgpu --by-group`).

use std::io::pipe;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::CompileError;
use crate::process::{self, Running};
use crate::requests::{self, Wanted};

/// The process. It ends when this is dropped, and by itself after some time without requests.
#[derive(Debug)]
pub struct Server {
    socket: OwnedFd,
    process: Running,
}

impl Server {
    /// Starts it. Gives its answer about the whole image, too. There is no process any more if the answer is complete.
    pub fn start(
        tool: &Path,
        arguments: &[String],
        image: &[u8],
        what: &str,
    ) -> Result<(Vec<u8>, Option<Server>), CompileError> {
        let passing = || CompileError::system("passing the image to the device compiler");
        let (socket, other) = requests::sockets().map_err(passing())?;
        let image = process::file_of(image)?;
        requests::send(socket.as_fd(), 0, image.as_fd()).map_err(passing())?;
        let mut process = Running::start(tool, arguments, Stdio::from(other))?;
        let progress = process::progress(what, &process.messages)?;
        let stays = requests::is_announced(socket.as_fd()).unwrap_or(false);
        drop(progress);
        if !stays {
            return Ok((process.answer(what)?, None));
        }
        let answer = process.output()?;
        Ok((answer, Some(Server { socket, process })))
    }

    /// Has it compile a group of kernels. `None` if it has ended.
    pub fn compile(&self, wanted: Wanted, what: &str) -> Result<Option<Vec<u8>>, CompileError> {
        let asking = || CompileError::system("asking the device compiler for a kernel");
        let (mut answer, writer) = pipe().map_err(asking())?;
        let told = process::text_of(&self.process.messages)?.len();
        if let Err(error) = requests::send(self.socket.as_fd(), wanted.number(), writer.as_fd()) {
            log::debug!("the device compiler no longer waits for requests: {error}");
            return Ok(None);
        }
        drop(writer);
        let progress = process::progress(what, &self.process.messages)?;
        let answer = requests::read_answer(&mut answer).map_err(asking())?;
        drop(progress);
        let text = process::text_of(&self.process.messages)?;
        let news = text.get(told..).unwrap_or_default().trim();
        match answer {
            Some(Ok(bytes)) => {
                process::report_warnings(news);
                Ok(Some(bytes))
            }
            Some(Err(reason)) => Err(CompileError::Rejected(reason)),
            None if self.has_ended() => Ok(None),
            None => Err(CompileError::Crashed {
                how: "no answer".to_owned(),
                detail: process::first_line(news),
            }),
        }
    }

    /// Whether nobody is left at the other end of the socket. Nobody writes there.
    fn has_ended(&self) -> bool {
        requests::wait(&self.socket, Duration::ZERO).unwrap_or(true)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        requests::end(self.socket.as_fd());
        self.process.wait();
    }
}
