//! The abstract state of a state: a tree of questions, each whether the value of a variable is in a set.

use bughound_finite::relation::Value;

use super::sets::contains;

#[derive(Clone, Copy)]
enum Node {
    State(u32),
    /// Where the set begins among the words; the node if the value is in it, and the one if not.
    Question {
        variable: u32,
        set: u32,
        inside: u32,
        outside: u32,
    },
}

pub struct Tree {
    nodes: Vec<Node>,
    words: Vec<u64>,
    /// By abstract state: its node.
    places: Vec<u32>,
}

impl Tree {
    /// One abstract state for all.
    pub fn new() -> Tree {
        Tree { nodes: vec![Node::State(0)], words: Vec::new(), places: vec![0] }
    }

    /// A new abstract state, with the next number, has those values of the old one that are in the set.
    pub fn split(&mut self, old: u32, variable: u32, set: &[u64]) {
        let (inside, outside) = (self.nodes.len() as u32, self.nodes.len() as u32 + 1);
        let question = Node::Question { variable, set: self.words.len() as u32, inside, outside };
        self.words.extend_from_slice(set);
        let new = self.places.len() as u32;
        self.nodes.extend([Node::State(new), Node::State(old)]);
        self.nodes[self.places[old as usize] as usize] = question;
        self.places[old as usize] = outside;
        self.places.push(inside);
    }

    /// The abstract state of a state with these values; none if one that is asked for is not known.
    #[inline]
    pub fn state(&self, value: impl Fn(u32) -> Option<Value>) -> Option<u32> {
        let mut node = self.nodes[0];
        loop {
            match node {
                Node::State(state) => return Some(state),
                Node::Question { variable, set, inside, outside } => {
                    let next = if contains(&self.words[set as usize..], value(variable)?) { inside } else { outside };
                    node = self.nodes[next as usize];
                }
            }
        }
    }

    pub fn memory(&self) -> u64 {
        (self.nodes.len() * size_of::<Node>() + self.words.len() * 8 + self.places.len() * 4) as u64
    }
}
