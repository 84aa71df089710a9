//! What the hand-written assembly of a GPU says agrees with the Rust types.

use core::ffi::c_void;

use crate::arch::{
    FEW_REFERENCES, Lanes, MANY_REFERENCES, MAX_THREADS, MOST_REFERENCES, SHARED_REFERENCES,
    for_each_shared_variable,
};
use crate::dispatch::Loop;
use crate::kernel::LaunchEnvironment;
use crate::nest::TeamShape;
use crate::private::Node;
use crate::share::Storage;
use crate::state::State;

const SHARED: &str = include_str!("../../shared.ll");

/// Size and alignment of a shared variable as the assembly declares it.
fn declared(name: &str) -> (usize, usize) {
    let start = format!("@omptarget.{name} = internal addrspace(3) global ");
    let line = SHARED
        .lines()
        .find_map(|line| line.strip_prefix(start.as_str()))
        .unwrap_or_else(|| panic!("shared.ll does not declare {name}"));
    let (ty, align) = line
        .split_once(" poison, align ")
        .expect("type, poison, alignment");
    (size(ty), align.parse().expect("an alignment"))
}

fn size(ty: &str) -> usize {
    match ty {
        "ptr" => 8,
        "i8" => 1,
        "i16" => 2,
        "i32" => 4,
        "i64" => 8,
        _ => {
            let (count, element) = ty
                .trim_matches(['[', ']'])
                .split_once(" x ")
                .unwrap_or_else(|| panic!("a type like [4 x i8], not {ty}"));
            count.parse::<usize>().expect("a count") * size(element)
        }
    }
}

#[test]
fn shared_variables_have_room_for_their_types() {
    macro_rules! check {
        ($($(#[$doc:meta])* $name:ident: $type:ty,)*) => {
            $(
                let (bytes, align) = declared(stringify!($name));
                assert_eq!(bytes, size_of::<$type>(), stringify!($name));
                assert!(align >= align_of::<$type>(), stringify!($name));
                let getter = concat!("@omptarget_shared_", stringify!($name), "()");
                assert!(SHARED.contains(getter), "{getter} is missing");
            )*
        };
    }
    for_each_shared_variable!(check);
    assert_eq!(declared("nest").0, MAX_THREADS * size_of::<u16>());
    assert_eq!(declared("private").0, MAX_THREADS * size_of::<*mut Node>());
}

#[test]
fn what_synchronises_is_convergent() {
    let nvptx = [
        "nvvm.barrier",
        "nvvm.bar.warp",
        "nvvm.activemask",
        "nvvm.shfl",
    ];
    let amdgcn = [
        "amdgcn.s.barrier",
        "amdgcn.wave.barrier",
        "amdgcn.ballot",
        "amdgcn.ds.bpermute",
    ];
    for (assembly, names) in [
        (include_str!("../../arch-nvptx.ll"), nvptx),
        (include_str!("../../arch-amdgcn.ll"), amdgcn),
    ] {
        for name in names {
            let declarations: Vec<&str> = assembly
                .lines()
                .filter(|line| {
                    line.starts_with("declare") && line.contains(&format!("llvm.{name}"))
                })
                .collect();
            assert!(!declarations.is_empty(), "{name}");
            for line in declarations {
                let group = &line[line.find(" #").expect("an attribute group") + 1..];
                let attributes = format!("attributes {group} = {{ convergent");
                assert!(assembly.contains(&attributes), "{line}");
            }
        }
    }
}
