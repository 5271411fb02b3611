//! The full-screen program: choices, state, history, output and chart in panes.
//!
//! - `app`: what is shown and what keys do, without any terminal; `draw`: the panes; `terminal`: the real thing.

mod app;
mod draw;
mod terminal;

pub use app::App;
pub use draw::draw;
pub use terminal::show;

#[cfg(test)]
mod tests {
    use bughound_kernel::StopSignal;

    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::*;
    use crate::language::Language;
    use crate::model::{ModelOptions, load_text};
    use crate::simulate::{Interpreter, Session};

    const MODEL: &str = "byte x; chan q = [1] of { byte };
        active proctype P() { do :: x < 3 -> x++; printf(\"x is %d\\n\", x) :: q!x od }
        active proctype Q() { byte y; do :: q?y od }";

    /// Presses keys one after the other and returns the screen behind the last.
    fn screen(size: (u16, u16), keys: &[KeyCode]) -> (String, bool) {
        let options = ModelOptions::default();
        let model = load_text("m.pml", MODEL.as_bytes(), Language::Promela, &options).unwrap();
        let stop = StopSignal::default();
        let session = Session::new(&model.network, 1).unwrap();
        let mut interpreter = Interpreter::new(&model, &options, session, 100, &stop);
        let mut app = App::new(&mut interpreter);
        let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
        for key in keys {
            terminal.draw(|frame| draw(frame, &app)).unwrap();
            app.press(KeyEvent::new(*key, KeyModifiers::NONE));
        }
        terminal.draw(|frame| draw(frame, &app)).unwrap();
        (terminal.backend().to_string(), app.quit)
    }

    fn typed(text: &str) -> Vec<KeyCode> {
        text.chars().map(|c| if c == '\n' { KeyCode::Enter } else { KeyCode::Char(c) }).collect()
    }

    #[test]
    fn panes_show_the_run() {
        let (before, _) = screen((100, 30), &[]);
        assert!(before.contains("choices (2)") && before.contains("1) P(0)") && before.contains("x = 0"), "{before}");
        let (after, quit) = screen((100, 30), &[KeyCode::Enter, KeyCode::Char('1'), KeyCode::Enter]);
        assert!(after.contains("history") && after.contains("x: 0 → 1"), "{after}");
        assert!(after.contains("x is 1") && !quit, "{after}");
        let (undone, _) = screen((100, 30), &typed("1uuq"));
        assert!(undone.contains("x = 0") && undone.contains("nothing to take back"), "{undone}");
    }

    #[test]
    fn commands_can_be_typed() {
        let (waited, _) = screen((100, 30), &typed("nx == 2\n"));
        assert!(waited.contains("x = 2"), "{waited}");
        let (watched, _) = screen((100, 30), &typed("wq*\n"));
        assert!(watched.contains(" watched ") && watched.contains("q = empty") && !watched.contains("x = 0"));
        let (wrong, _) = screen((100, 30), &typed(":fly\n"));
        assert!(wrong.contains("unknown command `fly`"), "{wrong}");
        let (_, quit) = screen((100, 30), &typed(":quit\n"));
        assert!(quit);
    }

    #[test]
    fn charts_and_help_come_and_go() {
        let keys = typed(":until len(q) == 1\nc");
        let (chart, _) = screen((100, 30), &keys);
        assert!(chart.contains("message sequence chart") && chart.contains("q!"), "{chart}");
        let (help, _) = screen((100, 40), &typed("?"));
        assert!(help.contains("take back the last step"), "{help}");
        let (back, _) = screen((100, 30), &typed("??cc"));
        assert!(back.contains("history"), "{back}");
    }

    #[test]
    fn no_size_and_no_key_is_too_much() {
        let mut keys = typed("RRRRkjj5uc?:\u{8}x");
        keys.extend([KeyCode::Esc, KeyCode::PageUp, KeyCode::PageDown, KeyCode::Left, KeyCode::Right, KeyCode::End]);
        keys.extend([KeyCode::Up, KeyCode::Down, KeyCode::Backspace, KeyCode::F(1), KeyCode::Tab, KeyCode::Null]);
        for size in [(1, 1), (3, 2), (20, 5), (80, 24), (300, 100)] {
            screen(size, &keys);
        }
    }
}
