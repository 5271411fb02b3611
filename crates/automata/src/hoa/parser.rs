//! The grammar of the format.

use std::collections::{HashMap, HashSet};

use crate::label::{Label, MOST_ATOMS};

use super::HoaError;
use super::lexer::{Place, Token, tokens};

/// Parentheses and negations may nest so deep.
const DEEPEST: usize = 300;
/// States without labels list one edge per letter: for no more atoms than this.
const MOST_IMPLICIT_ATOMS: usize = 12;
/// Acceptance sets have numbers below this.
pub(super) const MOST_SETS: usize = 64;

/// An acceptance condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Acceptance {
    Constant(bool),
    /// The set, or its complement, is visited infinitely often.
    Inf {
        set: usize,
        complement: bool,
    },
    /// The set, or its complement, is visited finitely often.
    Fin {
        set: usize,
        complement: bool,
    },
    And(Vec<Acceptance>),
    Or(Vec<Acceptance>),
}

pub(super) struct RawEdge {
    pub label: Label,
    pub to: usize,
    /// Acceptance sets as bits.
    pub sets: u64,
}

pub(super) struct RawState {
    pub number: usize,
    pub sets: u64,
    pub edges: Vec<RawEdge>,
}

/// An automaton as it is written.
pub(super) struct Raw {
    pub name: Option<String>,
    pub atoms: Vec<String>,
    pub starts: Vec<usize>,
    pub acceptance: Acceptance,
    /// Where the acceptance condition is written.
    pub acceptance_at: Place,
    pub states: Vec<RawState>,
}

struct Parser {
    tokens: Vec<(Token, Place)>,
    position: usize,
    depth: usize,
    atoms: Vec<String>,
    aliases: HashMap<String, Label>,
    state_count: Option<usize>,
    set_count: usize,
}

pub(super) fn parse(text: &str) -> Result<Raw, HoaError> {
    let tokens = tokens(text)?;
    // An automaton that was aborted is not there; the next one may be.
    let end = tokens.iter().position(|(token, _)| *token == Token::EndOfAutomaton);
    let aborted = tokens[..end.unwrap_or(tokens.len())].iter().rposition(|(token, _)| *token == Token::Abort);
    let position = match aborted {
        Some(abort) if end.is_none() => return Err(tokens[abort].1.error("the automaton was aborted by its writer")),
        Some(abort) => abort + 1,
        None => 0,
    };
    let mut parser = Parser {
        tokens,
        position,
        depth: 0,
        atoms: Vec::new(),
        aliases: HashMap::new(),
        state_count: None,
        set_count: 0,
    };
    parser.automaton()
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.position].0
    }

    fn place(&self) -> Place {
        self.tokens[self.position].1
    }

    fn take(&mut self) -> Token {
        let token = self.peek().clone();
        // The end of the file is not passed.
        if token != Token::EndOfFile {
            self.position += 1;
        }
        token
    }

    fn take_sign(&mut self, sign: char) -> bool {
        let there = *self.peek() == Token::Sign(sign);
        if there {
            self.position += 1;
        }
        there
    }

    fn expect_sign(&mut self, sign: char) -> Result<(), HoaError> {
        if self.take_sign(sign) { Ok(()) } else { Err(self.place().error(format!("\"{sign}\" is missing here"))) }
    }

    fn number(&mut self, what: &str) -> Result<usize, HoaError> {
        let place = self.place();
        match self.take() {
            Token::Number(number) => Ok(number),
            _ => Err(place.error(format!("{what} should stand here, a number"))),
        }
    }

    fn deeper(&mut self) -> Result<(), HoaError> {
        self.depth += 1;
        if self.depth > DEEPEST { Err(self.place().error("this is nested too deep")) } else { Ok(()) }
    }

    fn automaton(&mut self) -> Result<Raw, HoaError> {
        let place = self.place();
        if self.take() != Token::Header("HOA".to_string()) {
            return Err(place.error("an automaton in this format begins with \"HOA: v1\""));
        }
        let place = self.place();
        if !matches!(self.take(), Token::Word(version) if version == "v1") {
            return Err(place.error("only version v1 of the format is known"));
        }
        let (mut name, mut starts, mut acceptance) = (None, Vec::new(), None);
        loop {
            let place = self.place();
            match self.take() {
                Token::Body => break,
                Token::Header(header) => match header.as_str() {
                    "States" => self.state_count = Some(self.number("how many states there are")?),
                    "Start" => {
                        starts.push((self.number("a state")?, place));
                        self.no_alternation()?;
                    }
                    "AP" => self.atom_names(place)?,
                    "Alias" => self.alias()?,
                    "Acceptance" => acceptance = Some((self.acceptance()?, place)),
                    "name" => {
                        if let Token::Text(text) = self.take() {
                            name = Some(text);
                        } else {
                            return Err(place.error("the name of the automaton should be a text in quotes"));
                        }
                    }
                    // A capital letter means: the automaton cannot be understood without this.
                    other if other.starts_with(|c: char| c.is_ascii_uppercase()) => {
                        return Err(place.error(format!("the header \"{other}:\" is not known")));
                    }
                    _ => self.skip_values(),
                },
                _ => return Err(place.error("a header or \"--BODY--\" should stand here")),
            }
        }
        let place = self.place();
        let (acceptance, acceptance_at) = acceptance.ok_or_else(|| place.error("the header has no \"Acceptance:\""))?;
        let mut states = Vec::new();
        let mut defined = HashSet::new();
        while *self.peek() != Token::EndOfAutomaton {
            let place = self.place();
            let state = self.state()?;
            if !defined.insert(state.number) {
                return Err(place.error(format!("state {} is defined twice", state.number)));
            }
            states.push(state);
        }
        for (start, place) in &starts {
            self.check_state(*start, *place)?;
        }
        let starts = starts.into_iter().map(|(start, _)| start).collect();
        Ok(Raw { name, atoms: std::mem::take(&mut self.atoms), starts, acceptance, acceptance_at, states })
    }

    fn skip_values(&mut self) {
        while matches!(self.peek(), Token::Word(_) | Token::Text(_) | Token::Number(_)) {
            self.take();
        }
    }

    fn no_alternation(&self) -> Result<(), HoaError> {
        if *self.peek() == Token::Sign('&') {
            return Err(self.place().error("alternating automata are not supported"));
        }
        Ok(())
    }

    fn check_state(&self, state: usize, place: Place) -> Result<(), HoaError> {
        match self.state_count {
            Some(count) if state >= count => Err(place.error(format!("there is no state {state}: there are {count}"))),
            _ => Ok(()),
        }
    }

    fn atom_names(&mut self, place: Place) -> Result<(), HoaError> {
        let count = self.number("how many atoms there are")?;
        if count > MOST_ATOMS {
            return Err(place.error(format!("there are more than {MOST_ATOMS} atoms")));
        }
        while let Token::Text(name) = self.peek() {
            let name = name.clone();
            self.atoms.push(name);
            self.take();
        }
        if self.atoms.len() != count {
            return Err(place.error(format!("{count} atoms are announced, but there are {} names", self.atoms.len())));
        }
        Ok(())
    }

    fn alias(&mut self) -> Result<(), HoaError> {
        let place = self.place();
        let Token::Alias(name) = self.take() else { return Err(place.error("\"@\" and a name should stand here")) };
        let label = self.condition(true)?;
        self.aliases.insert(name, label);
        Ok(())
    }

    /// A condition on atoms, or its negation.
    fn condition(&mut self, positive: bool) -> Result<Label, HoaError> {
        let mut label = self.conjunction(positive)?;
        let place = self.place();
        while self.take_sign('|') {
            let other = self.conjunction(positive)?;
            let both = if positive { label.or(&other) } else { label.and(&other) };
            label = both.ok_or_else(|| place.error("this condition has too many cases"))?;
        }
        Ok(label)
    }

    fn conjunction(&mut self, positive: bool) -> Result<Label, HoaError> {
        let mut label = self.literal(positive)?;
        let place = self.place();
        while self.take_sign('&') {
            let other = self.literal(positive)?;
            let both = if positive { label.and(&other) } else { label.or(&other) };
            label = both.ok_or_else(|| place.error("this condition has too many cases"))?;
        }
        Ok(label)
    }

    fn literal(&mut self, mut positive: bool) -> Result<Label, HoaError> {
        while self.take_sign('!') {
            positive = !positive;
        }
        let place = self.place();
        let constant = |value: bool| if value == positive { Label::always() } else { Label::never() };
        match self.take() {
            Token::Word(word) if word == "t" => Ok(constant(true)),
            Token::Word(word) if word == "f" => Ok(constant(false)),
            Token::Number(atom) if atom < self.atoms.len() => {
                Label::literal(atom as u32, positive).ok_or_else(|| place.error("this atom has too large a number"))
            }
            Token::Number(atom) => {
                Err(place.error(format!("there is no atom {atom}: \"AP:\" lists {}", self.atoms.len())))
            }
            Token::Alias(name) => {
                let label =
                    self.aliases.get(&name).ok_or_else(|| place.error(format!("\"@{name}\" is not defined")))?;
                if positive {
                    return Ok(label.clone());
                }
                label.negated().ok_or_else(|| place.error("this condition has too many cases"))
            }
            Token::Sign('(') => {
                self.deeper()?;
                let label = self.condition(positive)?;
                self.expect_sign(')')?;
                self.depth -= 1;
                Ok(label)
            }
            _ => Err(place.error("a condition should stand here")),
        }
    }

    fn acceptance(&mut self) -> Result<Acceptance, HoaError> {
        let place = self.place();
        self.set_count = self.number("how many acceptance sets there are")?;
        if self.set_count > MOST_SETS {
            return Err(place.error(format!("there are more than {MOST_SETS} acceptance sets")));
        }
        self.acceptance_or()
    }

    fn acceptance_or(&mut self) -> Result<Acceptance, HoaError> {
        let mut parts = vec![self.acceptance_and()?];
        while self.take_sign('|') {
            parts.push(self.acceptance_and()?);
        }
        Ok(if parts.len() > 1 { Acceptance::Or(parts) } else { parts.swap_remove(0) })
    }

    fn acceptance_and(&mut self) -> Result<Acceptance, HoaError> {
        let mut parts = vec![self.acceptance_part()?];
        while self.take_sign('&') {
            parts.push(self.acceptance_part()?);
        }
        Ok(if parts.len() > 1 { Acceptance::And(parts) } else { parts.swap_remove(0) })
    }

    fn acceptance_part(&mut self) -> Result<Acceptance, HoaError> {
        let place = self.place();
        match self.take() {
            Token::Word(word) if word == "t" => Ok(Acceptance::Constant(true)),
            Token::Word(word) if word == "f" => Ok(Acceptance::Constant(false)),
            Token::Word(word) if word == "Inf" || word == "Fin" => {
                self.expect_sign('(')?;
                let complement = self.take_sign('!');
                let set = self.set()?;
                self.expect_sign(')')?;
                let often = word == "Inf";
                Ok(if often { Acceptance::Inf { set, complement } } else { Acceptance::Fin { set, complement } })
            }
            Token::Sign('(') => {
                self.deeper()?;
                let inner = self.acceptance_or()?;
                self.expect_sign(')')?;
                self.depth -= 1;
                Ok(inner)
            }
            _ => Err(place.error("\"Inf\", \"Fin\", \"t\" or \"f\" should stand here")),
        }
    }

    fn set(&mut self) -> Result<usize, HoaError> {
        let place = self.place();
        let set = self.number("an acceptance set")?;
        if set >= self.set_count {
            return Err(place.error(format!("there is no acceptance set {set}: there are {}", self.set_count)));
        }
        Ok(set)
    }

    /// `{0 2}`, if it is there.
    fn sets(&mut self) -> Result<u64, HoaError> {
        let mut sets = 0;
        if self.take_sign('{') {
            while !self.take_sign('}') {
                sets |= 1 << self.set()?;
            }
        }
        Ok(sets)
    }

    /// `[…]`, if it is there.
    fn label(&mut self) -> Result<Option<Label>, HoaError> {
        if !self.take_sign('[') {
            return Ok(None);
        }
        let label = self.condition(true)?;
        self.expect_sign(']')?;
        Ok(Some(label))
    }

    fn state(&mut self) -> Result<RawState, HoaError> {
        let place = self.place();
        if self.take() != Token::Header("State".to_string()) {
            return Err(place.error("\"State:\" or \"--END--\" should stand here"));
        }
        let of_state = self.label()?;
        let number = self.number("the number of the state")?;
        self.check_state(number, place)?;
        if matches!(self.peek(), Token::Text(_)) {
            self.take();
        }
        let sets = self.sets()?;
        let mut edges = Vec::new();
        let mut implicit = Vec::new();
        while matches!(self.peek(), Token::Sign('[') | Token::Number(_)) {
            let at = self.place();
            let label = self.label()?;
            if label.is_some() && of_state.is_some() {
                return Err(at.error("the state has a label already"));
            }
            let to = self.number("a state")?;
            self.check_state(to, at)?;
            self.no_alternation()?;
            let sets = self.sets()?;
            match label.or_else(|| of_state.clone()) {
                Some(label) => edges.push(RawEdge { label, to, sets }),
                None => implicit.push((to, sets)),
            }
        }
        if !implicit.is_empty() {
            if !edges.is_empty() {
                return Err(place.error("either all edges of a state have a label or none"));
            }
            edges = self.with_letters(implicit, place)?;
        }
        Ok(RawState { number, sets, edges })
    }

    /// Edges without labels are listed in the order of the letters: the first atom changes fastest.
    fn with_letters(&self, edges: Vec<(usize, u64)>, place: Place) -> Result<Vec<RawEdge>, HoaError> {
        let atoms = self.atoms.len();
        if atoms > MOST_IMPLICIT_ATOMS || edges.len() != 1 << atoms {
            let message = format!("the state needs labels, or one edge per letter: 2^{atoms}, and not {}", edges.len());
            return Err(place.error(message));
        }
        let label = |letter: usize| {
            (0..atoms).try_fold(Label::always(), |label, atom| {
                label.and(&Label::literal(atom as u32, letter >> atom & 1 == 1)?)
            })
        };
        let with_letter = edges.into_iter().enumerate().map(|(letter, (to, sets))| {
            let label = label(letter).ok_or_else(|| place.error("there are too many atoms"))?;
            Ok(RawEdge { label, to, sets })
        });
        with_letter.collect()
    }
}
