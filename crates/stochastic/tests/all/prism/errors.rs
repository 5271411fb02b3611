//! What is wrong is said in a way that helps.

use super::{error, model};

fn in_module(text: &str) -> String {
    format!(
        "mdp const int N = 3; const double p = 0.5; global g : [0..3]; module m x : [0..N]; b : bool; {text} endmodule module other o : bool; [] o -> true; endmodule"
    )
}

#[track_caller]
fn expect(text: &str, parts: &[&str]) {
    let message = error(text);
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}

#[track_caller]
fn expect_inside(text: &str, parts: &[&str]) {
    expect(&in_module(text), parts);
}

#[test]
fn types() {
    expect_inside("[] x -> true;", &["a guard has to be true or false", "this is an int"]);
    expect_inside("[] true -> (x'=x/2);", &["`x` is an int and cannot get a double", "`floor`"]);
    expect_inside("[] true -> (x'=b);", &["`x` is an int and cannot get a bool"]);
    expect_inside("[] true -> (b'=1);", &["`b` is a bool and cannot get a number"]);
    expect_inside("[] true -> b : true;", &["a probability or rate has to be a number"]);
    expect_inside("[] b & x -> true;", &["an operand of `&` has to be true or false"]);
    expect_inside("[] b + 1 > 2 -> true;", &["an operand of `+` has to be a number"]);
    expect_inside("[] b = 1 -> true;", &["`=` compares two numbers or two truth values"]);
    expect_inside("[] b < true -> true;", &["an operand of `<` has to be a number"]);
    expect_inside("[] x<1<2 -> true;", &["an operand of `<`"]);
    expect_inside("[] mod(x, 2.0)=0 -> true;", &["`mod` is for ints"]);
    expect_inside("[] (b ? 1 : b) = 1 -> true;", &["the two sides of `:`"]);
    expect_inside("[] (x ? 1 : 2) = 1 -> true;", &["the condition before `?`"]);
    expect_inside("[] -b -> true;", &["the operand of `-`"]);
    expect_inside("[] floor(b)=1 -> true;", &["what is rounded"]);
    expect("dtmc const int N = 0.5; module m x:bool; endmodule", &["expected an int, found a double"]);
    expect("dtmc const int N = 1/2; module m x:[0..N]; endmodule", &["expected an int, found a double", "`floor`"]);
    expect("dtmc const bool c = 1; module m x:[0..(c?1:2)]; endmodule", &["expected a bool, found an int"]);
    model("dtmc const double p = 1; module m x:bool; endmodule");
}

#[test]
fn names() {
    expect_inside("[] y=1 -> true;", &["`y` is not declared", "not a variable, constant or formula"]);
    expect("mdp module m counter : [0..1]; [] countr=1 -> true; endmodule", &["did you mean `counter`?"]);
    expect_inside("[] true -> (y'=1);", &["there is no variable `y`"]);
    expect_inside("[] true -> (N'=1);", &["`N` is not a variable"]);
    expect_inside(
        "[] true -> (o'=true);",
        &["module `m` cannot write `o`, which belongs to module `other`", "declared here"],
    );
    expect_inside("[a] true -> (g'=1);", &["the global variable `g` cannot be written in a command with an action"]);
    expect_inside("[] true -> (x'=1) & (b'=true) & (x'=2);", &["`x` is written twice in one update"]);
    expect("mdp const x = 1; module m x : bool; endmodule", &["`x` is declared twice", "first declared here"]);
    expect("mdp formula x = 1; const x = 1; module m endmodule", &["`x` is declared twice"]);
    expect("mdp module m x : bool; x : bool; endmodule", &["`x` is declared twice"]);
    expect("mdp module m F : bool; endmodule", &["`F` is a keyword"]);
    expect("mdp module m a.b : bool; endmodule", &["names have no points"]);
    expect_inside("[] foo(x)=1 -> true;", &["there is no function `foo`"]);
    expect(
        "mdp module m x:bool; endmodule label \"a\" = x; label \"b\" = \"a\";",
        &["the label \"a\" cannot be used here", "formula"],
    );
    model(&in_module("[] true -> (g'=1) & (x'=2);"));
}

#[test]
fn circles() {
    expect("mdp const a = b; const b = a; module m x:[0..a]; endmodule", &["is defined by itself"]);
    expect(
        "mdp formula a = b+1; formula b = a+1; module m x:[0..3]; [] x=a -> true; endmodule",
        &["is defined by itself"],
    );
    expect("mdp formula a = a; module m x:bool; endmodule", &["`a` is defined by itself"]);
    let copied = "mdp formula a = b+x; formula b = a+1; module m x:[0..3]; [] x=a -> true; endmodule module n = m [x=y] endmodule";
    expect(copied, &["is defined by itself"]);
}

#[test]
fn ranges_and_values() {
    expect("mdp module m x : [3..1]; endmodule", &["the range of `x` is empty: 3 is greater than 1"]);
    expect("mdp module m x : [0..2] init 3; endmodule", &["the initial value 3 of `x` is outside of 0..2"]);
    expect("mdp module m y : bool; x : [0..y]; endmodule", &["expected an int, found a bool"]);
    expect("mdp module m y : [0..1]; x : [0..y]; endmodule", &["has to be constant, but depends on `y`"]);
    expect("mdp module m x : [0..2147483647+1]; endmodule", &["does not fit into 32 bits"]);
    expect("mdp const a = 2^31; module m x : [0..a]; endmodule", &["does not fit into 32 bits"]);
    expect("mdp const double a = 1/0; module m x : bool; endmodule", &["division by zero"]);
    expect("mdp module m x : [0..mod(1,0)]; endmodule", &["has to be positive"]);
    expect("mdp module m x : double; endmodule", &["a variable cannot be a double"]);
    expect("mdp module m x : boll; endmodule", &["did you mean `bool`?"]);
    expect("mdp const int x = 5000000000; module m endmodule", &["does not fit into 32 bits", "double"]);
}

#[test]
fn syntax() {
    expect("", &["the model has no module"]);
    expect("mdp", &["the model has no module"]);
    expect("mdp module m x : bool;", &["expected `endmodule`", "it began here"]);
    expect("mdp module m x : bool endmodule", &["expected `;`, found `endmodule`"]);
    expect("mdp rewards true : 1;", &["expected `endrewards`"]);
    expect("mdp init true", &["expected `endinit`"]);
    expect("mdp module m [] true (x'=1); endmodule", &["expected `->`"]);
    expect("mdp module m x:bool; [] true -> x'=1; endmodule", &["an update is written"]);
    expect("mdp module m x:bool; [] true -> 1 : x'=1; endmodule", &["what an update does is written"]);
    expect("mdp module m x:bool; [] true -> 0.5 (x'=1); endmodule", &["expected `:`"]);
    expect("mdp label \"a = true; module m endmodule", &["no partner on its line"]);
    expect("mdp module m x:bool; [] (x -> true; endmodule", &["expected `)`", "to close this parenthesis"]);
    expect("mdp module m x:bool; [] x = !x = x -> true; endmodule", &["not clear how far this `!` reaches"]);
    expect("mdp module m x:[0..1]; [] pow(x)=1 -> true; endmodule", &["`pow` has 2 operands, not 1"]);
    expect("mdp 3", &["expected a declaration"]);
    expect("mdp module m x:bool; [] P=? [ F x ] -> true; endmodule", &["`P` is a keyword"]);
}
