//! `bughound compare --portfolio`: many models by many searches, ended anywhere and gone on with.

use crate::support::{ASSERTION, HOLDS, Workspace};

fn models() -> Workspace {
    let models = Workspace::new();
    models.write("wrong.pml", ASSERTION);
    models.write("right.pml", HOLDS);
    models.write("broken.pml", "proctype");
    models.write("philosophers.pml", include_str!("../../../../models/promela/philosophers.pml"));
    models.write(
        "list.txt",
        "# what is tried\n[small]\nwrong.pml assertion\nright.pml\n[large]\nphilosophers.pml deadlock -DN=9\nbroken.pml # refused\n",
    );
    models
}

/// The cells of `runs.csv` below the head, as (model, search, how it ended).
fn runs(models: &Workspace, folder: &str) -> Vec<(String, String, String)> {
    let text = std::fs::read_to_string(models.path(folder).join("runs.csv")).unwrap();
    let lines = text.lines().skip(1).map(|line| line.split(',').map(String::from).collect::<Vec<_>>());
    lines.map(|cells| (cells[1].clone(), cells[2].clone(), cells[4].clone())).collect()
}

#[test]
fn a_list_by_several_searches() {
    let models = models();
    let arguments =
        ["compare", "list.txt", "--portfolio", "--into", "out", "--searches", "bfs,dfs", "--time-each", "20s"];
    let first = models.run(&arguments).exits(0).complains("8/8");
    let all = runs(&models, "out");
    let ended = |model: &str, search: &str| {
        let found = all.iter().filter(|run| run.0 == model && run.1 == search).collect::<Vec<_>>();
        assert_eq!(found.len(), 1, "{model} {search} in {all:?}");
        found[0].2.clone()
    };
    for search in ["bfs", "dfs"] {
        assert_eq!(ended("wrong.pml assertion", search), "found");
        assert_eq!(ended("right.pml", search), "none");
        assert_eq!(ended("philosophers.pml deadlock -DN=9", search), "found");
        assert_eq!(ended("broken.pml", search), "refused");
    }
    let sums = |text: &str, search: &str| {
        let line = text.lines().rfind(|line| line.trim_start().starts_with(&format!("{search} "))).unwrap();
        line.split_whitespace().skip(1).map(String::from).collect::<Vec<_>>()
    };
    // Found, none, undecided.
    assert_eq!(sums(&first.out, "bfs")[..3], ["2", "1", "1"]);
    let picture = |name: &str| std::fs::read_to_string(models.path("out").join(name)).unwrap();
    assert!(picture("cactus.svg").contains("<polyline") && picture("scatter.svg").contains("<circle"));
    // What is there is not made again; what is new is.
    let again = models.run(&[&arguments[..5], &["--searches", "bfs,dfs,greedy", "--time-each", "20s"]].concat());
    again.exits(0).complains("8 of 12 runs are in out already").complains("4/4");
    let later = runs(&models, "out");
    assert_eq!(later.len(), 12);
    assert_eq!(later[..8], all);
    // Other limits are other runs.
    models.run(&[&arguments[..7], &["--time-each", "19s", "--quiet"]].concat()).exits(0);
    assert_eq!(runs(&models, "out").len(), 20);
}

#[test]
fn a_directory_and_the_end_of_time() {
    let models = models();
    let arguments = ["compare", ".", "--portfolio", "--searches", "auto", "--max-time", "1ms"];
    // Nothing, or not all, was done; what was is kept, and the same command without the limit does the rest.
    models.run(&arguments).exits(4).complains("runs were not made");
    models.run(&arguments[..5]).exits(0);
    let all = runs(&models, "portfolio");
    assert_eq!(all.len(), 4);
    assert!(all.contains(&("philosophers.pml".into(), "auto".into(), "found".into())), "{all:?}");
}

#[test]
fn mistakes_are_named() {
    let models = models();
    let run = |arguments: &[&str]| models.run(&[&["compare"], arguments].concat()).exits(2);
    run(&["list.txt", "--portfolio", "-DN=3"]).complains("-DN");
    run(&["nowhere.txt", "--portfolio"]).complains("nowhere.txt");
    run(&["wrong.pml", "--into", "x"]).complains("--portfolio");
    models.write("bad.txt", "wrong.pml\nmissing.pml\n");
    run(&["bad.txt", "--portfolio"]).complains("bad.txt:2: missing.pml");
    models.write("empty.txt", "# nothing\n");
    run(&["empty.txt", "--portfolio"]).complains("no models");
    std::fs::create_dir(models.path("out")).unwrap();
    models.write("out/runs.csv", "something,else\n1,2\n");
    run(&["list.txt", "--portfolio", "--into", "out"]).complains("no table of runs");
}
