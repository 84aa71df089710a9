//! The families of devices that the command looks at.

use device_families::{Absence, Family, VARIABLE, families, names};
use omptarget_driver::{Failure, Result};

/// All families. The virtual GPU must be there: it needs nothing that a machine may lack.
pub fn all() -> Result<Vec<Family>> {
    opened(device_families::all())
}

/// The families that `OMPTARGET_DEVICES` names, or all.
pub fn wanted() -> Result<Vec<Family>> {
    let wanted = names(&std::env::var(VARIABLE).unwrap_or_default());
    opened(families(&wanted))
}

fn opened(families: Vec<Family>) -> Result<Vec<Family>> {
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
