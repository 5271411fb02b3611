//! Collecting diagnostics, with a limit on their number.

use bughound_ir::source::Diagnostic;

/// After so many errors the rest is hardly worth reading.
pub const MAX_ERRORS: usize = 20;
const MAX_WARNINGS: usize = 100;

/// The messages of one run.
#[derive(Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
    stopped: bool,
}

impl Diagnostics {
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if diagnostic.is_error() {
            if self.stopped {
                return;
            }
            self.errors += 1;
            self.stopped = self.errors >= MAX_ERRORS;
        } else {
            self.warnings += 1;
            if self.warnings > MAX_WARNINGS {
                return;
            }
        }
        self.list.push(diagnostic);
    }

    /// Reports an error after which going on makes no sense.
    pub fn fatal(&mut self, diagnostic: Diagnostic) {
        self.push(diagnostic);
        self.stopped = true;
    }

    /// Lets no further error in.
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Give up: too many errors, or a fatal one.
    pub fn stopped(&self) -> bool {
        self.stopped
    }

    pub fn into_list(self) -> Vec<Diagnostic> {
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_ir::source::Span;

    #[test]
    fn stops_after_the_limit() {
        let mut diagnostics = Diagnostics::default();
        for _ in 0..100 {
            diagnostics.push(Diagnostic::error(Span::default(), "x"));
        }
        assert!(diagnostics.stopped() && diagnostics.has_errors());
        assert_eq!(diagnostics.into_list().len(), MAX_ERRORS);
    }

    #[test]
    fn a_fatal_error_is_the_last() {
        let mut diagnostics = Diagnostics::default();
        diagnostics.fatal(Diagnostic::error(Span::default(), "x"));
        diagnostics.push(Diagnostic::error(Span::default(), "y"));
        assert_eq!(diagnostics.into_list().len(), 1);
    }
}
