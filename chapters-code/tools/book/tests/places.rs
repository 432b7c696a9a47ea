//! Each built page says where it stands in the book, without JavaScript.

use crate::reading::{built, page};

const SUMMARY: &str = "# Summary\n\n[Start](start.md)\n\n- [1 Reduce](chapter_1/index.md)\n  - [What goes wrong](chapter_1/wrong.md)\n  \
                       - [Deeper]()\n    - [More & \"more\" - $1](chapter_1/more.md)\n- [Alone](alone.md)\n";
const HEAD: &str = include_str!("../../../../book/theme/head.hbs");

/// A book with a chapter of three pages, and these settings.
fn book(settings: &str) -> tempfile::TempDir {
    let toml = format!(
        "[book]\ntitle = \"T\"\nsrc = \"book\"\n[build]\nbuild-dir = \"out\"\n\
         [preprocessor.directives]\nbefore = [\"links\"]\n{settings}"
    );
    let text = "# Page\n\nText.\n";
    let files = [
        ("book.toml", &*toml),
        ("theme/head.hbs", HEAD),
        ("book/SUMMARY.md", SUMMARY),
        ("book/start.md", "# Start\n\n{{#repository The code}}\n"),
        ("book/chapter_1/index.md", text),
        ("book/chapter_1/wrong.md", text),
        ("book/chapter_1/more.md", text),
        ("book/alone.md", text),
    ];
    built(&files).expect("a sound book")
}

#[test]
fn a_page_names_its_chapter() {
    let folder = book("");
    let wrong = page(&folder, "chapter_1/wrong.html");
    let way = "<main>\n<p class=\"breadcrumb\"><a href=\"../chapter_1/index.html\">1 Reduce</a> › 2 of 3</p>";
    assert!(wrong.contains(way), "{wrong}");
    assert!(wrong.contains("<title>What goes wrong – 1 Reduce - T</title>"), "{wrong}");
    assert!(
        wrong.contains("<meta property=\"og:title\" content=\"What goes wrong – 1 Reduce - T\">")
    );
    let first = page(&folder, "chapter_1/index.html");
    assert!(first.contains("1 Reduce</a> › 1 of 3</p>"), "{first}");
    assert!(first.contains("<title>1 Reduce - T</title>"), "{first}");
    let deeper = page(&folder, "chapter_1/more.html");
    assert!(deeper.contains("</a> › 3 of 3</p>"), "{deeper}");
    assert!(deeper.contains("- $1 – 1 Reduce - T</title>"), "{deeper}");
    for name in ["index.html", "start.html", "alone.html"] {
        assert!(!page(&folder, name).contains("breadcrumb"), "{name} is of no chapter");
    }
}

#[test]
fn the_pages_before_and_after_have_names() {
    let folder = book("");
    // Beside the text and below it.
    let named = |file: &str, turn: &str, name: &str| {
        let html = page(&folder, file);
        let label = format!("title=\"{turn}: {name}\" aria-label=\"{turn}: {name}\"");
        assert_eq!(html.matches(&label).count(), 2, "{label}: {html}");
        assert!(!html.contains(&format!("\"{turn} chapter\"")), "{html}");
        html.matches(&format!("<span class=\"name\">{name}</span></a>")).count()
    };
    let odd = "More &amp; &quot;more&quot; - $1";
    assert_eq!(named("chapter_1/wrong.html", "Previous", "1 Reduce"), 2);
    assert_eq!(named("chapter_1/wrong.html", "Next", odd), 2);
    assert_eq!(named("alone.html", "Previous", odd), 2);
    for first in ["index.html", "start.html"] {
        assert_eq!(named(first, "Next", "1 Reduce"), 2);
        assert!(!page(&folder, first).contains("Previous"), "nothing is before {first}");
    }
}

#[test]
fn what_shows_a_link_to_a_page_gets_whole_addresses() {
    let part = page(&book(""), "chapter_1/wrong.html");
    assert!(part.contains("<meta property=\"og:image\" content=\"../cover.png\">"), "{part}");
    assert!(!part.contains("og:url"), "{part}");
    let folder = book("address = \"https://example.org/b/\"\n");
    for (name, url) in
        [("chapter_1/wrong.html", "chapter_1/wrong.html"), ("index.html", "index.html")]
    {
        let html = page(&folder, name);
        for (property, value) in [("url", url), ("image", "cover.png")] {
            let meta = format!(
                "<meta property=\"og:{property}\" content=\"https://example.org/b/{value}\">"
            );
            assert!(html.contains(&meta), "{meta}: {html}");
        }
    }
    let unknown = page(&book("address = \"/\"\n"), "index.html");
    assert!(unknown.contains("content=\"cover.png\""), "an address of no site: {unknown}");
}

#[test]
fn a_link_leads_to_the_repository_or_to_how_to_get_it() {
    let start = page(&book(""), "start.html");
    assert!(
        start.contains("<a href=\"chapter_0_setup/index.html#set-up\">The code</a>"),
        "{start}"
    );
    let folder = book("[output.html]\ngit-repository-url = \"https://example.org/r\"\n");
    let start = page(&folder, "start.html");
    assert!(start.contains("<a href=\"https://example.org/r\">The code</a>"), "{start}");
}
