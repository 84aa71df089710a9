//! The families and their plugins.

use std::sync::{Arc, OnceLock};

use plugin_api::Plugin;

/// The variable that names the families that a program may use.
pub const VARIABLE: &str = "OMPTARGET_DEVICES";

/// Means "no family" in [`VARIABLE`].
const NONE: &str = "none";

/// What is fixed about a family.
struct Kind {
    /// Its name in [`VARIABLE`].
    name: &'static str,
    /// Whether its devices only stand in for GPUs. A program gets them if there are no other devices or if the user
    /// names the family.
    stands_in: bool,
    /// Opens its plugin. `insist`: also where that takes long and nothing hints at such a device.
    open: fn(insist: bool) -> Result<Opened, Absence>,
}

/// A family whose plugin is open.
pub struct Opened {
    /// Its plugin.
    pub plugin: Arc<dyn Plugin>,
    /// Devices that cannot be used, and why.
    pub left_out: Vec<String>,
}

impl From<Arc<dyn Plugin>> for Opened {
    fn from(plugin: Arc<dyn Plugin>) -> Opened {
        Opened {
            plugin,
            left_out: Vec::new(),
        }
    }
}

/// Why a family has no devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absence {
    /// There are none, as on most machines.
    Usual(String),
    /// The user should be warned: a setting cannot be understood, or a part that every machine has is missing.
    Unusual(String),
}

impl Absence {
    /// The reason.
    pub fn why(&self) -> &str {
        match self {
            Absence::Usual(why) | Absence::Unusual(why) => why,
        }
    }
}

const KINDS: &[Kind] = &[
    Kind {
        name: "cuda",
        stands_in: false,
        open: |_| match plugin_cuda::plugin() {
            Ok(found) => Ok(Opened {
                plugin: found.plugin,
                left_out: found.left_out,
            }),
            Err(why @ plugin_cuda::Unavailable::Setting(_)) => Err(Absence::Unusual(format!(
                "NVIDIA GPUs cannot be used: {why}"
            ))),
            Err(why) => Err(Absence::Usual(why.to_string())),
        },
    },
    Kind {
        name: "amdgpu",
        stands_in: false,
        open: |insist| match plugin_amdgpu::plugin(insist) {
            Ok(found) => Ok(Opened {
                plugin: found.plugin,
                left_out: found.left_out,
            }),
            Err(why @ plugin_amdgpu::Unavailable::Setting(_)) => {
                Err(Absence::Unusual(format!("AMD GPUs cannot be used: {why}")))
            }
            Err(why) => Err(Absence::Usual(why.to_string())),
        },
    },
    Kind {
        name: "vgpu",
        stands_in: true,
        open: |_| match plugin_vgpu::plugin() {
            Ok(plugin) => Ok(plugin.into()),
            Err(why) => Err(Absence::Unusual(format!(
                "the virtual GPU cannot be used: {why}"
            ))),
        },
    },
    Kind {
        name: "host",
        stands_in: false,
        open: |_| Ok(plugin_host::plugin().into()),
    },
];

/// A family that may offer devices. The first query opens its plugin.
pub struct Family {
    kind: &'static Kind,
    /// Whether the user names it.
    named: bool,
    /// As for [`Kind::open`].
    insist: bool,
    opened: OnceLock<Result<Opened, Absence>>,
}

impl Family {
    /// Its name in [`VARIABLE`].
    pub fn name(&self) -> &'static str {
        self.kind.name
    }

    /// Whether its devices serve only programs that have no others.
    pub fn stands_in(&self) -> bool {
        self.kind.stands_in && !self.named
    }

    /// Its plugin, or why there is none. The first call opens it, and `report` hears of an absence once.
    pub fn open(&self, report: impl FnOnce(&Absence)) -> Result<&Opened, &Absence> {
        let opened = self.opened.get_or_init(|| {
            let opened = (self.kind.open)(self.insist);
            if let Err(absence) = &opened {
                report(absence);
            }
            opened
        });
        opened.as_ref()
    }

    /// Why it has no devices, if it was opened and that is known.
    pub fn absence(&self) -> Option<&Absence> {
        self.opened.get()?.as_ref().err()
    }
}

/// The names in the value of [`VARIABLE`].
pub fn names(list: &str) -> Vec<String> {
    let names = list.split(',').map(|name| name.trim().to_ascii_lowercase());
    names.filter(|name| !name.is_empty()).collect()
}

/// The families that `wanted` names, or all if it is empty. Whoever names the virtual GPU gets it beside others.
pub fn families(wanted: &[String]) -> Vec<Family> {
    KINDS
        .iter()
        .filter(|kind| wanted.is_empty() || wanted.iter().any(|name| name == kind.name))
        .map(|kind| Family {
            kind,
            named: !wanted.is_empty(),
            insist: !wanted.is_empty(),
            opened: OnceLock::new(),
        })
        .collect()
}

/// All families, for who wants to know what there is, or exactly why not.
pub fn all() -> Vec<Family> {
    let insisted = |family| Family {
        insist: true,
        ..family
    };
    families(&[]).into_iter().map(insisted).collect()
}

/// A complaint about the first of `wanted` that is no family; `None` if all are.
pub fn unknown(wanted: &[String]) -> Option<String> {
    let is_known = |name: &String| name == NONE || KINDS.iter().any(|kind| kind.name == name);
    let unknown = wanted.iter().find(|name| !is_known(name))?;
    let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
    Some(format!(
        "{VARIABLE} names {unknown:?}; the device families are: {}, {NONE}",
        names.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn present(wanted: &str) -> Vec<&'static str> {
        let families = families(&names(wanted));
        let open = families.iter().filter_map(|family| {
            let opened = family.open(|absence| assert!(matches!(absence, Absence::Usual(_))));
            Some(opened.ok()?.plugin.name())
        });
        open.collect()
    }

    #[test]
    fn families_are_chosen_by_name_and_keep_their_order() {
        assert!(present("").ends_with(&["vgpu", "host"]));
        assert_eq!(present("HOST, vgpu"), ["vgpu", "host"]);
        assert_eq!(present("host,"), ["host"]);
        assert!(present("none").is_empty());
        assert!(present("quantum").is_empty());
        assert_eq!(unknown(&names("none,vgpu")), None);
        let complaint = unknown(&names("vgpu,quantum")).unwrap();
        assert!(complaint.contains("\"quantum\""), "{complaint}");
        assert!(
            complaint.contains("cuda, amdgpu, vgpu, host, none"),
            "{complaint}"
        );
    }

    #[test]
    fn the_virtual_gpu_stands_in_unless_it_is_named() {
        let stand_ins = |wanted: &str| {
            let families = families(&names(wanted));
            let stand_ins = families.iter().filter(|family| family.stands_in());
            stand_ins.map(Family::name).collect::<Vec<_>>()
        };
        assert_eq!(stand_ins(""), ["vgpu"]);
        assert!(stand_ins("cuda,vgpu").is_empty());
    }

    /// Either there is such a GPU, or a message says why not. That is no warning.
    #[test]
    fn a_family_that_is_not_there_says_so() {
        for (name, maker) in [("cuda", "NVIDIA"), ("amdgpu", "AMD")] {
            let families = families(&names(name));
            let family = &families[0];
            assert_eq!(family.absence(), None);
            let mut reports = 0;
            let is_open = family.open(|_| reports += 1).is_ok();
            assert!(family.open(|_| panic!("it is opened once")).is_ok() == is_open);
            assert_eq!(reports, usize::from(!is_open));
            assert_eq!(family.absence().is_none(), is_open);
            let says_why =
                |absence: &Absence| matches!(absence, Absence::Usual(why) if why.contains(maker));
            assert!(family.absence().is_none_or(says_why));
        }
    }
}
