//! Operators: how strongly they bind, what they fold to, how they are written again.

use bughound_stochastic::tree::{Label, Type};

use super::{model, printed};

fn text(expression: &str) -> String {
    format!(
        "mdp const int N = 4; const double p = 1/3; module m x:[0..9]; y:[0..9]; z:[0..9]; a:bool; b:bool; c:bool; endmodule \
         label \"l\" = {expression};"
    )
}

#[track_caller]
fn label(expression: &str) -> (Label, String) {
    let model = model(&text(expression));
    let label = model.labels[0].clone();
    let text = printed(&label.condition, &model);
    (label, text)
}

/// What is read, and that it is read in the same way when it is written again.
#[track_caller]
fn again(expression: &str) -> String {
    let (_, first) = label(expression);
    let (_, second) = label(&first);
    assert_eq!(first, second);
    first
}

#[track_caller]
fn same(left: &str, right: &str) {
    assert_eq!(again(left), again(right), "{left} and {right}");
}

#[test]
fn strength() {
    same("!a=b", "!(a=b)");
    same("!a & b", "(!a) & b");
    same("!x<y | b", "(!(x<y)) | b");
    same("a = b & c", "(a = b) & c");
    same("a | b & c", "a | (b & c)");
    same("a <=> b | c", "a <=> (b | c)");
    same("a => b <=> c", "a => (b <=> c)");
    same("a => b => c", "a => (b => c)");
    same("a & b ? b : c", "(a & b) ? b : c");
    same("a ? b : c ? a : b", "a ? b : (c ? a : b)");
    same("a = x<y", "a = (x<y)");
    same("x-y-z = 0", "(x-y)-z = 0");
    same("x/y/z = 0", "(x/y)/z = 0");
    same("x+y*z = 0", "x+(y*z) = 0");
    same("x*y^z = 0", "x*(y^z) = 0");
    same("x^y^z = 0", "x^(y^z) = 0");
    same("-x^2 = 0", "(-x)^2 = 0");
    same("-x+y = 0", "(-x)+y = 0");
    same("x<-1", "x < (-1)");
    same("x--1=0", "x-(-1)=0");
    same("a = !b", "a = (!b)");
    same("a = b = c", "(a = b) = c");
    same("func(mod, x, 2) = 0", "mod(x,2)=0");
    same("min(x,y,z)=max(x)", "min(x,min(y,z))=x");
    assert_eq!(again("a => b => c"), "a => b => c");
    assert_eq!(again("(a => b) => c"), "(a => b) => c");
    assert_eq!(again("x-(y-z)=0"), "x-(y-z)=0");
    assert_eq!(again("!(a=b)"), "!(a=b)");
    assert_eq!(again("!(!a) & b"), "!(!a) & b");
    assert_eq!(again("(a ? x : y) + 1 > 2"), "(a ? x : y)+1>2");
}

#[test]
fn printing_again() {
    for expression in [
        "x/y < p",
        "x > 1.0",
        "x*0.25 > -0.5",
        "x > -1/3",
        "floor(x/2) = ceil(y*p) & round(x*0.1) = 1",
        "log(x, 2) > 1 & pow(x, y) > 2",
        "x*123456789012345678901.5 > 1/3000000000.0",
        "a & b & c & (a | b) & !a & !b & x=1 & y=1 & z=1",
        "x+y+z+1+x+y > 3",
        "x-(y+z) > 3*(x+1)",
        "(a <=> b) <=> c",
        "a = (b = c)",
        "(x < y) = (y < z)",
        "-(-x) = -(x+y)",
    ] {
        again(expression);
    }
    let sum = vec!["x"; 300].join("+");
    again(&format!("{sum} > 3"));
    let all = vec!["a"; 1000].join(" & ");
    again(&all);
}

#[test]
fn folding() {
    assert_eq!(again("x = N*2+1"), "x=9");
    assert_eq!(again("false & 1/0 > 1"), "false");
    assert_eq!(again("true | 1/0 > 1"), "true");
    assert_eq!(again("false => 1/0 > 1"), "true");
    assert_eq!(again("N=4 ? a : 1/0 > 1"), "a");
    assert_eq!(again("a & true"), "a");
    assert_eq!(again("a | false"), "a");
    assert_eq!(again("true => a"), "a");
    assert_eq!(again("x > 0 & 1/0 > 1"), "x>0 & 1/0>1");
    assert_eq!(again("1/2 = 0.5"), "true");
    assert_eq!(again("0.1+0.2 = 0.3"), "true");
    assert_eq!(again("p*3 = 1"), "true");
    assert_eq!(again("x < p"), "x<1/3");
    assert_eq!(again("x < 2^N"), "x<16");
    assert_eq!(again("x < 2^0.5"), again("x < pow(2,0.5)"));
    assert_eq!(again("x < 2^-1.0"), "x<0.5");
    assert_eq!(again("x < (N=4 ? 1 : 0.5)"), "x<1.0");
    assert_eq!(again("x < log(8,2)"), "x<3.0");
    assert_eq!(again("x < 2^(-1)"), "x<pow(2, -1)");
}

#[test]
fn types_of_operators() {
    let ty = |expression: &str| {
        let model = model(&text("a").replace("label", &format!("formula f = {expression}; label")));
        let definition = model.definitions.iter().find(|d| d.name == "f").unwrap().clone();
        definition.value.unwrap().ty
    };
    for int in ["x", "x+1", "-x", "x*y", "x^2", "min(x,y)", "mod(x,2)", "floor(x/2)", "a ? 1 : 2", "round(2.5)"] {
        assert_eq!(ty(int), Type::Int, "{int}");
    }
    for real in ["x/2", "4/2", "x+1.0", "x^0.5", "min(x,1.0)", "log(x,2)", "a ? 1 : 2.0", "p", "x*p", "true ? x : 0.5"]
    {
        assert_eq!(ty(real), Type::Real, "{real}");
    }
    for bool in ["a", "x=1", "a=b", "x<0.5", "a ? b : c", "a <=> b"] {
        assert_eq!(ty(bool), Type::Bool, "{bool}");
    }
}
