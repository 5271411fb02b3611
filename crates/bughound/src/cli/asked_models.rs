//! Which words of a command line are models: existing files and directories are, and other words name properties.

use std::path::Path;

use bughound::language::Language;
use bughound::model::{Model, ModelOptions};
use bughound::model_files::model_files;
use bughound::properties::listed;

use super::arguments::CheckArguments;
use super::outputs::is_same;
use super::quantities::counted;

/// What is to be checked.
pub struct Asked {
    /// Files, or `-` for the standard input; each once.
    pub files: Vec<String>,
    /// What was written besides: names of properties.
    pub words: Vec<String>,
    /// Several models or a directory: the result is a summary, even if only one model is left.
    pub several: bool,
    /// What the user should know about it.
    pub notes: Vec<String>,
}

/// A message for the user, and how to do better.
pub type Mistake = (String, Option<String>);

pub fn asked(arguments: &CheckArguments) -> Result<Asked, Mistake> {
    let given = [std::slice::from_ref(&arguments.model.file), &arguments.properties.properties].concat();
    let (mut paths, mut words): (Vec<String>, Vec<String>) =
        given.into_iter().partition(|word| word == "-" || Path::new(word).exists());
    if paths.is_empty() {
        // Reading it will say what is wrong.
        paths.push(words.remove(0));
    }
    let several = paths.len() > 1 || Path::new(&paths[0]).is_dir();
    let mut asked = Asked { files: Vec::new(), words, several, notes: Vec::new() };
    if several {
        if let Some(word) = asked.words.first() {
            return Err(with_several(word));
        }
        if let Some(option) = arguments.only_for_one_model() {
            return Err((format!("{option} is about one model, and there are several"), Some("name one model".into())));
        }
    }
    for path in paths {
        if path != "-" && Path::new(&path).is_dir() {
            for file in in_directory(&path, &arguments.model.options(Vec::new()), &mut asked.notes)? {
                asked.add(file);
            }
        } else {
            asked.add(path);
        }
    }
    Ok(asked)
}

impl Asked {
    fn add(&mut self, file: String) {
        // Names that are no text may look the same.
        let is_named = !file.contains(char::REPLACEMENT_CHARACTER);
        let is_known = |known: &String| *known == file || is_same(Path::new(known), Path::new(&file));
        if !is_named || !self.files.iter().any(is_known) {
            self.files.push(file);
        }
    }
}

/// Why a word has no place beside several models.
fn with_several(word: &str) -> Mistake {
    if looks_like_path(word) {
        return (format!("{word}: there is no such file"), None);
    }
    let why = format!("`{word}` is no file, and properties of several models are not named by words");
    (why, Some(format!("--property {word} checks it in each of them")))
}

/// The error for a word that is meant to be a file but is none, and no property either.
pub fn missing_file(words: &[String], model: &Model) -> Option<String> {
    let is_property = |word: &String| listed(model).iter().any(|property| property.name == *word);
    let missing = words.iter().find(|word| looks_like_path(word) && !is_property(word))?;
    Some(format!("{missing}: there is no such file, and no property of that name"))
}

fn looks_like_path(word: &str) -> bool {
    let has_separator = word.contains(std::path::is_separator);
    !word.contains(char::is_whitespace) && (has_separator || Language::of_file(Path::new(word)).is_some())
}

fn in_directory(directory: &str, options: &ModelOptions, notes: &mut Vec<String>) -> Result<Vec<String>, Mistake> {
    let found = model_files(Path::new(directory), options)
        .map_err(|error| (format!("{directory}: the directory cannot be read: {error}"), None))?;
    let hint = |what: &str| format!("{directory}: {what}");
    if !found.included.is_empty() {
        let many = counted(found.included.len() as u64, "file");
        notes.push(hint(&format!(
            "{many} not checked alone, since others include them; a file that is named is checked"
        )));
    }
    if !found.unsupported.is_empty() {
        let many = counted(found.unsupported.len() as u64, "file");
        notes.push(hint(&format!("{many} passed over: models in languages that cannot be read yet")));
    }
    if !found.links.is_empty() {
        let names: Vec<String> = found.links.iter().map(|link| link.display().to_string()).collect();
        notes.push(hint(&format!("links to directories are not followed: {}; name them", names.join(", "))));
    }
    if found.models.is_empty() {
        let endings = Language::ALL.into_iter().filter(|language| language.is_supported());
        let endings: Vec<String> = endings.flat_map(Language::endings).map(|ending| format!(".{ending}")).collect();
        let could_be_property = directory.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
        let property = format!("; if a property is meant, and not the directory: --property {directory}");
        let help = format!("models end in {}{}", endings.join(" "), if could_be_property { &property } else { "" });
        return Err((format!("{directory}: there is no model in this directory"), Some(help)));
    }
    Ok(found.models.iter().map(|file| file.display().to_string()).collect())
}
