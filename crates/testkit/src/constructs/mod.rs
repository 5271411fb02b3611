//! Which language constructs does a Promela program use?
//!
//! A rough reader of tokens with a stack of blocks, meant for the coverage of random programs; it is not a parser.

mod tables;

use std::collections::BTreeSet;

pub use tables::CORE_CONSTRUCTS;
use tables::{OPERATORS, WORDS};

/// A kind of nesting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    Atomic,
    DStep,
    Do,
    If,
    Plain,
    Body,
    Other,
}

/// The constructs that occur in a program.
pub fn constructs(source: &str) -> BTreeSet<&'static str> {
    let tokens = tokenize(source);
    let mut reader = Reader { tokens: &tokens, found: BTreeSet::new(), blocks: Vec::new() };
    for at in 0..tokens.len() {
        reader.word(at);
        reader.operator(at);
        reader.nesting(at);
    }
    reader.found
}

struct Reader<'a> {
    tokens: &'a [String],
    found: BTreeSet<&'static str>,
    blocks: Vec<Block>,
}

impl Reader<'_> {
    fn at(&self, i: usize) -> &str {
        self.tokens.get(i).map_or("", String::as_str)
    }

    fn before(&self, i: usize, distance: usize) -> &str {
        if i >= distance { self.at(i - distance) } else { "" }
    }

    fn inside(&self, block: Block) -> bool {
        self.blocks.contains(&block)
    }

    fn note(&mut self, condition: bool, name: &'static str) {
        if condition {
            self.found.insert(name);
        }
    }

    /// Keywords and what stands around them.
    fn word(&mut self, i: usize) {
        let word = self.at(i).to_string();
        if let Some(&(_, name)) = WORDS.iter().find(|(w, _)| *w == word) {
            self.found.insert(name);
        }
        let (next, after, third) = (self.at(i + 1).to_string(), self.at(i + 2).to_string(), self.at(i + 3).to_string());
        let in_body = self.inside(Block::Body);
        match word.as_str() {
            "active" => self.note(next == "[", "active array"),
            "mtype" => self.note(next == ":", "mtype subtype"),
            "P0" => self.note(next == "[", "remote reference"),
            "run" => {
                self.note(self.before(i, 1) == "=", "run: in expression");
                self.note(self.inside(Block::Atomic), "run: in atomic");
            }
            "goto" => self.note(self.inside(Block::Atomic), "atomic: goto"),
            "break" => self.note(self.inside(Block::Atomic), "atomic: break"),
            "timeout" => self.note(self.inside(Block::Atomic), "atomic: timeout"),
            "for" => {
                self.note(third == ":", "for: range");
                let array = self.tokens.windows(2).any(|w| w[0] == self.at(i + 4) && w[1] == "[");
                self.note(third == "in" && array, "for: array");
                self.note(third == "in" && !array, "for: channel");
            }
            "chan" => {
                let local = in_body;
                self.note(true, "channel");
                let parameter = !local && matches!(self.before(i, 1), "(" | ";") && matches!(after.as_str(), ")" | ";");
                self.note(parameter, "channel parameter");
                self.note(after == "[", "channel array");
                let init = if after == "[" { i + 5 } else { i + 2 };
                self.note(local && self.at(init) == "=" && self.at(init + 1) == "[", "channel local");
                self.note(local && self.at(init + 1) != "[", "channel alias");
                self.note(self.at(init + 1) == "[" && self.at(init + 2) == "0", "rendezvous");
                self.note(matches!(self.before(i, 1), "{" | ","), "channel field");
            }
            "of" => self.note(after == "Msg", "struct message"),
            "byte" | "short" | "int" | "bit" | "bool" | "pid" => {
                self.note(after == "[", "array");
                self.note(after == "[" && self.at(i + 5) == "=" && self.at(i + 6) == "{", "array initialiser");
                self.note(in_body && self.before(i, 1) == ";" && next.starts_with('t'), "declaration in a body");
            }
            "proctype" => self.note(after == "(" && third != ")", "proctype parameter"),
            _ => {
                let is_name = word.starts_with(|c: char| c.is_ascii_alphabetic());
                if is_name && next == ":" && in_body && matches!(self.before(i, 1), ";" | "{" | "->" | ":" | "}") {
                    self.note(true, if word.starts_with("end") { "end label" } else { "label" });
                }
            }
        }
    }

    fn operator(&mut self, i: usize) {
        let op = self.at(i).to_string();
        if let Some(&(_, name)) = OPERATORS.iter().find(|(o, _)| *o == op) {
            self.found.insert(name);
        }
        if op == "->" && self.at_conditional(i) {
            self.found.insert("arithmetic: conditional");
        }
        let previous = self.before(i, 1).to_string();
        let operand = previous == "]" || previous.starts_with(|c: char| c.is_ascii_alphabetic());
        let send = matches!(op.as_str(), "!" | "!!") && operand;
        let receive = op.starts_with('?') && !op.ends_with('[');
        if !send && !receive {
            return;
        }
        self.note(send && op == "!", "send");
        let symbol = matches!(self.at(i + 1), "A" | "B" | "C" | "apple" | "pear");
        self.note(symbol && self.at(i + 2) == "(", "message notation");
        let start = if previous == "]" { self.opening(i - 1).saturating_sub(1) } else { i - 1 };
        let first = self.before(start, 1) == "{";
        let kind = if first { self.before(start, 2).to_string() } else { String::new() };
        self.note(send && kind == "atomic", "atomic: send first");
        self.note(receive && kind == "atomic", "atomic: receive first");
        self.note(receive && kind == "d_step", "d_step: receive first");
        let inside = self.inside(Block::Atomic) && kind != "atomic";
        self.note(send && inside, "atomic: send inside");
        self.note(receive && inside, "atomic: receive inside");
    }

    /// Does an arrow belong to `(c -> a : b)`? Then its parenthesis also contains a single colon.
    fn at_conditional(&self, i: usize) -> bool {
        let mut depth = 0;
        for token in &self.tokens[i + 1..] {
            match token.as_str() {
                "(" => depth += 1,
                ")" if depth == 0 => return false,
                ")" => depth -= 1,
                ":" if depth == 0 => return true,
                ";" | "::" | "{" | "}" => return false,
                _ => {}
            }
        }
        false
    }

    /// The position of the bracket that matches the closing one at `i`.
    fn opening(&self, i: usize) -> usize {
        let mut depth = 0;
        for j in (0..=i).rev() {
            match self.at(j) {
                "]" => depth += 1,
                "[" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return j;
            }
        }
        0
    }

    fn nesting(&mut self, i: usize) {
        let token = self.at(i).to_string();
        let atomic = self.inside(Block::Atomic);
        let d_step = self.inside(Block::DStep);
        match token.as_str() {
            "do" => {
                self.note(atomic, "atomic: do");
                self.note(d_step, "d_step: do");
                self.note(self.inside(Block::Do), "nested loop");
                self.blocks.push(Block::Do);
            }
            "if" => {
                self.note(atomic, "atomic: if");
                self.note(d_step, "d_step: if");
                self.blocks.push(Block::If);
            }
            "od" | "fi" => {
                self.blocks.pop();
                let last = self.at(i + 1) == "}" && self.blocks.last() == Some(&Block::Atomic);
                self.note(last, "atomic: ends with if or do");
            }
            "{" => {
                let block = match self.before(i, 1) {
                    "atomic" => Block::Atomic,
                    "d_step" => Block::DStep,
                    "=" | "of" | "Rec" | "In" | "Msg" | "fruit" => Block::Other,
                    "init" | "never" => Block::Body,
                    ";" | "->" | "::" | "{" => Block::Plain,
                    _ if self.blocks.is_empty() => Block::Body,
                    _ => Block::Other,
                };
                self.note(block == Block::Atomic && atomic, "nested atomic");
                self.note(block == Block::DStep && atomic, "d_step: nested in atomic");
                self.note(block == Block::Plain, "block");
                self.blocks.push(block);
            }
            "}" => {
                self.blocks.pop();
            }
            _ => {}
        }
    }
}

/// Split into names, numbers, strings and operators; comments are dropped.
fn tokenize(source: &str) -> Vec<String> {
    let chars: Vec<char> = source.chars().collect();
    let mut tokens = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        let start = i;
        let c = chars[i];
        if c == '/' && chars.get(i + 1) == Some(&'*') {
            i += 2;
            while i < chars.len() && !(chars[i] == '*' && chars.get(i + 1) == Some(&'/')) {
                i += 1;
            }
            i += 2;
            continue;
        }
        if c.is_whitespace() {
            i += 1;
            continue;
        }
        if c.is_ascii_alphanumeric() || c == '_' {
            while i < chars.len() && (chars[i].is_ascii_alphanumeric() || chars[i] == '_') {
                i += 1;
            }
        } else if c == '"' {
            i += 1;
            while i < chars.len() && chars[i] != '"' {
                i += 1;
            }
            i += 1;
        } else {
            const LONG: &[&str] = &[
                "??[", "??<", "??", "?[", "?<", "!!", "!=", "==", "<=", ">=", "<<", ">>", "->", "::", "++", "--", "&&",
                "||", "..",
            ];
            let rest: String = chars[i..chars.len().min(i + 3)].iter().collect();
            i += LONG.iter().find(|op| rest.starts_with(**op)).map_or(1, |op| op.len());
        }
        tokens.push(chars[start..i.min(chars.len())].iter().collect());
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_promela::{Features, generate};

    #[test]
    fn a_small_program() {
        let found = constructs(
            "/* do */ chan q = [0] of { mtype, byte };\nactive [2] proctype P() { byte x;\n atomic { q?A(x); \
             if :: (x < 2) -> goto L1 :: else fi };\nL1: x = (x -> 1 : 0); q!B(x) }",
        );
        for name in ["rendezvous", "atomic: receive first", "atomic: goto", "message notation", "send", "label"] {
            assert!(found.contains(name), "{name} in {found:?}");
        }
        assert!(found.contains("arithmetic: conditional") && found.contains("atomic: ends with if or do"));
        assert!(!found.contains("do") && !found.contains("d_step"));
    }

    #[test]
    fn every_core_construct_is_generated() {
        let mut seen = BTreeSet::new();
        for seed in 0..500 {
            seen.extend(constructs(&generate(seed, &Features::CORE)));
        }
        let missing: Vec<_> = CORE_CONSTRUCTS.iter().filter(|c| !seen.contains(**c)).collect();
        assert!(missing.is_empty(), "never generated: {missing:?}");
    }

    #[test]
    fn every_switch_shows_its_construct() {
        for (name, feature, construct) in [
            ("last", Features::LAST, "variable _last"),
            ("remote", Features::REMOTE, "remote reference"),
            ("unless", Features::UNLESS, "unless"),
            ("provided", Features::PROVIDED, "provided"),
            ("priority", Features::PRIORITY, "set_priority"),
            ("D_proctype", Features::D_PROCTYPE, "D_proctype"),
            ("visibility", Features::VISIBILITY, "hidden"),
            ("exclusive", Features::XR_XS, "xr"),
            ("unsigned", Features::UNSIGNED, "unsigned"),
            ("subtypes", Features::MTYPE_SUBTYPES, "mtype subtype"),
            ("enabled", Features::ENABLED, "enabled"),
            ("pc_value", Features::PC_VALUE, "pc_value"),
            ("never", Features::NEVER, "never"),
            ("ltl", Features::LTL, "ltl"),
            ("trace", Features::TRACE, "trace"),
        ] {
            let shown = (0..60).any(|seed| constructs(&generate(seed, &feature)).contains(construct));
            assert!(shown, "{name}");
            let absent = (0..60).all(|seed| !constructs(&generate(seed, &Features::CORE)).contains(construct));
            assert!(absent, "{name} without its switch");
        }
    }
}
