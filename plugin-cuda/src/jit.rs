//! Loads code into the current context and logs the messages of the driver's compiler.

use std::ffi::{CString, c_void};
use std::time::Instant;

use plugin_api::{Error, Result};

use crate::driver::{CuJitOption, CuModule, CuResult, Failure};
use crate::failure::is_sticky;
use crate::gpu::Gpu;

/// Bytes of each of the compiler's logs.
const LOG: usize = 16 << 10;

/// Loads PTX text.
pub fn load_ptx(gpu: &Gpu, text: &str) -> Result<CuModule> {
    let text =
        CString::new(text).map_err(|_| Error::Load("the PTX contains a null character".into()))?;
    load(gpu, text.as_ptr().cast(), "PTX")
}

/// Loads a cubin or a fat binary.
pub fn load_binary(gpu: &Gpu, bytes: &[u8]) -> Result<CuModule> {
    load(gpu, bytes.as_ptr().cast(), "machine code")
}

fn load(gpu: &Gpu, image: *const c_void, what: &str) -> Result<CuModule> {
    let _entered = gpu.enter()?;
    let (mut information, mut errors) = (vec![0u8; LOG], vec![0u8; LOG]);
    let number = |number: usize| std::ptr::without_provenance_mut::<c_void>(number);
    let mut options = [
        CuJitOption::INFO_LOG_BUFFER,
        CuJitOption::INFO_LOG_BUFFER_SIZE_BYTES,
        CuJitOption::ERROR_LOG_BUFFER,
        CuJitOption::ERROR_LOG_BUFFER_SIZE_BYTES,
        CuJitOption::GENERATE_LINE_INFO,
    ];
    let mut values = [
        information.as_mut_ptr().cast(),
        number(LOG),
        errors.as_mut_ptr().cast(),
        number(LOG),
        number(1),
    ];
    let mut module = CuModule::NULL;
    let begin = Instant::now();
    // SAFETY: the image is NUL-terminated PTX, or was checked when it was parsed. The logs have the given
    // lengths, and both arrays have the same number of elements.
    let loaded = unsafe {
        gpu.driver.module_load_data_ex(
            &mut module,
            image,
            options.len() as u32,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    let information = text(&information);
    if !information.is_empty() {
        log::debug!("the driver's compiler: {information}");
    }
    log::debug!("{what} loaded in {:.1?}", begin.elapsed());
    match loaded {
        Ok(()) => Ok(module),
        Err(failure) if is_sticky(failure.result) || failure.result == CuResult::DEINITIALIZED => {
            Err(gpu.error(failure))
        }
        Err(failure) => Err(refused(gpu, failure, what, &text(&errors))),
    }
}

fn refused(gpu: &Gpu, failure: Failure, what: &str, log: &str) -> Error {
    let (name, text) = gpu.driver.describe(failure.result);
    let mut why = format!(
        "the NVIDIA driver refuses the {what} for {}: {name} ({text})",
        gpu.properties.arch
    );
    if failure.result == CuResult::UNSUPPORTED_PTX_VERSION {
        why.push_str(
            "; update the NVIDIA driver, or compile machine code ahead of time (omptarget cc --aot)",
        );
    }
    if !log.is_empty() {
        why.push_str("\n  ");
        why.push_str(&log.replace('\n', "\n  "));
    }
    Error::Load(why)
}

/// A log up to its null character, without trailing white space.
fn text(log: &[u8]) -> String {
    let end = log.iter().position(|byte| *byte == 0).unwrap_or(log.len());
    String::from_utf8_lossy(&log[..end]).trim_end().to_owned()
}
