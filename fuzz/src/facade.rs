//! The way of a file through the whole program: read, lowered, checked under small limits.

use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use bughound::check::{CheckRequest, check};
use bughound::language::Language;
use bughound::model::{LoadError, Model, ModelOptions, load_text};
use bughound::run::{Hooks, RunError};
use bughound_kernel::{Limits, StopReason, StopSignal};

/// A model of which more states are not worth the time of the fuzzer.
const MOST_STATES: u64 = 60;
/// With debug assertions each change of a zone is checked, which takes the cube of the number of clocks.
const MOST_CLOCKS: usize = 16;
/// Far less than the time limit of the fuzzer.
const MOST_TIME: Duration = Duration::from_secs(2);

/// Reads a model of UPPAAL.
pub fn read(file: &str, text: &[u8], options: &ModelOptions) -> Option<Model> {
    read_as(Language::Uppaal, file, text, options)
}

/// Reads a model; messages must point to places that exist, and none may be a confession.
pub fn read_as(language: Language, file: &str, text: &[u8], options: &ModelOptions) -> Option<Model> {
    match load_text(file, text, language, options) {
        Ok(model) => {
            assert!(model.warnings.iter().all(|warning| !warning.is_error()), "{:?}", model.warnings);
            Some(model)
        }
        Err(LoadError::File { message, .. }) => panic!("no file is read: {message}"),
        Err(LoadError::Model { diagnostics, sources }) => {
            assert!(diagnostics.iter().any(|message| message.is_error()), "refused without a reason");
            for message in &diagnostics {
                assert!(!message.message.contains("internal error"), "{message:?}");
                for span in message.span.iter().chain(message.related.iter().map(|(span, _)| span)) {
                    assert!(sources.line(*span) >= 1 && sources.column(*span) >= 1, "{message:?}");
                    sources.text(*span);
                }
            }
            None
        }
    }
}

/// Answers all questions as far as small limits allow. Traces that do not replay are internal errors.
pub fn answer(model: &Model, search: &str) {
    if model.network.clocks.len() > MOST_CLOCKS {
        return;
    }
    let stop = StopSignal::default();
    let until = Instant::now() + MOST_TIME;
    raise_at(until, &stop);
    let mut request = CheckRequest::default();
    request.run.search = search.into();
    request.run.limits =
        Limits { until: Some(until), states: Some(MOST_STATES), memory: Some(256 << 20), ..Limits::default() };
    match check(model, &request, Hooks { stop, ..Hooks::default() }) {
        Ok(_) | Err(RunError::Usage(_)) => {}
        Err(RunError::Internal(why)) => panic!("internal error: {why}"),
    }
}

/// One thread looks at the clock for all runs.
fn raise_at(until: Instant, stop: &StopSignal) {
    static CLOCK: Mutex<Option<Sender<(Instant, StopSignal)>>> = Mutex::new(None);
    let mut clock = CLOCK.lock().expect("nobody panics with it");
    let clock = clock.get_or_insert_with(|| {
        let (send, receive) = channel::<(Instant, StopSignal)>();
        std::thread::spawn(move || {
            // Runs follow one another: whatever is older is over.
            while let Ok((mut until, mut stop)) = receive.recv() {
                loop {
                    match receive.recv_timeout(until.saturating_duration_since(Instant::now())) {
                        Ok(next) => (until, stop) = next,
                        Err(_) => break,
                    }
                }
                stop.raise(StopReason::Time);
            }
        });
        send
    });
    clock.send((until, stop.clone())).expect("the thread never ends");
}
