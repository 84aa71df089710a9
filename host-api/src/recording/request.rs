//! Which devices record launches: all with `OMPTARGET_RECORD`, one with `__tgt_activate_record_replay`.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use plugin_api::Device;
use recording::{Recorder, Request};

use crate::environment::Environment;
use crate::report::error::{Error, Result};

/// The folder for recordings that only the program asks for, below the current one.
const FOLDER: &str = "omptarget-recording";

/// The recorder and the device that uses it.
#[derive(Default)]
pub struct Recording {
    /// The device that the program activated, and how much of its memory serves recordings (0: the default share).
    activated: OnceLock<(i64, u64)>,
    recorder: OnceLock<Arc<Recorder>>,
}

impl Recording {
    /// Activates recording on device `number`. Must come before the device is found.
    pub fn activate(
        &self,
        environment: &Environment,
        in_use: bool,
        number: i64,
        memory: u64,
    ) -> Result<()> {
        if environment.record.is_some() {
            return Ok(());
        }
        let late = || {
            Error::Routine(
                "recording has to be activated once, before the first use of a device; \
                 OMPTARGET_RECORD records from the beginning"
                    .into(),
            )
        };
        if in_use {
            return Err(late());
        }
        self.activated.set((number, memory)).map_err(|_| late())
    }

    /// The device with this number; it records if it was activated.
    pub fn device(
        &self,
        environment: &Environment,
        number: usize,
        device: Arc<dyn Device>,
    ) -> Arc<dyn Device> {
        let (folder, memory) = match (&environment.record, self.activated.get()) {
            (Some(folder), _) => (folder.clone(), 0),
            (None, Some(&(wanted, memory)))
                if wanted == number as i64
                    && check_memory(memory, device.info().total_memory).is_ok() =>
            {
                (PathBuf::from(FOLDER), memory)
            }
            _ => return device,
        };
        let make = || {
            let request = Request {
                folder,
                kernel: environment.record_kernel.clone(),
                launch: environment.record_launch.into(),
                memory: (memory > 0).then_some(memory),
            };
            Recorder::new(request, |message| eprintln!("omptarget: {message}"))
        };
        self.recorder.get_or_init(make).device(device)
    }
}

/// Checks that a device with `total` bytes can give `memory` of them to recordings.
pub fn check_memory(memory: u64, total: u64) -> Result<()> {
    if memory <= total {
        return Ok(());
    }
    Err(Error::Routine(format!(
        "recording in {memory} bytes is not possible: the device has {total}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::fake_device::FakeDevice;

    #[test]
    fn one_device_records_once_asked_in_time() {
        let environment = Environment::default();
        let recording = Recording::default();
        let fake: Arc<dyn Device> = FakeDevice::new(1 << 20);
        let wrapped = |number| {
            let device = recording.device(&environment, number, fake.clone());
            !Arc::ptr_eq(&device, &fake)
        };
        assert!(recording.activate(&environment, true, 1, 0).is_err());
        assert!(!wrapped(1));
        assert!(recording.activate(&environment, false, 1, 4096).is_ok());
        assert_eq!([wrapped(0), wrapped(1)], [false, true]);
        assert!(recording.activate(&environment, false, 0, 4096).is_err());
    }

    #[test]
    fn more_memory_than_there_is_records_nothing() {
        let environment = Environment::default();
        let recording = Recording::default();
        let fake: Arc<dyn Device> = FakeDevice::new(1 << 20);
        assert!(recording.activate(&environment, false, 0, u64::MAX).is_ok());
        let device = recording.device(&environment, 0, fake.clone());
        assert!(Arc::ptr_eq(&device, &fake));
        assert!(check_memory(u64::MAX, 1 << 20).is_err());
    }
}
