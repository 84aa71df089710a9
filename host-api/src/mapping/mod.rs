//! Mappings: the table of host ranges with storage on a device, and the items that constructs map.

pub mod attachments;
pub mod constants;
pub mod created;
pub mod item_name;
pub mod map_item;
pub mod map_type;
pub mod mapped_range;
pub mod mapper;
pub mod sorted_blocks;
pub mod table;
