//! `OMP_TARGET_OFFLOAD` (OpenMP 5.2, 21.2.9): what to do when a device cannot be used.

/// The three policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum OffloadPolicy {
    /// Use devices; run on the host where there is none.
    #[default]
    Default,
    /// A target region that cannot run on a device ends the program.
    Mandatory,
    /// There are no devices.
    Disabled,
}

/// A value that is no policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("OMP_TARGET_OFFLOAD={0} is ignored: it must be MANDATORY, DISABLED or DEFAULT")]
pub struct UnknownPolicy(String);

impl OffloadPolicy {
    /// Parses the variable's upper-case value.
    pub fn parse(value: &str) -> Result<OffloadPolicy, UnknownPolicy> {
        match value {
            "" | "DEFAULT" => Ok(OffloadPolicy::Default),
            "MANDATORY" => Ok(OffloadPolicy::Mandatory),
            "DISABLED" => Ok(OffloadPolicy::Disabled),
            other => Err(UnknownPolicy(other.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        assert_eq!(OffloadPolicy::parse(""), Ok(OffloadPolicy::Default));
        assert_eq!(
            OffloadPolicy::parse("MANDATORY"),
            Ok(OffloadPolicy::Mandatory)
        );
        assert!(
            OffloadPolicy::parse("ALWAYS")
                .unwrap_err()
                .to_string()
                .contains("OMP_TARGET_OFFLOAD=ALWAYS is ignored")
        );
    }
}
