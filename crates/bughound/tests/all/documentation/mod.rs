//! README.md and the pages of docs/ say what is so: their sessions are run and compared, their options exist, their links
//! lead somewhere.
//!
//! A block ```` ```console ```` is a session. A line `$ command` is run in a directory with the bundled models, after the
//! commands before it on the page; below it stands what it prints, first on the standard output, then on the standard error.
//! Times and sizes of memory may differ. A line `…` stands for lines left out. Where nothing is shown, the command is run all
//! the same. It must end with 0 or 1; other exit codes are shown by `$ echo $?`. Commands for Cargo must be those of `.ci/run`,
//! or have a reason in the list [`session::NOT_RUN`]. `BLESS=1` writes what is printed into the pages; a line `?` as output
//! asks for it.

mod output;
mod page;
mod session;

use std::collections::{BTreeMap, BTreeSet};

use page::{Page, root};
use session::{NOT_RUN, Outcome, Place, commands, is_documented, run_sessions};

use crate::support::Workspace;

/// The README is to be read in one go, the page about the code in one sitting.
const LENGTHS: [(&str, usize); 2] = [("README.md", 150), ("ARCHITECTURE.md", 400)];

fn fail_if_any(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn sessions_are_as_shown() {
    let pages = Page::for_users();
    let bless = std::env::var_os("BLESS").is_some();
    let outcomes: Vec<Outcome> = std::thread::scope(|scope| {
        let runs: Vec<_> = pages.iter().map(|page| scope.spawn(|| run_sessions(page))).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    let mut wrong = Vec::new();
    for (page, outcome) in pages.iter().zip(outcomes) {
        wrong.extend(outcome.wrong);
        match bless {
            true if outcome.outdated.is_empty() => {}
            true => std::fs::write(root().join(&page.name), outcome.renewed.join("\n") + "\n").unwrap(),
            false => wrong.extend(outcome.outdated),
        }
    }
    if !wrong.is_empty() && !bless {
        wrong.push("BLESS=1 writes what is printed: BLESS=1 cargo test -p bughound --test all documentation".into());
    }
    fail_if_any(wrong);
}

/// Commands in files for build servers and the like. They must end with 0 or 1.
#[test]
fn commands_in_other_blocks_work() {
    let helps = helps();
    let mut wrong = Vec::new();
    for page in Page::for_users() {
        let mut place = Place::new();
        for block in page.blocks().iter().filter(|block| block.kind != "console") {
            for at in block.first..block.end {
                let line = &page.lines[at];
                let Some((before, rest)) = line.split_once("bughound ") else { continue };
                let name = rest.split(' ').next().unwrap_or_default();
                if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
                    continue;
                }
                let command = format!("bughound {rest}");
                if before.trim().is_empty() || block.kind.is_empty() || !helps.contains_key(name) {
                    wrong.push(format!("{}: a command stands in a block ```console", page.at(at)));
                } else if !matches!(place.run(&command), Ok(Some(printed)) if matches!(printed.code, Some(0 | 1))) {
                    wrong.push(format!("{}: `{command}` does not work", page.at(at)));
                }
            }
        }
        let is_command = |line: &str| {
            let inner = line.trim_start();
            line.starts_with("    ")
                && ["$ ", "bughound ", "cargo ", "spin ", "```"].iter().any(|c| inner.starts_with(c))
        };
        let indented = page.prose().into_iter().enumerate().filter(|(_, line)| is_command(line));
        wrong.extend(indented.map(|(at, _)| format!("{}: a command stands in a block ```console", page.at(at))));
    }
    fail_if_any(wrong);
}

/// The options of every command, from its help.
fn helps() -> BTreeMap<String, BTreeSet<String>> {
    let workspace = Workspace::new();
    let whole = workspace.run(&["--help"]).out;
    let (_, commands) = whole.split_once("Commands:\n").unwrap();
    let names = commands.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next());
    let options = |name: &str| {
        let help = workspace.run(&[name, "--help"]).out;
        let words = help.split(|c: char| c.is_whitespace() || "[],:;()'`".contains(c));
        words.filter(|word| word.starts_with('-')).map(|word| word.split('=').next().unwrap().to_string()).collect()
    };
    names.filter(|name| *name != "help").map(|name| (name.to_string(), options(name))).collect()
}

/// What is wrong with words in code style that look like a command or an option of Bughound.
fn mistake(code: &str, helps: &BTreeMap<String, BTreeSet<String>>) -> Option<String> {
    let words: Vec<&str> = code.split_whitespace().collect();
    let first = *words.first()?;
    if first == "cargo" && words.len() > 1 {
        return (!is_documented(code)).then(|| "is neither run by .ci/run nor in the list of this test".into());
    }
    let (command, rest) = match first {
        "bughound" => (*words.get(1)?, &words[2..]),
        name if helps.contains_key(name) && words.len() > 1 => (name, &words[1..]),
        option if option.len() > 2 && option.starts_with("--") => ("", &words[..1]),
        _ => return None,
    };
    if command.starts_with('-') {
        return None;
    }
    if !command.is_empty() && !helps.contains_key(command) {
        return Some(format!("there is no command `{command}`"));
    }
    let known =
        |option: &str| helps.iter().any(|(name, o)| (command.is_empty() || command == name) && o.contains(option));
    let unknown = rest.iter().find(|word| match word.strip_prefix("--") {
        Some(_) => !known(word.split('=').next().unwrap_or_default()),
        None => word.starts_with('-') && word.len() > 1 && !known(&word[..2]),
    });
    unknown.map(|option| format!("there is no option `{option}`"))
}

#[test]
fn options_in_the_text_exist() {
    let helps = helps();
    let mut wrong = Vec::new();
    for page in Page::for_users().into_iter().chain([Page::read("ARCHITECTURE.md")]) {
        for code in page.code() {
            let complaint = mistake(&code.text, &helps);
            wrong.extend(complaint.map(|what| format!("{}:{}: `{}`: {what}", page.name, code.line, code.text)));
        }
    }
    fail_if_any(wrong);
    assert!(mistake("bughound chekc m.pml", &helps).is_some());
    assert!(mistake("bughound check -Z m.pml", &helps).is_some());
    assert!(mistake("bughound check m.pml --serach bfs", &helps).is_some());
    assert!(mistake("explore --verifyta", &helps).is_some());
    assert!(mistake("--no-such-option", &helps).is_some());
    assert!(mistake("cargo bench", &helps).is_some());
    assert!(mistake("bughound check -DN=3 m.pml --search=bfs", &helps).is_none());
    assert!(mistake("./pan --whatever", &helps).is_none());
}

#[test]
fn what_is_not_run_is_on_some_page() {
    let pages = Page::for_users();
    let shown = |wanted: &str| {
        pages.iter().any(|page| {
            let sessions = page.blocks().into_iter().filter(|block| block.kind == "console");
            let mut commands = sessions.flat_map(|block| commands(page, &block));
            commands.any(|shown| shown.command == wanted) || page.code().iter().any(|code| code.text == wanted)
        })
    };
    fail_if_any(
        NOT_RUN.iter().filter(|(command, _)| !shown(command)).map(|(command, _)| command.to_string()).collect(),
    );
    assert!(shown("cargo test --workspace"), "the tests are run by a command of a page");
}

#[test]
fn links_lead_somewhere() {
    let mut wrong = Vec::new();
    let others = ["ARCHITECTURE.md", "CHANGELOG.md", "bench/README.md"].map(Page::read);
    for page in Page::for_users().into_iter().chain(others) {
        let directory = root().join(&page.name).parent().unwrap().to_path_buf();
        for (at, link) in page.links().into_iter().filter(|(_, link)| !link.contains("://")) {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { root().join(&page.name) } else { directory.join(file) };
            let has_anchor = || {
                let text = std::fs::read_to_string(&target).unwrap_or_default();
                anchor.is_empty() || Page::of(file, &text).anchors().iter().any(|known| known == anchor)
            };
            if !target.exists() || !has_anchor() {
                wrong.push(format!("{}: {link} leads nowhere", page.at(at)));
            }
        }
    }
    fail_if_any(wrong);
}

#[test]
fn pages_stay_short() {
    for (name, most) in LENGTHS {
        let lines = Page::read(name).lines.len();
        assert!(lines <= most, "{name} has {lines} lines, and may have {most}");
    }
}
