//! The Python package `chunkwright`: values of Python come in, chunks go out as objects of Python.
//!
//! The types of what users see are in `python/chunkwright/_native.pyi`.

mod batch;
mod call;
mod capsule;
mod chunk;
mod chunker;
mod counter;
mod diff;
mod files;
mod index;
mod node;
mod options;
mod text;
mod value;
mod watch;

/// What is written in Rust.
#[pyo3::pymodule(name = "_native", gil_used = false)]
mod native {
    #[expect(non_upper_case_globals, reason = "it is what Python calls it")]
    #[pymodule_export]
    const __version__: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_export]
    use crate::batch::Batch;
    #[pymodule_export]
    use crate::chunk::Chunk;
    #[pymodule_export]
    use crate::chunker::{Chunker, chunk, chunk_batch, chunk_files, restore_chunker};
    #[pymodule_export]
    use crate::diff::diff;
    #[pymodule_export]
    use crate::files::FileChunks;
    #[pymodule_export]
    use crate::index::{Index, update_index};
    #[pymodule_export]
    use crate::node::Node;
}
