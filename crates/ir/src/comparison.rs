//! Comparisons read the other way round, and clock constraints as comparisons.

use crate::expr::BinaryOp;
use crate::types::Relation;

impl BinaryOp {
    /// The comparison that holds where this one does not; `None` if it is no comparison.
    pub fn opposite(self) -> Option<BinaryOp> {
        Some(match self {
            BinaryOp::Less => BinaryOp::GreaterEqual,
            BinaryOp::LessEqual => BinaryOp::Greater,
            BinaryOp::Greater => BinaryOp::LessEqual,
            BinaryOp::GreaterEqual => BinaryOp::Less,
            BinaryOp::Equal => BinaryOp::NotEqual,
            BinaryOp::NotEqual => BinaryOp::Equal,
            _ => return None,
        })
    }

    /// The comparison that says the same with its sides exchanged; `None` if it is no comparison.
    pub fn mirrored(self) -> Option<BinaryOp> {
        Some(match self {
            BinaryOp::Less => BinaryOp::Greater,
            BinaryOp::LessEqual => BinaryOp::GreaterEqual,
            BinaryOp::Greater => BinaryOp::Less,
            BinaryOp::GreaterEqual => BinaryOp::LessEqual,
            BinaryOp::Equal | BinaryOp::NotEqual => self,
            _ => return None,
        })
    }

    /// Is its value that of a comparison?
    pub fn is_comparison(self) -> bool {
        self.opposite().is_some()
    }
}

impl Relation {
    /// The same comparison of numbers.
    pub fn operator(self) -> BinaryOp {
        match self {
            Relation::Less => BinaryOp::Less,
            Relation::LessEqual => BinaryOp::LessEqual,
            Relation::Equal => BinaryOp::Equal,
            Relation::GreaterEqual => BinaryOp::GreaterEqual,
            Relation::Greater => BinaryOp::Greater,
        }
    }

    /// The relation of a comparison; `None` for `!=` and for what is no comparison.
    pub fn of(op: BinaryOp) -> Option<Relation> {
        Some(match op {
            BinaryOp::Less => Relation::Less,
            BinaryOp::LessEqual => Relation::LessEqual,
            BinaryOp::Equal => Relation::Equal,
            BinaryOp::GreaterEqual => Relation::GreaterEqual,
            BinaryOp::Greater => Relation::Greater,
            _ => return None,
        })
    }

    /// The relation that holds where this one does not. `None` for `==`: below and above it are two.
    pub fn opposite(self) -> Option<Relation> {
        self.operator().opposite().and_then(Relation::of)
    }

    /// The relation that says the same with its sides exchanged.
    pub fn mirrored(self) -> Relation {
        self.operator().mirrored().and_then(Relation::of).unwrap_or(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::apply_binary;

    const COMPARISONS: [BinaryOp; 6] = [
        BinaryOp::Less,
        BinaryOp::LessEqual,
        BinaryOp::Greater,
        BinaryOp::GreaterEqual,
        BinaryOp::Equal,
        BinaryOp::NotEqual,
    ];

    #[test]
    fn the_other_way_round_agrees_with_arithmetic() {
        for op in COMPARISONS {
            let (opposite, mirrored) = (op.opposite().unwrap(), op.mirrored().unwrap());
            for (a, b) in [(1, 2), (2, 2), (3, 2)] {
                let value = apply_binary(op, a, b).unwrap();
                assert_eq!(apply_binary(opposite, a, b), Some(1 - value), "{op:?}");
                assert_eq!(apply_binary(mirrored, b, a), Some(value), "{op:?}");
            }
            if let Some(relation) = Relation::of(op) {
                assert_eq!(relation.operator(), op);
                assert_eq!(relation.mirrored().operator(), mirrored);
                assert_eq!(
                    relation.opposite().map(Relation::operator),
                    Some(opposite).filter(|_| op != BinaryOp::Equal)
                );
            } else {
                assert_eq!(op, BinaryOp::NotEqual);
            }
        }
        for op in [BinaryOp::Add, BinaryOp::And, BinaryOp::Or, BinaryOp::BitXor] {
            assert!(!op.is_comparison() && op.mirrored().is_none() && Relation::of(op).is_none());
        }
    }
}
