//! Which library of NVIDIA's a front stands in for.

use std::ffi::c_int;

/// Major and minor version, and the patch's number.
pub struct Version(pub [c_int; 3]);

impl Version {
    /// All in one number, in which the minor version has two digits and the patch as well; the major version counts
    /// `major` times.
    pub fn number(&self, major: c_int) -> c_int {
        let [first, second, third] = self.0;
        first * major + second * 100 + third
    }

    /// Writes one of the three (`libraryPropertyType`). `None`: there is no such part, or no place for it.
    ///
    /// # Safety
    /// The address is null or valid.
    pub unsafe fn write_part(&self, part: c_int, value: *mut c_int) -> Option<()> {
        let part = self.0.get(usize::try_from(part).ok()?)?;
        // SAFETY: caller.
        *unsafe { value.as_mut() }? = *part;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_numbers() {
        let version = Version([12, 9, 3]);
        assert_eq!(version.number(10_000), 120_903);
        let mut value = 0;
        // SAFETY: the address is valid, or null.
        unsafe {
            assert_eq!(version.write_part(1, &mut value), Some(()));
            assert_eq!(version.write_part(3, &mut value), None);
            assert_eq!(version.write_part(-1, &mut value), None);
            assert_eq!(version.write_part(0, std::ptr::null_mut()), None);
        }
        assert_eq!(value, 9);
    }
}
