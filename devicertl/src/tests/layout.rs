//! What the hand-written assembly of a GPU says agrees with the Rust types.

use core::ffi::c_void;
use core::mem::offset_of;

use crate::arch::{Lanes, MAX_THREADS};
use crate::team::kernel_environment::LaunchEnvironment;
use crate::team::shared::{
    FEW_REFERENCES, MANY_REFERENCES, MOST_REFERENCES, SHARED_REFERENCES, Storage,
    for_each_shared_variable,
};
use crate::team::state_buffer::{OVERFLOW, State};
use crate::team::team_loop::Loop;
use crate::team::team_shape::TeamShape;

const SHARED: &str = include_str!("../../shared.ll");
const DOCUMENT: &str = include_str!("../../../docs/device-runtime.md");

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
    assert_eq!(
        declared("thread_states").0,
        MAX_THREADS * size_of::<*mut c_void>()
    );
}

/// Name and bytes of each shared variable that the document's table has.
fn documented() -> Vec<(&'static str, usize)> {
    let section = DOCUMENT
        .split_once("\n## Shared memory\n")
        .expect("the section")
        .1;
    let rows = section
        .lines()
        .skip_while(|line| !line.starts_with("|---"))
        .skip(1)
        .take_while(|line| line.starts_with('|'));
    rows.flat_map(|row| {
        let mut cells = row.split('|').skip(1).map(str::trim);
        let names = cells.next().expect("names").split(", ");
        let bytes = cells.next().expect("bytes").split(" + ");
        assert_eq!(names.clone().count(), bytes.clone().count(), "{row}");
        names
            .map(|name| name.trim_matches('`'))
            .zip(bytes.map(|bytes| bytes.parse().expect("bytes")))
    })
    .collect()
}

#[test]
fn the_document_has_every_shared_variable_and_its_size() {
    let mut declared: Vec<(&str, usize)> = SHARED
        .lines()
        .filter_map(|line| line.strip_prefix("@omptarget.")?.split_once(" = internal "))
        .map(|(name, _)| (name, declared(name).0))
        .collect();
    let mut documented = documented();
    declared.sort_unstable();
    documented.sort_unstable();
    assert_eq!(documented, declared);
}

#[test]
fn the_document_draws_where_things_are() {
    // Shared memory: each variable lies where the ones before it and its alignment put it.
    let drawing = |first: &str| {
        let start = DOCUMENT
            .find(first)
            .unwrap_or_else(|| panic!("no drawing with {first:?}"));
        let text = &DOCUMENT[start..];
        &text[..text.find("```").expect("its end")]
    };
    let words: Vec<&str> = drawing("  0  work_function").split_whitespace().collect();
    let mut end = 0;
    for pair in words.windows(2) {
        let (Ok(offset), name) = (pair[0].parse::<usize>(), pair[1]) else {
            continue;
        };
        if !SHARED.contains(&format!("@omptarget.{name} = ")) {
            continue;
        }
        let (bytes, align) = declared(name);
        assert_eq!(offset, usize::next_multiple_of(end, align), "{name}");
        end = offset + bytes;
    }
    assert_eq!(words.last(), Some(&end.to_string().as_str()));

    let state = drawing("    0  nest: 1024 words");
    let overflow = offset_of!(State, nest) + size_of::<[u16; MAX_THREADS]>();
    for text in [
        format!("{overflow}  overflow: {} units", OVERFLOW / 128),
        format!("{}  overflow_used", overflow + OVERFLOW),
        format!("{}  queue, place", overflow + OVERFLOW + 8),
        format!("{}  ICVs", offset_of!(State, icvs)),
        format!(
            "{}  thread_states: {MAX_THREADS} pointers",
            offset_of!(State, thread_states)
        ),
        format!("{}\n", size_of::<State>()),
    ] {
        assert!(state.contains(&text), "{text:?} is not in\n{state}");
    }
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
