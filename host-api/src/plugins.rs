//! The plugins there are, in the order in which their devices are numbered: GPUs, the virtual GPU,
//! the host.

use std::sync::Arc;

use plugin_api::Plugin;

/// A family of devices.
struct Family {
    /// Its name in `OMPTARGET_DEVICES`.
    name: &'static str,
    /// Its plugin, or why it cannot be used.
    open: fn() -> Result<Arc<dyn Plugin>, String>,
}

const FAMILIES: &[Family] = &[
    Family {
        name: "vgpu",
        open: || {
            plugin_vgpu::plugin().map_err(|why| format!("the virtual GPU cannot be used: {why}"))
        },
    },
    Family {
        name: "host",
        open: || Ok(plugin_host::plugin()),
    },
];

/// Stands for no family at all in `OMPTARGET_DEVICES`.
const NONE: &str = "none";

/// Opens the plugins `wanted` names, all if it names none; what keeps one away goes to `complain`.
pub fn open(wanted: &[String], complain: impl Fn(String)) -> Vec<Arc<dyn Plugin>> {
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
        .filter_map(|family| (family.open)().map_err(&complain).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn names(wanted: &[&str]) -> (Vec<&'static str>, Vec<String>) {
        let complaints = RefCell::new(Vec::new());
        let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
        let plugins = open(&wanted, |complaint| complaints.borrow_mut().push(complaint));
        let names = plugins.iter().map(|plugin| plugin.name()).collect();
        (names, complaints.into_inner())
    }

    #[test]
    fn families_are_chosen_by_name_and_keep_their_order() {
        assert_eq!(names(&[]), (vec!["vgpu", "host"], vec![]));
        assert_eq!(names(&["host", "vgpu"]).0, ["vgpu", "host"]);
        assert_eq!(names(&["host"]).0, ["host"]);
        assert_eq!(names(&["none"]), (vec![], vec![]));
        let (none, complaints) = names(&["quantum"]);
        assert!(none.is_empty() && complaints[0].contains("vgpu, host, none"));
    }
}
