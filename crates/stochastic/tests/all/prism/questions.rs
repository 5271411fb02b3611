//! What properties ask.

use bughound_ir::chance::{
    Asked, Bound, Bounded, ChanceQuestion, Comparison, Extreme, FilterFunction, Limit, Measure, PathFormula, Quantity,
    RewardFormula, StateFormula,
};
use bughound_stochastic::tree::{Expr, Model, Unsupported};

use super::{printed, properties_of, said, with_properties};

const REST: &str = " const int K = 4; module m x : [0..3]; b : bool; endmodule label \"end\" = x=3; \
    rewards true : 1; endrewards rewards \"r\" b : x; endrewards";

fn state(f: &StateFormula<Expr>, model: &Model) -> String {
    match f {
        StateFormula::Atom(atom) => printed(atom, model),
        StateFormula::Initial => "init".into(),
        StateFormula::Deadlock => "deadlock".into(),
        StateFormula::Not(f) => format!("not({})", state(f, model)),
        StateFormula::And(f, g) => format!("and({}, {})", state(f, model), state(g, model)),
        StateFormula::Or(f, g) => format!("or({}, {})", state(f, model), state(g, model)),
        StateFormula::Bound(q, comparison, number) => {
            let comparison = match comparison {
                Comparison::Less => "<",
                Comparison::LessEqual => "<=",
                Comparison::Greater => ">",
                Comparison::GreaterEqual => ">=",
            };
            format!("{} {comparison} {number}", quantity(q, model))
        }
    }
}

fn limit(limit: &Option<Limit>) -> String {
    limit.as_ref().map_or("-".into(), |l| format!("{}{}", l.value, if l.strict { "!" } else { "" }))
}

fn bounds(list: &[Bound]) -> String {
    let one = |b: &Bound| {
        let of = match b.of {
            Bounded::Time => String::new(),
            Bounded::Steps => "steps".into(),
            Bounded::Reward(reward) => format!("r{}", reward.0),
        };
        format!("{of}[{},{}]", limit(&b.lower), limit(&b.upper))
    };
    list.iter().map(one).collect()
}

fn quantity(q: &Quantity<Expr>, model: &Model) -> String {
    let extreme = match q.extreme {
        Extreme::Min => "min",
        Extreme::Max => "max",
        Extreme::Unsaid => "",
    };
    let f = |f: &StateFormula<Expr>| state(f, model);
    let what = match &q.measure {
        Measure::Probability(path) => match path {
            PathFormula::Next(a) => format!("P X {}", f(a)),
            PathFormula::Finally(a, b) => format!("P F{} {}", bounds(b), f(a)),
            PathFormula::Globally(a, b) => format!("P G{} {}", bounds(b), f(a)),
            PathFormula::Until(a, c, b) => format!("P {} U{} {}", f(a), bounds(b), f(c)),
            PathFormula::WeakUntil(a, c, b) => format!("P {} W{} {}", f(a), bounds(b), f(c)),
            PathFormula::Release(a, c, b) => format!("P {} R{} {}", f(a), bounds(b), f(c)),
        },
        Measure::LongRun(a) => format!("S {}", f(a)),
        Measure::Reward { structure, of } => {
            let of = match of {
                RewardFormula::Reach(a) => format!("F {}", f(a)),
                RewardFormula::Cumulated(t) => format!("C {t}"),
                RewardFormula::Instant(t) => format!("I {t}"),
                RewardFormula::Total => "total".into(),
                RewardFormula::LongRun => "long run".into(),
            };
            format!("R{} {of}", structure.0)
        }
    };
    format!("{extreme}({what})")
}

fn question(q: &ChanceQuestion<Expr>, model: &Model) -> String {
    let asked = match &q.asked {
        Asked::Value(value) => format!("{} = ?", quantity(value, model)),
        Asked::Truth(f) => state(f, model),
    };
    match (q.function, &q.states) {
        (FilterFunction::State, None) => asked,
        (function, states) => {
            format!("{function:?} {{{}}} {asked}", states.as_ref().map_or("initial".into(), |s| state(s, model)))
        }
    }
}

#[track_caller]
fn asks_of(kind: &str, text: &str) -> String {
    let (model, properties) = properties_of(&format!("{kind}{REST}"), text, "");
    assert_eq!(properties.len(), 1, "{properties:#?}");
    match &properties[0].question {
        Ok(q) => question(q, &model),
        Err(Unsupported(reason)) => format!("unsupported: {reason}"),
    }
}

#[track_caller]
fn asks(text: &str) -> String {
    asks_of("dtmc", text)
}

#[track_caller]
fn wrong(kind: &str, text: &str) -> String {
    said(&with_properties(&format!("{kind}{REST}"), text, "").diagnostics)
}

#[test]
fn probabilities() {
    assert_eq!(asks("P=? [ F x=1 & b ]"), "(P F x=1 & b) = ?");
    assert_eq!(asks_of("mdp", "Pmin=? [ F b ]"), "min(P F b) = ?");
    assert_eq!(asks_of("mdp", "Pmax=? [ F b ]"), "max(P F b) = ?");
    assert_eq!(asks("P>=1/2 [ X b ]"), "(P X b) >= 1/2");
    assert_eq!(asks("P<0.25 [ b U x=1 ]"), "(P b U x=1) < 1/4");
    assert_eq!(asks("P<=1 [ G !b ]"), "(P G !b) <= 1");
    assert_eq!(asks("P>0 [ b W x=1 ]"), "(P b W x=1) > 0");
    assert_eq!(asks("P=? [ b R x=1 ]"), "(P b R x=1) = ?");
    assert_eq!(asks("P=? [ true U<=K(x=1) ]"), "(P true U[-,4] x=1) = ?");
    assert_eq!(asks("Pmax>0.5 [ F b ]"), "max(P F b) > 1/2");
    assert_eq!(asks("P=? [ b ]"), "(P F[-,0] b) = ?");
    assert_eq!(asks("P=? [ x=1 ? b : !b ]"), "(P F[-,0] x=1 ? b : !b) = ?");
}

#[test]
fn bounds_of_time() {
    assert_eq!(asks("P=? [ F<=5 b ]"), "(P F[-,5] b) = ?");
    assert_eq!(asks("P=? [ F<K b ]"), "(P F[-,4!] b) = ?");
    assert_eq!(asks("P=? [ F>=2*K+1 b ]"), "(P F[9,-] b) = ?");
    assert_eq!(asks("P=? [ F>2 b ]"), "(P F[2!,-] b) = ?");
    assert_eq!(asks("P=? [ F=3 b ]"), "(P F[3,3] b) = ?");
    assert_eq!(asks("P=? [ F[1,K] b ]"), "(P F[1,4] b) = ?");
    assert_eq!(asks("P=? [ G>=1<=3 b ]"), "(P G[1,3] b) = ?");
    assert_eq!(asks("P=? [ b U[2,3] x=1 ]"), "(P b U[2,3] x=1) = ?");
    assert_eq!(asks("P=? [ F<=K (x=1) ]"), "(P F[-,4] x=1) = ?");
    assert_eq!(asks("P=? [ b Urew{\"r\"}<=5 x=1 ]"), "(P b Ur1[-,5] x=1) = ?");
    assert_eq!(asks_of("ctmc", "P=? [ F<=0.25 b ]"), "(P F[-,1/4] b) = ?");
    assert!(wrong("dtmc", "P=? [ F<=0.25 b ]").contains("1/4 is not a number of steps"));
    assert!(wrong("dtmc", "P=? [ F<=-1 b ]").contains("the time -1 is negative"));
    assert!(wrong("dtmc", "P=? [ F[3,2] b ]").contains("no time is between 3 and 2"));
    assert!(wrong("dtmc", "P=? [ F<=x b ]").contains("has to be constant, but depends on `x`"));
    assert!(wrong("dtmc", "P=? [ X<=2 b ]").contains("`X` is about the next step"));
}

#[test]
fn rewards_and_long_runs() {
    assert_eq!(asks("R=? [ F b ]"), "(R0 F b) = ?");
    assert_eq!(asks("R{\"r\"}=? [ F b ]"), "(R1 F b) = ?");
    assert_eq!(asks("R{2}=? [ C<=2*K ]"), "(R1 C 8) = ?");
    assert_eq!(asks("R{K-3}>=2.5 [ C ]"), "(R0 total) >= 5/2");
    assert_eq!(asks("R<3 [ I=K ]"), "(R0 I 4) < 3");
    assert_eq!(asks("R=? [ S ]"), "(R0 long run) = ?");
    assert_eq!(asks_of("mdp", "Rmax=? [ F b ]"), "max(R0 F b) = ?");
    assert_eq!(asks_of("mdp", "R{\"r\"}min=? [ F b ]"), "min(R1 F b) = ?");
    assert_eq!(asks_of("mdp", "Rmin{\"r\"}<=3 [ F b ]"), "min(R1 F b) <= 3");
    assert_eq!(asks("S=? [ x=1 ]"), "(S x=1) = ?");
    assert_eq!(asks("S>=0.9 [ \"end\" ]"), "(S x=3) >= 9/10");
    assert!(wrong("dtmc", "R{\"q\"}=? [ F b ]").contains("no rewards \"q\""));
    assert!(wrong("dtmc", "R{3}=? [ F b ]").contains("numbered from 1 to 2"));
    assert!(wrong("dtmc", "R=? [ b ]").contains("for how long rewards are collected"));
    assert!(wrong("dtmc", "R=? [ C<3 ]").contains("`C<=t`"));
    assert!(asks("R=? [ F<=3 b ]").contains("unsupported"));
    assert!(asks("R=? [ F b & G x=1 ]").contains("LTL"));
}

#[test]
fn formulas_about_states() {
    assert_eq!(asks("P>=1 [ F b ] & P<0.5 [ G b ]"), "and((P F b) >= 1, (P G b) < 1/2)");
    assert_eq!(asks("!P>=1 [ F b ] | b"), "or(not((P F b) >= 1), b)");
    assert_eq!(asks("\"init\" => P>=1 [ F \"end\" ]"), "or(not(init), (P F x=3) >= 1)");
    assert_eq!(asks("P=? [ F \"deadlock\" & !\"init\" & b ]"), "(P F and(deadlock, and(not(init), b))) = ?");
    assert_eq!(asks("P=? [ F P>=0.5 [ X b ] ]"), "(P F (P X b) >= 1/2) = ?");
    assert_eq!(asks("P=? [ S<0.5 [ b ] U R>2 [ F b ] ]"), "(P (S b) < 1/2 U (R0 F b) > 2) = ?");
    assert_eq!(asks("P>=1 [ F b ] <=> b"), "or(and((P F b) >= 1, b), and(not((P F b) >= 1), not(b)))");
    assert_eq!(asks("b ? P>=1 [ F b ] : b"), "or(and(b, (P F b) >= 1), and(not(b), b))");
    assert_eq!(asks("\"end\" & x<4"), "x=3 & x<4");
    assert_eq!(asks("P=? [ !(F b) ]"), "(P G not(b)) = ?");
    assert_eq!(asks("P=? [ !(b U<=3 x=1) ]"), "(P not(b) R[-,3] not(x=1)) = ?");
    assert_eq!(asks("P=? [ !(b W x=1) ]"), "(P not(x=1) U and(not(b), not(x=1))) = ?");
    assert!(wrong("dtmc", "P=? [ F x ]").contains("has to be true or false"));
    assert!(wrong("dtmc", "P>=2 [ F b ]").contains("a number from 0 to 1"));
    assert!(wrong("dtmc", "P=0.5 [ F b ]").contains("`P=?`"));
    assert!(wrong("dtmc", "F b").contains("put it into `P=? [ … ]`"));
    assert!(wrong("mdp", "P=? [ F b ]").contains("`Pmin=?` or `Pmax=?`"));
    assert!(wrong("mdp", "R=? [ F b ]").contains("`Rmin=?` or `Rmax=?`"));
    assert_eq!(asks_of("mdp", "P>=1 [ F b ]"), "(P F b) >= 1");
}

#[test]
fn references_to_properties() {
    let (model, properties) = properties_of(
        &format!("dtmc{REST}"),
        "\"a\": P>=1 [ F b ];\n\"b\": \"a\" & b;\n\"c\": \"a\";\n\"v\": P=? [ F b ]; filter(max, \"v\", true)",
        "",
    );
    let all: Vec<String> = properties.iter().map(|p| question(p.question.as_ref().unwrap(), &model)).collect();
    assert_eq!(all[1], "and((P F b) >= 1, b)");
    assert_eq!(all[2], all[0]);
    assert_eq!(all[4], "Max {true} (P F b) = ?");
}

#[test]
fn filters() {
    for (name, function) in
        [("min", "Min"), ("max", "Max"), ("sum", "Sum"), ("avg", "Average"), ("range", "Range"), ("state", "State")]
    {
        assert_eq!(asks(&format!("filter({name}, P=? [ F b ], x=1)")), format!("{function} {{x=1}} (P F b) = ?"));
    }
    for (name, function) in [("count", "Count"), ("forall", "ForAll"), ("exists", "Exists")] {
        assert_eq!(asks(&format!("filter({name}, P>=1 [ F b ])")), format!("{function} {{true}} (P F b) >= 1"));
    }
    assert_eq!(asks("filter(max, R=? [ F b ], \"init\")"), "Max {initial} (R0 F b) = ?");
    assert_eq!(asks("filter(+, P=? [ F b ], b)"), "Sum {b} (P F b) = ?");
    for name in ["first", "print", "printall", "argmin", "argmax"] {
        assert!(
            asks(&format!("filter({name}, P=? [ F b ], b)")).contains(&format!("`filter({name}, …)` is not supported"))
        );
    }
    assert!(wrong("dtmc", "filter(mim, P=? [ F b ], b)").contains("did you mean `min`?"));
    assert!(wrong("dtmc", "filter(forall, P=? [ F b ], b)").contains("is for what is true or false"));
    assert!(wrong("dtmc", "filter(min, P>0 [ F b ], b)").contains("is for values"));
    assert!(asks("filter(min, filter(max, P=? [ F b ], b), b)").contains("unsupported"));
}

#[test]
fn old_filters() {
    assert_eq!(asks("P=? [ F b {x=1}{min} ]"), "Min {x=1} (P F b) = ?");
    assert_eq!(asks("R=? [ F b {\"init\"}{max} ]"), "Max {initial} (R0 F b) = ?");
    assert_eq!(asks("P=? [ F b {x=1} ]"), "State {x=1} (P F b) = ?");
    assert_eq!(asks("P=? [ F b {x=1}{min}{max} ]"), "Range {x=1} (P F b) = ?");
    assert_eq!(asks("P>=1 [ F b {x=1} ]"), "State {x=1} (P F b) >= 1");
    assert_eq!(asks("S=? [ b {x=1}{min} ]"), "Min {x=1} (S b) = ?");
    assert!(wrong("dtmc", "P>=1 [ F b {x=1}{min} ]").contains("are for values"));
}

#[test]
fn what_is_not_supported_has_a_name() {
    for (text, name) in [
        ("P=? [ G F b ]", "LTL"),
        ("P=? [ (F b) & (G x=1) ]", "LTL"),
        ("P=? [ F b & G x=1 ]", "LTL"),
        ("P=? [ F (b & X x=1) ]", "LTL"),
        ("multi(Pmax=? [ F b ], R{\"r\"}min>=3 [ C ])", "`multi(…)`"),
        ("<<1,2>> Pmax=? [ F b ]", "`<<…>>`"),
        ("E [ F b ]", "`E [ … ]`"),
        ("A [ G b ]", "`A [ … ]`"),
        ("P=? [ F b ] * 2", "computing with the answers"),
        ("P=? [ F b ] + P=? [ G b ]", "computing with the answers"),
        ("b & P=? [ F b ]", "`=?` inside"),
        ("x + 1", "asking for the value of an expression"),
        ("filter(max, x)", "asking for the value of an expression"),
        ("(\"init\" ? 1 : 0) > 0", "\"init\" inside of an expression"),
    ] {
        let told = asks(text);
        assert!(told.starts_with("unsupported: ") && told.contains(name), "{text}: {told}");
    }
    let (_, properties) =
        properties_of(&format!("dtmc{REST}"), "E [ F b ]\nP=? [ F b ]\n<<p>> Pmax=? [ F b ];\nP=? [ G b ]", "");
    assert_eq!(properties.iter().map(|p| p.question.is_ok()).collect::<Vec<_>>(), [false, true, false, true]);
}
