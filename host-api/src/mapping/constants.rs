//! Constants of the program: host memory that nobody can write to.
//!
//! clang maps a variable that a region uses and no clause names `tofrom`, even if it is `const`. Constants whose value
//! is not folded, a table of numbers for instance, lie in segments that the program may only read. No program may
//! change a `const` object (C17, 6.7.3), nor on the device. So nothing needs to be copied back there.

use std::ffi::{c_int, c_void};
use std::ops::Range;

use libc::{PF_W, PT_GNU_RELRO, PT_LOAD, dl_iterate_phdr, dl_phdr_info};
use parking_lot::RwLock;

use crate::mapping::map_item::MapItem;
use crate::mapping::map_type::MapType;
use crate::report::error::{Error, Result};

/// The segments that may only be read of each program and shared library with device images.
static SEGMENTS: RwLock<Vec<Segments>> = RwLock::new(Vec::new());

/// The segments of one.
struct Segments {
    /// An address in it, its identity.
    library: usize,
    constant: Vec<Range<u64>>,
}

/// Notes the segments of the object that has the address `library`.
pub fn registered(library: usize) {
    let constant = Search::for_object_of(library);
    SEGMENTS.write().push(Segments { library, constant });
}

/// Forgets them: the object may be unloaded, and other memory be there.
pub fn unregistered(library: usize) {
    SEGMENTS.write().retain(|those| those.library != library);
}

/// Whether `range` of an item stays as it is when the item is copied to the host, because it is constant. That is an
/// error if a clause names the item.
pub fn keeps(item: &MapItem, range: &Range<u64>) -> Result<bool> {
    if !are_at(range.start) {
        return Ok(false);
    }
    match item.kind.contains(MapType::IMPLICIT) {
        true => Ok(true),
        false => Err(Error::Constant {
            item: item.to_string(),
        }),
    }
}

fn are_at(address: u64) -> bool {
    let segments = SEGMENTS.read();
    let mut all = segments.iter().flat_map(|those| &those.constant);
    all.any(|segment| segment.contains(&address))
}

/// The search for a loaded object.
struct Search {
    address: u64,
    page: u64,
    found: Vec<Range<u64>>,
}

impl Search {
    fn for_object_of(address: usize) -> Vec<Range<u64>> {
        // SAFETY: the call has no preconditions.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let mut search = Search {
            address: address as u64,
            page: u64::try_from(page).unwrap_or(4096).max(1),
            found: Vec::new(),
        };
        // SAFETY: the function is called with this search before the call returns.
        unsafe { dl_iterate_phdr(Some(look_at), (&raw mut search).cast()) };
        search.found
    }
}

/// Takes the segments of the object that has the address, and ends the search there.
unsafe extern "C" fn look_at(info: *mut dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
    // SAFETY: it is the caller's search.
    let search = unsafe { &mut *search.cast::<Search>() };
    // SAFETY: the dynamic linker's promise.
    let info = unsafe { &*info };
    // SAFETY: it has so many.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    let memory = |header: &libc::Elf64_Phdr| {
        let begin = info.dlpi_addr + header.p_vaddr;
        begin..begin + header.p_memsz
    };
    let loads = || headers.iter().filter(|header| header.p_type == PT_LOAD);
    if !loads().any(|header| memory(header).contains(&search.address)) {
        return 0;
    }
    let unwritable = loads().filter(|header| header.p_flags & PF_W == 0);
    search.found.extend(unwritable.map(memory));
    // Constants with addresses in them, which the dynamic linker has filled in. It protects whole pages.
    let relocated = headers.iter().filter(|it| it.p_type == PT_GNU_RELRO);
    search.found.extend(relocated.map(memory).map(|range| {
        let page = search.page;
        range.start / page * page..range.end / page * page
    }));
    1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::item_name::ItemName;

    static NUMBERS: [u64; 4] = [1, 2, 3, 4];
    static ADDRESSES: [&u64; 2] = [&NUMBERS[0], &NUMBERS[1]];

    fn item(begin: u64, kind: MapType) -> MapItem {
        MapItem {
            base: begin,
            begin,
            size: 8,
            kind,
            name: ItemName::default(),
            mapper: None,
        }
    }

    #[test]
    fn constants_are_kept_while_their_program_is_registered() {
        let library = constants_are_kept_while_their_program_is_registered as *const () as usize;
        let local = 0u64;
        let places = [&raw const NUMBERS as u64, &raw const ADDRESSES as u64];
        registered(library);
        for place in places {
            let range = place..place + 8;
            let implicit = item(place, MapType::FROM | MapType::IMPLICIT);
            assert!(keeps(&implicit, &range).expect("no clause"));
            let explicit = item(place, MapType::FROM);
            let message = keeps(&explicit, &range).expect_err("a clause").to_string();
            assert!(message.contains("only be read"), "{message}");
        }
        let place = &raw const local as u64;
        let range = place..place + 8;
        assert!(!keeps(&item(place, MapType::FROM), &range).expect("it is writable"));
        unregistered(library);
        assert!(!are_at(places[0]));
    }
}
