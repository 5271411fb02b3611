//! No input panics: models with pieces taken out, doubled and swapped are read and lowered, whatever comes out.

use crate::common;
use bughound_ir::edge::Action;
use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_ir::source::SourceMap;
use bughound_kernel::Random;
use bughound_uppaal::lower::lower;
use bughound_uppaal::{parse, parse_queries};

const TEXTUAL: &str = "const int N = 3; typedef int[0,N-1] id_t; typedef struct { int v[2]; bool f; } S; S s = { { 1, 2 }, true };
clock x, y[N]; chan go[id_t]; urgent broadcast chan all; int[0,5] n = 2, list[N+1]; meta int m;
bool any(int[0,5] e) { for (i : id_t) if (list[i] == e) return true; return false; }
void push(id_t e) { int i = 0; list[n++] = e; while (i < n) { i++; list[i] += s.v[i % 2]; } s.f = !s.f; }
process P(const id_t id, int &r) { clock z; int w[2] = { 1, -2 };
  state a { z <= 5 && n < 4 }, b, d { x - z < 3 }; commit b; urgent d; init a;
  trans a -> b { select e : id_t; guard z > 1 && (y[id] < 3 or x >= n) && !any(e); sync go[e]!; assign push(e), z = 0, r++; },
        b -> d { guard forall (i : id_t) list[i] < 5 imply w[0] == 1; assign w[n > 1 ? 1 : 0] = (r += 2) * 3; },
        -> a { sync go[(id + 1) % N]?; assign x = n, n = n <? 2; };
}
Q(const id_t id) = P(id, m); R = P(0, n);
system Q, R;";

const XML: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?><nta><declaration>clock x; int v; chan c;</declaration>
<template><name>T</name><parameter>const int[0,1] k</parameter><declaration>int w[2];</declaration>
<location id=\"id0\"><name>a</name><label kind=\"invariant\">x &lt;= 3</label></location>
<location id=\"id1\"><urgent/></location><branchpoint id=\"id2\"/><init ref=\"id0\"/>
<transition><source ref=\"id0\"/><target ref=\"id2\"/><label kind=\"select\">i : int[0,1]</label>
<label kind=\"guard\">x &gt;= 1 &amp;&amp; w[i] == k</label><label kind=\"synchronisation\">c!</label></transition>
<transition><source ref=\"id2\"/><target ref=\"id1\"/><label kind=\"assignment\">w[1 - k]++, x = 0</label></transition>
</template><system>system T;</system><queries><query><formula>E&lt;&gt; T(0).a &amp;&amp; T(1).w[0] == 1</formula></query></queries></nta>";

const QUERIES: &str = "E<> Q(0).a and Q(1).b\nA[] forall (i : id_t) Q(i).z <= 5 imply not R.d\nR.a --> n > 1 && x - R.z < 2\n\
                       sup{R.a}: x, n\nA[] not deadlock\nE[] any(2) or s.v[1] == 2";

const PRICED: &str = "clock x, cost; int n = 2, list[3]; bool b; chan c; meta int remaining = 9, heur; meta int best;
int half(int v) { return v / 2; }
void work(int[0,3] far) { int i; for (i = 0; i < far; i++) { if (b) { cost += i; remaining = remaining - 1; } else n = n >? 1; } }
before_update { heur = n } after_update { remaining = half(remaining) <? n, best = n }
process P(const int p) { state a { x <= 3 && cost' == p + n }, d { reward' == 2 && x < 5 }, e; init a;
  trans a -> d { guard x >= 1 && n < 3; sync c!; assign work(2), cost = cost + n, heur -= n, reward += list[1]; },
        d -> e { guard b || x > 2; assign remaining = heur, cost += list[n], cost++, n = 0; },
        e -> a { assign x = 0, n = half(n + 1); };
}
process R() { state a { cost' == (b ? 2 : 3) }; init a; trans a -> a { sync c?; assign b = !b, cost += 1; }; }
Q = P(1); system Q, R;";

/// Pieces of a text that are moved around: words, numbers, single other characters.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = match word(first) {
            true => rest.find(|c| !word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        pieces.push(&rest[..length]);
        rest = &rest[length..];
    }
    pieces
}

fn mutated(text: &str, random: &mut Random) -> String {
    let mut pieces = pieces(text);
    for _ in 0..1 + random.below(4) {
        let (a, b) = (random.below(pieces.len()), random.below(pieces.len()));
        match random.below(5) {
            0 => drop(pieces.remove(a)),
            1 => pieces.insert(a, pieces[b]),
            2 => pieces.swap(a, b),
            3 => pieces[a] = ["0", "-", "2147483647", "x", "&", "(", "]", ";", "n"][random.below(9)],
            _ => pieces[a] = pieces[b],
        }
    }
    pieces.concat()
}

fn read(model: &str, queries: &str) -> Option<Network> {
    let mut sources = SourceMap::default();
    let model = parse(&mut sources, "model", model.as_bytes()).ast?;
    let (queries, _) = parse_queries(&mut sources, "queries", queries.as_bytes());
    lower(&model, &queries, &sources).network
}

/// Costs and hints have no influence on what the model does: only payments read what was paid, and only hints read hints.
fn prices_decide_nothing(network: &Network) -> bool {
    let Some(pricing) = &network.pricing else { return network.locations.iter().all(|l| l.rate.is_none()) };
    let hints: Vec<u32> = [pricing.remaining, pricing.heur].into_iter().flatten().map(|hint| hint.slot).collect();
    let may_read = |group: &[u32], e: &Expr| match e {
        Expr::Read(place) => {
            let known = hints.contains(&place.slot) || place.slot == pricing.impulse;
            !known || group.contains(&place.slot)
        }
        _ => true,
    };
    let mut right = true;
    let mut action = |action: &Action| {
        let group: &[u32] = match action {
            Action::Assign { target, .. } if hints.contains(&target.slot) => &hints,
            Action::Assign { target, .. } if target.slot == pricing.impulse => &[pricing.impulse],
            _ => &[],
        };
        action.walk(&mut |e| right &= may_read(group, e));
    };
    for edge in &network.edges {
        edge.destinations.iter().flat_map(|d| &d.actions).for_each(&mut action);
    }
    let alternatives = || network.programs.iter().flat_map(|p| &p.nodes).flat_map(|node| &node.alternatives);
    alternatives().flat_map(|a| &a.actions).for_each(&mut action);
    let mut nobody = |e: &Expr| right &= may_read(&[], e);
    alternatives().flat_map(|a| &a.guards).for_each(|guard| guard.walk(&mut nobody));
    for edge in &network.edges {
        edge.guards.iter().for_each(|guard| guard.walk(&mut nobody));
        edge.clock_guards.iter().for_each(|guard| guard.bound.walk(&mut nobody));
        edge.sync.walk(&mut nobody);
    }
    for location in &network.locations {
        location.conditions.iter().chain(&location.rate).for_each(|e| e.walk(&mut nobody));
        location.invariant.iter().for_each(|bound| bound.bound.walk(&mut nobody));
    }
    for property in &network.properties {
        property.question.conditions().into_iter().for_each(|condition| condition.walk(&mut nobody));
    }
    right
}

#[test]
fn the_models_themselves_are_well_formed() {
    let lowered = common::lowered(TEXTUAL, QUERIES);
    assert!(lowered.queries.iter().all(|query| query.property.is_ok()), "{:?}", lowered.diagnostics);
    assert_eq!(common::messages(XML), [""; 0]);
    assert_eq!(common::messages(PRICED).len(), 1, "rewards are ignored: {:?}", common::messages(PRICED));
    assert!(prices_decide_nothing(&common::network(PRICED)));
}

#[test]
fn models_in_disorder() {
    let mut random = Random::new(7);
    let mut well_formed = 0;
    for round in 0..6000 {
        let text = if round % 3 == 0 { XML } else { TEXTUAL };
        let queries = mutated(QUERIES, &mut random);
        well_formed += usize::from(read(&mutated(text, &mut random), &queries).is_some());
    }
    assert!((100..5000).contains(&well_formed), "{well_formed}");
}

#[test]
fn costs_in_disorder() {
    let mut random = Random::new(8);
    let (mut priced, mut plain) = (0, 0);
    for _ in 0..6000 {
        let text = mutated(PRICED, &mut random);
        let queries = mutated("E<> Q.e and n == 1\nA[] not deadlock\nA[] list[2] < 3 or b", &mut random);
        let Some(network) = read(&text, &queries) else { continue };
        assert!(prices_decide_nothing(&network), "{text}\n{queries}");
        *(if network.pricing.is_some() { &mut priced } else { &mut plain }) += 1;
    }
    assert!(priced > 300, "{priced} {plain}");
}
