//! Listings are includes with their file's name, and show what has changed.

use std::path::Path;

use crate::reading;

/// Builds a book of one page of chapter 7, with two kernels; gives the page, and what is beside it.
fn built(text: &str) -> Result<(String, tempfile::TempDir), String> {
    let kernel = |head: &str, add: &str| {
        format!(
            "// {head}\n#include \"a.h\"\n// ANCHOR: k\nint x;\n{add}int y;\n// ANCHOR_END: k\nint z;\n"
        )
    };
    let macros = "#define KERNEL(name) \\\n    void name() {}\nFOR_ALL(KERNEL)\nTWO_KERNELS(a)\n#undef KERNEL\n";
    let lines: String = (0..21).map(|line| format!("int l{line};\n")).collect();
    let entry_points = kernel("", "#define LAUNCH_BOUNDS 8\n") + macros;
    let folder = reading::built(&[
        ("book/SUMMARY.md", "- [One](chapter_7/one.md)\n"),
        ("book/chapter_7/one.md", text),
        ("chapters-code/chapter_7/kernels/a.cu", &kernel("The first.", "")),
        ("chapters-code/chapter_7/kernels/b.cu", &kernel("The second.", "int added;\n")),
        ("chapters-code/chapter_7/kernels/entry_points.cu", &entry_points),
        ("chapters-code/chapter_7/kernels/another.cu", &kernel("", &lines)),
    ])?;
    Ok((reading::page(&folder, "chapter_7/one.html"), folder))
}

#[test]
fn a_listing_names_its_file_and_what_has_changed() {
    let text = "# One\n\n{{#listing kernels/b.cu:k before=kernels/a.cu}}\n";
    let (page, folder) = built(text).expect("a sound book");
    let link = "<a href=\"../code/chapters-code/chapter_7/kernels/b.cu.txt\">\
                <code>chapters-code/chapter_7/kernels/b.cu</code></a>";
    assert!(page.contains(link), "{page}");
    assert!(page.contains(">int x;\nint added;\nint y;"), "{page}");
    assert!(page.contains("  int x;\n+ int added;\n  int y;\n"), "{page}");
    assert!(!page.contains("The first."), "heads are no change");
    let copy = Path::new("out/code/chapters-code/chapter_7/kernels/b.cu.txt");
    let copy = std::fs::read_to_string(folder.path().join(copy)).expect("a copy");
    assert!(copy.contains("The second."), "the whole file");
}

#[test]
fn what_makes_entry_points_is_no_change() {
    let text = "# One\n\n{{#listing kernels/entry_points.cu:k before=kernels/a.cu}}\n";
    let (page, _) = built(text).expect("a sound book");
    assert!(
        page.contains("  int x;\n+ #define LAUNCH_BOUNDS 8\n  int y;\n  int z;\n</code>"),
        "{page}"
    );
}

#[test]
fn a_change_of_most_lines_is_said_and_not_shown() {
    let text = "# One\n\n{{#listing kernels/another.cu:k before=kernels/a.cu}}\n";
    let (page, folder) = built(text).expect("a sound book");
    let name = "code/chapters-code/chapter_7/kernels/a.cu.txt";
    let link =
        format!("<a href=\"../{name}\"><code>chapters-code/chapter_7/kernels/a.cu</code></a>");
    assert!(page.contains(&format!("Most lines differ from {link}.")), "{page}");
    assert!(!page.contains("What has changed"), "{page}");
    assert!(folder.path().join("out").join(name).is_file(), "the file that the link leads to");
}

fn assert_refused(listing: &str, message: &str) {
    let error = built(&format!("# One\n\n\n{{{{#listing {listing}}}}}\n")).expect_err("a refusal");
    assert!(error.contains("book/chapter_7/one.md:4: "), "{error}");
    assert!(error.contains(message), "{error}");
}

#[test]
fn a_listing_needs_its_file_its_anchor_and_a_change() {
    assert_refused("kernels/b.cu", "name the file and the anchor");
    assert_refused("kernels/c.cu:k", "cannot list chapters-code/chapter_7/kernels/c.cu");
    assert_refused("kernels/b.cu:no", "kernels/b.cu has no line with `ANCHOR: no`");
    assert_refused("../b.cu:k", "../b.cu leads out of its crate");
    assert_refused("kernels/b.cu:k before=kernels/c.cu", "cannot list");
    assert_refused("kernels/b.cu:k before=kernels/b.cu", "nothing has changed");
    assert_refused("kernels/b.cu:k after=kernels/a.cu", "a listing has no after=");
}
