//! The models of a portfolio: those of a directory, or the lines of a list.
//!
//! A line of a list has the words of a `check` command, with quotes as in a shell; file names are relative to the list. `[NAME]` begins a
//! family: lines up to the next one belong together, so that searches chosen by one family can be tested on another. `#` begins a comment.

use std::fs;
use std::path::Path;

use bughound::model::ModelOptions;
use bughound::model_files::model_files;

/// One model with what is asked about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub family: String,
    /// As in the list: its name in the results.
    pub words: String,
    /// The arguments for `check`.
    pub arguments: Vec<String>,
}

/// The entries of a directory or a list; an error for the user if there are none.
pub fn entries(path: &Path) -> Result<Vec<Entry>, String> {
    let shown = path.display();
    let found = match path.is_dir() {
        true => of_directory(path),
        false => {
            let text = fs::read_to_string(path).map_err(|error| format!("{shown}: {error}"))?;
            of_list(&text, path.parent().unwrap_or(Path::new(""))).map_err(|error| format!("{shown}:{error}"))
        }
    }?;
    match found.is_empty() {
        true => Err(format!("{shown}: there are no models")),
        false => Ok(found),
    }
}

fn of_directory(path: &Path) -> Result<Vec<Entry>, String> {
    let found = model_files(path, &ModelOptions::default()).map_err(|error| format!("{}: {error}", path.display()))?;
    let entry = |file: std::path::PathBuf| {
        let below = file.strip_prefix(path).unwrap_or(&file);
        let family = below.parent().map(|parent| parent.display().to_string()).unwrap_or_default();
        Entry { family, words: below.display().to_string(), arguments: vec![file.display().to_string()] }
    };
    Ok(found.models.into_iter().map(entry).collect())
}

fn of_list(text: &str, folder: &Path) -> Result<Vec<Entry>, String> {
    let (mut family, mut found) = (String::new(), Vec::new());
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            family = name.trim().to_string();
            continue;
        }
        let mut arguments = shlex::split(line).ok_or(format!("{number}: a quote is not closed"))?;
        let Some(file) = arguments.first_mut() else { continue };
        let place = folder.join(&*file);
        if !place.is_file() {
            return Err(format!("{number}: {file}: there is no such file; a line begins with a model"));
        }
        *file = place.display().to_string();
        let words = line.split(" #").next().unwrap_or(line).trim().to_string();
        let entry = Entry { family: family.clone(), words, arguments };
        if found.contains(&entry) {
            return Err(format!("{number}: this line stands here twice"));
        }
        found.push(entry);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_commands() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a b.pml"), "init { skip }").unwrap();
        let list =
            "# models\n\n[one]\n'a b.pml' deadlock -DN=3 # as in the paper\n[ two ]\n\"a b.pml\" --ltl '[] (x -> y)'\n";
        let found = of_list(list, folder.path()).unwrap();
        let file = folder.path().join("a b.pml").display().to_string();
        assert_eq!(found[0].arguments, [&file, "deadlock", "-DN=3"]);
        assert_eq!((&*found[0].family, &*found[0].words), ("one", "'a b.pml' deadlock -DN=3"));
        assert_eq!(found[1].arguments, [&file, "--ltl", "[] (x -> y)"]);
        assert_eq!(found[1].family, "two");
        let wrong = |list: &str| of_list(list, folder.path()).unwrap_err();
        assert!(wrong("\nnowhere.pml").starts_with("2: nowhere.pml: there is no such file"));
        assert!(wrong("'a b.pml").contains("quote"));
        assert!(wrong("'a b.pml'\n'a b.pml'").contains("twice"));
    }

    #[test]
    fn directories_have_their_models() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("x")).unwrap();
        fs::write(folder.path().join("x/m.pml"), "init { skip }").unwrap();
        let found = entries(folder.path()).unwrap();
        assert_eq!((found.len(), &*found[0].family, &*found[0].words), (1, "x", "x/m.pml"));
        assert!(entries(&folder.path().join("x/nothing")).is_err());
    }
}
