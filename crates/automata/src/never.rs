//! Büchi automata as never claims, for SPIN and for people.

use std::fmt::Write;

use crate::buchi::Buchi;

impl Buchi {
    /// A never claim in the syntax of Promela, with labels as SPIN makes them. Atoms without a name are shown as `a0`,
    /// `a1`, …; names are put in parentheses unless they are words, so that they may be expressions. `comment` says what
    /// the claim is about.
    pub fn never_claim(&self, names: &[String], comment: &str) -> String {
        // A comment cannot contain its own end.
        let comment = comment.replace("*/", "* /").replace('\n', " ");
        let mut text = format!("never {{ /* {comment} */\n");
        // The claim ends after `skip`: where everything is accepted comes last, once, and nothing comes after it.
        let others = (0..self.states.len()).filter(|s| *s != self.initial && !self.is_end(*s));
        let end = self.end_states().first().copied().filter(|_| !self.is_end(self.initial));
        let others = others.filter(|_| !self.is_end(self.initial));
        for state in std::iter::once(self.initial).chain(others).chain(end) {
            self.write_state(state, names, &mut text);
        }
        text.push_str("}\n");
        text
    }

    fn state_name(&self, state: usize) -> String {
        let accepting = self.states[state].accepting;
        if self.is_end(state) {
            return "accept_all".to_string(); // all of them are the same
        }
        match (accepting, state == self.initial) {
            (true, true) => "accept_init".to_string(),
            (true, false) => format!("accept_S{state}"),
            (false, true) => "T0_init".to_string(),
            (false, false) => format!("T0_S{state}"),
        }
    }

    fn write_state(&self, state: usize, names: &[String], text: &mut String) {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}:", self.state_name(state));
        if self.is_end(state) {
            text.push_str("\tskip\n");
            return;
        }
        let edges = &self.states[state].edges;
        if edges.is_empty() {
            // Nothing can be done here: the claim cannot go on, and the run is not accepted.
            text.push_str("\tfalse;\n");
            return;
        }
        text.push_str("\tdo\n");
        for edge in edges {
            let label = edge.label.text(|atom| atom_text(names, atom));
            let _ = writeln!(text, "\t:: ({label}) -> goto {}", self.state_name(edge.to));
        }
        text.push_str("\tod;\n");
    }
}

fn atom_text(names: &[String], atom: u32) -> String {
    match names.get(atom as usize) {
        None => format!("a{atom}"),
        Some(name) if name.chars().all(|c| c.is_alphanumeric() || c == '_') => name.clone(),
        Some(name) => format!("({name})"),
    }
}
