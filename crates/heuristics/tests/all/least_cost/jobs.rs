//! Job shops: the bound is that of the processing times, and proves optima with few states.

use bughound_ir::builder::{EdgeSpec, NetworkBuilder, TemplateBuilder};
use bughound_ir::edge::Action;
use bughound_ir::expr::{BinaryOp, Expr, Place};
use bughound_ir::network::Network;
use bughound_ir::pricing::{PAID, Pricing as Prices};
use bughound_ir::types::{ClockConstraint, Relation, ValueType};
use bughound_kernel::{Estimate, StateBuf, TransitionSystem};
use bughound_semantics::timed::priced::Pricing;

use super::{Problem, cost};

/// By job: machine and duration of each step. Time costs 1.
fn shop(jobs: &[Vec<(usize, i32)>], machines: usize) -> (Network, Expr) {
    let mut net = NetworkBuilder::new("shop");
    let paid = net.global("paid", PAID);
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
    net.pricing(Prices { impulse: paid.slot, remaining: None, heur: None });
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
