//! The class `Node`: the outline of a document.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyString;

/// A node in the outline of a document: the document itself, or a heading with content.
///
/// `Chunker.tree` returns the outline of a text.
#[pyclass(frozen, module = "chunkwright")]
pub(crate) struct Node {
    source: Arc<PyBackedStr>,
    node: chunkwright::Node,
    /// Position in the document, in reading order, counted from 0.
    #[pyo3(get)]
    position: usize,
    children: Vec<Py<Node>>,
}

impl Node {
    /// Builds all nodes of a document, and returns the root.
    pub(crate) fn root(
        py: Python<'_>,
        text: PyBackedStr,
        tree: &[chunkwright::Node],
    ) -> PyResult<Py<Self>> {
        let source = Arc::new(text);
        let mut children: Vec<Vec<Py<Self>>> = tree.iter().map(|_| Vec::new()).collect();
        for (position, node) in tree.iter().enumerate().rev() {
            let mut below = std::mem::take(&mut children[position]);
            below.reverse();
            let (source, node) = (Arc::clone(&source), node.clone());
            let parent = node.parent;
            let made = Py::new(py, Self { source, node, position, children: below })?;
            match parent {
                Some(parent) => children[parent].push(made),
                None => return Ok(made),
            }
        }
        unreachable!("an outline has a root")
    }
}

#[pymethods]
impl Node {
    /// Id: `tree:path` of the document, or `tree:path#anchor` of a heading.
    #[getter]
    fn id(&self) -> &str {
        &self.node.id
    }

    /// Level of the heading; 0 for the document.
    #[getter]
    fn depth(&self) -> u8 {
        self.node.depth
    }

    /// Text of the heading, or title of the document.
    #[getter]
    fn title(&self) -> &str {
        &self.node.title
    }

    /// Slug of the heading; None for the document.
    #[getter]
    fn anchor(&self) -> Option<&str> {
        Some(&*self.node.slug).filter(|slug| !slug.is_empty())
    }

    /// Title of the document, followed by the headings that lead to the node.
    #[getter]
    fn breadcrumb(&self) -> Vec<&str> {
        self.node.breadcrumb.iter().map(|element| &**element).collect()
    }

    /// Offset of the first byte of the heading line in the document's UTF-8.
    #[getter]
    fn byte_start(&self) -> usize {
        self.node.span.start
    }

    /// Offset after the last byte of the node and all nodes below it.
    #[getter]
    fn byte_end(&self) -> usize {
        self.node.span.end
    }

    /// Source text of the heading, the body and all nodes below.
    #[getter]
    fn text(&self) -> &str {
        self.node.span.of(&self.source).trim_end()
    }

    /// Source text between the heading and the first node below.
    #[getter]
    fn body(&self) -> &str {
        self.node.body_text(&self.source)
    }

    /// Nodes directly below.
    #[getter]
    fn children(&self, py: Python<'_>) -> Vec<Py<Self>> {
        self.children.iter().map(|child| child.clone_ref(py)).collect()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let id = PyString::new(py, &self.node.id).repr()?;
        let title = PyString::new(py, &self.node.title).repr()?;
        Ok(format!("Node(id={id}, title={title}, children={})", self.children.len()))
    }
}
