//! How SPIN numbers a model. Its trails name statements, processes and claims by these numbers, so whoever writes or reads
//! trails must know them. The numbers of statements are at the edges: [`Edge::number`](crate::edge::Edge::number).

/// Numbers that belong to the model as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbering {
    /// Chains of statements were joined; a trail says so in its head.
    pub merged: bool,
    /// The claims of the model, those of its formulas included.
    pub claims: Vec<NumberedClaim>,
    /// Proctypes, `init`, trace assertions and claims together. A claim with this number is none of the model's: it is the
    /// one by which SPIN looks for cycles without progress.
    pub types: u32,
}

/// A claim, with its number among the process types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberedClaim {
    /// The name of the property.
    pub property: String,
    pub number: u32,
    /// The statements of the claim that SPIN makes of a formula `[] p`, if they are known: their numbers depend on the
    /// formulas before it.
    pub invariant: Option<InvariantClaim>,
}

/// What the claim of a formula `[] p` does in a state: nothing as long as `p` holds, then it asserts `p` in vain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvariantClaim {
    /// `true`
    pub waits: u32,
    /// `!p`
    pub sees: u32,
    /// `assert(p)`
    pub asserts: u32,
}

impl Numbering {
    /// The claim of a property.
    pub fn claim_of(&self, property: &str) -> Option<&NumberedClaim> {
        self.claims.iter().find(|claim| claim.property == property)
    }

    /// The property whose claim has this number.
    pub fn property_of(&self, number: u32) -> Option<&str> {
        self.claims.iter().find(|claim| claim.number == number).map(|claim| claim.property.as_str())
    }
}
