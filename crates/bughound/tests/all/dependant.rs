//! The library without the program: a dependant that leaves out the default features gets no crates for arguments and
//! terminals, and everything that it needs.

use std::path::{Path, PathBuf};
use std::process::Command;

#[path = "../../examples/embedded.rs"]
mod embedded;

/// What belongs to the program only.
const TERMINAL: [&str; 6] = ["clap", "clap_complete", "ratatui", "crossterm", "ctrlc", "annotate-snippets"];

/// Writes a crate that depends on this one without default features. It stays in the target directory, with what was built
/// of it, so that only the first run builds much.
fn dependant() -> PathBuf {
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dependant");
    let bughound = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::create_dir_all(package.join("src")).unwrap();
    let manifest = format!(
        "[package]\nname = \"dependant\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\nbughound = {{ path = \
         {bughound:?}, default-features = false }}\n\n[workspace]\n"
    );
    std::fs::write(package.join("Cargo.toml"), manifest).unwrap();
    // The same versions as everywhere else, so that nothing has to be downloaded.
    std::fs::copy(bughound.join("../../Cargo.lock"), package.join("Cargo.lock")).unwrap();
    let source = std::fs::read_to_string(bughound.join("examples/embedded.rs")).unwrap();
    let main = package.join("src/main.rs");
    if std::fs::read_to_string(&main).ok().as_deref() != Some(&source) {
        std::fs::write(main, source).unwrap();
    }
    package
}

fn cargo(package: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments).arg("--offline").current_dir(package);
    // Cargo tells its tests about this workspace; the dependant is another one.
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("CARGO_PKG") || name == "CARGO_MANIFEST_DIR")
    {
        command.env_remove(name);
    }
    let output = command.env("CARGO_TARGET_DIR", package.join("target")).output().expect("cargo runs");
    assert!(output.status.success(), "cargo {arguments:?}:\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// One test: both parts use the same directory. Types are only checked, nothing is generated, which is half of the time of a
/// build; that the same program does what it says is shown by the test below.
#[test]
fn a_dependant_without_default_features_compiles_and_has_no_terminal_crates() {
    let package = dependant();
    let tree = cargo(&package, &["tree", "--edges", "normal,build", "--prefix", "none"]);
    let has = |name: &str| tree.lines().any(|line| line.split(' ').next() == Some(name));
    assert!(has("bughound") && has("bughound-native") && has("serde_json"), "{tree}");
    let unwanted: Vec<&str> = TERMINAL.into_iter().chain(["mimalloc"]).filter(|name| has(name)).collect();
    assert!(unwanted.is_empty(), "{unwanted:?} in\n{tree}");
    // With the feature they are all there: the names above are right.
    let whole = cargo(&package, &["tree", "--edges", "normal", "--prefix", "none", "--features", "bughound/cli"]);
    assert!(TERMINAL.iter().all(|name| whole.lines().any(|line| line.split(' ').next() == Some(name))), "{whole}");
    cargo(&package, &["check", "--quiet"]);
}

#[test]
fn the_embedding_program_finds_the_race() {
    embedded::main().unwrap();
}
