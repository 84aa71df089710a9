//! What a program and the compiler process that waits for its requests (`omptarget-codegen vgpu --by-group`) say to
//! each other.
//!
//! The program sends requests through a socket, the compiler's standard input. A request is a number and a file. The
//! first one's file is the image, and its number has no meaning. Each other's number says [what](Wanted) of a group of
//! kernels to compile, and its file is the writing end of a pipe for the [answer](write_answer). If there is none, the
//! compiler has crashed.
//!
//! When the compiler has answered about the image, it sends one byte through the socket, if it takes further requests.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, Shutdown, SocketFlags, SocketType, recvmsg, sendmsg,
    socketpair,
};

/// The first byte of an answer: the work is done.
const DONE: u8 = b'+';
/// The first byte of an answer that is the reason why it could not be done.
const REFUSED: u8 = b'-';

/// Bytes that one file takes in a message, with room to spare.
const ROOM: usize = rustix::cmsg_space!(ScmRights(1));

/// What of a divided image to compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// All forms of the kernels of the group with this number.
    Group(u32),
    /// The object with this number of forms in which kernels start ([`vgpu_abi::artifact::Start`]).
    Start(u32),
}

impl Wanted {
    /// It as a request's number.
    pub fn number(self) -> u32 {
        match self {
            Wanted::Group(group) => 2 * group,
            Wanted::Start(object) => 2 * object + 1,
        }
    }

    /// What a request's number means.
    pub fn of(number: u32) -> Wanted {
        match number % 2 {
            0 => Wanted::Group(number / 2),
            _ => Wanted::Start(number / 2),
        }
    }
}

/// A request.
#[derive(Debug)]
pub struct Request {
    /// What is wanted.
    pub number: u32,
    /// The image, or where the answer goes.
    pub file: OwnedFd,
}

/// Writes what was compiled, or why it could not be: a byte that says which, the length in eight bytes (little endian),
/// and the bytes.
pub fn write_answer(to: &mut impl Write, answer: Result<&[u8], &str>) -> io::Result<()> {
    let (mark, bytes) = match answer {
        Ok(bytes) => (DONE, bytes),
        Err(reason) => (REFUSED, reason.as_bytes()),
    };
    let mut start = [mark; 9];
    start[1..].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
    to.write_all(&start)?;
    to.write_all(bytes)
}

/// Reads an answer. `None` if it is not there, or not whole.
///
/// The length says where it ends. The end of the pipe comes later, where the program has forked and its copy has
/// inherited the other end.
pub fn read_answer(from: &mut impl Read) -> io::Result<Option<Result<Vec<u8>, String>>> {
    let mut start = [0; 9];
    let mut bytes = Vec::new();
    let end = match from.read_exact(&mut start) {
        Err(error) => Err(error),
        Ok(()) => {
            let length = u64::from_le_bytes(start[1..].try_into().expect("eight bytes"));
            let read = from.by_ref().take(length).read_to_end(&mut bytes);
            read.map(|read| read as u64 == length)
        }
    };
    match (end, start[0]) {
        (Ok(true), DONE) => Ok(Some(Ok(bytes))),
        (Ok(true), REFUSED) => Ok(Some(Err(String::from_utf8_lossy(&bytes).into_owned()))),
        (Ok(_), _) => Ok(None),
        (Err(error), _) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        (Err(error), _) => Err(error),
    }
}

/// Two connected sockets for requests.
pub fn sockets() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(socketpair(
        AddressFamily::UNIX,
        SocketType::SEQPACKET,
        SocketFlags::CLOEXEC,
        None,
    )?)
}

/// Sends a request. If the compiler has ended, that is an error and no signal.
pub fn send(socket: BorrowedFd<'_>, number: u32, file: BorrowedFd<'_>) -> io::Result<()> {
    let files = [file];
    let mut room = [MaybeUninit::uninit(); ROOM];
    let mut control = SendAncillaryBuffer::new(&mut room);
    control.push(SendAncillaryMessage::ScmRights(&files));
    let number = number.to_le_bytes();
    let text = [IoSlice::new(&number)];
    sendmsg(socket, &text, &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// The next request; `None` when the program has ended or dropped its socket.
pub fn receive(socket: BorrowedFd<'_>) -> io::Result<Option<Request>> {
    let mut room = [MaybeUninit::uninit(); ROOM];
    let mut control = RecvAncillaryBuffer::new(&mut room);
    let mut number = [0; 4];
    let mut text = [IoSliceMut::new(&mut number)];
    let received = recvmsg(socket, &mut text, &mut control, RecvFlags::CMSG_CLOEXEC)?;
    if received.bytes == 0 {
        return Ok(None);
    }
    let file = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut files) => files.next(),
        _ => None,
    });
    match file {
        Some(file) if received.bytes == number.len() => Ok(Some(Request {
            number: u32::from_le_bytes(number),
            file,
        })),
        _ => Err(io::Error::other("a malformed request")),
    }
}

/// Says that there may be further requests.
pub fn announce(socket: BorrowedFd<'_>) -> io::Result<()> {
    rustix::net::send(socket, &[0], SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Waits until the compiler says so. Returns false if it ends without.
pub fn is_announced(socket: BorrowedFd<'_>) -> io::Result<bool> {
    loop {
        match rustix::net::recv(socket, &mut [0], RecvFlags::empty()) {
            Ok((bytes, _)) => return Ok(bytes == 1),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Ends the connection, also where other processes have inherited the socket.
pub fn end(socket: BorrowedFd<'_>) {
    // It may have ended already.
    let _ = rustix::net::shutdown(socket, Shutdown::Both);
}

/// Waits until there is a request, or nobody who could send one. Returns false if there is neither for so long.
pub fn wait(socket: &impl AsFd, time: Duration) -> io::Result<bool> {
    let mut sockets = [PollFd::new(socket, PollFlags::IN)];
    let time = time.try_into().map_err(io::Error::other)?;
    loop {
        match poll(&mut sockets, Some(&time)) {
            Ok(ready) => return Ok(ready > 0),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::pipe;

    use super::*;

    #[test]
    fn a_request_arrives_with_its_file() {
        let (mine, other) = sockets().unwrap();
        let (mut answer, writer) = pipe().unwrap();
        send(mine.as_fd(), 7, writer.as_fd()).unwrap();
        drop(writer);
        assert!(wait(&other, Duration::ZERO).unwrap());
        let request = receive(other.as_fd()).unwrap().unwrap();
        assert_eq!(request.number, 7);
        let mut file = File::from(request.file);
        write_answer(&mut file, Ok(b"code")).unwrap();
        let code = read_answer(&mut answer).unwrap().unwrap();
        assert_eq!(code.unwrap(), b"code", "though the file is open");
        drop(file);
        assert!(read_answer(&mut answer).unwrap().is_none());
    }

    #[test]
    fn answers_are_read_whole_or_not_at_all() {
        let mut bytes = Vec::new();
        write_answer(&mut bytes, Err("no such register")).unwrap();
        let reason = read_answer(&mut &bytes[..]).unwrap().unwrap();
        assert_eq!(reason.unwrap_err(), "no such register");
        for length in 0..bytes.len() {
            assert!(read_answer(&mut &bytes[..length]).unwrap().is_none());
        }
        bytes[0] = b'?';
        assert!(read_answer(&mut &bytes[..]).unwrap().is_none());
    }

    #[test]
    fn who_has_gone_is_noticed() {
        let (mine, other) = sockets().unwrap();
        assert!(!wait(&other, Duration::ZERO).unwrap());
        let inherited = mine.try_clone().unwrap();
        end(mine.as_fd());
        assert!(wait(&other, Duration::ZERO).unwrap());
        drop(inherited);
        assert!(receive(other.as_fd()).unwrap().is_none());
        let (mine, other) = sockets().unwrap();
        drop(other);
        assert!(send(mine.as_fd(), 0, mine.as_fd()).is_err());
    }

    #[test]
    fn the_compiler_stays_or_ends() {
        let (mine, other) = sockets().unwrap();
        announce(other.as_fd()).unwrap();
        assert!(is_announced(mine.as_fd()).unwrap());
        drop(other);
        assert!(!is_announced(mine.as_fd()).unwrap());
    }

    #[test]
    fn a_message_that_is_no_request_is_an_error() {
        let (mine, other) = sockets().unwrap();
        rustix::net::send(&mine, b"1234", SendFlags::NOSIGNAL).unwrap();
        assert!(receive(other.as_fd()).is_err(), "it has no file");
        rustix::net::send(&mine, b"1", SendFlags::NOSIGNAL).unwrap();
        assert!(receive(other.as_fd()).is_err(), "it is too short");
    }

    #[test]
    fn a_number_says_what_is_wanted() {
        for wanted in [0, 1, 77].map(|it| [Wanted::Group(it), Wanted::Start(it)]) {
            assert_eq!(wanted.map(|it| Wanted::of(it.number())), wanted);
        }
    }
}
