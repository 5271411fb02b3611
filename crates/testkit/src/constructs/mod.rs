//! Which language constructs does a Promela program use?
//!
//! [`constructs`] reads a program with the front end and walks its syntax tree: what is counted is what is there, not what
//! a generator meant to write. [`Counts`] adds up constructs and pairs of them over many programs: in one program, in one
//! expression, in one `d_step`.
//!
//! `cargo run --release -p bughound-testkit --example constructs -- 0 5000` prints the tables.

mod counts;
mod expressions;
mod tables;
mod walk;

use std::collections::BTreeSet;

use bughound_ir::source::SourceMap;
use bughound_promela::{Options, parse};

pub use counts::{Counts, Table};
pub use tables::{ALL, CORE};

/// The constructs of a program: in all of it, and in each of its expressions and `d_step`s.
#[derive(Clone, Debug, Default)]
pub struct Found {
    pub program: BTreeSet<&'static str>,
    pub expressions: Vec<BTreeSet<&'static str>>,
    pub d_steps: Vec<BTreeSet<&'static str>>,
}

/// The constructs that occur in a program. `Err`: the messages of the front end.
pub fn constructs(source: &str) -> Result<Found, String> {
    let mut sources = SourceMap::default();
    let no_files = |_: &std::path::Path| Err(std::io::Error::from(std::io::ErrorKind::NotFound));
    let parsed = parse(&mut sources, "model.pml", source.as_bytes(), &Options::default(), &no_files);
    let Some(model) = parsed.ast else {
        return Err(parsed.diagnostics.iter().map(|d| d.message.as_str()).collect::<Vec<_>>().join("; "));
    };
    let mut found = walk::walk(&model);
    // What the preprocessor does away with is in no tree.
    for line in source.lines().map(str::trim_start) {
        if let Some(definition) = line.strip_prefix("#define ") {
            let name = definition.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
            let with_arguments = definition[name.len()..].starts_with('(');
            found.program.insert(if with_arguments { "define with arguments" } else { "define" });
        } else if line.starts_with("#if") {
            found.program.insert("conditional text");
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::{WIDE_SEEDS, wide_features};
    use crate::random_promela::{Features, generate};

    #[test]
    fn a_small_program() {
        let found = constructs(
            "/* do */ chan q = [0] of { mtype, byte }; mtype = { A, B };\nactive [2] proctype P() { byte x;\n atomic { \
             q?A(x); if :: (x < 2) -> goto L1 :: else fi };\nL1: x = (x -> 1 : 0); q!B(x) }",
        );
        let found = found.unwrap().program;
        for name in
            ["rendezvous", "atomic: receive", "atomic: goto", "message notation", "send", "label", "conditional"]
        {
            assert!(found.contains(name), "{name} in {found:?}");
        }
        assert!(!found.contains("do") && !found.contains("d_step"));
    }

    #[test]
    fn what_stands_together() {
        let found = constructs(
            "byte g; chan q = [2] of { byte };
             proctype W() { byte v }
             active proctype P() {
               byte g;
               (q??[1] && !q??[2] && W[1]:v < 2147483647) || q?[eval(g)];
               d_step { q?1; q?2; g = 10 / g } }",
        );
        let found = found.unwrap();
        for name in [
            "several polls of one channel in an expression",
            "several receives of one channel in a d_step",
            "poll that is negated",
            "poll in a disjunction",
            "remote reference to a process that comes and goes",
            "division by what varies",
            "large number",
            "local that shadows a global",
        ] {
            assert!(found.program.contains(name), "{name} in {:?}", found.program);
        }
        assert!(found.expressions.iter().any(|e| e.contains("random poll") && e.contains("remote variable")));
        assert!(!found.expressions.iter().any(|e| e.contains("random poll") && e.contains("/")));
        assert!(found.d_steps.len() == 1 && found.d_steps[0].contains("receive") && found.d_steps[0].contains("/"));
    }

    #[test]
    fn every_core_construct_is_generated() {
        let mut counts = Counts::default();
        (0..500).for_each(|seed| counts.add(&generate(seed, &Features::CORE)));
        let missing: Vec<_> = CORE.iter().filter(|c| counts.in_programs.single(c) == 0).collect();
        assert!(missing.is_empty(), "never generated: {missing:?}");
    }

    #[test]
    fn every_switch_shows_its_construct() {
        for (name, feature, construct) in [
            ("last", Features::LAST, "variable _last"),
            ("remote", Features::REMOTE, "remote variable"),
            ("unless", Features::UNLESS, "unless"),
            ("provided", Features::PROVIDED, "provided"),
            ("priority", Features::PRIORITY, "set_priority"),
            ("D_proctype", Features::D_PROCTYPE, "D_proctype"),
            ("visibility", Features::VISIBILITY, "hidden"),
            ("exclusive", Features::XR_XS, "xr"),
            ("unsigned", Features::UNSIGNED, "type unsigned"),
            ("subtypes", Features::MTYPE_SUBTYPES, "mtype subtype"),
            ("enabled", Features::ENABLED, "enabled"),
            ("pc_value", Features::PC_VALUE, "pc_value"),
            ("never", Features::NEVER, "never"),
            ("ltl", Features::LTL, "ltl"),
            ("trace", Features::TRACE, "trace"),
            ("polls", Features::POLLS, "several receives of one channel in a d_step"),
            ("dynamic", Features::DYNAMIC, "remote reference to a process that comes and goes"),
            ("initialised", Features::VISIBILITY | Features::INITIALISED, "hidden with an initial value"),
            ("shadow", Features::SHADOW, "local of a block that shadows a global"),
            ("wide", Features::WIDE, "printm"),
        ] {
            let shows = |seed, features: Features| {
                let source = generate(seed, &features);
                constructs(&source).unwrap_or_else(|why| panic!("{why}\n{source}")).program.contains(construct)
            };
            assert!((0..60).any(|seed| shows(seed, feature)), "{name}");
            assert!((0..60).all(|seed| !shows(seed, Features::CORE)), "{name} without its switch");
        }
    }

    /// What the random tests never see they cannot find wrong.
    #[test]
    fn no_construct_and_no_pair_is_never_generated() {
        let mut counts = Counts::default();
        WIDE_SEEDS.for_each(|seed| counts.add(&generate(seed, &wide_features(seed))));
        assert!(counts.rejected.is_empty(), "{} rejected: {:?}", counts.rejected.len(), counts.rejected.first());
        for (name, table) in counts.tables() {
            assert!(table.missing().is_empty(), "never in {name}: {:#?}", table.missing());
            assert!(table.refuted().is_empty(), "possible after all in {name}: {:#?}", table.refuted());
        }
    }
}
