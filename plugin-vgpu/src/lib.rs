//! The virtual GPU.
