//! The plugins there are, in the order in which their devices are numbered: GPUs, the virtual GPU,
//! the host.

use std::sync::Arc;

use plugin_api::Plugin;

/// A family of devices.
struct Family {
    /// Its name in `OMPTARGET_DEVICES`.
    name: &'static str,
    /// Its plugin.
    open: fn() -> Result<Arc<dyn Plugin>, Absence>,
}

/// Why a family has no devices.
enum Absence {
    /// There are none here, as on most machines.
    Usual(String),
    /// The user should know: a setting that cannot be understood, or something every machine has.
    Unusual(String),
}

const FAMILIES: &[Family] = &[
    Family {
        name: "cuda",
        open: || match plugin_cuda::plugin() {
            Ok(found) => Ok(found.plugin),
            Err(why @ plugin_cuda::Absence::Setting(_)) => Err(Absence::Unusual(format!(
                "NVIDIA GPUs cannot be used: {why}"
            ))),
            Err(why) => Err(Absence::Usual(why.to_string())),
        },
    },
    Family {
        name: "vgpu",
        open: || {
            plugin_vgpu::plugin()
                .map_err(|why| Absence::Unusual(format!("the virtual GPU cannot be used: {why}")))
        },
    },
    Family {
        name: "host",
        open: || Ok(plugin_host::plugin()),
    },
];

/// Stands for no family at all in `OMPTARGET_DEVICES`.
const NONE: &str = "none";

/// What was found.
pub struct Plugins {
    /// Those that can be used.
    pub usable: Vec<Arc<dyn Plugin>>,
    /// Why others cannot.
    pub absent: Vec<String>,
}

/// Opens the plugins `wanted` names, all if it names none; what the user should know goes to `complain`.
pub fn open(wanted: &[String], complain: impl Fn(String)) -> Plugins {
    let is_known =
        |name: &String| name == NONE || FAMILIES.iter().any(|family| family.name == name);
    if let Some(unknown) = wanted.iter().find(|name| !is_known(name)) {
        let names: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
        complain(format!(
            "OMPTARGET_DEVICES names {unknown:?}; the device families are: {}, {NONE}",
            names.join(", ")
        ));
    }
    let mut plugins = Plugins {
        usable: Vec::new(),
        absent: Vec::new(),
    };
    for family in FAMILIES {
        if !wanted.is_empty() && !wanted.iter().any(|name| name == family.name) {
            continue;
        }
        match (family.open)() {
            Ok(plugin) => plugins.usable.push(plugin),
            Err(Absence::Usual(why)) => plugins.absent.push(format!("{}: {why}", family.name)),
            Err(Absence::Unusual(why)) => complain(why),
        }
    }
    plugins
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn names(wanted: &[&str]) -> (Vec<&'static str>, Vec<String>) {
        let complaints = RefCell::new(Vec::new());
        let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
        let plugins = open(&wanted, |complaint| complaints.borrow_mut().push(complaint));
        let names = plugins.usable.iter().map(|plugin| plugin.name()).collect();
        (names, complaints.into_inner())
    }

    #[test]
    fn families_are_chosen_by_name_and_keep_their_order() {
        let (all, complaints) = names(&[]);
        assert!(all.ends_with(&["vgpu", "host"]) && complaints.is_empty());
        assert_eq!(names(&["host", "vgpu"]).0, ["vgpu", "host"]);
        assert_eq!(names(&["host"]).0, ["host"]);
        assert_eq!(names(&["none"]), (vec![], vec![]));
        let (none, complaints) = names(&["quantum"]);
        assert!(none.is_empty() && complaints[0].contains("cuda, vgpu, host, none"));
    }

    /// Either there is an NVIDIA GPU, or a sentence says why there is none, without bothering the user with it.
    #[test]
    fn a_family_that_is_not_there_says_so() {
        let plugins = open(&["cuda".into()], |complaint| panic!("{complaint}"));
        assert_eq!(plugins.usable.len() + plugins.absent.len(), 1);
        let sentences = plugins.absent.iter();
        sentences
            .for_each(|why| assert!(why.starts_with("cuda: ") && why.contains("NVIDIA"), "{why}"));
    }
}
