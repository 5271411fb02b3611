//! Costs, rewards and hints: what becomes of them, and what is refused.

use bughound_ir::edge::Action;
use bughound_ir::expr::{Expr, Place};
use bughound_ir::network::Network;
use bughound_ir::pricing::{PAID, pay};
use bughound_ir::reference::Reference;

use crate::common::{explore, lowered, messages, network};

/// A process with two locations and one edge.
fn model(declarations: &str, invariant: &str, edge: &str) -> String {
    let text =
        "process P(const int p) { state a { INVARIANT }, b; init a; trans a -> b { EDGE }; } Q = P(4); system Q;";
    format!("clock x; int n; bool flag; {declarations}\n{}", text.replace("INVARIANT", invariant).replace("EDGE", edge))
}

/// The same as XML.
fn xml(declarations: &str, invariant: &str, update: &str) -> String {
    let plain = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
    format!(
        "<nta><declaration>clock x; int n; {}</declaration><template><name>P</name><location id=\"a\"><name>a</name>\
         <label kind=\"invariant\">{}</label></location><location id=\"b\"><name>b</name></location><init ref=\"a\"/>\
         <transition><source ref=\"a\"/><target ref=\"b\"/><label kind=\"assignment\">{}</label></transition></template>\
         <system>system P;</system></nta>",
        plain(declarations),
        plain(invariant),
        plain(update)
    )
}

/// The rate of the first location of the first process.
fn rate(network: &Network) -> Option<Expr> {
    network.location(network.templates[0].initial).rate.clone()
}

fn rate_of(invariant: &str) -> Expr {
    rate(&network(&model("", invariant, ""))).unwrap()
}

/// The only error; there may be warnings.
fn error(text: &str) -> String {
    let errors: Vec<String> = messages(text).into_iter().filter(|m| !m.contains("is ignored")).collect();
    assert_eq!(errors.len(), 1, "{errors:#?}");
    errors[0].clone()
}

/// What the steps from the initial state pay.
fn paid(network: &Network) -> Vec<u64> {
    let reference = Reference::new(network).unwrap();
    reference.micro_steps(&reference.initial().unwrap()).into_iter().map(|step| step.paid).collect()
}

/// What a model without clocks pays at its first step.
fn pays(declarations: &str, update: &str) -> Vec<u64> {
    let text = "process P() { state a, b; init a; trans a -> b { assign UPDATE; }; } system P;";
    paid(&network(&format!("{declarations} {}", text.replace("UPDATE", update))))
}

#[test]
fn rates_in_every_form() {
    assert_eq!(rate_of("cost' == 3"), Expr::Const(3));
    assert_eq!(rate_of("3 == cost'"), Expr::Const(3));
    assert_eq!(rate_of("x <= 2 && (cost' == 2 * p)"), Expr::Const(8));
    assert_eq!(rate_of("cost' == 0, x < 7"), Expr::Const(0));
    assert_eq!(rate_of("(n >= 0 && (cost' == 5 && x <= 5)) and (flag imply x <= 3)"), Expr::Const(5));
}

#[test]
fn what_is_beside_a_rate_stays() {
    let network = network(&model("", "x <= 2 && cost' == 2 && n < 3 && x < 7", ""));
    let location = network.location(network.templates[0].initial);
    assert_eq!((location.invariant.len(), location.conditions.len()), (2, 1));
    assert_eq!(network.clocks.len(), 1);
    assert_eq!(location.invariant_text, "x <= 2 && cost' == 2 && n < 3 && x < 7");
}

#[test]
fn rates_depend_on_variables_parameters_and_functions() {
    let declarations = "const int price[2] = { 7, 9 }; int[0,1] k = 1; int twice(int v) { int w = v; return w + v; }";
    let network = network(&model(declarations, "cost' == price[k] + twice(n) + p", "assign k = 0;"));
    assert!(rate(&network).unwrap().any(|e| matches!(e, Expr::Read(_))));
    let untimed = model(declarations, "cost' == price[k] + twice(n) + p", "assign k = 0;").replace("clock x;", "");
    let network = crate::common::network(&untimed);
    let reference = Reference::new(&network).unwrap();
    assert_eq!(reference.rate(&reference.initial().unwrap()), Ok(13));
}

#[test]
fn payments_in_every_form() {
    assert_eq!(pays("int n = 2;", "n = n + 1, cost += 2 * n, n = 0"), [6]);
    assert_eq!(pays("int n = 2;", "cost = cost + n"), [2]);
    assert_eq!(pays("int n = 2;", "cost := n + cost + 5"), [7]);
    assert_eq!(pays("int n = 2;", "cost++, cost += n++, ++cost, cost += n"), [7]);
    assert_eq!(pays("int n = 2;", "cost += 0"), [0]);
    let function = "int n = 3; void work() { int i; for (i = 0; i < n; i++) { if (i != 1) cost += 10 * i + 1; } }
        int more() { n++; cost += 100; return n; }";
    assert_eq!(pays(function, "work()"), [22]);
    assert_eq!(pays(function, "cost += more(), cost += n"), [108]);
    assert_eq!(pays(function, "cost = cost + n + more()"), [107]);
    assert_eq!(pays("int n = 3; before_update { cost += 1 } after_update { cost += n }", "n = 4"), [5]);
}

#[test]
fn a_sum_of_both_sides_of_a_hand_shake_is_paid() {
    let text = "chan c; int n = 1;
        process S() { state a, b; init a; trans a -> b { sync c!; assign n = 5, cost += 1; }; }
        process R() { state a, b; init a; trans a -> b { sync c?; assign cost += n; }; }
        system S, R;";
    assert_eq!(paid(&network(text)), [6]);
}

#[test]
fn xml_and_text_say_the_same() {
    let text = network(&model("meta int remaining = 9;", "x <= 2 && cost' == 2", "assign cost += 1, remaining = n;"));
    let xml = network(&xml("meta int remaining = 9;", "x <= 2 && cost' == 2", "cost += 1, remaining = n"));
    assert_eq!(rate(&text), rate(&xml));
    let (a, b) = (text.pricing.unwrap(), xml.pricing.unwrap());
    assert_eq!(a.remaining.map(|hint| hint.initial), Some(9));
    assert_eq!(b.remaining.map(|hint| hint.initial), Some(9));
    let paid = |network: &Network, slot| {
        network.edges[0].target().actions.contains(&pay(Place::global(slot, PAID), Expr::Const(1)))
    };
    assert!(paid(&text, a.impulse) && paid(&xml, b.impulse));
    let hidden = |network: &Network| network.hidden_slots().len();
    assert_eq!((hidden(&text), hidden(&xml)), (2, 2));
}

#[test]
fn a_model_has_prices_exactly_if_it_has_costs() {
    let has = |text: &str| network(text).pricing.is_some();
    assert!(has(&model("", "cost' == 0", "")));
    assert!(has(&model("", "", "assign cost += 1;")));
    assert!(has(&model("void f() { cost += 1; }", "", "assign f();")));
    assert!(has(&model("after_update { cost += 1 }", "", "")));
    assert!(has(&model("clock cost;", "", "")));
    assert!(!has(&model("", "", "")));
    assert!(!has(&model("", "", "assign reward += 1;")));
    assert!(!has(&model("meta int remaining = 3, heur;", "", "assign remaining = 2;")));
}

/// Whoever declares something of the name means that.
#[test]
fn an_ordinary_variable_may_be_called_cost() {
    let plain = |text: &str| {
        assert_eq!(messages(text), [""; 0]);
        let network = network(text);
        assert!(network.pricing.is_none() && network.locations.iter().all(|l| l.rate.is_none()));
        network
    };
    plain(&model("int cost; int reward;", "cost < 3", "guard cost == 0; assign cost += 3, reward = cost, cost--;"));
    plain(&model("int cost(int a) { return a + 1; }", "", "assign n = cost(2);"));
    plain(&model("void f(int cost) { cost += 1; n = cost; }", "", "assign f(2);"));
    plain(&model("void f() { int cost = 3; cost += 1; n = cost; }", "", "assign f();"));
    plain(&model("", "", "select cost : int[0,3]; guard cost > 1; assign n = cost;"));
    plain("process P(int[0,1] cost) { int n; state a; init a; trans a -> a { assign n = cost; }; } system P;");
    let own =
        "process P() { int cost; state a; init a; trans a -> a { guard cost < 3; assign cost += 1; }; } system P;";
    assert_eq!(explore(&plain(own)).0.len(), 4);
}

#[test]
fn a_clock_called_cost_is_the_cost_unless_something_looks_at_it() {
    let clocks = |text: &str| {
        let network = network(text);
        (network.clocks.len(), network.pricing.is_some(), rate(&network))
    };
    assert_eq!(clocks(&model("clock cost;", "", "")), (1, true, Some(Expr::Const(1))));
    assert_eq!(clocks(&model("clock cost;", "", "assign cost += 2;")), (1, true, Some(Expr::Const(1))));
    assert_eq!(clocks(&model("clock y, cost;", "cost' == 4", "")), (2, true, Some(Expr::Const(4))));
    assert_eq!(clocks(&model("clock cost;", "cost <= 5", "guard cost > 1; assign cost = 0;")), (2, false, None));
    assert_eq!(clocks(&model("clock cost;", "", "assign cost = 0;")), (2, false, None));
    let asked = lowered(&model("clock cost;", "", ""), "E<> Q.b and cost <= 3");
    assert!(asked.network.unwrap().pricing.is_none() && asked.queries[0].property.is_ok());
    // The rate of another location than the first: time costs nothing elsewhere. A template that nobody uses has no say.
    let other = |system: &str| {
        let text = "clock cost; process P() { state a; init a; } process R() { state a { cost' == 2 }; init a; }";
        let network = network(&format!("{text} system {system};"));
        network.locations.iter().map(|l| l.rate.as_ref().and_then(Expr::as_const)).collect::<Vec<_>>()
    };
    assert_eq!(other("P, R"), [None, None, Some(2)]);
    assert_eq!(other("P"), [None, Some(1)]);
}

#[test]
fn hints_are_no_part_of_the_state() {
    let declarations = "meta int remaining = 100000; meta int[0,9] heur = 2;";
    let text = model(declarations, "cost' == 1", "assign remaining -= n, heur = (remaining <? 7) + heur, remaining++;");
    let network = network(&text);
    let pricing = network.pricing.unwrap();
    assert_eq!(pricing.remaining.unwrap().initial, 100_000);
    assert_eq!(pricing.heur.unwrap().initial, 2);
    let actions = &network.edges[0].target().actions;
    let targets: Vec<u32> = actions.iter().flat_map(Action::assignments).map(|(place, _)| place.slot).collect();
    let (remaining, heur) = (pricing.remaining.unwrap().slot, pricing.heur.unwrap().slot);
    assert_eq!(targets, [remaining, heur, remaining]);
    assert!([remaining, heur, pricing.impulse].iter().all(|slot| network.hidden_slots().contains(slot)));
    assert!(network.initialisers.is_empty());
}

#[test]
fn hints_can_be_set_by_functions_and_by_all_steps() {
    let declarations = "meta int remaining; meta int heur; int least(int a, int b) { return a <? b; }
        void note() { int i; for (i = 0; i < n; i++) { if (flag) remaining = n - i; else heur = i; } }
        after_update { remaining = least(n, 3) + remaining, heur = n }";
    let network = network(&model(declarations, "cost' == 1", "assign note();"));
    assert!(network.edges[0].program.is_some());
}

/// Without costs there is nothing to guide: then they are variables like others. So are those of other names, of processes,
/// and those that are not `meta`.
#[test]
fn other_variables_of_these_names_are_ordinary() {
    let text = model("meta int remaining = 3;", "", "guard remaining == 3; assign remaining = 2;");
    assert!(network(&text).hidden_slots().is_empty());
    let text = model("int remaining = 3; meta int best;", "cost' == 1", "guard remaining == 3; assign n = best;");
    let pricing = network(&text).pricing.unwrap();
    assert!(pricing.remaining.is_none() && pricing.heur.is_none());
}

#[test]
fn rewards_are_read_and_forgotten() {
    let text = model("", "cost' == 1 && reward' == n", "assign reward += 3, cost += 2, reward = reward + n++;");
    let all = messages(&text);
    assert_eq!(all.len(), 1, "{all:#?}");
    assert!(all[0].contains("`reward` is ignored: it does not change what a run costs"), "{}", all[0]);
    let network = network(&text);
    assert_eq!(rate(&network), Some(Expr::Const(1)));
    // What its amount changes happens all the same.
    assert_eq!(paid(&crate::common::network(&text.replace("clock x;", ""))), [2]);
    assert!(network.edges[0].target().actions.len() >= 2);
}

#[test]
fn costs_cannot_be_read() {
    let refused = "`cost` cannot be read, it can only grow: `cost' == e`, `cost += e`";
    for (invariant, edge) in [
        ("cost' == 1", "guard cost < 5;"),
        ("cost' == 1 && cost <= 3", ""),
        ("cost' == cost", ""),
        ("cost' == 1", "assign n = cost;"),
        ("cost' == 1", "assign n = cost + 1;"),
        ("cost' == 1", "assign cost += cost;"),
        ("cost' == 1", "assign x = cost;"),
        ("cost' == 1", "guard forall (i : int[0,1]) cost > i;"),
    ] {
        let message = error(&model("", invariant, edge));
        assert!(message.contains(refused), "{invariant} {edge}: {message}");
    }
    let message = error(&model("", "reward' == 1", "guard reward > 2;"));
    assert!(message.contains("`reward` cannot be read"), "{message}");
    assert!(error(&model("int f(int a) { return a; }", "", "assign cost += 1, n = f(cost);")).contains(refused));
    assert!(error(&model("int g() { return cost; }", "cost' == 1", "guard g() > 2;")).contains(refused));
    assert!(error(&model("clock cost;", "cost' == 1", "guard cost > 2;")).contains(refused));
    let asked = lowered(&model("", "cost' == 1", ""), "E<> Q.b and cost <= 3\nE<> Q.b");
    assert_eq!(asked.queries[0].property.clone().unwrap_err(), refused);
    assert!(asked.queries[1].property.is_ok());
}

#[test]
fn rates_that_are_none() {
    let of = |invariant: &str| error(&model("", invariant, ""));
    assert!(of("cost' == 1 && x <= 3 && cost' == 2").contains("a location can give only one rate of `cost`"));
    assert!(of("cost' == 1, cost' == 1").contains("only one rate"));
    assert!(of("cost' == x").contains("a rate cannot depend on clocks"));
    assert!(of("cost' == 2 + x").contains("a rate cannot depend on clocks"));
    assert!(of("cost' <= 2").contains("the rate of `cost` is one number, it has no bounds"));
    assert!(of("2 < cost'").contains("it has no bounds"));
    assert!(
        of("cost' == 3 - p").starts_with("2:45 a rate cannot be negative: -1 (in the invariant of location a of Q)")
    );
    assert!(of("cost' == (flag ? -1 : -2)").contains("a rate cannot be negative, and this always is"));
    assert!(of("cost' == 2000000000 + 2000000000").contains("a rate of 4000000000 is too large"));
    assert!(of("cost' == n++").contains("a rate must not change anything"));
    let part = "`cost' == e` is a part of an invariant, by itself or joined by `&&`";
    assert!(of("flag imply cost' == 2").contains(part));
    assert!(of("cost' == 2 || x <= 3").contains(part));
    assert!(of("not (cost' == 2)").contains(part));
    assert!(of("forall (i : int[0,1]) cost' == i").contains(part));
    assert!(error(&model("", "", "guard cost' == 2;")).contains(part));
    assert!(error(&model("", "cost' == 1", "assign n = cost';")).contains("cannot be assigned"));
    // Clocks have no other rates than 1, as before.
    assert!(of("x' == 0").contains("stop-watches"));
    assert_eq!(messages(&model("", "x' == 1 && cost' == 2", "")), [""; 0]);
}

#[test]
fn costs_only_grow() {
    let of = |update: &str| error(&model("", "cost' == 1", &format!("assign {update};")));
    for update in ["cost -= 1", "cost = 0", "cost = n", "cost--", "cost *= 2", "cost = cost - 1", "cost = cost + cost"]
    {
        assert!(of(update).contains("`cost` can only grow"), "{update}: {}", of(update));
    }
    assert!(of("cost += -1").contains("what a step pays cannot be negative: -1"));
    assert!(of("cost += 3 - p").contains("what a step pays cannot be negative: -1"));
    assert!(of("cost += x").contains("what a step pays cannot depend on clocks"));
    assert!(of("n = (cost += 1)").contains("this value does not fit"));
    let here = error(&model("void f() { cost += 1; }", "", "guard f();"));
    assert!(here.contains("a condition must not change anything"), "{here}");
}

/// What is negative only during the run is an error of the step.
#[test]
fn a_payment_below_zero_fails() {
    let network =
        network("int[-1,0] n; process P() { state a; init a; trans a -> a { assign n--, cost += n; }; } system P;");
    let (states, failures) = explore(&network);
    assert_eq!(states.len(), 1);
    assert!(failures.iter().any(|failure| failure.contains("a step can pay 0 to")), "{failures:?}");
}

#[test]
fn hints_decide_nothing() {
    let refused = "can only be read in assignments to `remaining` and `heur`";
    let of = |invariant: &str, edge: &str| error(&model("meta int remaining, heur; int a[3];", invariant, edge));
    for (invariant, edge) in [
        ("cost' == 1", "guard remaining > 2;"),
        ("cost' == heur", ""),
        ("cost' == 1 && remaining < 3", ""),
        ("cost' == 1", "assign n = remaining;"),
        ("cost' == 1", "assign cost += heur;"),
        ("cost' == 1", "assign a[remaining] = 2;"),
    ] {
        assert!(of(invariant, edge).contains(refused), "{invariant} {edge}: {}", of(invariant, edge));
    }
    assert!(of("cost' == 1", "guard remaining > 2;").contains("`remaining` can only be read"));
    let branch = "meta int remaining; void f() { if (remaining > 3) n = 1; }";
    assert!(error(&model(branch, "cost' == 1", "assign f();")).contains(refused));
    // Whether the step fails would depend on them.
    let fails = "this is computed from a hint and may have no value";
    assert!(of("cost' == 1", "assign remaining = 7 / remaining;").contains(fails));
    assert!(of("cost' == 1", "assign remaining = a[heur];").contains(fails));
    assert!(of("cost' == 1", "assign remaining /= n;").contains(fails));
    assert_eq!(messages(&model("meta int remaining, heur;", "cost' == 1", "assign heur = remaining / 2;")), [""; 0]);
    // By way of a variable of a function.
    let leak = "meta int remaining; int f(int v) { n = v; return v; }";
    let message = error(&model(leak, "cost' == 1", "assign remaining = f(remaining);"));
    assert!(message.contains("a variable of a function would depend on `remaining` or `heur`"), "{message}");
    let asked = lowered(&model("meta int remaining;", "cost' == 1", ""), "E<> remaining == 0");
    assert!(asked.queries[0].property.clone().unwrap_err().contains(refused));
}

#[test]
fn least_and_greatest() {
    let text = "const int K = 3 <? 5; int a[2 >? 1]; int n = 9;
        process P() { state a { n <? 4 >= 2 }, b; init a; trans a -> b { guard n >? 1 == 9 && K == 3; assign n = n <? 1 + 4; }; }
        system P;";
    assert_eq!(crate::common::values(&network(text), "n"), [5, 9]);
    let message = error("int n; process P() { state a; init a; trans a -> a { assign n <?= 3; }; } system P;");
    assert!(message.contains("expected an expression, found `=`"), "{message}");
}
