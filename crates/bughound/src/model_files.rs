//! The models in a directory: files with endings of languages that can be read, at any depth.
//!
//! No models of their own are hidden files, files that others include, and XML files about something else.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::front_end;
use crate::input::{MAX_FILE_BYTES, read};
use crate::language::Language;
use crate::model::ModelOptions;

/// What a directory has.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ModelFiles {
    /// In the order of their names.
    pub models: Vec<PathBuf>,
    /// Files that others include.
    pub included: Vec<PathBuf>,
    /// Models in languages that this version cannot read.
    pub unsupported: Vec<PathBuf>,
    /// Links to directories. They are not followed: they may lead anywhere, and back to here.
    pub links: Vec<PathBuf>,
}

/// Looks for models in a directory and those below it. `options`: how they are read, which tells what they include.
pub fn model_files(directory: &Path, options: &ModelOptions) -> io::Result<ModelFiles> {
    let (mut files, mut found) = (Vec::new(), ModelFiles::default());
    walk(directory, &mut files, &mut found.links)?;
    files.sort();
    found.links.sort();
    let mut included = Vec::new();
    for file in files {
        match Language::of_file(&file) {
            Some(language) if !language.is_supported() => found.unsupported.push(file),
            Some(language) => {
                // What cannot be read is a model as far as its name goes: the check says what is wrong.
                let text = read(&file.display().to_string(), MAX_FILE_BYTES).unwrap_or_default();
                if is_other_xml(&file, &text) {
                    continue;
                }
                included.push((file.clone(), includes(&file, &text, language, options)));
                found.models.push(file);
            }
            None => {}
        }
    }
    let is_included = |file: &PathBuf| {
        let Ok(this) = file.canonicalize() else { return false };
        let own = included.iter().find(|(other, _)| other == file).map(|(_, own)| own);
        included.iter().any(|(other, theirs)| {
            // Two that include each other are both kept: an error that is to be seen.
            let back = other.canonicalize().is_ok_and(|other| own.is_some_and(|own| own.contains(&other)));
            other != file && theirs.contains(&this) && !back
        })
    };
    (found.included, found.models) = std::mem::take(&mut found.models).into_iter().partition(is_included);
    Ok(found)
}

fn walk(directory: &Path, files: &mut Vec<PathBuf>, links: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            walk(&path, files, links)?;
        } else if path.is_dir() {
            links.push(path);
        } else {
            // What is no file, such as a link to nowhere, cannot be read: the check says so.
            files.push(path);
        }
    }
    Ok(())
}

/// Build tools have XML files, too.
fn is_other_xml(file: &Path, text: &[u8]) -> bool {
    let is_xml = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("xml"));
    is_xml && !text.is_empty() && Language::of_text(text).is_none()
}

/// The files that a model includes.
fn includes(file: &Path, text: &[u8], language: Language, options: &ModelOptions) -> BTreeSet<PathBuf> {
    let Some(front_end) = front_end::of(language) else { return BTreeSet::new() };
    let parts = front_end.parts(&file.display().to_string(), text, options);
    parts.iter().filter_map(|part| part.canonicalize().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_found_and_parts_of_models_are_not() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("b.pml", "init { skip }");
        write("a/main.pml", "# include \"part.pml\"\n#include <lib.pml>\ninit { skip }");
        write("a/part.pml", "byte x;");
        write("inc/lib.pml", "byte y;");
        write("a/timed.xml", "<?xml version=\"1.0\"?><nta></nta>");
        write("a/timed.q", "A[] true");
        write("pom.xml", "<project/>");
        write("chances.prism", "dtmc");
        write("chances.props", "P=? [ F true ]");
        write("round.pml", "#include \"trip.pml\"");
        write("trip.pml", "#include \"round.pml\"");
        write(".hidden/c.pml", "init { skip }");
        write(".d.pml", "init { skip }");
        write("notes.txt", "init { skip }");
        write("live.pml", "/* #include \"other.pml\" */\n#if 0\n#include \"other.pml\"\n#endif\ninit { skip }");
        write("other.pml", "init { skip }");
        let options = ModelOptions { include_dirs: vec![directory.path().join("inc")], ..ModelOptions::default() };
        let found = model_files(directory.path(), &options).unwrap();
        let names = |files: &[PathBuf]| -> Vec<String> {
            let name = |file: &PathBuf| file.strip_prefix(directory.path()).unwrap().display().to_string();
            files.iter().map(name).collect()
        };
        assert_eq!(
            names(&found.models),
            ["a/main.pml", "a/timed.xml", "b.pml", "chances.prism", "live.pml", "other.pml", "round.pml", "trip.pml"]
        );
        assert_eq!(names(&found.included), ["a/part.pml", "inc/lib.pml"]);
        assert!(found.unsupported.is_empty());
    }
}
