//! The data environment: which host memory has storage on a device, and the copies between the two.

pub mod attach;
pub mod attachments;
pub mod created;
pub mod data_begin;
pub mod data_end;
pub mod item_name;
pub mod map_item;
pub mod map_type;
pub mod mapped_range;
pub mod mapper;
pub mod report;
pub mod sorted_blocks;
pub mod table;
pub mod transfer;
pub mod update;
