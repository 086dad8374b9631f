//! `chunkwright serve`: serves the index to agents over HTTP.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context as _, Result, bail};
use chunkwright_config::Settings;
use chunkwright_io::{plain, shown};
use chunkwright_search::{Error, LiveIndex, Update, update};
use chunkwright_server::{Access, Library, Token, Updates, listen};

use crate::index_dir::IndexFlag;
use crate::options::{FileFlags, Set, Threads, settings};
use crate::{files, index, style};

/// Serve the index to agents over HTTP
///
/// Agents connect to /mcp (Model Context Protocol). The start page shows how.
/// Only programs on this machine can connect, unless you allow more with --host,
/// --token-file and --allow-host.
///
/// Examples:
///
///   chunkwright serve               # serve the index of this directory
///   chunkwright serve docs --watch  # index docs first, and follow its changes
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Directories or files to index first
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1", value_parser = address)]
    host: IpAddr,
    /// Port to listen on; 0 chooses a free one
    #[arg(long, value_name = "N", default_value_t = 4848)]
    port: u16,
    /// File with the token that clients must send; required beyond this machine
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Host name that clients use, such as docs.example.com; repeatable, required beyond this machine
    #[arg(long, value_name = "NAME[:PORT]")]
    allow_host: Vec<String>,
    /// Update the index every second
    #[arg(long)]
    watch: bool,
    /// Open the start page in a browser
    #[arg(long)]
    open: bool,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    set: Set,
    #[command(flatten)]
    index_dir: IndexFlag,
    #[command(flatten)]
    files: FileFlags,
}

pub(crate) fn run(args: &Args) -> Result<usize> {
    let settings = settings(&args.set, &[&args.files, &args.threads])?;
    let mut access = Access::default();
    access.hosts.clone_from(&args.allow_host);
    access.token = args.token_file.as_deref().map(token).transpose()?;
    // Before indexing, which may take a while.
    let listener = listen(SocketAddr::new(args.host, args.port), &access)?;
    let (dir, live) = args.index(&settings)?;
    let library = Library::new(live, settings.tuning(), style::warn);
    if args.watch {
        let trees = match &args.paths[..] {
            [] => index::indexed_trees(&dir)?,
            paths => index::trees(paths, None, &settings)?,
        };
        watch(dir.clone(), index::wanted(trees, &settings), library.updates());
    }
    let url = format!("http://{}", listener.address());
    // Reads the index now, not at the first request, and reports if it is missing or damaged.
    let _ = library.check();
    style::say(&args.greeting(&dir, &url));
    if args.open {
        open(&url);
    }
    listener.serve(library)?;
    Ok(0)
}

impl Args {
    /// Returns the directory of the index, after indexing the given paths.
    fn index(&self, settings: &Settings) -> Result<(PathBuf, LiveIndex)> {
        if self.paths.is_empty() {
            let dir = self.index_dir.existing(settings)?;
            return Ok((dir.clone(), self.index_dir.live(dir)));
        }
        let trees = index::trees(&self.paths, None, settings)?;
        let dir = self.index_dir.of(&trees, settings);
        let report = update(&dir, &index::wanted(trees, settings))?;
        report.errors.iter().for_each(|error| style::complain(&files::message(error)));
        style::say(&index::summary(&report));
        Ok((dir.clone(), LiveIndex::at(dir)))
    }

    /// Returns what the server prints when it is ready: where it is, and how to connect.
    fn greeting(&self, dir: &Path, url: &str) -> String {
        let start = format!("Serving {} at {url}/mcp; press Ctrl-C to stop", shown(dir));
        let connect = match &self.token_file {
            None => format!(
                "To connect Claude Code:\n\
                 \x20 claude mcp add --transport http chunkwright {url}/mcp\n\
                 For other agents, open {url}"
            ),
            Some(file) => format!(
                "Agents need the token in {}; the start page shows how to connect them",
                shown(file)
            ),
        };
        format!("{start}\n{connect}")
    }
}

/// Parses an address to listen on.
fn address(text: &str) -> Result<IpAddr, String> {
    match text {
        "localhost" => Ok(Ipv4Addr::LOCALHOST.into()),
        text => text.parse().map_err(|_| "expected an IP address, such as 127.0.0.1".to_owned()),
    }
}

fn token(file: &Path) -> Result<Token> {
    let secret = fs::read_to_string(file)
        .map_err(|fault| anyhow::anyhow!("cannot read {}: {}", shown(file), plain(&fault)))?;
    let secret = secret.trim();
    if secret.contains(char::is_whitespace) {
        bail!("cannot use {}: a token contains no white space", shown(file));
    }
    Token::new(secret).with_context(|| format!("cannot use {}", shown(file)))
}

/// Updates the index every second on its own thread. Every failure is reported once; the server
/// keeps answering from the last commit.
fn watch(dir: PathBuf, wanted: Update, updates: Updates) {
    thread::spawn(move || {
        let mut last = Vec::new();
        loop {
            thread::sleep(index::LOOK_AGAIN);
            let (has_failed, messages) = match index::update_again(&dir, &wanted) {
                // Another process is writing; try again later.
                Err(Error::Busy { .. }) => continue,
                Err(error) => (true, vec![format!("cannot update the index: {error}")]),
                Ok(report) => {
                    if report.is_change() {
                        style::say(&index::summary(&report));
                    }
                    (false, report.errors.iter().map(files::message).collect())
                }
            };
            updates.set_failed(has_failed);
            let new = messages.iter().filter(|message| !last.contains(*message));
            new.for_each(|message| style::warn(message));
            last = messages;
        }
    });
}

/// Opens a page in the browser of the user, if there is one.
fn open(url: &str) {
    let program = if cfg!(windows) {
        "explorer"
    } else if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let mut command = Command::new(program);
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if command.spawn().is_err() {
        style::warn(&format!("cannot open a browser: `{program}` is not available; open {url}"));
    }
}
