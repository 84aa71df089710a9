//! The families of devices that the command looks at.

use device_families::{Absence, Family, VARIABLE, families, names};
use omptarget_driver::{Failure, Result};

/// All families. The virtual GPU must be there: it needs nothing that a machine may lack.
pub fn all() -> Result<Vec<Family>> {
    opened(&[])
}

/// The families that `OMPTARGET_DEVICES` names, or all.
pub fn wanted() -> Result<Vec<Family>> {
    opened(&names(&std::env::var(VARIABLE).unwrap_or_default()))
}

fn opened(wanted: &[String]) -> Result<Vec<Family>> {
    let families = families(wanted);
    for family in &families {
        match family.open(|_| ()) {
            Err(Absence::Unusual(why)) if family.name() == "vgpu" => {
                return Err(Failure::Other(why.clone()));
            }
            _ => {}
        }
    }
    Ok(families)
}
