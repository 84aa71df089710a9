//! What constructs do: enter and leave data environments, update data, execute device work, blocking or in flight.

pub mod attach;
pub mod by_helper;
pub mod context;
pub mod data_begin;
pub mod data_end;
pub mod device_work;
mod dimensions;
mod execute;
pub mod in_flight;
pub mod target_task;
pub mod transfer;
pub mod update;
