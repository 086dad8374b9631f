//! `chunkwright mcp`: serves the index to an agent on standard input and output.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use chunkwright_io::shown;
use chunkwright_search::LiveIndex;
use chunkwright_server::{Library, stdio};
use clap::ValueEnum;
use serde_json::json;

use crate::index_dir::IndexFlag;
use crate::options::{Set, found_settings, settings};
use crate::{sink, style};

/// Serve the index to an agent (Model Context Protocol)
///
/// The agent starts this command itself, and talks to it on standard input and
/// output. It gets three read-only tools: search_docs, read_section and
/// list_sections.
///
/// Examples:
///
///   chunkwright index docs                 # create the index first
///   chunkwright mcp --print-config claude  # print how to add it to Claude Code
///   chunkwright mcp --print-config cursor  # print lines for .cursor/mcp.json
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Print the configuration of a client, and exit
    #[arg(long, value_enum, value_name = "CLIENT")]
    print_config: Option<Client>,
    #[command(flatten)]
    set: Set,
    #[command(flatten)]
    index_dir: IndexFlag,
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
    let dir = args.index_dir.existing(&settings)?;
    if let Some(client) = args.print_config {
        return print_config(client, dir, &args.set);
    }
    let library = Library::new(args.index_dir.live(dir), settings.tuning(), style::warn);
    // Reports an index that is missing or damaged now, not at the first request.
    let _ = library.check();
    stdio(library)?;
    Ok(0)
}

fn print_config(client: Client, dir: PathBuf, set: &Set) -> Result<usize> {
    let missing = (!dir.exists()).then(|| shown(&dir).to_string());
    sink::print(&client.config(&ServerCommand::at(dir, set)?))?;
    style::note(client.destination());
    if let Some(dir) = missing {
        style::warn(&format!(
            "there is no index in {dir} yet; run `chunkwright index PATH`, then this command again"
        ));
    }
    Ok(0)
}

impl IndexFlag {
    /// Returns the index to serve. If there is none yet, it is looked for again at every request.
    pub(crate) fn live(&self, dir: PathBuf) -> LiveIndex {
        let flag = Self { index: self.index.clone() };
        LiveIndex::found_by(move || {
            let found = found_settings().and_then(|settings| flag.existing(&settings));
            found.unwrap_or_else(|_| dir.clone())
        })
    }
}

/// The command that a client has to run.
struct ServerCommand {
    program: String,
    arguments: Vec<String>,
}

impl ServerCommand {
    /// Returns the command for an index, with absolute paths: clients run it in any directory, and
    /// those with a window often have a different `PATH`.
    fn at(dir: PathBuf, set: &Set) -> Result<Self> {
        let program =
            std::env::current_exe().context("cannot determine the path of this program")?;
        let dir = std::path::absolute(dir).context("cannot determine the working directory")?;
        let text = |path: PathBuf| {
            path.into_os_string().into_string().ok().context("a path is not valid UTF-8")
        };
        let mut arguments = vec!["mcp".to_owned(), "--index".to_owned(), text(dir)?];
        arguments.extend(set.given().iter().flat_map(|set| ["--set".to_owned(), set.clone()]));
        Ok(Self { program: text(program)?, arguments })
    }

    /// Returns the arguments as a list in JSON, on a single line.
    fn list(&self) -> String {
        let arguments = self.arguments.iter().map(|argument| json!(argument).to_string());
        format!("[{}]", arguments.collect::<Vec<_>>().join(", "))
    }

    /// Returns an entry for a JSON file, under the key that the client expects.
    fn entry(&self, key: &str, more: &str) -> String {
        format!(
            r#"{{
  "{key}": {{
    "chunkwright": {{{more}
      "command": {},
      "args": {}
    }}
  }}
}}
"#,
            json!(self.program),
            self.list()
        )
    }
}

impl Client {
    fn config(self, server: &ServerCommand) -> String {
        match self {
            Self::Claude => {
                let words = [&server.program].into_iter().chain(&server.arguments);
                let words: Vec<String> = words.map(|word| quoted(word)).collect();
                format!("claude mcp add chunkwright -- {}\n", words.join(" "))
            }
            Self::Cursor => server.entry("mcpServers", ""),
            Self::Vscode => server.entry("servers", "\n      \"type\": \"stdio\","),
            Self::Zed => server.entry("context_servers", ""),
            // A JSON string is a TOML string, too, and so is a list of them.
            Self::Codex => format!(
                "[mcp_servers.chunkwright]\ncommand = {}\nargs = {}\n",
                json!(server.program),
                server.list()
            ),
        }
    }

    /// Returns what to do with the configuration.
    fn destination(self) -> &'static str {
        match self {
            Self::Claude => "run this command in your project",
            Self::Cursor => "add this to .cursor/mcp.json",
            Self::Vscode => "add this to .vscode/mcp.json",
            Self::Codex => "add this to ~/.codex/config.toml",
            Self::Zed => "add this to settings.json (`zed: open settings file`)",
        }
    }
}

/// Returns a word for a shell, in quotes if it needs them.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    match word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}
