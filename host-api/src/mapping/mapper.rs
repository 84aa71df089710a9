//! User-defined mappers (`declare mapper`). clang emits a function that pushes the components of an item one by one.
//! The components replace the item.

use std::ffi::c_void;

use crate::mapping::map_item::MapItem;

/// What a mapper function pushed.
#[derive(Debug, Default)]
pub struct Components(pub Vec<MapItem>);

/// Calls the item's mapper; `None` if it has none. Components without a name get the item's.
fn expand(item: &MapItem) -> Option<Vec<MapItem>> {
    let mapper = item.mapper?;
    let mut components = Components::default();
    // SAFETY: clang's mapper functions take these arguments; the handle is only passed back to
    // `__tgt_mapper_num_components` and `__tgt_push_mapper_component`.
    unsafe {
        mapper(
            (&raw mut components).cast(),
            item.base as *mut c_void,
            item.begin as *mut c_void,
            item.size as i64,
            item.kind.bits() as i64,
            std::ptr::null_mut(),
        );
    }
    Some(components.0)
}

/// The items of a construct with every mapper expanded.
pub enum Flat<'a> {
    /// No item has a mapper.
    Plain(&'a [MapItem]),
    /// The expanded items, each with the index of the original item.
    Expanded(Vec<(usize, MapItem)>),
}

/// Expands the mappers of `items`.
pub fn flatten(items: &[MapItem]) -> Flat<'_> {
    if items.iter().all(|item| item.mapper.is_none()) {
        return Flat::Plain(items);
    }
    let mut flat = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        match expand(item) {
            None => flat.push((index, *item)),
            Some(components) => flat.extend(components.into_iter().map(|component| {
                (
                    index,
                    MapItem {
                        name: component.name.or(item.name),
                        ..component
                    },
                )
            })),
        }
    }
    Flat::Expanded(flat)
}

impl Flat<'_> {
    /// The items in order, each with the index of the original item.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (usize, &MapItem)> {
        let count = match self {
            Flat::Plain(items) => items.len(),
            Flat::Expanded(items) => items.len(),
        };
        (0..count).map(move |at| match self {
            Flat::Plain(items) => (at, &items[at]),
            Flat::Expanded(items) => (items[at].0, &items[at].1),
        })
    }
}
