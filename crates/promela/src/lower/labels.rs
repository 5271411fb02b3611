//! The labels of a body, by name and by block.

use std::collections::HashMap;

use bughound_ir::source::Span;

use super::elements::ElemId;
use crate::ast::Name;

#[derive(Clone, Debug)]
pub struct LabelPlace {
    pub name: Name,
    /// Numbers of the blocks around it, from the outermost to its own.
    pub scope: Vec<u32>,
    pub element: ElemId,
    pub span: Span,
}

impl LabelPlace {
    /// Its name starts with `accept`, `end` or `progress`.
    fn is_special(&self) -> bool {
        ["accept", "end", "progress"].iter().any(|prefix| self.name.starts_with(prefix))
    }
}

/// All labels of a body, in the order in which they were set.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    places: Vec<LabelPlace>,
    by_name: HashMap<Name, Namesakes>,
}

/// Labels with the same name, by their positions in the list.
#[derive(Clone, Debug)]
struct Namesakes {
    latest: usize,
    /// The first one of each block.
    by_block: HashMap<u32, usize>,
}

impl Labels {
    pub fn add(&mut self, label: LabelPlace) {
        let at = self.places.len();
        let namesakes = self
            .by_name
            .entry(label.name.clone())
            .or_insert_with(|| Namesakes { latest: at, by_block: HashMap::new() });
        namesakes.latest = at;
        namesakes.by_block.entry(block_of(&label.scope)).or_insert(at);
        self.places.push(label);
    }

    pub fn iter(&self) -> impl Iterator<Item = &LabelPlace> {
        self.places.iter()
    }

    /// The label with this name in the same block, else in the closest block around, else anywhere in the body.
    pub fn find(&self, name: &str, scope: &[u32]) -> Option<ElemId> {
        let namesakes = self.by_name.get(name)?;
        let around = scope.iter().rev().find_map(|block| namesakes.by_block.get(block));
        Some(self.places[*around.unwrap_or(&namesakes.latest)].element)
    }

    /// The label with this name in this very block.
    pub fn in_block(&self, name: &str, scope: &[u32]) -> Option<&LabelPlace> {
        let at = self.by_name.get(name)?.by_block.get(&block_of(scope))?;
        Some(&self.places[*at])
    }

    /// The label with this name that was set last.
    pub fn latest(&self, name: &str) -> Option<ElemId> {
        self.by_name.get(name).map(|namesakes| self.places[namesakes.latest].element)
    }

    /// Has the element, which got its labels last, one that makes its place special?
    pub fn is_special(&self, element: ElemId) -> bool {
        self.just_set(element).any(LabelPlace::is_special)
    }

    /// Gives the last label of an element, which got its labels last, to another one. Says whether the element has others.
    pub fn move_last(&mut self, from: ElemId, to: ElemId) -> bool {
        if let Some(label) = self.places.last_mut()
            && label.element == from
        {
            label.element = to;
        }
        self.places.iter().rev().skip(1).take_while(|l| l.element == from).next().is_some()
    }

    fn just_set(&self, element: ElemId) -> impl Iterator<Item = &LabelPlace> {
        self.places.iter().rev().take_while(move |label| label.element == element)
    }
}

/// Blocks are numbered within a body, so the innermost one tells all.
fn block_of(scope: &[u32]) -> u32 {
    scope.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(places: &[(&str, &[u32])]) -> Labels {
        let mut labels = Labels::default();
        for (at, (name, scope)) in places.iter().enumerate() {
            let element = ElemId(at as u32);
            labels.add(LabelPlace { name: (*name).into(), scope: scope.to_vec(), element, span: Span::default() });
        }
        labels
    }

    #[test]
    fn the_closest_block_around_wins() {
        let labels = labels(&[("L", &[0, 1]), ("L", &[0, 1, 2]), ("M", &[0, 1, 3]), ("L", &[0, 1, 4])]);
        assert_eq!(labels.find("L", &[0, 1]), Some(ElemId(0)));
        assert_eq!(labels.find("L", &[0, 1, 2, 5]), Some(ElemId(1)));
        assert_eq!(labels.find("L", &[0, 1, 3]), Some(ElemId(0)));
        assert_eq!(labels.find("M", &[0, 1]), Some(ElemId(2))); // in no block around
        assert_eq!(labels.find("N", &[0, 1]), None);
        assert_eq!(labels.latest("L"), Some(ElemId(3)));
        assert!(labels.in_block("L", &[0, 1, 3]).is_none());
        assert_eq!(labels.in_block("L", &[0, 1, 4]).map(|l| l.element), Some(ElemId(3)));
    }

    #[test]
    fn one_label_moves() {
        let mut labels = labels(&[("x", &[0]), ("end", &[0])]);
        assert!(labels.is_special(ElemId(1)) && !labels.is_special(ElemId(0)));
        assert!(!labels.move_last(ElemId(1), ElemId(7)));
        assert_eq!(labels.find("end", &[0]), Some(ElemId(7)));
    }
}
