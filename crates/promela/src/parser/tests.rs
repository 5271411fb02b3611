//! Tests of the whole parser: what SPIN accepts, how it reads it, and the messages for broken input.

use crate::ast::*;
use crate::testing::{formula, messages, model, run, statements};

/// All statements of a body as text.
fn shown(body: &str) -> Vec<String> {
    statements(body).iter().map(|s| s.to_string()).collect()
}

fn first(body: &str) -> StmtKind {
    statements(body).remove(0).kind
}

#[test]
fn separators_are_lenient_as_in_spin() {
    assert_eq!(shown("x = 1; y = 2"), ["x = 1", "y = 2"]);
    assert_eq!(shown("x = 1 -> y = 2;;; -> z = 3;"), ["x = 1", "y = 2", "z = 3"]);
    assert_eq!(shown("x = 1\n y = 2\n\n z++\n skip"), ["x = 1", "y = 2", "z++", "skip"]);
    assert_eq!(shown("{ skip } x = 1"), ["{ … }", "x = 1"]);
    assert_eq!(shown("atomic { skip }\n x = 1"), ["atomic", "x = 1"]);
    assert_eq!(shown("if :: else x = 1 fi; y = 2"), ["if", "y = 2"]);
    assert_eq!(shown("(a)\n -> b = 1"), ["(a)", "b = 1"]);
}

#[test]
fn line_ends_separate_where_spin_puts_a_semicolon() {
    assert_eq!(shown("x = a\n -1 < b"), ["x = a", "(-1<b)"]);
    assert_eq!(shown("q\n !x"), ["(q)", "(!x)"]);
    assert_eq!(shown("q?a\n (b)"), ["q?a", "(b)"]);
    assert_eq!(shown("x = (a\n -1)"), ["x = a-1"]);
    // SPIN refuses these; nothing else can be meant.
    assert_eq!(shown("(a\n && b)\n || c"), ["(a && b || c)"]);
    assert_eq!(shown("x = 1\n unless y"), ["x = 1 unless (y)"]);
}

#[test]
fn precedence_follows_the_grammar_of_spin() {
    let tree = |text: &str| match first(text) {
        StmtKind::Expr(e) => full(&e),
        other => panic!("{other:?}"),
    };
    assert_eq!(tree("a || b && c | d ^ e & f == g < h << i + j * k"), "(a||(b&&(c|(d^(e&(f==(g<(h<<(i+(j*k))))))))))");
    assert_eq!(tree("a - b - c"), "((a-b)-c)");
    assert_eq!(tree("!a == b"), "((!a)==b)");
    assert_eq!(tree("-a + ~b * !c"), "((-a)+((~b)*(!c)))");
    assert_eq!(tree("a == b == c"), "((a==b)==c)");
    assert_eq!(tree("a < b == c < d"), "((a<b)==(c<d))");
    assert_eq!(tree("- - a"), "(-(-a))");
    assert_eq!(tree("a % b / c"), "((a%b)/c)");
    assert_eq!(tree("a >= b != c >> d"), "((a>=b)!=(c>>d))");
}

/// An expression with all parentheses.
fn full(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Binary { op, left, right } => format!("({}{}{})", full(left), op.text(), full(right)),
        ExprKind::Unary { op, operand } => format!("({}{})", op.text(), full(operand)),
        _ => e.to_string(),
    }
}

#[test]
fn labels_belong_to_one_statement() {
    let stmts = statements("L1: L2: x = 1; end: do :: break od; M:");
    let labels: Vec<Vec<&str>> = stmts.iter().map(|s| s.labels.iter().map(|l| &*l.name).collect()).collect();
    assert_eq!(labels, [vec!["L1", "L2"], vec!["end"], vec!["M"]]);
    assert_eq!(stmts[2].to_string(), "skip");
    let stmts = statements("L: x = 1 unless { y }");
    assert!(stmts[0].labels.is_empty());
    match &stmts[0].kind {
        StmtKind::Unless { main, .. } => assert_eq!(&*main.labels[0].name, "L"),
        other => panic!("{other:?}"),
    }
    assert_eq!(messages("init { L: int x; skip }"), ["1:8 a label cannot stand before a declaration"]);
}

#[test]
fn leading_declarations_are_told_apart() {
    let stmts = statements("int a = 1; byte b; chan q = [2] of {byte, mtype}; skip; int c; { int d; skip }");
    let at_start = |s: &Stmt| match &s.kind {
        StmtKind::Decl(d) => Some(d.at_start),
        _ => None,
    };
    let flags: Vec<_> = stmts.iter().map(at_start).collect();
    assert_eq!(flags, [Some(true), Some(true), Some(true), None, Some(false), None]);
    match &stmts[5].kind {
        StmtKind::Block(block) => assert_eq!(at_start(&block.stmts[0]), Some(false)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn channels_in_all_notations() {
    assert_eq!(
        shown("q!a(b,c); q!a,b,c; q!!x; q?a(b); q?(a,b); q??<a,_>; q?eval(x+1),-1,true"),
        ["q!a(b,c)", "q!a,b,c", "q!!x", "q?a(b)", "q?a,b", "q??<a,_>", "q?eval(x+1),-1,true"]
    );
    assert_eq!(
        shown("q?[a(b)] && nfull(q); len(q) < 3; c[i].q!1"),
        ["(q?[a(b)] && nfull(q))", "(len(q)<3)", "c[i].q!1"]
    );
}

#[test]
fn loops_and_choices() {
    assert_eq!(
        shown("for (i : 1 .. N-1) { skip }; for (m in q) { skip }; for (a[0] : 0..2)\n{ skip }; select (x : 0..3)"),
        ["for (i : 1 .. N-1)", "for (m in q)", "for (a[0] : 0 .. 2)", "select (x : 0 .. 3)"]
    );
    match first("do :: x -> y = 1 :: else -> break od") {
        StmtKind::Do(branches) => assert_eq!(branches.iter().map(|b| b.stmts.len()).collect::<Vec<_>>(), [2, 2]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn in_is_a_name_outside_for() {
    assert_eq!(shown("in = 1; in!x; in?y; x = in+1"), ["in = 1", "in!x", "in?y", "x = in+1"]);
    model("proctype Q(chan in, out) { in?1 }");
}

#[test]
fn units_in_all_forms() {
    let text = "mtype = { a, b, c }; mtype { d e }; mtype:sub = {x1, x2}\n\
        mtype:sub v = x1; hidden byte h; show int s; unsigned u : 5 = 3; int arr[3] = {1, 2, -3};\n\
        chan q = [2] of { mtype, byte, T2 }, r = [0] of { mtype:sub };\n\
        #define N 2\n\
        active [N] D_proctype A() priority 3 provided (h > 0) { xr q; xs r, q2[1]; skip }\n\
        proctype B(byte x, y; chan c; mtype m) { skip }\n\
        init priority 2 { run B(1, 2, q, a) priority 4; set_priority(_pid, 2); printm(a) }\n\
        trace { do :: q!a :: q?a od } notrace { q!b }\n\
        never named { accept: do :: !np_ :: A[1]@lab && B:x == 1 && timeout od }\n\
        ltl f1 { [] (h == 0) }; ltl { <> A@lab; }\n";
    let text = format!("typedef T2 {{ byte k\n int z[2]; bool w = 1; }}\n{text}");
    let (_, errors) = run(&text);
    assert_eq!(errors, [""; 0]);
    let kinds: Vec<&str> = model(&text)
        .items
        .iter()
        .map(|item| match item {
            Item::Proctype(_) => "proctype",
            Item::Init(_) => "init",
            Item::Never(_) => "never",
            Item::Ltl(_) => "ltl",
            Item::Trace(_) => "trace",
            Item::Decl(_) => "decl",
            Item::Mtype(_) => "mtype",
            Item::Typedef(_) => "typedef",
            Item::Inline(_) => "inline",
        })
        .collect();
    assert_eq!(
        kinds,
        [
            "typedef", "mtype", "mtype", "mtype", "decl", "decl", "decl", "decl", "decl", "decl", "proctype",
            "proctype", "init", "trace", "trace", "never", "ltl", "ltl"
        ]
    );
}

#[test]
fn conditional_expressions_and_remote_references() {
    assert_eq!(shown("x = (a -> b : c) + 1; y = (P[i]@l && P:z == 2)"), ["x = (a -> b : c)+1", "y = P[i]@l && P:z==2"]);
    // A process type that comes later is known in claims only.
    model("never { do :: Later:x == 1 od } proctype Later() { int x; skip }");
    model("init { Later: skip } proctype Later() { skip }");
}

#[test]
fn formulas_keep_plain_parts_together() {
    let shape = |text: &str| format!("{:?}", skeleton(&formula(text)));
    fn skeleton(f: &Ltl) -> String {
        match &f.kind {
            LtlKind::Atom(e) => e.to_string(),
            LtlKind::Unary { op, operand } => format!("{op:?}({})", skeleton(operand)),
            LtlKind::Binary { op, left, right } => format!("{op:?}({}; {})", skeleton(left), skeleton(right)),
        }
    }
    assert_eq!(shape("!(a && b) || c"), "\"!(a && b) || c\"");
    assert_eq!(shape("![]a"), "\"Not(Always(a))\"");
    assert_eq!(shape("!!<>a"), "\"Not(Not(Eventually(a)))\"");
    assert_eq!(shape("[]!!!X !!(a U !!b)"), "\"Always(Not(Not(Not(Next(Not(Not(Until(a; !(!b)))))))))\"");
    assert_eq!(shape("!!a == b"), "\"!(!a)==b\"");
    assert_eq!(shape("a -> b -> c"), "\"Implies(Implies(a; b); c)\"");
    assert_eq!(shape("[]<>a && b U c <-> X d"), "\"Equivalent(And(Always(Eventually(a)); Until(b; c)); Next(d))\"");
    assert_eq!(shape("always (a implies eventually b)"), "\"Always(Implies(a; Eventually(b)))\"");
    assert_eq!(shape("a \\/ b /\\ c"), "\"a || b && c\"");
    assert_eq!(shape("x+1 == 2 W y V z"), "\"Release(WeakUntil(x+1==2; y); z)\"");
    assert_eq!(messages("ltl { [] x == 1 }"), ["1:12 this operator cannot be applied to a temporal formula"]);
    assert_eq!(messages("ltl { (a -> b : c) }"), ["1:15 unexpected `:` in a formula"]);
}

#[test]
fn inlines_are_expanded_as_text() {
    let text = "int x; inline twice(a) { x = a*2 } inline both(p, q) { twice(p); { twice(q) } }\ninit { both(x+1, 3) }";
    let model = model(text);
    let Some(Item::Init(init)) = model.items.last() else { panic!() };
    let StmtKind::Inlined(outer) = &init.body.stmts[0].kind else { panic!() };
    assert_eq!((&*outer.name.name, outer.call.start as usize), ("both", text.rfind("both").unwrap()));
    let StmtKind::Inlined(inner) = &outer.body.stmts[0].kind else { panic!() };
    // No parentheses are added around an argument, as in SPIN.
    assert_eq!(inner.body.stmts[0].to_string(), "x = x+1*2");
    assert_eq!(inner.body.stmts[0].span.start as usize, text.find("x = a").unwrap());
    let StmtKind::Block(block) = &outer.body.stmts[1].kind else { panic!() };
    let StmtKind::Inlined(inner) = &block.stmts[0].kind else { panic!() };
    assert_eq!(inner.body.stmts[0].to_string(), "x = 3*2");
}

#[test]
fn inlines_with_a_result() {
    let model = model("int x; inline f(a) { if :: a > 1 -> return a :: else -> return 0 fi } init { x = f(2) }");
    let Some(Item::Init(init)) = model.items.last() else { panic!() };
    let StmtKind::Inlined(call) = &init.body.stmts[0].kind else { panic!() };
    assert_eq!(call.result.as_ref().unwrap().to_string(), "x");
    let StmtKind::If(branches) = &call.body.stmts[0].kind else { panic!() };
    assert_eq!(branches[0].stmts[1].to_string(), "x = 2");
}

#[test]
fn wrong_inlines() {
    assert_eq!(messages("inline f(a) { skip } init { f(1, 2) }"), ["1:29 inline `f` takes 1 argument, 2 given"]);
    assert_eq!(messages("inline f() { g() } inline g() { f() } init { f() }"), ["1:33 inline `f` calls itself"]);
    assert_eq!(messages("init { f(1) }"), ["1:8 `f` is not an inline that has been defined before"]);
    assert_eq!(
        messages("inline f() { return 1 } init { f() }"),
        ["1:14 inline `f` returns a value, but the call does not use it"]
    );
    assert_eq!(messages("init { return 1 }"), ["1:8 `return` outside an inline"]);
    assert_eq!(messages("inline f() { skip } inline f() { skip }"), ["1:28 inline `f` is defined twice"]);
    assert_eq!(messages("inline f() { skip"), ["1:18 expected `}`, found the end of the input"]);
    let mut bomb = String::from("inline f0() { skip; skip; skip; skip }\n");
    for i in 1..20 {
        bomb += &format!("inline f{i}() {{ {} }}\n", format!("f{}(); ", i - 1).repeat(8));
    }
    bomb += "init { f19() }";
    assert!(messages(&bomb)[0].contains("too large after the expansion of inlines"));
    // What is refused must be refused soon; what a person could have written is far below.
    assert!((500_000..=2_000_000).contains(&super::inlines::MAX_INLINED_TOKENS));
}

#[test]
fn errors_have_a_place_and_say_what_was_expected() {
    assert_eq!(messages("init { x = 1 y = 2 }"), ["1:14 expected `;` or `->`, found `y`"]);
    assert_eq!(
        messages("init { x = ; y = }"),
        ["1:12 expected an expression, found `;`", "1:18 expected an expression, found `}`"]
    );
    assert_eq!(messages("init { }"), ["1:8 expected a statement, found `}`"]);
    assert_eq!(messages("init { do :: x od"), ["1:18 expected `}`, found the end of the input"]);
    assert_eq!(messages("init { if :: x }"), ["1:16 expected `fi`, found `}`"]);
    assert_eq!(messages("init { if x fi }"), ["1:11 expected `::`, found `x`"]);
    assert_eq!(messages("proctype if() { skip }"), ["1:10 expected the name of the process type, found keyword `if`"]);
    assert_eq!(messages("Foo x;"), ["1:1 unknown type `Foo`"]);
    assert_eq!(messages("init { q?a+1 }"), ["1:11 expected `;` or `->`, found `+`"]);
    assert_eq!(messages("init { x = q?a }"), ["1:13 a receive cannot be part of an expression"]);
    assert_eq!(messages("init { x = 0x10 }"), ["1:12 Promela has no hexadecimal numbers: write the value in decimal"]);
    assert_eq!(messages("chan q = [1] of { unsigned };"), ["1:19 `unsigned` cannot be the type of a message field"]);
    assert_eq!(
        messages("}"),
        ["1:1 expected a declaration, such as `proctype`, `init`, `inline` or a variable, found `}`"]
    );
}

#[test]
fn several_errors_are_reported_in_one_run() {
    let text = "proctype A() { x = ; if :: ( -> y :: z = 1 fi; w w w }\nint 3;\ninit { skip; = 2; run A() }\n";
    let found = messages(text);
    assert!(found.len() >= 4, "{found:?}");
    assert!(found.iter().any(|m| m.starts_with("2:5 ")) && found.iter().any(|m| m.starts_with("3:14 ")), "{found:?}");
    let many = format!("init {{ {} skip }}", "x = ;".repeat(100));
    assert_eq!(messages(&many).len(), crate::diagnostics::MAX_ERRORS);
}

#[test]
fn embedded_c_is_named() {
    assert_eq!(
        messages("c_decl { int x; }\nc_state \"int y\" \"Global\"\ninit { c_code { now.x = 1; }; c_expr { x } }"),
        [
            "1:1 `c_decl`: embedded C code is not supported",
            "2:1 `c_state`: embedded C code is not supported",
            "3:8 `c_code`: embedded C code is not supported",
            "3:31 `c_expr`: embedded C code is not supported",
        ]
    );
}

#[test]
fn macros_and_inline_calls_are_mentioned() {
    let mut sources = bughound_ir::source::SourceMap::default();
    let text = b"#define BAD x = ;\ninline f() { BAD }\ninit { f() }\n";
    let result = crate::parse(&mut sources, "a.pml", text, &crate::Options::default(), &crate::DiskReader);
    let related: Vec<&str> = result.diagnostics[0].related.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(related, ["in the expansion of macro `BAD`", "in this call of inline `f`"]);
}

/// Runs in a thread with a small stack, to prove that no input can exhaust it.
fn on_small_stack(texts: Vec<String>) {
    let run_all = move || {
        for text in texts {
            let (_, found) = run(&text);
            assert_eq!(found.len(), 1, "{} … {found:?}", &text[..40]);
            assert!(found[0].contains("nested too deeply") || found[0].contains("too large"), "{found:?}");
        }
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(run_all).unwrap().join().unwrap();
}

#[test]
fn deep_nesting_and_long_chains_are_refused() {
    let n = 10_000;
    on_small_stack(vec![
        format!("init {{ x = {}1{} }}", "(".repeat(n), ")".repeat(n)),
        format!("init {{ x = {}1 }}", "- ".repeat(n)),
        format!("init {{ x = {}1{} }}", "a[".repeat(n), "]".repeat(n)),
        format!("init {{ x = {}1{} }}", "(1+len(a[".repeat(n), "]))".repeat(n)),
        format!("init {} skip {}", "{".repeat(n), "}".repeat(n)),
        format!("init {{ {} skip {} }}", "if :: ".repeat(n), " fi".repeat(n)),
        format!("init {{ {} skip {} }}", "L: atomic { do :: for (i : 1..2) { ".repeat(n), "} od }".repeat(n)),
        format!("init {{ q?{}x{} }}", "(".repeat(n), ")".repeat(n)),
        format!("init {{ q?{}x{} }}", "a(".repeat(n), ")".repeat(n)),
        format!("ltl {{ {}p{} }}", "(".repeat(n), ")".repeat(n)),
        format!("ltl {{ {}p }}", "[]".repeat(n)),
        format!("init {{ x = 1{} }}", "+1".repeat(100_000)),
        format!("ltl {{ p{} }}", " U p".repeat(100_000)),
        format!("init {{ {} }}", "(x -> 1 : ".repeat(n)),
    ]);
}

#[test]
fn trees_at_the_limits_are_accepted() {
    let run_all = || {
        for text in [
            format!("init {{ x = 1{} }}", "+1".repeat(990)),
            format!("init {{ x = {}1{} }}", "(".repeat(240), ")".repeat(240)),
            format!("init {{ {} skip {} }}", "if :: ".repeat(120), " fi".repeat(120)),
            format!("init {{ {} }}", "x = 1; ".repeat(100_000)),
        ] {
            let (model, messages) = run(&text);
            assert!(messages.is_empty(), "{messages:?}");
            drop(model);
        }
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(run_all).unwrap().join().unwrap();
}
