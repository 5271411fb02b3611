//! The state of the full-screen program, and its keys.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::super::command::Command;
use super::super::interpreter::Interpreter;

/// Which text fills the large pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    History,
    Chart,
    Help,
}

/// What the screen shows beside the session itself.
pub struct App<'i, 'm> {
    pub interpreter: &'i mut Interpreter<'m>,
    /// The choice under the cursor, from 0.
    pub selected: usize,
    pub view: View,
    /// Lines back from the end, and columns from the left, in the large pane.
    pub back: usize,
    pub right: usize,
    /// A command that is being typed.
    pub typing: Option<String>,
    /// What the last command said.
    pub message: Vec<String>,
    pub quit: bool,
}

impl<'i, 'm> App<'i, 'm> {
    pub fn new(interpreter: &'i mut Interpreter<'m>) -> App<'i, 'm> {
        App {
            interpreter,
            selected: 0,
            view: View::History,
            back: 0,
            right: 0,
            typing: None,
            message: vec!["Enter takes a choice, ? shows the keys".into()],
            quit: false,
        }
    }

    /// One key.
    pub fn press(&mut self, key: KeyEvent) {
        if key.modifiers.contains(KeyModifiers::CONTROL) && matches!(key.code, KeyCode::Char('c' | 'd')) {
            self.quit = true;
        } else if self.typing.is_some() {
            self.type_key(key.code);
        } else {
            self.command_key(key.code);
        }
    }

    fn type_key(&mut self, code: KeyCode) {
        let Some(typed) = &mut self.typing else { return };
        match code {
            KeyCode::Esc => self.typing = None,
            KeyCode::Backspace if typed.is_empty() => self.typing = None,
            KeyCode::Backspace => drop(typed.pop()),
            KeyCode::Char(c) => typed.push(c),
            KeyCode::Enter => {
                let line = std::mem::take(typed);
                self.typing = None;
                match super::super::command::parse(&line) {
                    Ok(command) => self.perform(command),
                    Err(message) => self.message = vec![message],
                }
            }
            _ => {}
        }
    }

    fn command_key(&mut self, code: KeyCode) {
        let choices = self.interpreter.session().choices().len();
        match code {
            KeyCode::Up | KeyCode::Char('k') => self.selected = self.selected.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => self.selected = (self.selected + 1).min(choices.saturating_sub(1)),
            KeyCode::Enter => self.perform(Command::Take(self.selected + 1)),
            KeyCode::Char(digit @ '1'..='9') => self.perform(Command::Take(digit as usize - '0' as usize)),
            KeyCode::Char('u') | KeyCode::Backspace => self.perform(Command::Undo(1)),
            KeyCode::Char('r') => self.perform(Command::Random(1)),
            KeyCode::Char('R') => self.perform(Command::Random(10)),
            KeyCode::Char('c') => self.show(View::Chart),
            KeyCode::Char('?' | 'h') | KeyCode::F(1) => self.show(View::Help),
            KeyCode::Char(':') => self.typing = Some(String::new()),
            KeyCode::Char('w') => self.typing = Some("watch ".into()),
            KeyCode::Char('n') => self.typing = Some("until ".into()),
            KeyCode::Char('s') => self.typing = Some("save ".into()),
            KeyCode::PageUp => self.back += 10,
            KeyCode::PageDown => self.back = self.back.saturating_sub(10),
            KeyCode::Left => self.right = self.right.saturating_sub(8),
            KeyCode::Right => self.right += 8,
            KeyCode::End => (self.back, self.right) = (0, 0),
            KeyCode::Esc => self.view = View::History,
            KeyCode::Char('q') => self.quit = true,
            _ => {}
        }
    }

    /// Shows a view, or leaves it if it is shown.
    fn show(&mut self, view: View) {
        self.view = if self.view == view { View::History } else { view };
        (self.back, self.right) = (0, 0);
    }

    fn perform(&mut self, command: Command) {
        if command == Command::Chart {
            return self.show(View::Chart);
        }
        if command == Command::Help {
            return self.show(View::Help);
        }
        let answer = self.interpreter.perform(command);
        self.quit |= answer.quit;
        if answer.moved {
            (self.selected, self.back) = (0, 0);
        }
        self.message = answer.lines;
    }
}
