//! The book of this repository, and a small one that is broken on purpose.

use std::path::{Path, PathBuf};

use book::{Strictness, build, offline, readme, site};
use report::AnyChapter;

use crate::{
    constructs,
    counts::pages_of_book,
    reading::{assert_refused, folder_with},
};

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// The rungs of each chapter, also those that are wrong on purpose.
fn rungs() -> Vec<(&'static str, Vec<&'static str>)> {
    let names = |chapter: &dyn AnyChapter| chapter.rungs().iter().map(|rung| rung.name).collect();
    chapters::ALL.iter().map(|&chapter| (chapter.name(), names(chapter))).collect()
}

/// It is built once, as it is packed: a zip file has every page, the lab of every rung, and the licence.
#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_the_book_builds_and_needs_no_network() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("book.zip");
    offline::zip(&repository(), None, Some(&file)).expect("a sound book");
    let file = std::fs::File::open(file).expect("a file");
    let mut zip = zip::ZipArchive::new(file).expect("a zip file");
    zip.extract(folder.path()).expect("it can be unpacked");
    let pages = folder.path().join("warp-by-warp");
    for name in ["index.html", "katex/fonts/KaTeX_Main-Regular.woff2", "LICENSE-CC-BY-4.0"] {
        assert!(pages.join(name).is_file(), "{name}");
    }
    let page = std::fs::read_to_string(pages.join("chapter_1_reduce/index.html")).expect("a page");
    assert!(page.contains("class=\"katex\""), "formulas are rendered");
    assert!(page.contains("../katex/katex.min.css"), "KaTeX's stylesheet is the book's own");
    let report = site::check(&pages).expect("a folder that can be read");
    assert_eq!(report.problems, Vec::<String>::new());
    for (chapter, rungs) in rungs() {
        let has_no_lab = |rung: &&&str| !pages.join(format!("lab/{chapter}/{rung}.js")).is_file();
        let without: Vec<_> = rungs.iter().filter(has_no_lab).copied().collect();
        // These launch no kernel.
        let copy_only = ["all_gather_ring", "all_to_all_copies"];
        let expected = if chapter == "chapter_8_multi_gpu" { &copy_only[..] } else { &[] };
        assert_eq!(without, expected, "{chapter}: no page has a lab of them");
    }
    let tex = site::check_tex(&pages, &repository().join("book")).expect("pages and sources");
    assert_eq!(tex, Vec::<String>::new());
    assert_eq!(constructs::not_linked_once(&pages), Vec::<String>::new());
}

/// A kernel whose numbers were chosen on the device that it is timed on has an advantage over a library for all of them.
#[test]
fn what_flatters_a_comparison_includes_the_tuning() {
    let mut boxes = 0;
    for path in pages_of_book() {
        let text = std::fs::read_to_string(&path).expect("a page");
        let Some((_, behind)) = text.split_once("{{#aside Where the comparison flatters us}}")
        else {
            continue;
        };
        let flatters = behind.split("{{#end}}").next().unwrap_or_default();
        assert!(flatters.contains("- **Tuning.**"), "{}: the box lacks the tuning", path.display());
        boxes += 1;
    }
    assert!(boxes >= 7, "chapters 1 to 7 have such a box, and {boxes} were found");
}

#[test]
fn a_browser_that_is_not_there_is_an_error_with_the_option() {
    let file = tempfile::tempdir().expect("a temporary folder").path().join("book.pdf");
    let error = offline::pdf(&repository(), None, Some(&file), Some(Path::new("no/such/browser")))
        .expect_err("a refusal")
        .to_string();
    assert!(error.contains("--browser"), "{error}");
}

#[test]
fn the_readme_is_current() {
    readme::check(&repository()).expect("a current table");
}

/// What is released has one version and one date: Cargo.toml's, the citation's and the changelog's newest.
#[test]
fn a_release_has_one_version() {
    let read = |name: &str| std::fs::read_to_string(repository().join(name)).expect("a file");
    let (citation, changes) = (read("CITATION.cff"), read("CHANGELOG.md"));
    let field = |name: &str| citation.lines().find_map(|line| line.strip_prefix(name));
    assert_eq!(field("version: "), Some(env!("CARGO_PKG_VERSION")));
    let date = field("date-released: ").expect("a date");
    let mut releases = changes.lines().filter_map(|line| line.strip_prefix("## "));
    let newest = releases.find(|release| *release != "Unreleased");
    assert_eq!(newest, Some(&*format!("{} ({date})", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn a_broken_book_names_every_page_and_line() {
    let folder = folder_with(&[
        ("book/SUMMARY.md", "- [One](one.md)\n- [Two](two.md)\n"),
        ("book/one.md", "# One\n\n{{#include gone.cu:kernel}}\n"),
        ("book/two.md", "# Two\n<!-- after recording: x -->\n$\\frac$\n"),
    ]);
    let refusal = |how| build(folder.path(), None, how).expect_err("a refusal").to_string();
    let error = refusal(Strictness::Draft);
    assert!(error.contains("book/one.md:3: cannot include gone.cu"), "{error}");
    assert!(error.contains("book/two.md:3: KaTeX rejects"), "{error}");
    assert!(!error.contains("still to be written"), "{error}");
    let error = refusal(Strictness::Strict);
    assert!(error.contains("book/two.md:2: this text is still to be written"), "{error}");
}

#[test]
fn a_figure_that_cannot_be_drawn_names_page_and_line() {
    let page = "# One\n\n{{#figure tree kernel=tree n=4 chapter=chapter_1_reduce}}\n\n\
                {{#shout}}\n";
    let files = [("book/SUMMARY.md", "- [One](one.md)\n"), ("book/one.md", page)];
    assert_refused(&files, "book/one.md:3: there is no kernel `tree` in chapter_1_reduce");
    assert_refused(&files, "book/one.md:5: there is no directive shout");
}
