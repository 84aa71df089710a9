//! The plugins in the order in which their devices are numbered: GPUs, the virtual GPU, the host.

use std::sync::{Arc, OnceLock};

use plugin_api::Plugin;

use crate::report::info;

/// A family of devices.
struct Family {
    /// Its name in `OMPTARGET_DEVICES`.
    name: &'static str,
    /// Whether its devices only stand in for GPUs. A program gets them if there are no other devices or if the user
    /// names the family.
    stands_in: bool,
    /// Its plugin.
    open: fn() -> Result<Arc<dyn Plugin>, Absence>,
}

/// Why a family has no devices.
enum Absence {
    /// There are none, as on most machines.
    Usual(String),
    /// The user should be warned: a setting cannot be understood, or a part that every machine has is missing.
    Unusual(String),
}

const FAMILIES: &[Family] = &[
    Family {
        name: "cuda",
        stands_in: false,
        open: || match plugin_cuda::plugin() {
            Ok(found) => Ok(found.plugin),
            Err(why @ plugin_cuda::Unavailable::Setting(_)) => Err(Absence::Unusual(format!(
                "NVIDIA GPUs cannot be used: {why}"
            ))),
            Err(why) => Err(Absence::Usual(why.to_string())),
        },
    },
    Family {
        name: "amdgpu",
        stands_in: false,
        open: || match plugin_amdgpu::plugin() {
            Ok(found) => Ok(found.plugin),
            Err(why @ plugin_amdgpu::Unavailable::Setting(_)) => {
                Err(Absence::Unusual(format!("AMD GPUs cannot be used: {why}")))
            }
            Err(why) => Err(Absence::Usual(why.to_string())),
        },
    },
    Family {
        name: "vgpu",
        stands_in: true,
        open: || {
            plugin_vgpu::plugin()
                .map_err(|why| Absence::Unusual(format!("the virtual GPU cannot be used: {why}")))
        },
    },
    Family {
        name: "host",
        stands_in: false,
        open: || Ok(plugin_host::plugin()),
    },
];

/// Means "no family" in `OMPTARGET_DEVICES`.
const NONE: &str = "none";

/// A family that may offer devices. The first query opens its plugin.
pub struct Candidate {
    family: &'static Family,
    stands_in: bool,
    opened: OnceLock<Opened>,
}

/// The result of opening a family's plugin.
#[derive(Default)]
struct Opened {
    plugin: Option<Arc<dyn Plugin>>,
    /// Why there is none, if that is no reason for a warning.
    absence: Option<String>,
}

impl Candidate {
    /// The plugin, if it can be used. Warnings go to `complain`, once.
    pub fn plugin(&self, complain: impl Fn(String)) -> Option<&Arc<dyn Plugin>> {
        let opened = self.opened.get_or_init(|| match (self.family.open)() {
            Ok(plugin) => Opened {
                plugin: Some(plugin),
                absence: None,
            },
            Err(Absence::Usual(why)) => {
                let why = format!("{}: {why}", self.family.name);
                info::debug(format_args!("{why}"));
                Opened {
                    plugin: None,
                    absence: Some(why),
                }
            }
            Err(Absence::Unusual(why)) => {
                complain(why);
                Opened::default()
            }
        });
        opened.plugin.as_ref()
    }

    /// Why it has no devices, if that is known and no reason for a warning.
    pub fn absence(&self) -> Option<&str> {
        self.opened.get()?.absence.as_deref()
    }

    /// Whether its devices serve only programs that have no others.
    pub fn stands_in(&self) -> bool {
        self.stands_in
    }
}

/// The families named by `wanted`, or all if it is empty. Warnings go to `complain`.
pub fn candidates(wanted: &[String], complain: impl Fn(String)) -> Vec<Candidate> {
    let is_known =
        |name: &String| name == NONE || FAMILIES.iter().any(|family| family.name == name);
    if let Some(unknown) = wanted.iter().find(|name| !is_known(name)) {
        let names: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
        complain(format!(
            "OMPTARGET_DEVICES names {unknown:?}; the device families are: {}, {NONE}",
            names.join(", ")
        ));
    }
    FAMILIES
        .iter()
        .filter(|family| wanted.is_empty() || wanted.iter().any(|name| name == family.name))
        .map(|family| Candidate {
            family,
            stands_in: family.stands_in && wanted.is_empty(),
            opened: OnceLock::new(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn names(wanted: &[&str]) -> (Vec<&'static str>, Vec<String>) {
        let complaints = RefCell::new(Vec::new());
        let complain = |complaint| complaints.borrow_mut().push(complaint);
        let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
        let candidates = candidates(&wanted, complain);
        let plugins = candidates.iter().filter_map(|each| each.plugin(complain));
        let names = plugins.map(|plugin| plugin.name()).collect();
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
        assert!(none.is_empty() && complaints[0].contains("cuda, amdgpu, vgpu, host, none"));
    }

    #[test]
    fn the_virtual_gpu_stands_in_unless_it_is_named() {
        let stand_ins = |wanted: &[String]| {
            let candidates = candidates(wanted, |complaint| panic!("{complaint}"));
            let stand_ins = candidates.iter().filter(|each| each.stands_in());
            stand_ins.map(|each| each.family.name).collect::<Vec<_>>()
        };
        assert_eq!(stand_ins(&[]), ["vgpu"]);
        assert!(stand_ins(&["cuda".into(), "vgpu".into()]).is_empty());
    }

    /// Either there is such a GPU, or a message says why not. That is no warning.
    #[test]
    fn a_family_that_is_not_there_says_so() {
        for (family, maker) in [("cuda", "NVIDIA"), ("amdgpu", "AMD")] {
            let candidates = candidates(&[family.into()], |complaint| panic!("{complaint}"));
            assert_eq!(candidates[0].absence(), None);
            let plugin = candidates[0].plugin(|complaint| panic!("{complaint}"));
            let absence = candidates[0].absence();
            assert_eq!(plugin.is_some(), absence.is_none());
            let says_why =
                |why: &str| why.starts_with(&format!("{family}: ")) && why.contains(maker);
            assert!(absence.is_none_or(says_why), "{absence:?}");
        }
    }
}
