//! Times, sizes and counts: as users write them and as they are shown.

use std::time::Duration;

pub use bughound::numbers::{count, counted, grouped};

/// `30s`, `500ms`, `5m`, `2h`, `1.5h`; a number alone is seconds.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let factor = match unit {
        "ms" => 0.001,
        "" | "s" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86400.0,
        _ => return Err("expected a time such as 500ms, 30s, 5m or 2h".into()),
    };
    let seconds = number.parse::<f64>().map_err(|_| "expected a time such as 30s, 5m or 2h")? * factor;
    Duration::try_from_secs_f64(seconds).map_err(|_| "the time is out of range".into())
}

/// `512M`, `4G`, `4GiB`, `1.5g`; powers of 1024; a number alone is bytes.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text);
    let shift = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return Err("expected a size such as 512M or 4G".into()),
    };
    let number: f64 = number.parse().map_err(|_| "expected a size such as 512M or 4G")?;
    let bytes = number * (1u64 << shift) as f64;
    if (1.0..u64::MAX as f64).contains(&bytes) { Ok(bytes as u64) } else { Err("the size is out of range".into()) }
}

fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    (&text[..at], text[at..].trim())
}

/// `12.3 MB`
pub fn bytes(n: u64) -> String {
    match n {
        0..1024 => format!("{n} B"),
        1024..1_048_576 => format!("{:.1} KB", n as f64 / 1024.0),
        1_048_576..1_073_741_824 => format!("{:.1} MB", n as f64 / 1_048_576.0),
        _ => format!("{:.2} GB", n as f64 / 1_073_741_824.0),
    }
}

/// `0.012 s`, `12.3 s`, `5 min 12 s`
pub fn time(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    if seconds < 1.0 {
        format!("{seconds:.3} s")
    } else if seconds < 120.0 {
        format!("{seconds:.1} s")
    } else {
        let whole = elapsed.as_secs();
        let (h, m, s) = (whole / 3600, whole / 60 % 60, whole % 60);
        if h > 0 { format!("{h} h {m} min") } else { format!("{m} min {s} s") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!(parse_duration("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(parse_duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(parse_duration("7"), Ok(Duration::from_secs(7)));
        assert!(parse_duration("-1s").is_err() && parse_duration("s").is_err() && parse_duration("3x").is_err());
        assert!(parse_duration("1e99").is_err() && parse_duration(&"9".repeat(400)).is_err());
    }

    #[test]
    fn sizes() {
        assert_eq!(parse_bytes("4G"), Ok(4 << 30));
        assert_eq!(parse_bytes("512 MiB"), Ok(512 << 20));
        assert_eq!(parse_bytes("100"), Ok(100));
        assert!(parse_bytes("0").is_err() && parse_bytes("4X").is_err() && parse_bytes("").is_err());
    }

    #[test]
    fn shown() {
        assert_eq!(bytes(1536), "1.5 KB");
        assert_eq!(time(Duration::from_secs(3725)), "1 h 2 min");
    }
}
