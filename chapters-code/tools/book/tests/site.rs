//! Each check of the built book refuses what it is for.

use book::site::{Report, check, check_tex};

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

#[test]
fn a_formula_that_does_not_carry_its_tex_is_refused() {
    let refusals = |html: &str| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let source = folder.path().join("page.md");
        std::fs::write(source, "So $r\\,C$\n\n$$\n(A^T)_{ij} = (A_{ji})^T\n$$").expect("a file");
        std::fs::write(folder.path().join("page.html"), html).expect("a file");
        check_tex(folder.path(), folder.path()).expect("a folder that can be read")
    };
    let (first, second) = ("r\\,C", "(A^T)_{ij} = (A_{ji})^T");
    let page = |first: &str, second: &str| {
        format!("<annotation>{first}</annotation><annotation> {second} </annotation>")
    };
    assert_eq!(refusals(&page(first, second)), Vec::<String>::new());
    let through_markdown = page(first, "(A^T)<em>{ij} = (A</em>{ji})^T");
    for (html, problem) in [
        (page("r,C", second), format!("the TeX of `{first}` became `r,C`")),
        (through_markdown, format!("the TeX of `{second}` became `(A^T){{ji}})^T`")),
        (page(first, second) + "<annotation>x</annotation>", "the TeX of `` became `x`".to_owned()),
        (
            format!("<annotation>{first}</annotation>"),
            format!("no formula carries the TeX `{second}`"),
        ),
    ] {
        assert_eq!(refusals(&html), [format!("page.html: {problem}")]);
    }
}
