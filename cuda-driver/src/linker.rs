//! `cuLink*`: several texts of PTX become one, as an image that `cuModuleLoadData` takes.
