//! Each check refuses what it is for, with the line, and lets the rest pass.

use std::path::Path;

use book_tools::check::{Page, check_page};

/// The problems of a page with this text, in a folder with `kernel.cu`, as "line: message".
fn problems(text: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let kernel = "before\n// ANCHOR: body\ninside\n// ANCHOR_END: body\n// ANCHOR: open\n";
    std::fs::write(folder.path().join("kernel.cu"), kernel).expect("a file");
    let page = Page {
        name: Path::new("book/page.md"),
        folder: folder.path(),
        source: folder.path(),
        text,
    };
    check_page(&page)
        .iter()
        .map(|p| format!("{}: {}", p.line, p.message))
        .collect()
}

fn assert_refused(text: &str, line: usize, message: &str) {
    let found = problems(text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with(&format!("{line}: ")), "{found:?}");
    assert!(found[0].contains(message), "{found:?}");
}

#[test]
fn a_sound_page_passes() {
    let text = "# Title\n\n```cpp\n{{#include kernel.cu:body}}\n```\n\n$n \\log n$\n\n\
                $$\\sum_{i=0}^{n-1} x_i$$\n\n[code](kernel.cu), [web](https://example.org)\n\n\
                ```text\nfree text\n```\n";
    assert_eq!(problems(text), Vec::<String>::new());
}

#[test]
fn an_include_needs_its_file() {
    assert_refused(
        "one\n\n{{#include missing.cu:body}}\n",
        3,
        "cannot include missing.cu",
    );
}

#[test]
fn an_include_needs_its_anchor() {
    assert_refused("{{#include kernel.cu:absent}}", 1, "`ANCHOR: absent`");
}

#[test]
fn an_anchor_needs_its_end() {
    assert_refused("\n{{#include kernel.cu:open}}", 2, "`ANCHOR_END: open`");
}

#[test]
fn an_include_by_line_numbers_is_refused() {
    assert_refused("{{#include kernel.cu:1:3}}", 1, "by an anchor");
}

#[test]
fn an_include_must_be_closed() {
    assert_refused("a\n{{#include kernel.cu", 2, "not closed");
}

#[test]
fn typed_code_is_refused() {
    assert_refused("text\n\n```cpp\nint x;\n```\n", 4, "never typed");
}

#[test]
fn a_dead_link_is_refused() {
    assert_refused("see\n[this](nowhere.md#part)\n", 2, "nowhere.md");
}

#[test]
fn a_link_out_of_the_book_is_refused() {
    assert_refused("[up](../)\n", 1, "leaves the book: ../");
}

#[test]
fn a_formula_that_katex_rejects_is_refused() {
    assert_refused(
        "fine: $x$\n\nbad: $\\frac{1}$\n",
        3,
        "KaTeX rejects `\\frac{1}`",
    );
}

#[test]
fn a_display_formula_that_katex_rejects_is_refused() {
    assert_refused("$x$ and $x$\n\n$$\n\\nosuchmacro\n$$\n", 3, "KaTeX rejects");
}
