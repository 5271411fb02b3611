//! Bughound inside another program, without its command line: a model from a text, its state space, and a model written in
//! Rust. `cargo run -p bughound --example embedded`; a test builds it as a dependant with `default-features = false`.

use bughound::native::{Checker, Property, RustModel};
use bughound::{CheckRequest, Hooks, Language, Model, ModelOptions, Verdict};

const RACE: &str = "byte x, done;
active [2] proctype P() { byte t; t = x; x = t + 1; done++; (done == 2); assert(x == 2) }";

/// Two processes that read and write a counter, as in the text above.
struct Race;

impl RustModel for Race {
    /// The counter, what each process has read, and whether it has written.
    type State = (u8, [Option<u8>; 2], [bool; 2]);
    type Action = usize;

    fn initial_states(&self) -> Vec<Self::State> {
        vec![(0, [None; 2], [false; 2])]
    }

    fn actions(&self, _: &Self::State, actions: &mut Vec<usize>) {
        actions.extend([0, 1]);
    }

    fn next_state(&self, (x, read, written): &Self::State, process: &usize) -> Option<Self::State> {
        let (mut x, mut read, mut written) = (*x, *read, *written);
        match read[*process] {
            None => read[*process] = Some(x),
            Some(seen) if !written[*process] => (x, written[*process]) = (seen + 1, true),
            Some(_) => return None,
        }
        Some((x, read, written))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("nothing is lost", |_, (x, _, written)| *written != [true; 2] || *x == 2)]
    }
}

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = Model::from_text("race.pml", RACE, Language::Promela, &ModelOptions::default())?;
    let request = CheckRequest::default();
    let report = model.check(&request, Hooks::default())?;
    println!("from a text: {}", report.verdict);
    let space = model.explore(&request.run, Hooks::default())?;
    println!("states: {}", space.stats.counts.stored);
    let native = Checker::new(&Race).search("bfs").check()?;
    println!("in Rust:\n{native}");
    if report.verdict != Verdict::Violated || native.verdict() != Verdict::Violated {
        return Err("the race was not found".into());
    }
    Ok(())
}
