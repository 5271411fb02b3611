//! The switches of the random program generator.

use std::fmt;
use std::ops::{BitOr, Sub};

/// A set of language features that a random program may use.
///
/// The value `CORE` is always included: the other switches are added to it, for instance
/// `Features::CORE | Features::UNLESS`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Features(u32);

macro_rules! features {
    ($($(#[$doc:meta])* $name:ident = $bit:expr;)*) => {
        impl Features {
            $($(#[$doc])* pub const $name: Features = Features(1 << $bit);)*
            /// Every separate switch with its name.
            pub const SWITCHES: &'static [(&'static str, Features)] = &[$((stringify!($name), Features::$name)),*];
        }
    };
}

features! {
    /// `_last`.
    LAST = 0;
    /// Remote references `P[pid]@label` and `P[pid]:variable` in proctype bodies (and claims).
    REMOTE = 1;
    /// Array indices that may be out of range, and divisors that may be zero.
    EVAL_ERRORS = 2;
    /// Operations on channel variables that may be uninitialised.
    UNINIT_CHAN = 3;
    /// `unless`, around statements and sequences, nested, inside `atomic`.
    UNLESS = 4;
    /// `provided` clauses.
    PROVIDED = 5;
    /// `priority`, `_priority`, `set_priority`, `get_priority`.
    PRIORITY = 6;
    /// `D_proctype`.
    D_PROCTYPE = 7;
    /// `hidden`, `show` and `local` variables.
    VISIBILITY = 8;
    /// `xr` and `xs`.
    XR_XS = 9;
    /// `unsigned x : n`.
    UNSIGNED = 10;
    /// `mtype:name`.
    MTYPE_SUBTYPES = 11;
    /// `enabled(pid)`.
    ENABLED = 12;
    /// `pc_value(pid)`.
    PC_VALUE = 13;
    /// A never claim that makes an assertion or ends. The verifier must be compiled without `-DNOCLAIM`.
    NEVER = 14;
    /// `ltl p { [] expression }`. The verifier must be compiled without `-DNOCLAIM`.
    LTL = 15;
    /// A `trace` or `notrace` declaration.
    TRACE = 16;
    /// Messages sent to a full channel are lost: the source is the same, SPIN gets the flag `-m`.
    LOSSY = 17;
    /// `if` and `do` inside `d_step` whose guards overlap (SPIN takes the first that is executable).
    NONDET_DSTEP = 18;
    /// Several polls or receives of one channel in one condition, expression or `d_step`.
    POLLS = 19;
    /// Processes that are started and end, so that their numbers are used again, and remote references to them. SPIN reads
    /// whatever lies where a process is not.
    DYNAMIC = 20;
    /// Initial values nearly everywhere, also of hidden variables.
    INITIALISED = 21;
    /// Numbers at the limits of types and beyond.
    LARGE = 22;
    /// Local names that hide global ones, in processes and in blocks. SPIN refuses many of them as declared twice.
    SHADOW = 23;
    /// Conditions in claims that have no value in some states.
    UNDEFINED_CLAIMS = 24;
    /// All leaves and operators together in one expression, all statements in one `d_step`, the rest of the grammar, and
    /// what SPIN does not combine or gets wrong.
    WIDE = 25;
}

impl Features {
    /// The core language only.
    pub const CORE: Features = Features(0);

    /// Is every switch of `other` on?
    /// All of them but those.
    pub fn without(self, others: Features) -> Features {
        Features(self.0 & !others.0)
    }

    pub fn has(self, other: Features) -> bool {
        self.0 & other.0 == other.0
    }

    /// Does the program contain a never claim, so that the verifier must be compiled without `-DNOCLAIM`?
    pub fn has_claim(self) -> bool {
        self.has(Features::NEVER) || self.has(Features::LTL)
    }

    /// Can SPIN's answers on such programs be believed?
    pub fn is_for_spin(self) -> bool {
        let others = [Features::DYNAMIC, Features::SHADOW, Features::UNDEFINED_CLAIMS, Features::WIDE];
        !others.into_iter().any(|other| self.has(other))
    }

    /// The flags for `spin` that belong to the feature set.
    pub fn spin_flags(self) -> Vec<String> {
        if self.has(Features::LOSSY) { vec!["-m".to_string()] } else { Vec::new() }
    }

    /// The switch with this name, in upper or lower case (`core` is the empty set).
    pub fn by_name(name: &str) -> Option<Features> {
        if name.eq_ignore_ascii_case("core") {
            return Some(Features::CORE);
        }
        Self::SWITCHES.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|&(_, f)| f)
    }
}

impl BitOr for Features {
    type Output = Features;
    fn bitor(self, other: Features) -> Features {
        Features(self.0 | other.0)
    }
}

impl Sub for Features {
    type Output = Features;
    fn sub(self, other: Features) -> Features {
        Features(self.0 & !other.0)
    }
}

impl fmt::Debug for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CORE")?;
        for (name, _) in Self::SWITCHES.iter().filter(|&&(_, x)| self.has(x)) {
            write!(f, "|{name}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_and_names() {
        let set = Features::CORE | Features::UNLESS | Features::LTL;
        assert!(set.has(Features::LTL) && set.has(Features::CORE) && !set.has(Features::NEVER));
        assert!(set.has_claim() && !(set - Features::LTL).has_claim());
        assert_eq!(format!("{set:?}"), "CORE|UNLESS|LTL");
        assert_eq!(Features::by_name("unless"), Some(Features::UNLESS));
        assert_eq!(Features::by_name("core"), Some(Features::CORE));
        assert_eq!(Features::by_name("nothing"), None);
        assert_eq!(Features::LOSSY.spin_flags(), ["-m"]);
        assert!(set.is_for_spin() && !(set | Features::DYNAMIC).is_for_spin());
    }
}
