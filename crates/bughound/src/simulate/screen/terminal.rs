//! The terminal: taken over, and given back whatever happens.

use std::io::{Result, Stdout, stdout};

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{Event, KeyEventKind, read};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};

use super::super::interpreter::Interpreter;
use super::app::App;
use super::draw::draw;

/// The terminal in its special mode; dropped, also by a panic, it is as before.
struct TakenOver {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl TakenOver {
    fn new() -> Result<TakenOver> {
        enable_raw_mode()?;
        let entered = execute!(stdout(), EnterAlternateScreen)
            .and_then(|()| Terminal::new(CrosstermBackend::new(stdout())))
            .map(|terminal| TakenOver { terminal });
        if entered.is_err() {
            give_back();
        }
        entered
    }
}

impl Drop for TakenOver {
    fn drop(&mut self) {
        let _ = self.terminal.show_cursor();
        give_back();
    }
}

fn give_back() {
    let _ = execute!(stdout(), LeaveAlternateScreen);
    let _ = disable_raw_mode();
}

/// Runs the program until the user quits.
pub fn show(interpreter: &mut Interpreter<'_>) -> Result<()> {
    let mut screen = TakenOver::new()?;
    let mut app = App::new(interpreter);
    while !app.quit {
        screen.terminal.draw(|frame| draw(frame, &app))?;
        if let Event::Key(key) = read()?
            && key.kind != KeyEventKind::Release
        {
            app.press(key);
        }
    }
    Ok(())
}
