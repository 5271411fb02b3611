//! Job shops: the bound is that of the processing times, and proves optima with few states.

use bughound_ir::builder::{EdgeSpec, NetworkBuilder, TemplateBuilder};
use bughound_ir::edge::Action;
use bughound_ir::expr::{BinaryOp, Expr, Place};
use bughound_ir::network::Network;
use bughound_ir::pricing::{Hint, PAID, Pricing as Prices};
use bughound_ir::types::{ClockConstraint, Relation, ValueType};
use bughound_kernel::{Estimate, StateBuf, TransitionSystem};
use bughound_semantics::timed::priced::Pricing;

use super::{Problem, cost, hidden};

/// By job: machine and duration of each step. Time costs 1.
fn shop(jobs: &[Vec<(usize, i32)>], machines: usize) -> (Network, Expr) {
    shop_with(jobs, machines, None)
}

/// `hints`: what remains to be paid at the start, and the order of the first state.
fn shop_with(jobs: &[Vec<(usize, i32)>], machines: usize, hints: Option<[i32; 2]>) -> (Network, Expr) {
    let mut net = NetworkBuilder::new("shop");
    let paid = hidden(&mut net, "paid", PAID);
    let hints = hints
        .map(|initial| initial.map(|initial| Hint { slot: hidden(&mut net, "hint", ValueType::Int).slot, initial }));
    let busy: Vec<Place> = (0..machines).map(|_| net.global("busy", ValueType::Bit)).collect();
    let done = net.global("done", ValueType::Range { lo: 0, hi: jobs.len() as i32 });
    for steps in jobs {
        let clock = net.clock("x");
        let mut template = TemplateBuilder::new("job");
        let mut wait = template.location("");
        let first = wait;
        for (number, (machine, duration)) in steps.iter().enumerate() {
            let (run, next) = (template.location(""), template.location(""));
            let limit =
                |relation| ClockConstraint { left: clock, minus: None, relation, bound: Expr::Const(*duration) };
            template.location_mut(run).invariant.push(limit(Relation::LessEqual));
            let free = Expr::read(busy[*machine].clone()).equals(Expr::Const(0));
            let take = EdgeSpec::new(wait, run).guard(free).assign(busy[*machine].clone(), Expr::Const(1));
            template.edge(take.action(Action::ResetClock { clock, value: Expr::Const(0) }));
            let leave = EdgeSpec::new(run, next).clock_guard(limit(Relation::GreaterEqual));
            let mut leave = leave.assign(busy[*machine].clone(), Expr::Const(0));
            if number + 1 == steps.len() {
                let more = Expr::binary(BinaryOp::Add, Expr::read(done.clone()), Expr::Const(1));
                leave = leave.assign(done.clone(), more);
            }
            template.edge(leave);
            wait = next;
        }
        let template = net.template(template, first);
        net.start(template, vec![]);
    }
    let mut time = TemplateBuilder::new("time");
    let here = time.location("");
    time.location_mut(here).rate = Some(Expr::Const(1));
    let time = net.template(time, here);
    net.start(time, vec![]);
    let (remaining, heur) = (hints.map(|hints| hints[0]), hints.map(|hints| hints[1]));
    net.pricing(Prices { impulse: paid.slot, remaining, heur });
    let goal = Expr::read(done).equals(Expr::Const(jobs.len() as i32));
    (net.finish().unwrap(), goal)
}

fn at_start(problem: &Problem) -> Estimate {
    let mut states: Vec<StateBuf> = Vec::new();
    problem.end().explorer().initial(&mut |state| states.push(state.into()));
    problem.estimates("least-cost", &states)[0]
}

#[test]
fn the_first_bound_is_that_of_the_busiest_machine_with_heads_and_tails() {
    // Machine 1 has loads 5, 4 and 6; nobody gets to it before 2, and 3 are left afterwards.
    let jobs = [vec![(0, 2), (1, 5), (2, 4)], vec![(2, 3), (1, 4), (0, 3)], vec![(0, 4), (1, 6), (2, 9)]];
    for pricing in [Pricing::Automatic, Pricing::General] {
        let (network, goal) = shop(&jobs, 3);
        let problem = Problem::new(network, goal, pricing);
        assert_eq!(at_start(&problem), Estimate::Finite(20), "{pricing:?}");
        let blind = problem.search("dijkstra", None, 1_000_000).unwrap();
        let guided = problem.search("astar(h=least-cost)", None, 1_000_000).unwrap();
        assert_eq!(cost(&blind), cost(&guided));
        assert!(guided.stats.expanded * 4 < blind.stats.expanded, "{:?} {:?}", guided.stats, blind.stats);
    }
}

#[test]
fn a_goal_that_cannot_be_reached_is_a_dead_end() {
    let (network, _) = shop(&[vec![(0, 2)], vec![(0, 3)]], 1);
    let done = Place::global(network.variables.last().unwrap().slot, ValueType::Range { lo: 0, hi: 2 });
    let goal = Expr::read(done).equals(Expr::Const(3));
    assert_eq!(at_start(&Problem::new(network, goal, Pricing::Automatic)), Estimate::DeadEnd);
}

/// Heuristics that count steps see the zone of a state with costs, and prove dead ends only.
#[test]
fn other_heuristics_guide_but_bound_nothing() {
    let jobs = [vec![(0, 2), (1, 5)], vec![(1, 3), (0, 4)]];
    for pricing in [Pricing::Automatic, Pricing::General] {
        let (network, goal) = shop(&jobs, 2);
        let problem = Problem::new(network, goal, pricing);
        let best = problem.search("dijkstra", None, 1_000_000).unwrap();
        for heuristic in ["pdb(everything)", "hmax", "max(pdb, least-cost)"] {
            let found = problem.search(&format!("astar(h={heuristic})"), None, 1_000_000).unwrap();
            assert!(cost(&found) >= cost(&best) && !found.witnesses[0].proven_shortest, "{heuristic}");
        }
        let found = problem.search("astar(h=max(blind, least-cost))", None, 1_000_000).unwrap();
        assert!(cost(&found) == cost(&best) && found.witnesses[0].proven_shortest);
    }
}

#[test]
fn hints_need_a_model_that_gives_them() {
    let (network, goal) = shop(&[vec![(0, 2)]], 1);
    let problem = Problem::new(network, goal, Pricing::Automatic);
    let end = problem.end();
    for name in ["remaining", "heur"] {
        let expression = bughound_kernel::registry::expression::parse(name).unwrap();
        let error = problem.heuristic(&end, &expression, &bughound_kernel::Unwatched).err().unwrap();
        assert!(error.message.contains(&format!("declares `meta int {name}`")), "{}", error.message);
    }
}

/// A model may say what remains, and in which order to look.
#[test]
fn hints_are_what_the_model_says() {
    let (network, goal) = shop_with(&[vec![(0, 2)], vec![(0, 3)]], 1, Some([5, 7]));
    let problem = Problem::new(network, goal, Pricing::Automatic);
    let states = problem.states(1, 2, 5);
    let (remaining, heur) = (problem.estimates("remaining", &states), problem.estimates("heur", &states));
    assert_eq!((remaining[0], heur[0]), (Estimate::Finite(5), Estimate::Finite(7)));
    // Nothing assigns them: one falls by what was paid, the other one stays.
    assert!(heur.iter().all(|heur| *heur == Estimate::Finite(7)));
    assert_eq!(remaining.iter().min(), Some(&Estimate::ZERO));
}
