//! Expressions that need nothing but the slots of a state.

use bughound_ir::expr::{apply_binary, apply_unary};

use crate::code::Code;

/// Can it be evaluated by [`plain_value`]?
pub(crate) fn is_plain(code: &Code) -> bool {
    match code {
        Code::Const(_) | Code::Global(_) | Code::GlobalEquals(..) | Code::GlobalConst(..) | Code::GlobalGlobal(..) => {
            true
        }
        Code::GlobalElement(index, ..) => is_plain(index),
        Code::Unary(_, e) | Code::BinaryConst(_, e, _) => is_plain(e),
        Code::Binary(_, a, b) | Code::And(a, b) | Code::Or(a, b) => is_plain(a) && is_plain(b),
        Code::Conditional(parts) => parts.iter().all(is_plain),
        _ => false,
    }
}

/// The value of plain code; `None` where it has none.
#[inline]
pub(crate) fn plain_value(key: &[i32], code: &Code) -> Option<i32> {
    Some(match code {
        Code::Const(value) => *value,
        Code::Global(slot) => key[*slot as usize],
        Code::GlobalEquals(slot, value) => (key[*slot as usize] == *value) as i32,
        Code::GlobalConst(op, slot, value) => return apply_binary(*op, key[*slot as usize], *value),
        Code::GlobalGlobal(op, a, b) => return apply_binary(*op, key[*a as usize], key[*b as usize]),
        code => return plain_rest(key, code),
    })
}

fn plain_rest(key: &[i32], code: &Code) -> Option<i32> {
    Some(match code {
        Code::GlobalElement(index, slot, len, stride) => {
            let index = plain_value(key, index)?;
            if index < 0 || index as u32 >= *len {
                return None;
            }
            key[(slot + index as u32 * stride) as usize]
        }
        Code::Unary(op, e) => apply_unary(*op, plain_value(key, e)?),
        Code::BinaryConst(op, a, b) => return apply_binary(*op, plain_value(key, a)?, *b),
        Code::Binary(op, a, b) => return apply_binary(*op, plain_value(key, a)?, plain_value(key, b)?),
        Code::And(a, b) => (plain_value(key, a)? != 0 && plain_value(key, b)? != 0) as i32,
        Code::Or(a, b) => (plain_value(key, a)? != 0 || plain_value(key, b)? != 0) as i32,
        Code::Conditional(parts) => {
            let [condition, then, otherwise] = &**parts;
            return plain_value(key, if plain_value(key, condition)? != 0 { then } else { otherwise });
        }
        simple => return plain_value(key, simple),
    })
}

/// Do all of these hold? `None` where the first that does not hold has no value.
#[inline]
pub(crate) fn plain_truth(key: &[i32], guards: &[Code]) -> Option<bool> {
    for guard in guards {
        if plain_value(key, guard)? == 0 {
            return Some(false);
        }
    }
    Some(true)
}
