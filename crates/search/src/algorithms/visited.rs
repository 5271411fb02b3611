//! Parameters that the depth-first searches below a bound share: what is remembered of states.

use bughound_kernel::registry::{Args, Param, ParamKind};

use crate::engines::{BitArray, Remember};

/// 64 megabytes. With the usual functions, 20 million states set a tenth of them: about one state in 3000 is omitted.
const USUAL_BITS: u64 = 1 << 29;
pub(super) const USUAL_FUNCTIONS: u64 = 3;

pub(super) const VISITED: Param = Param {
    name: "visited",
    summary: "what is remembered: all states and their least costs, a few bits of each, or only those of the path",
    kind: ParamKind::Choice { options: &["exact", "bitstate", "none"] },
};

/// For searches that promise something.
pub(super) const VISITED_EXACTLY: Param = Param {
    name: "visited",
    summary: "what is remembered: all states and their least costs, or only those of the path",
    kind: ParamKind::Choice { options: &["exact", "none"] },
};

pub(super) const BITS: Param = Param {
    name: "bits",
    summary: "size of the bit array of bit-state hashing, rounded down to a power of two",
    kind: ParamKind::Integer { default: Some(USUAL_BITS), min: 64, max: 1 << 46 },
};

pub(super) fn remember(args: &Args, seed: u64) -> Remember {
    match args.choice("visited") {
        Some("bitstate") => Remember::Bits(bit_array(args, seed)),
        Some("none") => Remember::Path,
        _ => Remember::Exact,
    }
}

pub(super) fn bit_array(args: &Args, seed: u64) -> BitArray {
    BitArray {
        bits: args.integer("bits").unwrap_or(USUAL_BITS),
        functions: args.integer("functions").unwrap_or(USUAL_FUNCTIONS) as u32,
        seed,
    }
}
