//! Builds the documentation as a website with mdBook, and checks its links.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::steps::{Steps, cargo, quietly, root, say, target};

/// The release of mdBook that the theme is made for.
const MDBOOK: &str = "0.5.4";

pub(crate) fn run(steps: &mut Steps) -> Result<()> {
    let site = target().join("site");
    let mut build = Command::new(mdbook(steps)?);
    build.arg("build").arg("--dest-dir").arg(&site).current_dir(root());
    steps.run("site", build)?;
    let mut links = Command::new(if cfg!(windows) { "python" } else { "python3" });
    links.arg(root().join("crates/xtask/src/site/links.py")).arg(&site).current_dir(root());
    steps.run("links of the site", links)?;
    say(&format!("open {}", site.join("index.html").display()));
    Ok(())
}

/// Returns the path of mdBook, and installs it if this release is not there.
fn mdbook(steps: &mut Steps) -> Result<PathBuf> {
    let tools = target().join("tools");
    let program = tools.join(format!("bin/mdbook{}", std::env::consts::EXE_SUFFIX));
    let version = quietly(Command::new(&program).arg("--version")).unwrap_or_default();
    if version.trim() != format!("mdbook v{MDBOOK}") {
        let mut install = cargo(&["install", &format!("mdbook@{MDBOOK}"), "--locked", "--force"]);
        install.args(["--no-default-features", "--features", "search", "--root"]).arg(&tools);
        steps.run("installation of mdBook", install)?;
    }
    Ok(program)
}
