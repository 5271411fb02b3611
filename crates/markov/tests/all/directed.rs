//! Searches that went wrong once.

use bughound_markov::directed::{
    By, Decision, Exploration, Likelihood, Look, Objective, Space, Standing, Threshold, Wanted, When,
};
use bughound_markov::{Builder, Effort, Extreme, Failure, Kind, RBig};

use crate::oracle::raw::fraction;

/// A chain as a table: standing and promise of every state, and its steps. It starts in state 0.
struct Table {
    looks: Vec<(Standing, f64)>,
    rows: Vec<Vec<(usize, RBig)>>,
}

impl Space for Table {
    type Failure = Failure;

    fn builder(&mut self) -> Builder {
        Builder::new(Kind::Dtmc)
    }

    fn initial(&self) -> &[u32] {
        &[0]
    }

    fn look(&mut self, state: usize) -> Result<Look, Failure> {
        let (standing, promise) = self.looks[state];
        Ok(Look { standing, promise })
    }

    fn expand(&mut self, state: usize, into: &mut Builder) -> Result<(), Failure> {
        into.state();
        for (target, probability) in &self.rows[state] {
            let probability = into.number(probability);
            into.entry(*target, probability);
        }
        Ok(())
    }
}

const OPEN: (Standing, f64) = (Standing::Open, 1.0);
const GOAL: (Standing, f64) = (Standing::Goal, 1.0);
const LOST: (Standing, f64) = (Standing::Lost, 1.0);

fn small(power: usize) -> RBig {
    RBig::from_parts(1.into(), dashu_int::UBig::from(10u8).pow(power))
}

/// Everything that can be reached, each state once.
fn expand_all(mut table: Table, by: By) -> Vec<u32> {
    let mut exploration = Exploration::new(&mut table, by).unwrap();
    while exploration.expand().unwrap() {
        assert!(exploration.part.expanded().len() <= exploration.part.len(), "a state was expanded twice");
    }
    let mut expanded = exploration.part.expanded().to_vec();
    expanded.sort();
    expanded
}

/// Is `P<=0` violated?
fn can_reach(mut table: Table, by: By) -> bool {
    let mut exploration = Exploration::new(&mut table, by).unwrap();
    let objective = Objective { extreme: Extreme::Max, when: When::Ever };
    let threshold = Threshold { bound: RBig::ZERO, is_upper: true, is_strict: false };
    let decision = exploration.decide(&objective, &threshold, &Effort::default(), &mut |_, _| Ok(())).unwrap();
    matches!(decision, Decision::Violated(0, _))
}

#[test]
fn mass_that_comes_back_does_not_expand_a_state_again() {
    // State 1 waits with 1/10, then with 6/10; after its expansion little of that comes back to it.
    let tenths = |steps: &[(usize, i64)]| steps.iter().map(|&(to, tenths)| (to, fraction(tenths, 10))).collect();
    let rows = vec![
        tenths(&[(1, 1), (2, 5), (3, 4)]),
        tenths(&[(4, 10)]),
        tenths(&[(1, 10)]),
        tenths(&[(3, 10)]),
        vec![(1, fraction(1, 100)), (5, fraction(99, 100))],
        tenths(&[(6, 10)]),
        tenths(&[(6, 10)]),
    ];
    let expanded = expand_all(Table { looks: vec![OPEN; 7], rows }, By::Mass);
    assert_eq!(expanded, [0, 1, 2, 3, 4, 5, 6]);
}

#[test]
fn a_better_path_to_a_hopeless_state_does_not_expand_it_again() {
    let hopeless = (Standing::Open, 0.0);
    let rows = vec![
        vec![(1, fraction(5, 10)), (2, fraction(2, 10)), (3, fraction(3, 10))],
        vec![(1, fraction(1, 2)), (2, fraction(1, 2))],
        vec![(2, RBig::ONE)],
        vec![(2, RBig::ONE)],
    ];
    let expanded = expand_all(Table { looks: vec![OPEN, hopeless, hopeless, hopeless], rows }, By::Path);
    assert_eq!(expanded, [0, 1, 2, 3]);
}

#[test]
fn probabilities_too_small_for_a_number_are_not_impossible() {
    for by in [By::Path, By::Mass] {
        // Products, and numbers that are too small by themselves.
        for power in [200, 400] {
            let rare = |to: usize| vec![(to, small(power)), (4, RBig::ONE - small(power))];
            let rows = vec![rare(1), rare(2), vec![(3, RBig::ONE)], Vec::new(), Vec::new()];
            assert!(can_reach(Table { looks: vec![OPEN, OPEN, OPEN, GOAL, LOST], rows }, by), "{by:?} {power}");
        }
    }
}

#[test]
fn a_state_without_steps_stays_where_it_is() {
    // It is expanded second, but is not the second state.
    let rows = vec![vec![(1, fraction(1, 10)), (2, fraction(9, 10))], vec![(3, RBig::ONE)], Vec::new(), Vec::new()];
    let mut table = Table { looks: vec![OPEN, OPEN, OPEN, GOAL], rows };
    let mut exploration = Exploration::new(&mut table, By::Path).unwrap();
    while exploration.expand().unwrap() {}
    let stays: Vec<u32> = exploration.part.edges(2).map(|edge| edge.to).collect();
    assert_eq!(stays, [2]);
}

#[test]
fn paths_that_are_not_known_yet_are_not_denied() {
    // One step to a goal, or forty.
    let mut rows = vec![vec![(41, fraction(1, 2)), (1, fraction(1, 2))]];
    rows.extend((1..41).map(|state| vec![(state + 1, fraction(1, 2)), (42, fraction(1, 2))]));
    rows.extend([Vec::new(), Vec::new()]);
    let mut looks = vec![OPEN; 41];
    looks.extend([GOAL, LOST]);
    for (count, all) in [(1, false), (2, true)] {
        let mut table = Table { looks: looks.clone(), rows: rows.clone() };
        let mut exploration = Exploration::new(&mut table, By::Path).unwrap();
        let paths = exploration.paths(0, Wanted { count, shown: 0 }, &mut |_, _| Ok(())).unwrap();
        assert_eq!(paths.likelihoods.len(), count);
        // Two are wanted and there are two: whether there is a third is not asked.
        assert!(!paths.all || all);
    }
}

#[test]
fn a_better_path_to_an_expanded_state_ends_the_search_all_the_same() {
    // State 1 comes first, because state 2 promises little; the better path to it leads to nothing new.
    let rows = vec![
        vec![(1, fraction(1, 10)), (2, fraction(9, 10))],
        vec![(3, fraction(1, 20)), (4, fraction(19, 20))],
        vec![(1, RBig::ONE)],
        Vec::new(),
        Vec::new(),
    ];
    let mut table = Table { looks: vec![OPEN, OPEN, (Standing::Open, 0.05), GOAL, LOST], rows };
    let mut exploration = Exploration::new(&mut table, By::Path).unwrap();
    let mut asked = 0;
    let mut heed = |_: &_, _: &_| {
        asked += 1;
        if asked < 1000 { Ok(()) } else { Err(Failure::Stopped) }
    };
    let paths = exploration.paths(0, Wanted { count: 10, shown: 10 }, &mut heed).unwrap();
    assert_eq!((paths.likelihoods.len(), paths.all), (2, true));
    assert!(paths.likelihoods[0] > Likelihood::new(0.0449));
}

#[test]
fn paths_with_detours_end_at_the_goal() {
    // Around the loop any number of times, then on.
    let rows = vec![vec![(0, fraction(1, 2)), (1, fraction(1, 2))], vec![(2, RBig::ONE)], Vec::new()];
    let mut table = Table { looks: vec![OPEN, OPEN, GOAL], rows };
    let mut exploration = Exploration::new(&mut table, By::Path).unwrap();
    let paths = exploration.paths(0, Wanted { count: 3, shown: 3 }, &mut |_, _| Ok(())).unwrap();
    let states: Vec<Vec<u32>> = paths.paths.iter().map(|path| path.states().collect()).collect();
    assert_eq!(states, [vec![0, 1, 2], vec![0, 0, 1, 2], vec![0, 0, 0, 1, 2]]);
}

/// States 1 to 70 are a chain that is expanded along a poor path, from which state 71 has the key 0.05. Behind state 72, which
/// promises little, there is a better path to all of it. State 73 waits with the key 0.06.
fn better_path_to_a_long_chain() -> Table {
    let mut rows = vec![vec![(1, fraction(1, 10)), (72, fraction(8, 10)), (73, fraction(1, 10))]];
    rows.extend((1..70).map(|state| vec![(state + 1, RBig::ONE)]));
    rows.push(vec![(71, fraction(1, 2)), (75, fraction(1, 2))]);
    rows.extend([vec![(74, RBig::ONE)], vec![(1, RBig::ONE)], vec![(74, RBig::ONE)], Vec::new(), Vec::new()]);
    let mut looks = vec![OPEN; 76];
    (looks[72].1, looks[73].1) = (0.1, 0.6);
    (looks[74], looks[75]) = (GOAL, LOST);
    Table { looks, rows }
}

#[test]
fn a_better_path_is_passed_on_before_the_next_state_is_chosen() {
    let mut table = better_path_to_a_long_chain();
    let mut exploration = Exploration::new(&mut table, By::Path).unwrap();
    while exploration.expand().unwrap() {}
    let chain = 0..=70;
    let expected: Vec<u32> = chain.chain([72, 71, 73]).collect();
    assert_eq!(exploration.part.expanded(), expected);
}

#[test]
fn a_better_path_that_was_not_passed_on_yet_is_open() {
    let mut table = better_path_to_a_long_chain();
    let mut exploration = Exploration::new(&mut table, By::Path).unwrap();
    let mut open_after = |state: u32| {
        while exploration.part.expanded().last() != Some(&state) {
            assert!(exploration.expand().unwrap());
        }
        exploration.order.best_open(&exploration.part).value()
    };
    let is = |open: f64, about: f64| (open / about - 1.0).abs() < 1e-6;
    // State 72 promises 0.08.
    assert!(is(open_after(70), 0.08));
    // A path with 0.4 leads along the chain, to state 71, where only one with 0.05 was known to lead.
    assert!(is(open_after(72), 0.8));
    // Passed on, it is no longer open.
    assert!(is(open_after(71), 0.06));
}

/// A table that fails when somebody looks at a state, or when one is expanded.
struct Failing {
    table: Table,
    at_look: Option<usize>,
    at_expansion: Option<usize>,
}

impl Space for Failing {
    type Failure = Failure;

    fn builder(&mut self) -> Builder {
        self.table.builder()
    }

    fn initial(&self) -> &[u32] {
        self.table.initial()
    }

    fn look(&mut self, state: usize) -> Result<Look, Failure> {
        if self.at_look == Some(state) { Err(Failure::Stopped) } else { self.table.look(state) }
    }

    fn expand(&mut self, state: usize, into: &mut Builder) -> Result<(), Failure> {
        self.table.expand(state, into)?;
        if self.at_expansion == Some(state) { Err(Failure::Stopped) } else { Ok(()) }
    }
}

#[test]
fn what_was_known_before_an_error_still_is() {
    let rows = vec![
        vec![(1, fraction(1, 2)), (2, fraction(1, 4)), (3, fraction(1, 4))],
        vec![(3, fraction(1, 3)), (4, fraction(2, 3))],
        Vec::new(),
        Vec::new(),
        Vec::new(),
    ];
    for (at_look, at_expansion) in [(Some(4), None), (None, Some(1))] {
        let table = Table { looks: vec![OPEN, OPEN, LOST, GOAL, LOST], rows: rows.clone() };
        let mut space = Failing { table, at_look, at_expansion };
        let mut exploration = Exploration::new(&mut space, By::Path).unwrap();
        assert!(exploration.expand().unwrap());
        assert_eq!(exploration.expand(), Err(Failure::Stopped));
        assert_eq!((exploration.part.expanded(), exploration.part.is_expanded(1)), (&[0][..], false));
        // State 1 may still do anything.
        let objective = Objective { extreme: Extreme::Max, when: When::Ever };
        let bounds = exploration.bounds(&objective, &Effort::default()).unwrap();
        let exact = |answer: &bughound_markov::Answer| answer.values.exact(0).and_then(|value| value.finite()).cloned();
        assert_eq!((exact(&bounds.lower), exact(&bounds.upper)), (Some(fraction(1, 4)), Some(fraction(3, 4))));
    }
}

#[test]
fn nothing_is_concluded_before_the_end_of_a_long_way() {
    // One way that takes 1000 steps, and never fails.
    let mut rows: Vec<Vec<(usize, RBig)>> = (0..1000).map(|state| vec![(state + 1, RBig::ONE)]).collect();
    rows.push(Vec::new());
    let mut looks = vec![OPEN; 1000];
    looks.push(GOAL);
    for by in [By::Path, By::Mass] {
        for (is_upper, holds) in [(false, true), (true, false)] {
            let mut table = Table { looks: looks.clone(), rows: rows.clone() };
            let mut exploration = Exploration::new(&mut table, by).unwrap();
            let objective = Objective { extreme: Extreme::Max, when: When::Ever };
            let threshold = Threshold { bound: fraction(1, 2), is_upper, is_strict: false };
            let decision = exploration.decide(&objective, &threshold, &Effort::default(), &mut |_, _| Ok(())).unwrap();
            assert_eq!(matches!(decision, Decision::Holds(_)), holds, "{by:?}");
            assert_eq!(matches!(decision, Decision::Violated(0, _)), !holds, "{by:?}");
        }
    }
}
