//! Reads the columns of a segment, in which each file is a run of consecutive documents.

use std::ops::Range;
use std::sync::Arc;

use tantivy::columnar::{Column, ColumnValues, StrColumn};
use tantivy::error::DataCorruption;
use tantivy::{DocId, SegmentReader, TantivyError};

use crate::schema::column;

/// The columns of a segment.
pub(crate) struct Runs<'r> {
    reader: &'r SegmentReader,
    doc: Option<StrColumn>,
    metadata: Option<StrColumn>,
    pub(crate) ordinal: Arc<dyn ColumnValues<u64>>,
    pub(crate) parent: Arc<dyn ColumnValues<u64>>,
    pub(crate) subtree_end: Arc<dyn ColumnValues<u64>>,
    pub(crate) tokens: Arc<dyn ColumnValues<u64>>,
    pub(crate) subtree_tokens: Arc<dyn ColumnValues<u64>>,
    run: Column<u64>,
    bytes: Column<u64>,
    modified: Column<u64>,
}

impl<'r> Runs<'r> {
    pub(crate) fn open(reader: &'r SegmentReader) -> tantivy::Result<Self> {
        let columns = reader.fast_fields();
        let all = |name: &str| Ok::<_, TantivyError>(columns.u64(name)?.first_or_default_col(0));
        Ok(Self {
            reader,
            doc: columns.str(column::DOC)?,
            metadata: columns.str(column::METADATA)?,
            ordinal: all(column::ORDINAL)?,
            parent: all(column::PARENT)?,
            subtree_end: all(column::SUBTREE_END)?,
            tokens: all(column::TOKENS)?,
            subtree_tokens: all(column::SUBTREE_TOKENS)?,
            run: columns.u64(column::RUN)?,
            bytes: columns.u64(column::BYTES)?,
            modified: columns.u64(column::MODIFIED)?,
        })
    }

    /// Iterates over the runs of all files that are not deleted.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Range<DocId>> {
        let end = self.reader.max_doc();
        let run = move |start: DocId| (start < end).then(|| self.run_from(start));
        let all = std::iter::successors(run(0), move |last| run(last.end));
        all.filter(|run| !self.reader.is_deleted(run.start))
    }

    /// Returns the run that contains a document.
    pub(crate) fn around(&self, doc: DocId) -> Range<DocId> {
        self.run_from(doc.saturating_sub(narrow(self.ordinal.get_val(doc))))
    }

    fn run_from(&self, start: DocId) -> Range<DocId> {
        let length = self.run.first(start).map_or(1, narrow).max(1);
        start..start.saturating_add(length).min(self.reader.max_doc())
    }

    /// Returns the tree and path of the file that starts at a document.
    pub(crate) fn name(&self, start: DocId) -> tantivy::Result<(String, String)> {
        let id = self.id(start)?;
        let parted = id.split_once(':').map(|(tree, path)| (tree.to_owned(), path.to_owned()));
        parted.ok_or_else(|| DataCorruption::comment_only(format!("invalid id `{id}`")).into())
    }

    /// Returns the id of the file that starts at a document.
    pub(crate) fn id(&self, start: DocId) -> tantivy::Result<String> {
        Ok(text(self.doc.as_ref(), start)?.unwrap_or_default())
    }

    /// Returns the front matter of the file that starts at a document, as JSON.
    pub(crate) fn metadata(&self, start: DocId) -> tantivy::Result<Option<String>> {
        text(self.metadata.as_ref(), start)
    }

    /// Returns the size and time of the file that starts at a document.
    pub(crate) fn stamp(&self, start: DocId) -> Stamp {
        Stamp {
            bytes: self.bytes.first(start).unwrap_or_default(),
            modified: self.modified.first(start).unwrap_or_default(),
        }
    }

    /// Returns the total size and the number of files, including deleted ones.
    pub(crate) fn total_bytes(&self) -> (u64, u64) {
        let values = &self.bytes.values;
        (values.iter().sum(), u64::from(values.num_vals()))
    }
}

/// The size and modification time of a file, to detect changes without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) bytes: u64,
    /// The modification time, in nanoseconds since 1970.
    pub(crate) modified: u64,
}

impl Stamp {
    pub(crate) fn of(found: &std::fs::Metadata) -> Self {
        let since = found.modified().ok();
        let since = since.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        let modified = since.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX));
        Self { bytes: found.len(), modified }
    }
}

fn text(column: Option<&StrColumn>, doc: DocId) -> tantivy::Result<Option<String>> {
    let Some(column) = column else { return Ok(None) };
    let Some(ord) = column.term_ords(doc).next() else { return Ok(None) };
    let mut text = String::new();
    column.ord_to_str(ord, &mut text)?;
    Ok(Some(text))
}

/// Converts an ordinal, which always fits in an intact index, and saturates in a damaged one.
pub(crate) fn narrow(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
