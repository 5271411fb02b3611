//! `bughound translate`: formulas and automata from one form to another.

use bughound_automata::{Buchi, Formula, hoa, parse, translate};
use clap::{Args, ValueEnum};

use super::arguments::BoundArguments;
use super::{Outcome, eprint_line};
use bughound::input::{MAX_FILE_BYTES, read_text};
use bughound::verdict::EXIT_USAGE;

#[derive(Debug, Args)]
pub struct TranslateArguments {
    /// A formula over any names, such as '[] (p -> <> q)'
    #[arg(required_unless_present = "hoa", conflicts_with = "hoa")]
    pub formula: Option<String>,
    /// Read an automaton in HOA format instead; `-` reads the standard input
    #[arg(long, value_name = "FILE")]
    pub hoa: Option<String>,
    /// The automaton of the negation: it accepts the runs that violate the formula
    #[arg(long, conflicts_with = "hoa")]
    pub negated: bool,
    /// What to write
    #[arg(long, value_name = "FORMAT", default_value = "never")]
    pub to: Format,
    #[command(flatten)]
    pub bounds: BoundArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A never claim for SPIN and for `check --claim`
    Never,
    /// Hanoi Omega-Automata format, version 1
    Hoa,
    /// Numbers of states and edges, and the classes of components
    Summary,
}

pub fn run(arguments: &TranslateArguments) -> Outcome {
    match automaton(arguments) {
        Ok((automaton, names, title)) => Outcome { text: written(&automaton, &names, &title, arguments.to), code: 0 },
        Err(message) => {
            eprint_line(&format!("error: {message}"));
            Outcome { text: String::new(), code: EXIT_USAGE }
        }
    }
}

/// The automaton, the names of its atoms and what it is about.
fn automaton(arguments: &TranslateArguments) -> Result<(Buchi, Vec<String>, String), String> {
    if let Some(file) = &arguments.hoa {
        let text = read_text(file, MAX_FILE_BYTES)?;
        let read = hoa::read(&text).map_err(|error| format!("{file}: {error}"))?;
        return Ok((read.automaton, read.atoms, read.name.unwrap_or_else(|| file.clone())));
    }
    let text = arguments.formula.as_deref().unwrap_or_default();
    let (formula, names) = parse(text).map_err(|error| error.to_string())?;
    let formula = if arguments.negated { Formula::Not(Box::new(formula)) } else { formula };
    let automaton = translate(&formula, bughound_automata::DEFAULT_LIMIT).map_err(|error| error.to_string())?;
    let title = formula.text(&names);
    Ok((automaton, names, title))
}

fn written(automaton: &Buchi, names: &[String], title: &str, format: Format) -> String {
    match format {
        Format::Never => automaton.never_claim(names, title),
        Format::Hoa => hoa::write(automaton, names, title),
        Format::Summary => {
            let (states, edges, classes) = (automaton.states.len(), automaton.edge_count(), automaton.class_set());
            format!("{title}\nstates: {states}\nedges: {edges}\nclasses of components: {classes}\n")
        }
    }
}
