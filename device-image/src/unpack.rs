//! What entries of fat binaries hold, decompressed.

use std::borrow::Cow;
use std::io::Read as _;

use ruzstd::decoding::StreamingDecoder;

use crate::nvidia::{FatEntry, FatPacking};

/// Most bytes of decompressed code, so that a damaged header cannot exhaust memory.
const MAX_SIZE: u64 = 1 << 30;

impl<'a> FatEntry<'a> {
    /// The content as it was before it was packed. The error is a message.
    pub fn unpack(&self) -> Result<Cow<'a, [u8]>, String> {
        if self.size > MAX_SIZE {
            return Err(format!("{} bytes are too many", self.size));
        }
        let unpacked = match self.packing {
            FatPacking::Plain => return Ok(Cow::Borrowed(self.content)),
            FatPacking::Lz4 => lz4_flex::block::decompress(self.content, self.size as usize)
                .map_err(|error| error.to_string())?,
            FatPacking::Zstd => {
                let mut bytes = Vec::new();
                let decoder = StreamingDecoder::new(self.content);
                decoder
                    .map_err(|error| error.to_string())?
                    .take(self.size + 1)
                    .read_to_end(&mut bytes)
                    .map_err(|error| error.to_string())?;
                bytes
            }
        };
        match unpacked.len() as u64 == self.size {
            true => Ok(Cow::Owned(unpacked)),
            false => Err(format!("{} bytes instead of {}", unpacked.len(), self.size)),
        }
    }
}
