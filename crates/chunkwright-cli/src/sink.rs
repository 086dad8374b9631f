//! The destination of output: standard output, or a file that appears once it is complete.

use std::io::{self, BufWriter, Stdout, Write};
use std::path::Path;

use anyhow::{Result, bail};
use chunkwright_io::{Found, Output, OutputError, shown};

use crate::interrupt;

/// Size of the buffer for standard output in bytes.
const STDOUT_BUFFER: usize = 1 << 16;

/// A destination of output.
pub(crate) enum Destination {
    File(Output),
    Stdout(BufWriter<anstream::AutoStream<Stdout>>),
}

impl Destination {
    /// Creates a file that is named by `option` and is not an input file. It appears once it is
    /// complete; an interrupted run leaves nothing behind.
    pub(crate) fn file(path: &Path, option: &str, found: &Found) -> Result<Self> {
        if found.has(path) {
            bail!(
                "cannot write {}: it is one of the input files; choose another file with {option}",
                shown(path)
            );
        }
        Ok(Self::File(interrupt::output(path)?))
    }

    /// Returns standard output. Output for people loses its escape codes if colors are off.
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

/// Prints to standard output, without colors if they are off.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = Destination::stdout(true);
    out.write_all(text.as_bytes())?;
    out.finish()
}

impl Write for Destination {
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

/// Adds to an error that it is about standard output.
fn named(fault: io::Error) -> io::Error {
    OutputError::Stdout { fault }.into()
}
