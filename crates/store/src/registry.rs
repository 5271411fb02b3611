//! The stores that can be asked for by name, for states without covers.

/// How states without covers are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoreKind {
    /// Exact, and trees where memory runs short.
    #[default]
    Auto,
    Exact,
    Tree,
    /// A hash of each state.
    Compact,
    /// Exact, trees where memory runs short, and hashes where trees take too much.
    AutoLossy,
}

impl StoreKind {
    /// May it forget states that are not open? Then not every search can use it.
    pub fn forgets(self) -> bool {
        matches!(self, StoreKind::Compact | StoreKind::AutoLossy)
    }
}

/// A store with a name.
#[derive(Clone, Copy, Debug)]
pub struct StoreEntry {
    pub name: &'static str,
    pub summary: &'static str,
    /// Papers.
    pub cite: &'static str,
    pub kind: StoreKind,
}

/// All of them, the default first.
pub const ALL: [StoreEntry; 5] = [
    StoreEntry {
        name: "auto",
        summary: "exact while there is room; goes on as a tree, with what it has, when half of the memory is used up",
        cite: "",
        kind: StoreKind::Auto,
    },
    StoreEntry {
        name: "exact",
        summary: "every state by itself, packed by the domains of its variables",
        cite: "",
        kind: StoreKind::Exact,
    },
    StoreEntry {
        name: "tree",
        summary: "states as trees of pairs: parts that states share are kept once; the smallest for states with many variables",
        cite: "Laarman, van de Pol, Weber 2011",
        kind: StoreKind::Tree,
    },
    StoreEntry {
        name: "compact",
        summary: "64 bits of each state and the states that wait; of n states about n²/2^65 are missed, so it proves nothing",
        cite: "Wolper, Leroy 1993; Stern, Dill 1995",
        kind: StoreKind::Compact,
    },
    StoreEntry {
        name: "auto-lossy",
        summary: "as auto, and goes on as compact when trees take half of the memory that is left: from then on it proves nothing",
        cite: "",
        kind: StoreKind::AutoLossy,
    },
];

/// The store of this name.
pub fn find(name: &str) -> Option<StoreKind> {
    ALL.iter().find(|entry| entry.name == name).map(|entry| entry.kind)
}
