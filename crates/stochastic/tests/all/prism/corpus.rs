//! Every stored model and property file is read.

use std::path::{Path, PathBuf};

use bughound_ir::source::SourceMap;
use bughound_stochastic::prism::{Reader, read, read_properties};

use super::given;

/// The directory `shared` beside the repository, if this machine has it.
fn shared() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = here.ancestors().map(|dir| dir.join("shared")).find(|dir| dir.join("models/prism").is_dir());
    if found.is_none() {
        println!("note: there is no directory `shared/models/prism` above {}, nothing is tested", here.display());
    }
    found
}

fn files(dir: &Path, list: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, list);
        } else {
            list.push(path);
        }
    }
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|e| e.to_str()).unwrap_or("")
}

/// Lines of a CSV file with quoted fields.
fn table(path: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().skip(1).map(fields).collect()
}

fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                fields.last_mut().unwrap().push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => fields.last_mut().unwrap().push(c),
        }
    }
    fields
}

/// Models of a property file are called like it begins; a few are not.
fn model_of(properties: &Path, models: &[(PathBuf, String)]) -> Option<(PathBuf, String)> {
    let name = properties.file_name()?.to_str()?;
    let stem = name.split('.').next()?;
    let begins = match (stem, name.split('.').nth(1)?) {
        ("consensus", _) => "coin2.nm",
        ("csma", _) => "csma2_2.nm",
        ("herman", _) => "herman5.pm",
        ("leader_sync", _) => "leader_sync3_2.pm",
        ("polling", _) => "poll3.sm",
        ("wlan", _) => "wlan0.nm",
        ("israeli-jalfon", _) => "ij5.nm",
        ("leader_async", _) => "leader3.nm",
        ("nofair", _) => "phil-nofair3.nm",
        ("rabin", _) => "rabin3.nm",
        ("dice", "two_dice") => "two_dice.nm",
        (stem, _) => return models.iter().find(|(path, _)| path.file_stem().is_some_and(|s| s == stem)).cloned(),
    };
    models.iter().find(|(path, _)| path.file_name().is_some_and(|f| f == begins)).cloned()
}

#[test]
fn every_stored_model_and_property_file_is_read() {
    let Some(shared) = shared() else { return };
    let root = shared.join("models");
    let rows: Vec<(PathBuf, String)> = table(&shared.join("expected/prob-models.csv"))
        .into_iter()
        .filter(|row| row[0].starts_with("prism/"))
        .map(|row| (root.join(&row[0]), row[1].clone()))
        .collect();
    let mut paths = Vec::new();
    files(&root.join("prism"), &mut paths);
    let is_model = |path: &Path| matches!(extension(path), "prism" | "pm" | "nm" | "sm");
    let mut models = 0;
    let mut wrong = Vec::new();
    for path in paths.iter().filter(|path| is_model(path)) {
        let constants: Vec<&String> = rows.iter().filter(|(p, _)| p == path).map(|(_, constants)| constants).collect();
        assert!(!constants.is_empty(), "no constants for {}", path.display());
        for constants in constants {
            models += 1;
            let bytes = std::fs::read(path).unwrap();
            let result = read(&mut SourceMap::default(), path, &bytes, &given(constants));
            if result.model.is_none() || !result.diagnostics.is_empty() {
                wrong.push(format!("{} ({constants}): {:#?}", path.display(), result.diagnostics));
            }
        }
    }
    let (mut property_files, mut properties, mut answerable) = (0, 0, 0);
    for path in paths.iter().filter(|path| matches!(extension(path), "props" | "pctl" | "csl")) {
        property_files += 1;
        let Some((model, constants)) = model_of(path, &rows) else { panic!("no model for {}", path.display()) };
        let mut reader = Reader::default();
        reader.model(&model, &std::fs::read(&model).unwrap());
        reader.properties(path, &std::fs::read(path).unwrap());
        let mut constants = given(&constants);
        for undefined in reader.undefined() {
            if !constants.iter().any(|(name, _)| *name == undefined.name) {
                constants.push((undefined.name, "1".into()));
            }
        }
        let result = reader.finish(&constants);
        match result.model {
            None => wrong.push(format!("{}: {:#?}", path.display(), result.diagnostics)),
            Some(model) => {
                assert!(!model.properties.is_empty(), "{}", path.display());
                properties += model.properties.len();
                answerable += model.properties.iter().filter(|p| p.question.is_ok()).count();
                for property in model.properties.iter().filter(|p| p.question.is_err()) {
                    assert!(property.text.starts_with("fiter("), "{}: {property:#?}", path.display());
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{models} models, {property_files} files with {properties} properties, {answerable} of them questions");
}

#[test]
fn every_stored_query_is_read() {
    let Some(shared) = shared() else { return };
    let mut count = 0;
    for row in table(&shared.join("expected/prob-values.csv")) {
        let [path, constants, property, ..] = row.as_slice() else { panic!("{row:?}") };
        if !path.starts_with("prism/") {
            continue;
        }
        let path = shared.join("models").join(path);
        let mut sources = SourceMap::default();
        let constants = given(constants);
        let result = read(&mut sources, &path, &std::fs::read(&path).unwrap(), &constants);
        let model = result.model.unwrap();
        let (properties, diagnostics) = read_properties(&mut sources, "query", property.as_bytes(), &model, &constants);
        assert!(diagnostics.is_empty(), "{property}: {diagnostics:#?}");
        assert_eq!(properties.len(), 1, "{property}");
        assert!(properties[0].question.is_ok(), "{property}: {:?}", properties[0].question);
        count += 1;
    }
    println!("{count} queries");
}

/// The same numbers every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

#[test]
fn broken_copies_of_stored_files_do_not_panic() {
    let Some(shared) = shared() else { return };
    let mut paths = Vec::new();
    files(&shared.join("models/prism"), &mut paths);
    let mut dice = Dice(7);
    let model = b"mdp module m s : [0..9]; x : [0..9]; b : bool; endmodule rewards \"time\" true : 1; endrewards";
    for path in paths {
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        let words: Vec<&str> = text.split_inclusive([' ', '\n', '(', ')', '=', '&', ';', '[', ']']).collect();
        for _ in 0..20 {
            let mut words = words.clone();
            for _ in 0..1 + dice.below(3) {
                let (from, to) = (dice.below(words.len()), dice.below(words.len()));
                match dice.below(3) {
                    0 => drop(words.remove(from)),
                    1 => words.swap(from, to),
                    _ => words.insert(to, words[from]),
                }
                if words.is_empty() {
                    break;
                }
            }
            let broken = words.concat();
            let mut reader = Reader::default();
            match extension(&path) {
                "props" | "pctl" | "csl" => {
                    reader.model("m.prism", model);
                    reader.properties(&path, broken.as_bytes());
                }
                _ => reader.model(&path, broken.as_bytes()),
            }
            let constants: Vec<(String, String)> =
                reader.undefined().into_iter().map(|constant| (constant.name, "2".into())).collect();
            reader.finish(&constants);
        }
    }
}

/// Everything in a stored model that is an expression is read in the same way when it is written again.
#[test]
fn expressions_of_stored_models_are_written_and_read_again() {
    let Some(shared) = shared() else { return };
    let mut count = 0;
    for row in table(&shared.join("expected/prob-models.csv")) {
        if !row[0].starts_with("prism/") {
            continue;
        }
        let path = shared.join("models").join(&row[0]);
        let mut sources = SourceMap::default();
        let model = read(&mut sources, &path, &std::fs::read(&path).unwrap(), &given(&row[1])).model.unwrap();
        let edges = model.automata.iter().flat_map(|automaton| &automaton.edges).take(200);
        let mut expressions: Vec<&bughound_stochastic::tree::Expr> = edges.map(|edge| &edge.guard).collect();
        expressions.extend(model.labels.iter().map(|label| &label.condition));
        for expr in expressions {
            let text = super::printed(expr, &model);
            let (properties, diagnostics) =
                read_properties(&mut sources, "again", format!("P>0 [ F {text} ]").as_bytes(), &model, &[]);
            assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
            let question = properties[0].question.as_ref().unwrap();
            assert_eq!(super::printed(question.atoms()[0], &model), text);
            count += 1;
        }
    }
    println!("{count} expressions");
}
