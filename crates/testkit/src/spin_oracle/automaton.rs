//! The automata that SPIN made of the proctypes, as the verifier lists them with `pan -d`.

/// One transition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpinTransition {
    /// Name of the proctype, or `init`, or of a claim.
    pub proctype: String,
    pub from: usize,
    /// 0 for the end of the process.
    pub to: usize,
    /// SPIN's number of the statement's code; equal statements share one.
    pub code: usize,
    /// SPIN's number of the statement, as trails name it.
    pub id: u32,
    /// The statement in SPIN's notation.
    pub text: String,
    pub line: usize,
    /// `A`: the source state belongs to an atomic sequence that goes on.
    pub atomic: bool,
    /// `D`: a d_step.
    pub d_step: bool,
    /// Labels of the source state.
    pub progress: bool,
    pub end: bool,
    pub accept: bool,
    /// `L`: the statement touches nothing global.
    pub local: bool,
}

/// All automata of a model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpinAutomaton {
    pub transitions: Vec<SpinTransition>,
}

impl SpinAutomaton {
    /// Understand the output of `pan -d`; lines of another form are skipped.
    pub fn parse(text: &str) -> Self {
        let mut automaton = SpinAutomaton::default();
        let mut proctype = String::new();
        for line in text.lines() {
            let trimmed = line.trim();
            if let Some(transition) = parse_transition(trimmed, &proctype) {
                automaton.transitions.push(transition);
            } else if !line.starts_with(['\t', ' ']) && !trimmed.contains(':') {
                let mut words = trimmed.split_whitespace();
                match (words.next(), words.next()) {
                    (Some("proctype" | "claim" | "never" | "trace" | "notrace"), Some(name)) => {
                        proctype = name.to_string()
                    }
                    (Some("init"), None) => proctype = "init".to_string(),
                    _ => {}
                }
            }
        }
        automaton
    }

    /// The names of the proctypes in the order of the listing.
    pub fn proctypes(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for t in &self.transitions {
            if !names.contains(&t.proctype.as_str()) {
                names.push(&t.proctype);
            }
        }
        names
    }

    /// The transitions of one proctype.
    pub fn of<'a>(&'a self, proctype: &'a str) -> impl Iterator<Item = &'a SpinTransition> + 'a {
        self.transitions.iter().filter(move |t| t.proctype == proctype)
    }
}

/// `state   3 -(tr   8)-> state   2  [id   0 tp   3] [A---G] m.pml:5 => x = (x+1)`
fn parse_transition(line: &str, proctype: &str) -> Option<SpinTransition> {
    let (head, statement) = line.split_once(" => ")?;
    let (from, rest) = head.strip_prefix("state")?.split_once("-(tr")?;
    let (code, rest) = rest.split_once(")->")?;
    let (to, rest) = rest.trim().strip_prefix("state")?.split_once("[id")?;
    let (id, rest) = rest.split_once("] [")?;
    let (flags, place) = rest.split_once(']')?;
    let line = place.rsplit(':').next()?.trim().parse().ok()?;
    let flags: Vec<char> = flags.chars().collect();
    if flags.len() != 5 {
        return None;
    }
    Some(SpinTransition {
        proctype: proctype.to_string(),
        from: from.trim().parse().ok()?,
        to: to.trim().parse().ok()?,
        code: code.trim().parse().ok()?,
        id: id.split_whitespace().next()?.parse().ok()?,
        text: statement.trim().to_string(),
        line,
        atomic: flags[0] == 'A',
        d_step: flags[0] == 'D',
        accept: flags[1] == 'a',
        end: flags[2] == 'e',
        progress: flags[3] == 'p',
        local: flags[4] == 'L',
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing() {
        let text = "proctype P\n\tstate   3 -(tr   8)-> state   2  [id   0 tp   3] [A---G] m.pml:5 => x = (x+1)\n\
            \tstate  14 -(tr  16)-> state   0  [id  13 tp 3500] [--e-L] m.pml:6 => -end-\ninit\n\
            \tstate   1 -(tr   3)-> state   2  [id  14 tp 504] [----G] m.pml:9 => (run P())\n\n\
            Transition Type: A=atomic; D=d_step; L=local; G=global\n";
        let automaton = SpinAutomaton::parse(text);
        assert_eq!(automaton.proctypes(), ["P", "init"]);
        let first = &automaton.transitions[0];
        assert!(first.atomic && !first.local && (first.from, first.to, first.line) == (3, 2, 5));
        assert_eq!((first.text.as_str(), first.id), ("x = (x+1)", 0));
        let second = automaton.of("P").nth(1).unwrap();
        assert!(second.end && second.local && second.to == 0);
    }
}
