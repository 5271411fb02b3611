//! A lower bound of an affine function over a zone, without working memory.
//!
//! The exact minimum is the cost of a cheapest flow (see `bughound_dbm::priced`); every flow that meets the needs gives a
//! lower bound. This one sends goods first where that is worth most.

use bughound_dbm::Zone;

/// Instead of an upper bound that is none, when ways are compared.
const FAR: i128 = 1 << 40;

/// At most the least value of `Σ factors[i] · x_i` over the zone; `factors[0]` does not count. Nothing if there is no
/// bound. Uses up the factors.
pub fn lower_bound(zone: Zone<'_>, factors: &mut [i64]) -> Option<i128> {
    let highest = |clock: usize| zone.bound(clock, 0).constant().map(i128::from);
    let lowest = |clock: usize| -zone.bound(0, clock).constant().map_or(0, i128::from);
    let mut value = 0;
    loop {
        let mut best: Option<(i128, usize, usize, i128)> = None;
        for falling in (1..factors.len()).filter(|clock| factors[*clock] < 0) {
            for rising in (1..factors.len()).filter(|clock| factors[*clock] > 0) {
                let Some(difference) = zone.bound(falling, rising).constant().map(i128::from) else { continue };
                let gain = highest(falling).unwrap_or(FAR) - lowest(rising) - difference;
                if gain > 0 && best.is_none_or(|(most, ..)| gain > most) {
                    best = Some((gain, falling, rising, difference));
                }
            }
        }
        let Some((_, falling, rising, difference)) = best else { break };
        let amount = factors[rising].min(-factors[falling]);
        factors[rising] -= amount;
        factors[falling] += amount;
        value -= i128::from(amount) * difference;
    }
    for (clock, factor) in factors.iter().enumerate().skip(1) {
        let factor = i128::from(*factor);
        value += match factor {
            0 => 0,
            1.. => factor * lowest(clock),
            _ => factor * highest(clock)?,
        };
    }
    Some(value)
}
