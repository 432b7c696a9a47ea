//! What the pages of the chapters use of CUDA leads to the appendix that explains it.

use std::path::{Path, PathBuf};

use regex::Regex;

const APPENDIX: &str = include_str!("../../../../book/cuda_subset.md");

/// The words of the appendix that inline code of a chapter's page in `built` uses, and of which the page has not just
/// one link to the appendix, each with the page.
pub(crate) fn not_linked_once(built: &Path) -> Vec<String> {
    let constructs = constructs();
    let pages = chapter_pages(built);
    assert!(pages.len() > 50, "{pages:?}");
    let faults_of = |path: &PathBuf| {
        let page = std::fs::read_to_string(path).expect("a page");
        let faults = faults(&constructs, &page).into_iter();
        let name = path.display().to_string();
        faults.map(move |fault| format!("{name}: {fault}")).collect::<Vec<_>>()
    };
    pages.iter().flat_map(faults_of).collect()
}

/// The built pages of the chapters, but those of exercises, whose tasks are made of other files.
fn chapter_pages(built: &Path) -> Vec<PathBuf> {
    let entries = |folder: &Path| {
        let entries = std::fs::read_dir(folder).expect("a folder");
        entries.map(|entry| entry.expect("an entry").path()).collect::<Vec<_>>()
    };
    let folders = entries(built).into_iter();
    let folders = folders.filter(|path| path.to_string_lossy().contains("chapter_"));
    let is_page = |path: &PathBuf| {
        path.extension().is_some_and(|kind| kind == "html") && !path.ends_with("exercises.html")
    };
    folders.flat_map(|folder| entries(&folder)).filter(is_page).collect()
}

/// The words of the appendix, each with a pattern that finds it.
fn constructs() -> Vec<(&'static str, Regex)> {
    let rows = APPENDIX.lines().filter(|line| line.starts_with("| `"));
    let rows = rows.filter(|row| !row.contains("not linked"));
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    let words = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    let words = words.filter(|word| word.contains(char::is_alphabetic));
    let whole = |word| pattern(&format!(r"(?:^|\W){}(?:\W|$)", regex::escape(word)));
    let words: Vec<_> = words.map(|word| (word, whole(word))).collect();
    assert!(words.len() > 70, "{words:?}");
    words
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern")
}

fn faults(constructs: &[(&str, Regex)], page: &str) -> Vec<String> {
    let main = page.split("<main>").nth(1).expect("the page's text");
    // Where nothing is linked: listings, pictures, headings, notes for teachers, and other links.
    let apart = r#"(?s)<pre.*?</pre>|<figure.*?</figure>|<h[1-6].*?</h[1-6]>|<details class="teachers">.*?</details>|<a (?:[^c]|c[^l]).*?</a>"#;
    let main = pattern(apart).replace_all(main, "");
    let tag = pattern("<[^>]*>");
    let text = |html: &str| {
        let text = tag.replace_all(html, "");
        text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    };
    let all = |element: &str| {
        let element = pattern(element);
        element.captures_iter(&main).map(|found| text(&found[1])).collect::<Vec<_>>()
    };
    let codes = all("(?s)<code[^>]*>(.*?)</code>");
    let links = all(r#"<a [^>]*cuda_subset\.html#[^>]*>(.*?)</a>"#);
    let fault = |(word, whole): &(&str, Regex)| {
        let used = codes.iter().filter(|code| whole.is_match(code)).count();
        let linked = links.iter().filter(|link| link == word).count();
        let message = format!("{word} is used {used} times and linked {linked} times");
        (linked != used.min(1)).then_some(message)
    };
    constructs.iter().filter_map(fault).collect()
}
