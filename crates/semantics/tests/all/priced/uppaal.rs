//! Models as users write them: read by the front end, then the cheapest run.

use std::path::{Path, PathBuf};

use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_ir::question::Question;
use bughound_ir::source::{Diagnostic, SourceMap};
use bughound_semantics::timed::priced::Pricing;

use super::{Found, cheapest};

/// A model and the goal of the first of these queries.
fn read(path: &Path, text: &[u8], queries: &str) -> (Network, Expr) {
    let mut sources = SourceMap::default();
    let parsed = bughound_uppaal::parse(&mut sources, path, text);
    let model = parsed.ast.unwrap_or_else(|| panic!("{}: {:?}", path.display(), parsed.diagnostics));
    let (queries, _) = bughound_uppaal::parse_queries(&mut sources, "model.q", queries.as_bytes());
    let lowered = bughound_uppaal::lower::lower(&model, &queries, &sources);
    let errors: Vec<&Diagnostic> = lowered.diagnostics.iter().filter(|d| d.is_error()).collect();
    assert!(errors.is_empty(), "{}: {errors:?}", path.display());
    let network = lowered.network.unwrap();
    // An XML file may come with an empty query of its own.
    let asked = lowered.queries.iter().rev().find_map(|query| query.property.clone().ok()).unwrap();
    let Question::Reach(goal) = &network.properties[asked].question else { panic!("{}", path.display()) };
    let goal = goal.clone();
    (network, goal)
}

/// By both ways of keeping costs; a model with uniform prices has two.
fn solve(network: &Network, goal: &Expr, about: &str) -> Found {
    let found = cheapest(network, goal, "dijkstra", Pricing::Automatic, 1);
    assert_eq!(found.error, None, "{about}");
    if found.uniform.is_some() {
        let general = cheapest(network, goal, "dijkstra", Pricing::General, 1);
        assert_eq!((general.error.clone(), general.cost()), (None, found.cost()), "{about}");
    }
    assert!(found.cost().is_some() || found.result.complete, "{about}");
    found
}

/// The least cost until the first process is at `goal`.
fn least(text: &str) -> Option<u64> {
    let (network, goal) = read(Path::new("model.xta"), text.as_bytes(), "E<> P.goal");
    solve(&network, &goal, text).cost()
}

/// A process from `a` by `b` to `goal`.
fn path(declarations: &str, a: &str, b: &str, first: &str, second: &str) -> String {
    format!(
        "clock x, y; {declarations}
        process P() {{ state a {{ {a} }}, b {{ {b} }}, goal; init a; trans a -> b {{ {first} }}, b -> goal {{ {second} }}; }}
        system P;"
    )
}

#[test]
fn it_is_best_to_wait_where_that_is_cheap() {
    let wait = |a: &str, b: &str| least(&path("", a, b, "guard x >= 1;", "guard x >= 6;"));
    // One unit in a at 5, five in b at 2; or as long as possible in a.
    assert_eq!(wait("cost' == 5 && x <= 4", "cost' == 2"), Some(15));
    assert_eq!(wait("cost' == 2 && x <= 4", "cost' == 5"), Some(18));
    assert_eq!(wait("x <= 4", "3 == cost'"), Some(6));
    assert_eq!(wait("cost' == 0", "cost' == 7"), Some(0));
}

#[test]
fn payments_see_what_was_assigned_before() {
    let pay = |updates: &str| least(&path("int n = 2;", "x <= 1 && cost' == 1", "x <= 2", "guard x >= 1;", updates));
    assert_eq!(pay("assign cost += n, n = 7, cost += n;"), Some(10));
    assert_eq!(pay("assign n = n <? 1, cost = cost + n;"), Some(2));
    assert_eq!(pay("assign n = n >? 5, cost++;"), Some(2));
}

#[test]
fn functions_pay() {
    let declarations =
        "int n = 3; void travel(int far) { int i; for (i = 0; i < far; i++) { if (i % 2 == 0) cost += n; } n = 0; }";
    assert_eq!(least(&path(declarations, "cost' == 1", "", "", "guard x >= 2; assign travel(5);")), Some(9));
}

#[test]
fn a_rate_that_changes_while_nothing_moves() {
    // Another process makes the rate of P cheaper after two units of time; P needs five.
    let text = "clock x; int[1,4] price = 4;
        process P() { state a { cost' == price * 2 }, goal; init a; trans a -> goal { guard x >= 5; }; }
        process Q() { state a { x <= 2 }, b; init a; trans a -> b { guard x >= 2; assign price = 1, cost += 3; }; }
        system P, Q;";
    assert_eq!(least(text), Some(2 * 8 + 3 + 3 * 2));
}

#[test]
fn a_clock_called_cost_counts_the_time() {
    let declared = |a: &str, first: &str| least(&path("clock cost;", a, "", first, "guard x >= 4;"));
    assert_eq!(declared("", ""), Some(4));
    assert_eq!(declared("", "assign cost += 3;"), Some(7));
    // Now time costs only where a rate is given, and it need not pass there.
    assert_eq!(declared("cost' == 9", ""), Some(0));
}

#[test]
fn places_where_no_time_passes_cost_nothing() {
    let text = "clock x; process P() { state a { cost' == 1 }, b { cost' == 100 }, c { cost' == 100 }, goal; commit b; urgent c;
        init a; trans a -> b { guard x >= 2; }, b -> c { }, c -> goal { }; } system P;";
    assert_eq!(least(text), Some(2));
}

#[test]
fn rewards_do_not_make_a_run_cheaper() {
    let text = path("", "cost' == 2 && reward' == 9", "", "guard x >= 3; assign reward += 100, cost += 1;", "");
    assert_eq!(least(&text), Some(7));
}

/// The tool lowers the bound by the cost of each step, where no step assigns it; hints change no answer.
#[test]
fn hints_change_no_answer() {
    let model = |updates: &str| {
        path(
            "meta int remaining = 8; meta int heur = 3; int n;",
            "cost' == 2 && x <= 2",
            "cost' == 1 && x <= 6",
            &format!("guard x >= 2; assign n = 1, {updates};"),
            "guard x >= 6; assign remaining = 0;",
        )
    };
    assert_eq!(least(&model("heur = n")), Some(8));
    assert_eq!(least(&model("remaining = 4, heur = remaining - 1")), Some(8));
    assert_eq!(least(&model("remaining -= 4, heur++")), Some(8));
    let after = "after_update { remaining = n == 1 ? 4 : 8, heur = -n } before_update { heur = 2 }";
    let text = path(
        &format!("int n; meta int remaining, heur; {after}"),
        "cost' == 2 && x <= 2",
        "cost' == 1",
        "guard x >= 2; assign n = 1;",
        "guard x >= 6;",
    );
    assert_eq!(least(&text), Some(8));
}

#[test]
fn a_guard_with_many_alternatives_is_not_split() {
    // Nine machines; those that are busy must have cooled for as long as their number says.
    let text = "clock x[9]; int[0,1] busy[9] = { 0, 1, 0, 0, 0, 0, 1, 0, 0 };
        process P() { state a { cost' == 3 }, goal; init a;
            trans a -> goal { guard forall (i : int[0,8]) (busy[i] == 0 || x[i] >= i); }; }
        process Q() { state a { cost' == 0 }, b; init a; trans a -> b { assign busy[6] = 0, cost += 10; }; }
        system P, Q;";
    assert_eq!(least(text), Some(10 + 3));
    assert_eq!(least(&text.replace("cost += 10", "cost += 16")), Some(3 * 6));
}

#[test]
fn no_schedule_is_an_answer() {
    assert_eq!(least(&path("", "x <= 3 && cost' == 1", "", "guard x >= 4;", "")), None);
}

fn shared(name: &str) -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = here.ancestors().map(|up| up.join("shared").join(name)).find(|path| path.exists());
    if found.is_none() {
        eprintln!("skipped: no shared/{name} above this directory");
    }
    found
}

/// The fields of a line; quotes protect commas.
fn fields(line: &str) -> Vec<String> {
    let (mut list, mut quoted) = (vec![String::new()], false);
    for character in line.chars() {
        match (character, list.last_mut()) {
            ('"', _) => quoted = !quoted,
            (',', _) if !quoted => list.push(String::new()),
            (_, Some(field)) => field.push(character),
            (_, None) => {}
        }
    }
    list
}

/// Where the file has no query, the note of the table says what is asked: all jobs of the system line have done their
/// second part.
fn all_jobs(text: &str) -> String {
    let line = text.rsplit_once("\nsystem ").and_then(|(_, line)| line.split_once(';')).map_or("", |(line, _)| line);
    let jobs = line.split(',').map(str::trim).filter(|name| name.starts_with("Job"));
    format!("E<> {}", jobs.map(|job| format!("{job}.done2")).collect::<Vec<_>>().join(" and "))
}

/// Other people's models, if they lie beside the repository: the optimum that others have computed. Those that take more
/// than a few seconds are left to the program.
#[test]
fn models_of_others_have_the_optimum_that_is_known() {
    let (Some(table), Some(models)) = (shared("expected/scheduling.csv"), shared("models")) else { return };
    let large = ["jobshop-ft06", "airland1-r1", "airland1-r2"];
    let mut checked = 0;
    for row in std::fs::read_to_string(table).unwrap().lines().skip(1).map(fields) {
        let (file, instance, optimum) = (&row[0], &row[1], &row[4]);
        if !row[2].starts_with("priced TA") || large.contains(&instance.as_str()) {
            continue;
        }
        let path = models.join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        let query = std::fs::read_to_string(path.with_extension("q")).unwrap_or_else(|_| all_jobs(&text));
        let (network, goal) = read(&path, text.as_bytes(), &query);
        let found = solve(&network, &goal, instance);
        assert_eq!(found.cost().map_or("unreachable".to_string(), |cost| cost.to_string()), *optimum, "{instance}");
        let attained = found.realised.map(|realised| (realised.cost, realised.attained));
        let expected = optimum.parse().ok().map(|cost| (cost, instance != "toy-strict"));
        assert_eq!(attained, expected, "{instance}");
        checked += 1;
    }
    assert_eq!(checked, 25);
}
