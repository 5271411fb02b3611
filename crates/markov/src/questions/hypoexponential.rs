//! The probability that several steps, one after the other, take no longer than some time.
//!
//! A sum of exponentially distributed times is the time in which a chain without branches gets to its end. By uniformisation with
//! the largest rate q: after n of the events that come with rate q, the chain is at its end with a probability that one pass
//! computes. All terms are positive, so nothing cancels, whether rates are equal, close or far apart. For display: rounded, not
//! enclosed. Takes about (q·t + k)·k operations for k steps.

/// No more events are looked at.
const MOST_EVENTS: f64 = 2e6;

/// Exp(r₁) + … + Exp(r_k) ≤ t; nothing if that takes too many events.
pub fn hypoexponential(rates: &[f64], time: f64) -> Option<f64> {
    let fastest = rates.iter().copied().fold(0.0, f64::max);
    if rates.is_empty() {
        return Some(1.0);
    }
    if time <= 0.0 || fastest <= 0.0 {
        return Some(0.0);
    }
    let mean = fastest * time;
    // Far beyond the mean of the number of events nothing is left.
    let last = mean + 12.0 * mean.sqrt() + 40.0;
    if last > MOST_EVENTS {
        return None;
    }
    let mut at = vec![0.0; rates.len() + 1];
    at[0] = 1.0;
    let mut log_weight = -mean;
    let mut sum = 0.0;
    let mut weights = 0.0;
    for event in 0..=last as usize {
        let weight = log_weight.exp();
        sum += weight * at[rates.len()];
        weights += weight;
        for step in (0..rates.len()).rev() {
            let moves = at[step] * (rates[step] / fastest);
            at[step] -= moves;
            at[step + 1] += moves;
        }
        log_weight += mean.ln() - ((event + 1) as f64).ln();
    }
    // The weights are 1 together; what rounding has added to all of them is taken off again.
    Some((sum / weights).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::hypoexponential;

    #[test]
    fn sums_of_exponential_times() {
        let near = |a: Option<f64>, b: f64| assert!(a.is_some_and(|a| (a - b).abs() < 1e-9), "{a:?} {b}");
        near(hypoexponential(&[2.0], 0.7), 1.0 - (-1.4f64).exp());
        // Erlang with two steps.
        near(hypoexponential(&[3.0, 3.0], 0.5), 1.0 - (-1.5f64).exp() * 2.5);
        // Two rates: 1 − (b·e^(−a·t) − a·e^(−b·t)) / (b − a).
        let (a, b, t) = (1.0f64, 4.0f64, 0.8f64);
        near(hypoexponential(&[a, b], t), 1.0 - (b * (-a * t).exp() - a * (-b * t).exp()) / (b - a));
        near(hypoexponential(&[], 1.0), 1.0);
        near(hypoexponential(&[1.0], 0.0), 0.0);
        assert!(hypoexponential(&[1e4, 1e-3, 5.0], 100.0).unwrap() < 0.1);
        assert_eq!(hypoexponential(&[1.0, 2.0], 1e9), None);
        // A million events: weights of the first ones are far too small for a number, and the rounding of all of them shows.
        let (a, b, t) = (0.01f64, 1e4f64, 100.0f64);
        let exact = 1.0 - (b * (-a * t).exp() - a * (-b * t).exp()) / (b - a);
        assert!(hypoexponential(&[a, b], t).is_some_and(|value| (value - exact).abs() < 1e-7));
        near(hypoexponential(&[1e4], 100.0), 1.0);
        // As many steps as there are on average: Γ(1000) at 1000.
        near(hypoexponential(&vec![1000.0; 1000], 1.0), 0.504_205_244_180_215_5);
    }
}
