//! Each check of the built book refuses what it is for.

use book::site::{Report, check};

/// The report on a book of one page with this body, beside `other.html`, which has a place `here`.
fn report(body: &str) -> Report {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(folder.path().join("part")).expect("a folder");
    std::fs::write(folder.path().join("part/page.html"), body).expect("a file");
    std::fs::write(folder.path().join("other.html"), "<p id=\"here\">").expect("a file");
    check(folder.path()).expect("a folder that can be read")
}

fn assert_refused(body: &str, message: &str) {
    let problems = report(body).problems;
    let page = std::path::Path::new("part").join("page.html");
    assert_eq!(problems, [format!("{}: {message}", page.display())]);
}

#[test]
fn a_sound_page_passes_and_is_counted() {
    let body = "<a href=\"../other.html#here\">a</a><a href=\"#b\" id=\"b\">b</a>\
                <a href=\"https://example.org/$\">c</a><img src=\"data:,\" alt=\"d\">\
                <span class=\"katex\">$</span><script src=\"../other.html\"></script>";
    let expected = Report {
        pages: 2,
        links: 2,
        fragments: 2,
        loaded: 1,
        formulas: 1,
        pictures: 1,
        problems: Vec::new(),
    };
    assert_eq!(report(body), expected);
}

#[test]
fn dead_links_are_refused() {
    assert_refused("<a href=\"gone.html\">", "gone.html leads nowhere");
    assert_refused("<a href=\"../../out.html\">", "../../out.html leads nowhere");
    assert_refused("<a href=\"/other.html\">", "/other.html leads nowhere");
    assert_refused("<a href=\"#gone\">", "#gone: that page has no such place");
    assert_refused(
        "<a href=\"../other.html#gone\">",
        "../other.html#gone: that page has no such place",
    );
}

#[test]
fn what_is_loaded_is_the_books() {
    for address in ["https://cdn.example/x.js", "//cdn.example/x.js"] {
        let body = format!("<script src=\"{address}\"></script>");
        assert_refused(&body, &format!("{address} is loaded from beyond the book"));
    }
    assert_refused("<link rel=\"stylesheet\" href=\"no.css\">", "no.css leads nowhere");
}

#[test]
fn what_is_not_rendered_is_refused() {
    assert_refused("<p>so $n$ is</p>", "not rendered: $n$ is");
    assert_refused("<p>{{#measured x}}</p>", "not rendered: {{#measured x}}");
}

#[test]
fn pictures_need_words_and_anchors_a_name_of_their_own() {
    assert_refused(
        "<svg role=\"img\"><path/></svg>",
        "picture 1 has no words for those who do not see it",
    );
    assert_refused("<p id=\"a\"><p id=\"a\">", "two places are called a");
}
