//! `Node`: a document's headings as a tree of objects of Python.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyString;

/// A node of a document: the document itself, or a heading with content below it.
#[pyclass(frozen, module = "chunkwright")]
pub(crate) struct Node {
    source: Arc<PyBackedStr>,
    node: chunkwright::Node,
    #[pyo3(get)]
    position: usize,
    children: Vec<Py<Node>>,
}

impl Node {
    /// The document's node, with all others below it.
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
        unreachable!("a tree has a root")
    }
}

#[pymethods]
impl Node {
    /// `{tree}:{path}` for the document, `{tree}:{path}#{anchor}` for a heading.
    #[getter]
    fn id(&self) -> &str {
        &self.node.id
    }

    /// The level of its heading, 0 for the document.
    #[getter]
    fn depth(&self) -> u8 {
        self.node.depth
    }

    /// The text of its heading, or the document's title.
    #[getter]
    fn title(&self) -> &str {
        &self.node.title
    }

    /// The slug of its heading; None for the document.
    #[getter]
    fn anchor(&self) -> Option<&str> {
        Some(&*self.node.slug).filter(|slug| !slug.is_empty())
    }

    /// The document's title, then the headings that lead here.
    #[getter]
    fn breadcrumb(&self) -> Vec<&str> {
        self.node.breadcrumb.iter().map(|element| &**element).collect()
    }

    /// The first byte of its heading line, in UTF-8.
    #[getter]
    fn byte_start(&self) -> usize {
        self.node.span.start
    }

    /// One past the last byte of all below it.
    #[getter]
    fn byte_end(&self) -> usize {
        self.node.span.end
    }

    /// All of it: its heading, its body, and all nodes below it.
    #[getter]
    fn text(&self) -> &str {
        self.node.span.of(&self.source).trim_end()
    }

    /// Its own text, without the heading.
    #[getter]
    fn body(&self) -> &str {
        self.node.body_text(&self.source)
    }

    /// The nodes directly below it.
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
