//! Formats: what is written is read back as the same model, and damaged files are refused or read, but never panic.

use bughound_markov::formats::{
    Explicit, PrismFiles, PrismRewards, read_drn, read_prism, write_drn, write_lab, write_srew, write_tra, write_trew,
};
use bughound_markov::{Kind, Model, RBig, RewardId};

use crate::oracle::raw::{Dice, Raw};

type Row = (usize, Vec<(usize, RBig)>, RBig);

/// Everything that a model says, as data that can be compared.
fn content(model: &Model) -> (Vec<Row>, Vec<RBig>, Vec<usize>, Vec<usize>) {
    let rewards = &model.rewards()[0];
    let mut rows = Vec::new();
    for state in 0..model.states() {
        for choice in model.choices_of(state) {
            let entries = model.entries(choice).map(|(target, weight)| (target, model.exact(weight).clone())).collect();
            rows.push((state, entries, model.exact(rewards.of_choice(choice)).clone()));
        }
    }
    let states = (0..model.states()).map(|state| model.exact(rewards.of_state(state)).clone()).collect();
    let mut initial: Vec<usize> = model.initial().collect();
    initial.sort();
    (rows, states, initial, model.deadlocks().collect())
}

/// Choices with their entries and rewards, rewards of states, initial states, deadlocks.
type Rounded = (Vec<(usize, Vec<(usize, String)>, String)>, Vec<String>, Vec<usize>, Vec<usize>);

/// The same, with numbers rounded to nine digits: PRISM's files have decimals.
fn rounded(model: &Model) -> Rounded {
    let digits = |number: &RBig| format!("{:.8e}", number.to_f64_fast());
    let (rows, states, initial, deadlocks) = content(model);
    let row = |(state, entries, reward): &Row| {
        (*state, entries.iter().map(|(target, weight)| (*target, digits(weight))).collect(), digits(reward))
    };
    (rows.iter().map(row).collect(), states.iter().map(digits).collect(), initial, deadlocks)
}

fn random(kind: Kind, seed: u64) -> Explicit {
    let raw = Raw::random(kind, &mut Dice::new(seed));
    Explicit { model: raw.model(), labels: vec![("l".into(), raw.left), ("r".into(), raw.right)] }
}

fn prism_text(explicit: &Explicit) -> [String; 4] {
    let reward = RewardId(0);
    let model = &explicit.model;
    [
        write_tra(model),
        write_lab(explicit),
        write_srew(model, reward).expect("there is one"),
        write_trew(model, reward).expect("there is one"),
    ]
}

fn read_text(text: &[String; 4], kind: Kind) -> Result<Explicit, String> {
    let rewards = [PrismRewards { name: "r", srew: Some(&text[2]), trew: Some(&text[3]) }];
    let files = PrismFiles { tra: &text[0], lab: Some(&text[1]), rewards: &rewards };
    read_prism(&files, kind).map_err(|error| error.to_string())
}

#[test]
fn written_models_are_read_back() {
    for kind in [Kind::Dtmc, Kind::Ctmc, Kind::Mdp] {
        for seed in 0..200 {
            let explicit = random(kind, seed);
            let prism = read_text(&prism_text(&explicit), kind).unwrap();
            let drn = read_drn(&write_drn(&explicit)).unwrap();
            assert_eq!(content(&drn.model), content(&explicit.model), "{kind:?} {seed}");
            assert!(!prism_text(&explicit).concat().contains('/'), "{kind:?} {seed}");
            for back in [&prism, &drn] {
                assert_eq!(rounded(&back.model), rounded(&explicit.model), "{kind:?} {seed}");
                for (name, set) in &explicit.labels {
                    // A label of no state is not in a DRN file.
                    assert!(back.label(name).is_none_or(|read| read == *set), "{kind:?} {seed} {name}");
                    assert!(set.is_empty() || back.label(name).is_some());
                }
            }
        }
    }
}

#[test]
fn damaged_files_never_panic() {
    let mut refused = 0;
    for kind in [Kind::Dtmc, Kind::Ctmc, Kind::Mdp] {
        for seed in 0..300 {
            let explicit = random(kind, seed);
            let mut dice = Dice::new(seed + 1000);
            let mut damage = |text: &str| {
                let mut bytes = text.as_bytes().to_vec();
                for _ in 0..1 + dice.below(3) {
                    let at = dice.below(bytes.len());
                    match dice.below(3) {
                        0 => drop(bytes.remove(at)),
                        1 => bytes[at] = b"0123456789-/:[]@!#\n e."[dice.below(22)],
                        _ => bytes.insert(at, b"0123456789-/:[]@!#\n e."[dice.below(22)]),
                    }
                }
                String::from_utf8_lossy(&bytes).into_owned()
            };
            let drn = damage(&write_drn(&explicit));
            refused += usize::from(read_drn(&drn).is_err());
            let text = prism_text(&explicit).map(|text| damage(&text));
            refused += usize::from(read_text(&text, kind).is_err());
        }
    }
    assert!(refused > 500, "{refused}");
}
