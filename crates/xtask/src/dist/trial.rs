//! Installs each package of a release in a clean environment, and runs the examples of README.md
//! there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::name;
use crate::python::pip_install;
use crate::steps::{Steps, cargo, quietly, root, say, target};

/// The oldest Debian to try the command on; it has glibc 2.31.
const OLD_DEBIAN: &str = "bullseye";

/// Unpacks the tarball, and runs the commands of README.md with an empty environment. If possible,
/// repeats the first one in an old Debian.
pub(super) fn tarball(steps: &mut Steps, tarball: &Path) -> Result<()> {
    let place = clean("tarball")?;
    let mut unpack = Command::new("tar");
    unpack.arg("-xzf").arg(tarball).arg("-C").arg(&place).arg("--strip-components=1");
    steps.run("unpacked tarball", unpack)?;
    for part in ["LICENSE-MIT", "completions/chunkwright.bash", "man/chunkwright-search.1"] {
        ensure!(place.join(part).is_file(), "{} has no {part}", tarball.display());
    }
    copy(&root().join("docs"), &place.join("docs"))?;
    fs::create_dir(place.join("target"))?;
    let commands = readme_commands()?;
    for (command, shown) in &commands {
        let mut run = Command::new("sh");
        run.args(["-c", &format!("{command} 2>&1")]).current_dir(&place);
        run.env_clear().env("PATH", format!("{}:/usr/bin:/bin", place.display()));
        let printed = quietly(&mut run)?;
        ensure!(matches(shown, &printed), "$ {command}\nprinted\n{printed}");
        println!("   $ {command}: prints what README.md shows");
    }
    old_debian(steps, &place, &commands[0].0)
}

/// Runs a command in a chroot of an old Debian.
fn old_debian(steps: &mut Steps, place: &Path, command: &str) -> Result<()> {
    let has = |program: &str| quietly(Command::new("which").arg(program)).is_ok();
    let is_root = quietly(Command::new("id").arg("-u"))?.trim() == "0";
    if !(is_root && has("debootstrap")) {
        say(&format!("skipped: Debian {OLD_DEBIAN} (needs root and debootstrap)"));
        return Ok(());
    }
    let system = target().join(format!("debian-{OLD_DEBIAN}"));
    if !system.join("usr/bin/env").exists() {
        let mut make = Command::new("debootstrap");
        make.args(["--variant=minbase", OLD_DEBIAN]).arg(&system).stdout(Stdio::null());
        if let Ok(mirror) = std::env::var("DEBIAN_MIRROR") {
            make.arg(mirror);
        }
        steps.run(&format!("Debian {OLD_DEBIAN}"), make)?;
    }
    let home = system.join("chunkwright");
    if home.exists() {
        fs::remove_dir_all(&home)?;
    }
    copy(place, &home)?;
    let mut run = Command::new("chroot");
    run.arg(&system).args(["/bin/sh", "-c"]);
    run.arg(format!("cd /chunkwright && PATH=$PWD:$PATH && chunkwright --version && {command}"));
    steps.run(&format!("README on Debian {OLD_DEBIAN}"), run)
}

/// Installs the wheel in empty environments of the oldest and the newest Python, and runs the
/// example of README.md.
pub(super) fn wheel(steps: &mut Steps, python: &Path, wheel: &Path) -> Result<()> {
    let found = pythons(python)?;
    let ends = [found.first_key_value(), found.last_key_value()];
    for (version, python) in ends.into_iter().flatten() {
        let title = format!("wheel in Python 3.{version}");
        install_and_try(steps, &title, python, wheel, &["--no-index"])?;
    }
    Ok(())
}

/// Builds and installs the source distribution, and runs the example of README.md.
pub(super) fn sdist(steps: &mut Steps, python: &Path, sdist: &Path) -> Result<()> {
    install_and_try(steps, "source distribution", python, sdist, &[])
}

fn install_and_try(
    steps: &mut Steps,
    title: &str,
    python: &Path,
    package: &Path,
    options: &[&str],
) -> Result<()> {
    let place = clean(&title.replace(' ', "-"))?;
    let mut create = Command::new(python);
    create.args(["-m", "venv"]).arg(place.join("venv"));
    quietly(&mut create)?;
    let python = place.join("venv/bin/python");
    let mut install = pip_install(&python);
    install.args(options).arg(package);
    steps.run(&format!("{title}: installation of {}", name(package)), install)?;
    let readme = fs::read_to_string(root().join("README.md"))?;
    let (code, shown) = (fence(&readme, "python")?, fence(&readme, "text")?);
    fs::write(place.join("example.py"), code)?;
    let printed = quietly(Command::new(&python).arg("example.py").current_dir(&place))?;
    ensure!(
        printed.trim_end() == shown.trim_end(),
        "{title}: the example of README.md printed\n{printed}"
    );
    println!("   {title}: the example prints what README.md shows");
    Ok(())
}

/// Builds the command without optional features, and checks that it names the missing feature.
pub(super) fn without_features(steps: &mut Steps) -> Result<()> {
    let mut build = cargo(&["build", "--locked", "--release", "--no-default-features"]);
    build.args(["--package", "chunkwright-cli", "--target-dir"]).arg(target().join("slim"));
    steps.run("command without optional features", build)?;
    let command = target().join("slim/release/chunkwright");
    let parquet = "this build has no Parquet support; rebuild with the feature `parquet`";
    let tokenizer = "is not included in this build; rebuild with the feature `huggingface`";
    for (args, message) in [
        (&["chunk", "README.md", "-o", "target/slim/chunks.parquet"][..], parquet),
        (&["chunk", "README.md", "--format", "parquet"], parquet),
        (&["chunk", "README.md", "--tokenizer", "hf:tokenizer.json"], tokenizer),
    ] {
        let output = Command::new(&command).args(args).current_dir(root()).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(!output.status.success() && said.contains(message), "{args:?} printed {said}");
        println!("   chunkwright {}: {}", args.join(" "), said.trim_end());
    }
    quietly(Command::new(&command).args(["chunk", "docs"]).current_dir(root()))?;
    Ok(())
}

/// Returns the installed interpreters from Python 3.10 on by minor version: those on the path, and
/// those of pyenv.
fn pythons(own: &Path) -> Result<BTreeMap<u32, PathBuf>> {
    let mut found = BTreeMap::new();
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let pyenv = fs::read_dir(home.join(".pyenv/versions")).into_iter().flatten().flatten();
    let pyenv = pyenv.map(|version| version.path().join("bin/python"));
    let named = (10..30).map(|minor| PathBuf::from(format!("python3.{minor}")));
    for python in [own.to_owned()].into_iter().chain(pyenv).chain(named) {
        let print = "import sys, venv; print(*sys.version_info[:2])";
        let Ok(version) = quietly(Command::new(&python).args(["-c", print])) else { continue };
        if let Some(minor) = version.trim().strip_prefix("3 ").and_then(|minor| minor.parse().ok())
            && minor >= 10
        {
            found.insert(minor, python);
        }
    }
    ensure!(!found.is_empty(), "no Python 3.10 or later found");
    Ok(found)
}

/// Returns the commands of README.md that call `chunkwright`, each with the output shown.
fn readme_commands() -> Result<Vec<(String, String)>> {
    let readme = fs::read_to_string(root().join("README.md"))?;
    let mut commands = Vec::new();
    for info in ["console", "sh"] {
        for fence in readme.split(&format!("\n```{info}\n")).skip(1) {
            let fence = fence.split("\n```").next().unwrap_or_default();
            for part in format!("\n{fence}").split(if info == "sh" { "\n" } else { "\n$ " }) {
                let (command, shown) = part.split_once('\n').unwrap_or((part, "…"));
                if command.starts_with("chunkwright ") {
                    commands.push((command.to_owned(), shown.to_owned()));
                }
            }
        }
    }
    ensure!(!commands.is_empty(), "README.md shows no command");
    Ok(commands)
}

/// Returns whether the output is as shown; `…` on a line of its own matches any lines.
fn matches(shown: &str, printed: &str) -> bool {
    let mut rest = format!("\n{}\n", printed.trim_end());
    shown.trim_end().split('…').map(str::trim_end).filter(|part| !part.is_empty()).all(|part| {
        let part = format!("\n{}\n", part.trim_start_matches('\n'));
        let Some(at) = rest.find(&part) else { return false };
        rest = rest[at + part.len() - 1..].to_owned();
        true
    })
}

/// Returns the content of the first fence with this info string.
fn fence(page: &str, info: &str) -> Result<String> {
    let after = page.split_once(&format!("\n```{info}\n"));
    let text = after.and_then(|(_, rest)| rest.split("\n```").next());
    Ok(text.with_context(|| format!("README.md has no {info} fence"))?.to_owned() + "\n")
}

/// Creates an empty directory.
fn clean(title: &str) -> Result<PathBuf> {
    let place = target().join("trial").join(title);
    if place.exists() {
        fs::remove_dir_all(&place)?;
    }
    fs::create_dir_all(&place)?;
    Ok(place)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let mut copy = Command::new("cp");
    quietly(copy.arg("-r").arg(from).arg(to))?;
    Ok(())
}
