//! Wrong input: what is said, and where.

use crate::common::{lowered, messages};
use bughound_ir::source::SourceMap;
use bughound_uppaal::parse;

fn xml(declaration: &str, labels: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
         <!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN' 'http://www.it.uu.se/flat-1_2.dtd'>\n\
         <nta><declaration>{declaration}</declaration>\n\
         <template><name>Lamp</name>\n\
         <location id=\"id0\"><name>off</name></location><location id=\"id1\"><name>on</name></location>\n\
         <init ref=\"id0\"/>\n\
         <transition><source ref=\"id0\"/><target ref=\"id1\"/>\n\
         {labels}\n\
         </transition></template>\n\
         <system>system Lamp;</system></nta>"
    )
}

/// The only message.
fn only(text: &str) -> String {
    let messages = messages(text);
    assert_eq!(messages.len(), 1, "{messages:#?}");
    messages[0].clone()
}

fn process(declarations: &str, edge: &str) -> String {
    format!("{declarations}\nprocess P() {{ state a, b; init a; trans a -> b {{ {edge} }}; }}\nsystem P;")
}

#[test]
fn errors_in_labels_point_into_the_xml_file() {
    let text = xml("clock x; int speed;", "<label kind=\"guard\" x=\"1\">x &lt;= 5 &amp;&amp; sped == 2</label>");
    assert_eq!(only(&text), "8:48 `sped` is not declared (did you mean `speed`?) (in the edge off → on of Lamp)");
    let text = xml("clock x;", "<label kind=\"guard\">x &lt;= &lt; 5</label>");
    assert_eq!(only(&text), "8:29 expected an expression, found `<` (in the guard of edge off → on of template Lamp)");
    let text = xml("int v = ;", "");
    assert_eq!(only(&text), "3:27 expected an expression, found `;` (in the global declarations)");
    let text = xml("chan c;", "<label kind=\"synchronisation\">c</label>");
    assert!(only(&text).starts_with("8:32 expected `!` or `?`"), "{}", only(&text));
    let text = xml("", "<label kind=\"gard\">true</label>");
    assert_eq!(only(&text), "8:1 `gard` is not a kind of label (did you mean `guard`?)");
}

#[test]
fn xml_that_is_none_or_means_harm() {
    assert!(only("<nta><declaration></nta>").contains("not well-formed XML"));
    assert!(only("<html></html>").contains("is not an UPPAAL model"));
    assert!(only("<nta>&unknown;</nta>").contains("not well-formed XML"));
    let bomb = "<?xml version=\"1.0\"?><!DOCTYPE nta [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]><nta>&b;</nta>";
    assert_eq!(only(bomb), "1:36 the document type declares entities of its own");
    let deep = format!("{}{}", "<nta>".repeat(100_000), "</nta>".repeat(100_000));
    assert!(only(&deep).contains("nested more than"));
    let mut sources = SourceMap::default();
    let huge = vec![b' '; bughound_uppaal::MAX_FILE_BYTES + 1];
    assert!(parse(&mut sources, "huge.xml", &huge).diagnostics[0].message.contains("larger than"));
    assert!(only("").contains("no system line"));
    assert!(only("<nta></nta>").contains("no system line"));
}

#[test]
fn depth_is_bounded() {
    let deep = format!("int x = {}1{};", "(".repeat(100_000), ")".repeat(100_000));
    assert!(only(&deep).contains("nested more than"));
    let deep = process("int x;", &format!("guard {} x;", "!".repeat(100_000)));
    assert!(only(&deep).contains("nested more than"));
    let wide = process("int x;", &format!("guard x == 0{};", " or x == 1".repeat(100_000)));
    assert_eq!(messages(&wide), [""; 0]);
    let high = process("int x;", &format!("guard x{};", " + x".repeat(250)));
    assert_eq!(messages(&high), [""; 0]);
    let high = process("int x;", &format!("guard x{};", " + x".repeat(100_000)));
    assert!(only(&high).contains("operators high"));
    let blocks = format!("void f() {{ {} {} }}", "{".repeat(10_000), "}".repeat(10_000));
    assert!(only(&process(&blocks, "")).contains("nested more than"));
}

#[test]
fn declarations_that_make_no_sense() {
    assert_eq!(only(&process("int[3,2] x;", "")), "1:1 the range from 3 to 2 is empty");
    assert_eq!(only(&process("int[0,3] x = 7;", "")), "1:14 7 is outside of the range from 0 to 3");
    assert!(only(&process("int a[0];", "")).contains("an array of 0 elements"));
    assert!(only(&process("int a[1000][1000];", "")).contains("more than 100000 elements"));
    assert!(only(&process("int n; int a[n];", "")).contains("must be known before the run"));
    assert!(only(&process("const int n;", "")).contains("has no value"));
    assert!(only(&process("int x; bool x;", "")).contains("declared twice"));
    assert!(only(&process("double d;", "")).contains("`double`"));
    assert!(only(&process("idt x;", "")).contains("`idt` is not declared"));
    assert!(only(&process("typedef int[0,1] id_t; idt x;", "")).contains("did you mean `id_t`?"));
    assert!(only(&process("int x[2] = { 1 };", "")).contains("1 values for an array of 2 elements"));
}

#[test]
fn recursion_is_refused() {
    let text = process("int f(int x) { return x > 0 ? f(x - 1) : 0; } int y;", "assign y = f(3);");
    assert!(only(&text).contains("`f` calls itself: recursion is not allowed"), "{}", only(&text));
    let text = process("int y; void f() { y++; f(); }", "assign f();");
    assert!(only(&text).contains("calls itself"), "{}", only(&text));
}

#[test]
fn clocks_are_only_compared_and_set() {
    let clocks = "clock x, y; clock z[2]; int v; broadcast chan b; urgent chan u;";
    let guard = |guard: &str| only(&process(clocks, &format!("guard {guard};")));
    assert!(guard("x != 3").contains("cannot be compared with `!=`"));
    assert!(guard("not (x == 3)").contains("cannot be compared with `!=`"));
    assert!(guard("x * 2 < 3").contains("clocks cannot be part of such an expression"));
    assert!(guard("x + y < 3").contains("this sum of clocks cannot be compared"));
    assert!(guard("x").contains("a clock is no condition"));
    assert!(guard("x' == 0").contains("rates of clocks"));
    assert!(guard("v' == 1").contains("only clocks have rates"));
    assert!(guard("v == 1, deadlock").contains("`deadlock` can only be asked about in queries"));
    let update = |update: &str| only(&process(clocks, &format!("assign {update};")));
    assert!(update("v = x").contains("the value of a clock cannot be assigned"));
    assert!(update("x = y").contains("cannot be computed from clocks"));
    assert!(update("x = -1").contains("negative"));
    let many = only(&process("clock z[30][30]; int[0,29] v;", "guard z[v][v] > 2;"));
    assert!(many.contains("which of more than 256 clocks this is is known only during the run"), "{many}");
    let receives = only(&process(clocks, "guard x > 2; sync b?;").replace("init a;", "commit a; init a;"));
    assert!(receives.contains("clock guards on receivers of broadcasts"), "{receives}");
    let urgent = only(&process(clocks, "guard x > 2; sync u!;"));
    assert!(urgent.contains("clock guards on urgent channels"), "{urgent}");
    let invariant = "clock x; process P() { state a { x >= 3 }; init a; } system P;";
    assert!(only(invariant).contains("only give upper bounds"), "{}", only(invariant));
}

#[test]
fn conditions_have_no_effects() {
    assert!(only(&process("int x;", "guard x++ > 0;")).contains("a condition must not change anything"));
    let text = process("int x; int f() { x = 1; return 1; }", "guard f() > 0;");
    assert!(only(&text).contains("a condition must not change anything"));
    let text = process("int x; int f() { while (x < 1000) {} return 1; }", "guard f() > 0;");
    assert!(only(&text).contains("no end of this loop is known"), "{}", only(&text));
}

#[test]
fn what_is_not_supported_is_named() {
    assert!(only(&process("dynamic P();", "")).contains("dynamic templates are not supported"));
    assert!(only("process P() { state a, b; init a; trans a -u-> b { }; } system P;").contains("timed games"));
    let text = "clock x, y; process P() { state a { x < 3 or y < 2 }; init a; } system P;";
    assert!(only(text).contains("cannot be a choice between clock bounds"));
    assert!(only(&process("", "").replace("system P;", "system P; gantt { x: 1 -> 2; }")).contains("ignored"));
}

#[test]
fn priorities_that_make_no_sense() {
    assert!(only(&process("chan a; int v; chan priority a < v;", "")).contains("a channel is wanted here"));
    assert!(only(&process("chan a; chan priority a < b;", "")).contains("`b` is not declared"));
    let twice = "chan a; chan priority a < default; chan priority default < a;";
    assert!(only(&process(twice, "")).contains("declared twice"));
    let local = "process P() { chan a; chan priority a < default; state s; init s; } system P;";
    assert!(only(local).contains("belong to the global declarations"));
}

#[test]
fn systems_that_make_no_sense() {
    assert!(only("process Lamp() { state a; init a; } system Lmap;").contains("did you mean `Lamp`?"));
    assert!(only("process P(int x) { state a; init a; } system P;").contains("the parameter `x` of `P` has no value"));
    assert!(only("process P(chan &c) { state a; init a; } Q = P(3); system Q;").contains("wants a channel"));
    assert!(only("process P() { state a; init a; } Q = P(3); system Q;").contains("1 arguments for 0 parameters"));
    assert!(only("process P() { state a; } system P;").contains("no initial location"));
    assert!(only("process P() { state ab; init b; } system P;").contains("did you mean `ab`?"));
    assert!(only("process P(int[0,5000] i) { state a; init a; } system P;").contains("more than 4096 processes"));
}

#[test]
fn a_wrong_query_does_not_spoil_the_others() {
    let text = "process Lamp(const int[0,1] id) { clock x; state off, on; init off; } system Lamp;";
    let queries = "E<> Lamp(0).on\nE<> Lamp(2).on\nA[] Lamp(0).onn\nPr[<=5](<> Lamp(0).on)\nA[] not deadlock\nE<> Lamp.on\n\
                   Lamp(0).on --> Lamp(1).off\nsup{Lamp(0).on}: Lamp(0).x, Lamp(1).id\nE<> off +\nA[] Lamp(1).x != 3";
    let lowered = lowered(text, queries);
    let answers: Vec<Result<usize, &str>> =
        lowered.queries.iter().map(|q| q.property.as_ref().copied().map_err(String::as_str)).collect();
    let no_on = "`Lamp(0)` has no location or variable `onn` (did you mean `on`?)";
    assert_eq!(answers[..3], [Ok(0), Err("there is no process `Lamp(2)`"), Err(no_on)]);
    assert_eq!(answers[3], Err("statistical queries (`Pr[…]`) are not supported"));
    assert_eq!(answers[4..8], [Ok(1), Err("there is no process `Lamp()`"), Ok(2), Ok(3)]);
    assert!(answers[8].is_err() && answers[9].is_ok(), "{answers:?}");
    let network = lowered.network.unwrap();
    let names: Vec<&str> = network.properties.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names[..3], ["E<> Lamp(0).on", "A[] not deadlock", "Lamp(0).on --> Lamp(1).off"]);
}
