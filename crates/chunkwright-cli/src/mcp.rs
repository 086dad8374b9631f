//! `chunkwright mcp`: serves the index to an agent on standard input and output.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use chunkwright_search::LiveIndex;
use chunkwright_server::{Library, stdio};
use clap::ValueEnum;
use serde_json::json;

use crate::options::{Set, found_settings, settings};
use crate::place::Place;
use crate::sink;
use crate::style;

/// Serve the index to an agent (Model Context Protocol)
///
/// The agent starts this command itself; --print-config prints what to add to its configuration.
///
/// Examples:
///
///   chunkwright mcp --print-config claude  # the command that adds it to Claude Code
///   chunkwright mcp --print-config cursor  # the lines for .cursor/mcp.json
///   chunkwright mcp                        # what the agent runs
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Print the configuration of a client, and exit
    #[arg(long, value_enum, value_name = "CLIENT")]
    print_config: Option<Client>,
    #[command(flatten)]
    set: Set,
    #[command(flatten)]
    place: Place,
}

/// A program that can start MCP servers.
#[derive(Clone, Copy, ValueEnum)]
enum Client {
    /// Claude Code: a command to run
    Claude,
    /// Cursor: .cursor/mcp.json
    Cursor,
    /// VS Code: .vscode/mcp.json
    Vscode,
    /// Codex: ~/.codex/config.toml
    Codex,
    /// Zed: settings.json
    Zed,
}

pub(crate) fn run(args: &Args) -> Result<usize> {
    let settings = settings(&args.set, &[])?;
    if let Some(client) = args.print_config {
        let dir = args.place.existing(&settings)?;
        sink::print(&client.config(&Server::at(dir)?))?;
        return Ok(0);
    }
    let index = args.place.live(args.place.existing(&settings)?);
    stdio(Library::new(index, settings.tuning(), style::warn))?;
    Ok(0)
}

impl Place {
    /// Returns the index to serve. If there is none yet, it is looked for again at every request.
    pub(crate) fn live(&self, dir: PathBuf) -> LiveIndex {
        let place = Self { index: self.index.clone() };
        LiveIndex::found_by(move || {
            let found = found_settings().and_then(|settings| place.existing(&settings));
            found.unwrap_or_else(|_| dir.clone())
        })
    }
}

/// The command that a client has to run.
struct Server {
    program: String,
    arguments: Vec<String>,
}

impl Server {
    /// Returns the command for an index, with absolute paths: clients run it in any directory, and
    /// those with a window often have a different `PATH`.
    fn at(dir: PathBuf) -> Result<Self> {
        let program =
            std::env::current_exe().context("cannot determine the path of this program")?;
        let dir = std::path::absolute(dir).context("cannot determine the working directory")?;
        let text = |path: PathBuf| {
            path.into_os_string().into_string().ok().context("a path is not valid UTF-8")
        };
        let arguments = vec!["mcp".to_owned(), "--index".to_owned(), text(dir)?];
        Ok(Self { program: text(program)?, arguments })
    }
}

impl Client {
    fn config(self, server: &Server) -> String {
        let Server { program, arguments } = server;
        let plain = json!({ "command": program, "args": arguments });
        let typed = json!({ "type": "stdio", "command": program, "args": arguments });
        match self {
            Self::Claude => {
                let words: Vec<String> =
                    [program].into_iter().chain(arguments).map(|word| quoted(word)).collect();
                format!("claude mcp add chunkwright -- {}\n", words.join(" "))
            }
            Self::Cursor => pretty(&json!({ "mcpServers": { "chunkwright": plain } })),
            Self::Vscode => pretty(&json!({ "servers": { "chunkwright": typed } })),
            Self::Zed => pretty(&json!({ "context_servers": { "chunkwright": plain } })),
            // A JSON string is a TOML string, too, and so is an array of them.
            Self::Codex => format!(
                "[mcp_servers.chunkwright]\ncommand = {}\nargs = {}\n",
                json!(program),
                json!(arguments)
            ),
        }
    }
}

fn pretty(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}

/// Returns a word for a shell, in quotes if it needs them.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    match word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}
