//! Input that wants to break the reader: a clear message, fast, and never a panic.

use std::time::{Duration, Instant};

use bughound_stochastic::prism::{MAX_FILE_BYTES, read};

use super::{read_with, said, with_properties};

#[track_caller]
fn said_fast(text: &str) -> String {
    let start = Instant::now();
    let result = read_with(text, "");
    let message = said(&result.diagnostics);
    assert_eq!(result.model.is_none(), message != "no error");
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    message
}

fn guarded(guard: &str) -> String {
    format!("mdp module m x : [0..3]; b : bool; [] {guard} -> true; endmodule")
}

#[test]
fn deep_nesting() {
    for open in ["(", "!", "!(", "-", "floor(", "b ? (", "min(1,"] {
        let message = said_fast(&guarded(&open.repeat(100_000)));
        assert!(message.contains("nested more than 200 deep"), "{open}: {message}");
    }
    for chain in ["b => ", "x ^ ", "b ? b : ", "b <=> ", "b = "] {
        let message = said_fast(&guarded(&format!("{}b", chain.repeat(100_000))));
        assert!(
            message.contains("nested more than") || message.contains("operators inside of one another"),
            "{chain}: {message}"
        );
    }
    let parentheses = format!("mdp module m x:bool; endmodule system {}m", "(".repeat(100_000));
    assert!(said_fast(&parentheses).contains("nested more than"));
    let hidden = format!("mdp module m x:bool; [a] x -> true; endmodule system m{} endsystem", "/{a}".repeat(100_000));
    assert!(said_fast(&hidden).contains("fewer changes"));
    let synchronised =
        format!("mdp module m x:bool; [a] x -> true; endmodule system {}m endsystem", "m |[a]| ".repeat(100_000));
    assert!(said_fast(&synchronised).contains("nested more than"));
    for open in ["P>=1 [ F ", "(", "F ", "filter(min, ", "E [ ", "<<a>> "] {
        let result = with_properties(&guarded("b"), &open.repeat(20_000), "");
        assert!(said(&result.diagnostics).contains("nested more than"), "{open}: {}", said(&result.diagnostics));
    }
    let result = with_properties(&guarded("b"), &format!("P=? [ {}b ]", "b U ".repeat(20_000)), "");
    assert!(said(&result.diagnostics).contains("operators inside of one another"));
}

#[test]
fn just_below_the_limits() {
    let high = format!("{}b", "b ? b : ".repeat(398));
    assert_eq!(said_fast(&guarded(&high)), "no error");
    assert_eq!(said_fast(&guarded(&format!("{}x > 0", "x - ".repeat(190)))), "no error");
    assert_eq!(said_fast(&guarded(&format!("{}b{}", "(".repeat(190), ")".repeat(190)))), "no error");
    // Formulas put them on top of one another, also in copies.
    let other = high.replace('b', "f");
    let half = format!("{}f", "b ? b : ".repeat(190));
    for guard in [&half, &other] {
        let text =
            format!("mdp formula f = {}b; module m b : bool; [] {guard} -> true; endmodule", "b ? b : ".repeat(198));
        said_fast(&text);
        said_fast(&format!("{text} module n = m [b=c] endmodule"));
    }
    let question = format!("P=? [ {}b{} ]", "F P>=1 [ ".repeat(60), " ]".repeat(60));
    said(&with_properties(&guarded("b"), &question, "").diagnostics);
    let until = format!("P=? [ {}b ]", "b U ".repeat(390));
    said(&with_properties(&guarded("b"), &until, "").diagnostics);
    let quantities = format!("{}b", "P>=1 [ F b ] => ".repeat(150));
    let result = with_properties(&guarded("b"), &quantities, "");
    assert_eq!(said(&result.diagnostics), "no error");
}

#[test]
fn high_definitions_on_top_of_one_another() {
    let formulas: String = (0..90).map(|i| format!("formula f{i} = {}f{};", "b ? b : ".repeat(390), i + 1)).collect();
    let text = format!("mdp {formulas} formula f90 = b; module m b : bool; [] f0 -> true; endmodule");
    assert!(said_fast(&text).contains("operators inside of one another"));
    assert!(said_fast(&format!("{text} module n = m [b=c] endmodule")).contains("operators inside of one another"));
    let constants: String = (0..90).map(|i| format!("const c{i} = {}c{};", "true ? 1 : ".repeat(390), i + 1)).collect();
    let text = format!("mdp {constants} const c90 = 0; module m x : [0..c0]; endmodule");
    assert!(said_fast(&text).contains("operators inside of one another"));
    let properties: String =
        (0..15).map(|i| format!("\"p{i}\": {}\"p{}\";", "P>=1 [ F b ] => ".repeat(150), i + 1)).collect();
    let result = with_properties(&guarded("b"), &format!("{properties} \"p15\": b"), "");
    assert!(said(&result.diagnostics).contains("operators inside of one another"));
}

#[test]
fn long_rows_are_no_problem() {
    for (operand, op) in [("b", " & "), ("b", " | "), ("x", "+")] {
        let row = vec![operand; 50_000].join(op);
        let guard = if operand == "x" { format!("{row} > 1") } else { row };
        assert_eq!(said_fast(&guarded(&guard)), "no error");
    }
    let arguments = vec!["x"; 50_000].join(",");
    assert_eq!(said_fast(&guarded(&format!("min({arguments}) > 1"))), "no error");
    let modules: String =
        (0..2000).map(|i| format!("module m{i} x{i} : bool; [a] x{i} -> true; endmodule\n")).collect();
    let system: Vec<String> = (0..2000).map(|i| format!("m{i}")).collect();
    assert_eq!(said_fast(&format!("mdp {modules} system {} endsystem", system.join("||"))), "no error");
}

#[test]
fn huge_numbers() {
    for number in [
        "1e999999999",
        "1e-999999999",
        "1e99999999999999999999999",
        &"9".repeat(100_000),
        &format!("0.{}", "9".repeat(100_000)),
    ] {
        let message = said_fast(&guarded(&format!("x < {number}")));
        assert!(message.contains("digits") || message.contains("32 bits"), "{message}");
    }
    for value in ["2.0^999999999", "0.5^-999999999", "(1/3)^100000000", "1e4000*1e4000*1e4000"] {
        said_fast(&guarded(&format!("x < {value}")));
        said_fast(&format!("dtmc const double p = {value}; module m x : bool; [] x -> p : true; endmodule"));
    }
    // Every constant is the square of the one before.
    let mut constants = "const double c0 = 1/3;".to_string();
    for i in 1..100 {
        constants += &format!("const double c{i} = c{0}*c{0};", i - 1);
    }
    let message = said_fast(&format!("dtmc {constants} module m x : bool; endmodule"));
    assert!(message.contains("the exact result is too long"), "{message}");
}

#[test]
fn definitions_that_explode() {
    let mut formulas = "formula f0 = x;".to_string();
    for i in 1..100 {
        formulas += &format!("formula f{i} = f{0}+f{0};", i - 1);
    }
    let module = "module m x : [0..3]; [] x < f99 -> true; endmodule";
    assert!(said_fast(&format!("mdp {formulas} {module}")).contains("operators"));
    assert!(said_fast(&format!("mdp {formulas} {module} module n = m [x=y] endmodule")).contains("operators"));
    let chain: String = (0..20_000).map(|i| format!("formula f{i} = f{}+1;", i + 1)).collect();
    let message =
        said_fast(&format!("mdp {chain} formula f20000 = x; module m x : [0..3]; [] x<f0 -> true; endmodule"));
    assert!(message.contains("definitions use one another"), "{message}");
    let backwards: String = (1..20_000).map(|i| format!("formula f{i} = f{}+x;", i - 1)).collect();
    let message =
        said_fast(&format!("mdp formula f0 = x; {backwards} module m x : [0..3]; [] x<f19999 -> true; endmodule"));
    assert!(message.contains("operators inside of one another"), "{message}");
    let constants: String = (0..20_000).map(|i| format!("const c{i} = c{}+1;", i + 1)).collect();
    let message = said_fast(&format!("mdp {constants} const c20000 = 0; module m x : [0..c0]; endmodule"));
    assert!(message.contains("definitions use one another"), "{message}");
    let copies: String = (0..5_000).map(|i| format!("module m{i} = m{} [x{}=x{i}] endmodule ", i + 1, i + 1)).collect();
    assert_eq!(said_fast(&format!("mdp {copies} module m5000 x5000 : bool; [] x5000 -> true; endmodule")), "no error");
    let circle: String = (0..5_000).map(|i| format!("module m{i} = m{} [x=y] endmodule ", (i + 1) % 5_000)).collect();
    assert!(said_fast(&format!("mdp {circle}")).contains("copy of itself"));
}

#[test]
fn texts_that_stop_anywhere() {
    let model = "mdp const int N = 2; formula f = x=1; global g : [0..1]; module m x : [0..N] init 0; [a] x=0 & !f -> 0.5 : (x'=1) + 0.5 : true; endmodule \
        module n = m [ x=y, a=b ] endmodule label \"l\" = f ? true : false; rewards \"r\" [a] true : min(1,2); endrewards system (m || n / {b}) {a<-c} endsystem";
    for end in (0..model.len()).filter(|end| model.is_char_boundary(*end)) {
        read_with(&model[..end], "");
        read_with(&model[end..], "");
        read_with(&format!("{}\"{}", &model[..end], &model[end..]), "");
        read_with(&format!("{}){}", &model[..end], &model[end..]), "");
    }
    let properties = "const int k; label \"q\" = x=1; \"a\": P>=0.5 [ b U<=k \"q\" {b}{min} ]; filter(min, R{\"r\"}max=? [ C<=3 ], \"init\"); <<a>> P=? [ F b ]; multi(E [ F b ])";
    let model = "dtmc module m x : [0..3]; b : bool; endmodule rewards \"r\" true : 1; endrewards";
    for end in 0..properties.len() {
        with_properties(model, &properties[..end], "k=3");
        with_properties(model, &properties[end..], "");
        with_properties(model, &format!("{}]{}", &properties[..end], &properties[end..]), "");
    }
}

#[test]
fn odd_texts() {
    for text in
        ["\0", "\u{feff}", "\"", "'", "//", "// RESULT (", "dtmc\0", "…", "mdp module", "init", "rewards \"", "system"]
    {
        read_with(text, "");
        with_properties("dtmc module m x : bool; endmodule", text, "");
    }
    for bytes in [&[0xff, 0xfe, 0x00][..], &[0xc3, 0x28]] {
        read(&mut Default::default(), "x", bytes, &[]);
    }
    let large = vec![b' '; MAX_FILE_BYTES + 1];
    let result = read(&mut Default::default(), "large.pm", &large, &[]);
    assert!(said(&result.diagnostics).contains("larger than 64 MiB"));
    for value in ["(", "1e999999999", "x", "1/0", "\"a\"", "", "true & 1", &"(".repeat(100_000)] {
        let constants = vec![("N".to_string(), value.to_string())];
        let result =
            read(&mut Default::default(), "a.pm", b"dtmc const int N; module m x:[0..N]; endmodule", &constants);
        assert!(result.model.is_none());
    }
}
