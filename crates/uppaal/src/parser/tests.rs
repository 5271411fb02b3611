use bughound_ir::source::FileId;

use super::*;
use crate::ast::{Binary, Declaration, ExprKind, QueryKind, TypeKind, Unary};

fn fragment(text: &str) -> Fragment {
    Fragment::whole(FileId(0), text)
}

/// An expression with all its parentheses.
fn show(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Number(value) => value.to_string(),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Index(base, index) => format!("{}[{}]", show(base), show(index)),
        ExprKind::Member(base, member) => format!("{}.{}", show(base), member.text),
        ExprKind::Call(function, arguments) => {
            format!("{}({})", show(function), arguments.iter().map(show).collect::<Vec<_>>().join(", "))
        }
        ExprKind::Rate(clock) => format!("{}'", show(clock)),
        ExprKind::Unary(Unary::Not, inner) => format!("!{}", show(inner)),
        ExprKind::Unary(_, inner) => format!("-{}", show(inner)),
        ExprKind::Binary(op, a, b) => format!("({} {op:?} {})", show(a), show(b)),
        ExprKind::Conditional(a, b, c) => format!("({} ? {} : {})", show(a), show(b), show(c)),
        ExprKind::Assign(None, a, b) => format!("({} = {})", show(a), show(b)),
        ExprKind::Assign(Some(op), a, b) => format!("({} {op:?}= {})", show(a), show(b)),
        ExprKind::Step { target, add, before } => format!("step({}, {add}, {before})", show(target)),
        ExprKind::Quantified { quantifier, name, body, .. } => {
            format!("({quantifier:?} {}: {})", name.text, show(body))
        }
        ExprKind::Deadlock => "deadlock".into(),
        ExprKind::Unsupported(what) => format!("<{what}>"),
    }
}

fn parsed(text: &str) -> Vec<String> {
    expression_list(&fragment(text)).unwrap().iter().map(show).collect()
}

fn one(text: &str) -> String {
    parsed(text).join(" ; ")
}

#[test]
fn operators_bind_as_in_the_manual() {
    assert_eq!(one("a + b * c - d"), "((a Add (b Multiply c)) Subtract d)");
    assert_eq!(one("a < b == c <? d"), "((a Less b) Equal (c Minimum d))");
    assert_eq!(one("a && b || c and d"), "((a And b) Or (c And d))");
    assert_eq!(one("not a and b imply c or d"), "(((!a And b) Imply c) Or d)");
    assert_eq!(one("a = b += c ? 1 : d ? 2 : 3"), "(a = (b Add= (c ? 1 : (d ? 2 : 3))))");
    assert_eq!(one("a & b | c ^ d << 1"), "((a BitAnd b) BitOr (c BitXor (d ShiftLeft 1)))");
    assert_eq!(one("-a[i].f++"), "-step(a[i].f, 1, false)");
    assert_eq!(one("forall (i : int[0,3]) P(i).cs imply exists (j : id_t) i != j"), {
        "(ForAll i: (P(i).cs Imply (Exists j: (i NotEqual j))))"
    });
    assert_eq!(one("x:=0, y' == 1"), "(x = 0) ; (y' Equal 1)");
}

#[test]
fn long_conjunctions_stay_in_order() {
    assert_eq!(one("a && b && c"), "(a And (b And c))");
    assert_eq!(one("a && b && c && d"), "((a And b) And (c And d))");
    let long = vec!["a"; 10_000].join(" || ");
    assert!(expression_list(&fragment(&long)).unwrap()[0].height < 20);
}

fn declared(text: &str) -> Vec<String> {
    let names = declarations(&fragment(text)).unwrap().into_iter().map(|d| match d {
        Declaration::Variable(v) => {
            let kind = match v.ty.kind {
                TypeKind::Int(None) => "int".to_string(),
                TypeKind::Int(Some(_)) => "range".to_string(),
                TypeKind::Named(name) => name.text,
                other => format!("{other:?}"),
            };
            let constant = if v.ty.prefix.constant { "const " } else { "" };
            let value = if v.initial.is_some() { "=" } else { "" };
            format!("{constant}{kind} {}{}{value}", v.name.text, "[]".repeat(v.dimensions.len()))
        }
        Declaration::Type(t) => format!("type {}{}", t.name.text, "[]".repeat(t.dimensions.len())),
        Declaration::Function(f) => format!("function {}/{}", f.name.text, f.parameters.len()),
        Declaration::ChannelPriority(groups, _) => format!("priority {}", groups.len()),
        Declaration::GlobalUpdate { before, updates, .. } => format!("update {before} {}", updates.len()),
    });
    names.collect()
}

#[test]
fn declarations_new_and_old() {
    assert_eq!(declared("const int N = 5; id_t x[N], y = 3;"), ["const int N=", "id_t x[]", "id_t y="]);
    assert_eq!(declared("const N 5, M := 3;"), ["const int N=", "const int M="]);
    assert_eq!(declared("typedef struct { int a, b[2]; bool c; } s_t; s_t s = { 1, { 2, 3 }, true };"), {
        ["type s_t", "s_t s="]
    });
    assert_eq!(declared("int[0,3] a[int[1,2]][scalar[3]]; clock x, y;")[0], "range a[][]");
    assert_eq!(declared("void f(int &a, const id_t b) { a = b; } int g() { return 1; }"), {
        ["function f/2", "function g/0"]
    });
    assert_eq!(declared("chan priority a, b[1] < default < c;"), ["priority 3"]);
    assert_eq!(declared("before_update { x = 1, y = 2 } after_update { }"), ["update true 2", "update false 0"]);
}

#[test]
fn parameters_of_both_ages() {
    let names = |text: &str| -> Vec<(String, bool, bool)> {
        let list = parameters(&fragment(text)).unwrap();
        list.into_iter().map(|p| (p.name.text, p.ty.prefix.constant, p.reference)).collect()
    };
    let own = |list: &[(&str, bool, bool)]| -> Vec<(String, bool, bool)> {
        list.iter().map(|(name, constant, reference)| (name.to_string(), *constant, *reference)).collect()
    };
    assert_eq!(
        names("const id_t id, int &x, chan &c[2]"),
        own(&[("id", true, false), ("x", false, true), ("c", false, true)])
    );
    assert_eq!(names("const id; const d, e; clock x, y"), {
        own(&[("id", true, false), ("d", true, false), ("e", true, false), ("x", false, false), ("y", false, false)])
    });
    assert_eq!(names(""), []);
}

#[test]
fn statements_of_all_kinds() {
    let text = "int f(int n) {
        int s = 0; const int k = 2; id_t t;
        for (i = 0; i < n; i++) s += i;
        for (i : id_t) { s--; }
        while (s > 0) { s = s - 1; }
        do { s++; } while (s < 3);
        if (s == 1) return 1; else if (s == 2) { return 2; }
        ;
        return s;
    }";
    assert_eq!(declared(text), ["function f/1"]);
    let broken = declarations(&fragment("void f() { break; }")).unwrap_err();
    assert_eq!(broken.message, "UPPAAL's functions have no `break`");
    assert!(declarations(&fragment("void f() { x = 1 }")).unwrap_err().message.contains("expected `;`"));
}

#[test]
fn textual_processes() {
    let text = "process P(const id; clock x) {
        int v;
        state a { x <= 5, v < 3 }, b, d; commit b; urgent d; init a;
        trans a -> b { guard x > 1, v == 0; sync c!; assign x := 0, v := 1; },
              -> d { select i : int[0,1]; sync e[i]?; },
              b -> a { };
    }
    Q := P(1, y); system P, Q < R;";
    let textual = Textual::parse(&fragment(text)).unwrap();
    let process = &textual.templates[0];
    let flags: Vec<(bool, bool, usize)> =
        process.locations.iter().map(|l| (l.committed, l.urgent, l.invariant.len())).collect();
    assert_eq!(flags, [(false, false, 2), (true, false, 0), (false, true, 0)]);
    let edges: Vec<String> = process.edges.iter().map(|e| format!("{}>{}", e.source.text, e.target.text)).collect();
    assert_eq!(edges, ["a>b", "a>d", "b>a"]);
    assert_eq!(process.edges[0].text, "guard x > 1, v == 0; sync c!; assign x := 0, v := 1");
    assert_eq!((process.edges[0].guard.len(), process.edges[0].update.len()), (2, 2));
    assert!(process.edges[0].sync.as_ref().unwrap().sends && !process.edges[1].sync.as_ref().unwrap().sends);
    assert_eq!((textual.instances.len(), textual.system.len()), (1, 2));
}

#[test]
fn queries_one_per_line_or_on_several() {
    let text = "// first\nE<> a\nA[] not ( b and \\\n c )\n/* x */ A[] (d\n and e)\np --> q\n(r) --> -s\nE[] t;A<> u\n\
                sup{x > 1}: y, z\ninf: w";
    let mut warnings = Vec::new();
    let queries = query_file(&fragment(text), &mut warnings);
    assert!(warnings.is_empty(), "{warnings:?}");
    let texts: Vec<&str> = queries.iter().map(|q| q.text.as_str()).collect();
    let expected = ["E<> a", "A[] not ( b and c )", "A[] (d and e)", "p --> q", "(r) --> -s", "E[] t", "A<> u"];
    assert_eq!(texts[..7], expected);
    assert_eq!(texts[7..], ["sup{x > 1}: y, z", "inf: w"]);
    assert!(matches!(queries[3].kind, QueryKind::LeadsTo(..)));
    assert!(
        matches!(&queries[7].kind, QueryKind::Extremes { greatest: true, least: false, condition: Some(_), of } if of.len() == 2)
    );
    assert_eq!(binary_of(&queries[1].kind), Some(Unary::Not));
}

fn binary_of(kind: &QueryKind) -> Option<Unary> {
    match kind {
        QueryKind::Always(Expr { kind: ExprKind::Unary(op, inner), .. }) => {
            assert!(matches!(inner.kind, ExprKind::Binary(Binary::And, ..)));
            Some(*op)
        }
        _ => None,
    }
}
