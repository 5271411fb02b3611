//! The plain prompt: commands in lines, answers in lines.

use std::io::{BufRead, Result, Write};

use super::interpreter::Interpreter;
use crate::printable::printable;

/// Longer lines are no commands.
const LONGEST_LINE: u64 = 1 << 16;

/// Reads commands until the end of the input or `quit`. Errors are those of the streams only.
pub fn prompt(interpreter: &mut Interpreter<'_>, input: &mut dyn BufRead, out: &mut dyn Write) -> Result<()> {
    show(out, &interpreter.choices())?;
    loop {
        write!(out, "> ")?;
        out.flush()?;
        let mut line = Vec::new();
        if std::io::Read::take(&mut *input, LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
            return writeln!(out);
        }
        let answer = interpreter.execute(&String::from_utf8_lossy(&line));
        show(out, &answer.lines)?;
        if answer.quit {
            return Ok(());
        }
        if answer.moved {
            show(out, &interpreter.choices())?;
        }
    }
}

fn show(out: &mut dyn Write, lines: &[String]) -> Result<()> {
    for line in lines {
        writeln!(out, "{}", printable(line.trim_end()))?;
    }
    Ok(())
}
