//! Where output goes: a file that appears when it is complete, or standard output.

use std::io::{self, BufWriter, Stdout, Write};
use std::path::Path;

use anyhow::{Result, bail};
use chunkwright_io::{Found, Output, OutputError, shown};

use crate::interrupt;

/// Size of the buffer for standard output in bytes.
const STDOUT_BUFFER: usize = 1 << 16;

/// Where output goes.
pub(crate) enum Sink {
    File(Output),
    Stdout(BufWriter<anstream::AutoStream<Stdout>>),
}

impl Sink {
    /// A file that an option names, and that is none of those to be read. It is not there until it
    /// is complete; an interrupted run leaves nothing.
    pub(crate) fn file(path: &Path, option: &str, found: &Found) -> Result<Self> {
        if found.has(path) {
            bail!(
                "{}: is one of the input files; name a different file with {option}",
                shown(path)
            );
        }
        Ok(Self::File(interrupt::removes(path)?))
    }

    /// Standard output; for people, escape codes are taken out where nobody wants colours.
    pub(crate) fn stdout(for_people: bool) -> Self {
        let stdout = io::stdout();
        let choice = if for_people {
            anstream::AutoStream::choice(&stdout)
        } else {
            anstream::ColorChoice::AlwaysAnsi
        };
        let stdout = anstream::AutoStream::new(stdout, choice);
        Self::Stdout(BufWriter::with_capacity(STDOUT_BUFFER, stdout))
    }

    pub(crate) fn finish(self) -> Result<()> {
        match self {
            Self::File(output) => Ok(output.finish().map_err(io::Error::from)?),
            Self::Stdout(mut stdout) => Ok(stdout.flush().map_err(named)?),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(output) => output.write(bytes),
            Self::Stdout(stdout) => stdout.write(bytes).map_err(named),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(output) => output.flush(),
            Self::Stdout(stdout) => stdout.flush().map_err(named),
        }
    }
}

/// A fault of standard output that says so.
fn named(fault: io::Error) -> io::Error {
    OutputError::Stdout { fault }.into()
}
