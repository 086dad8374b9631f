//! The native module of the Python package `chunkwright`.
//!
//! Doc comments on exported items are Python docstrings: they follow PEP 257, and
//! `python/chunkwright/_native.pyi` repeats them, with the types.

mod batch;
mod call;
mod capsule;
mod chunk;
mod chunker;
mod counter;
mod diff;
mod fields;
mod files;
mod index;
mod node;
mod options;
mod signals;
mod text;
mod value;

/// The part of the package that is written in Rust.
#[pyo3::pymodule(name = "_native", gil_used = false)]
mod native {
    #[expect(non_upper_case_globals, reason = "the name is a Python convention")]
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

    use pyo3::prelude::*;

    #[pymodule_init]
    fn complete(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::fields::add_to(&module.py().get_type::<Chunk>())?;
        module.add("NAMESPACE", crate::chunk::namespace(module.py())?)
    }
}
