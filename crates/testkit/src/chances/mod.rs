//! Random models with chances in PRISM's language, and questions about them: Bughound beside brute force.
//!
//! [`models`] makes a tree ([`syntax`]) with random [`expressions`] in it, [`mod@print`] makes a text of it in PRISM's language and
//! [`jani`] one in JANI, which Bughound reads. The oracle never sees these texts: [`meaning`] evaluates the tree, [`space`] enumerates its states with exact numbers, and
//! [`oracle`] answers random [`queries`] (made by [`asking`]) by linear algebra over fractions ([`chain`]), by making schedulers
//! better ([`decisions`]), and by power series with a bound on their rest ([`series`]), and by counting what was earned ([`earning`]). [`comparison`] puts both side by side. [`storm`] asks Storm, where it is installed.

pub mod asking;
pub mod chain;
pub mod comparison;
pub mod constructs;
pub mod decisions;
pub mod earning;
pub mod expressions;
pub mod facade;
pub mod for_storm;
pub mod jani;
pub mod jani_properties;
pub mod meaning;
pub mod models;
pub mod oracle;
pub mod print;
pub mod queries;
pub mod series;
pub mod space;
pub mod storm;
pub mod syntax;
