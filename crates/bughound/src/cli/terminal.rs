//! The room that there is on the terminal.

use std::io::IsTerminal;

/// Columns of a stream that is a terminal; `None` if it is none, or does not tell.
pub fn columns(stream: &impl IsTerminal) -> Option<usize> {
    let size = stream.is_terminal().then(ratatui::crossterm::terminal::size)?;
    size.ok().map(|(columns, _)| columns as usize).filter(|columns| *columns > 0)
}
