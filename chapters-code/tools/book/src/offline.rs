//! The book to take along: a zip file of the built pages, which need no network, and a PDF that a
//! browser prints, with a cover and the contents.

mod front;
mod numbers;

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use front::Front;
use mdbook_driver::MDBook;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::{Strictness, address, build, site};

/// The files' name, and that of the folder in the zip file.
const NAME: &str = "warp-by-warp";

/// What goes along beside the pages.
const LICENCE: &str = "LICENSE-CC-BY-4.0";

/// Browsers that print without a window, by the names that systems give them.
const BROWSERS: [&str; 7] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
];

const NO_BROWSER: &str =
    "there is no browser to print with: install Chromium or Chrome, or name it with --browser";

/// Packs the book of `root` into `file`, or a file in `target/`, and returns its path. Where `pages` names a folder, the
/// book has been built there.
///
/// # Errors
/// If the book is not sound, or the file cannot be written.
pub fn zip(root: &Path, pages: Option<&Path>, file: Option<&Path>) -> Result<PathBuf> {
    let pages = built(root, pages, "zip")?;
    let file = place(root, file, "zip");
    pack(root, &pages, &file).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(file)
}

fn pack(root: &Path, pages: &Path, file: &Path) -> Result<()> {
    let mut zip = ZipWriter::new(File::create(file)?);
    let mut add = |name: &str, from: &Path| -> Result<()> {
        // Without the time, so that the same book is the same file.
        zip.start_file(format!("{NAME}/{name}"), SimpleFileOptions::DEFAULT)?;
        Ok(zip.write_all(&fs::read(from)?)?)
    };
    add(LICENCE, &root.join(LICENCE))?;
    for path in site::files(pages)? {
        let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
        add(&parts.join("/"), &pages.join(&path))?;
    }
    zip.finish()?;
    Ok(())
}

/// Has a browser print the book of `root` into `file`, or a file in `target/`, and returns its path. Where `pages` names
/// a folder, the book has been built there; if the file lies in this folder, the pages say so. Without `browser` it is one that
/// is installed under its usual name.
///
/// # Errors
/// If the book is not sound, there is no browser, or it does not print.
pub fn pdf(
    root: &Path,
    pages: Option<&Path>,
    file: Option<&Path>,
    browser: Option<&Path>,
) -> Result<PathBuf> {
    // Before the book is built, which takes long. A bare name is looked up as the system does.
    let is_missing = |path: &Path| path.components().count() > 1 && !path.is_file();
    ensure!(!browser.is_some_and(is_missing), NO_BROWSER);
    let pages = built(root, pages, "pdf")?;
    let file = place(root, file, "pdf");
    let text = keep_still(&pages.join("print.html"))?;
    let book = MDBook::load(root)
        .with_context(|| format!("cannot load the book of {}", root.display()))?;
    let front = Front::of(&book.config.book, &book.book, &front::date(root)?, &text)?;
    // Beside the page, whose links are relative.
    let still = pages.join("print-still.html");
    let print = |numbers: &HashMap<String, usize>| {
        let _ = fs::remove_file(&file);
        fs::write(&still, front.before(&text, numbers))?;
        print_with_any(browser, &still, &file)
    };
    // On which page a chapter begins is known when the book has been printed once.
    let printed = print(&HashMap::new()).and_then(|()| {
        let numbers = numbers::of(&fs::read(&file)?);
        if numbers.is_empty() { Ok(()) } else { print(&numbers) }
    });
    fs::remove_file(&still)?;
    printed?;
    mention(&pages, &file).context("cannot write into the pages where the PDF is")?;
    Ok(file)
}

/// Writes into each page of the built book that the book is there as a PDF, if `file` lies in the same folder.
fn mention(pages: &Path, file: &Path) -> Result<()> {
    let folder = file.parent().filter(|folder| folder.as_os_str() != "").unwrap_or(Path::new("."));
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    if folder.canonicalize()? != pages.canonicalize()? {
        return Ok(());
    }
    for page in site::files(pages)? {
        let path = pages.join(&page);
        if page.extension().is_none_or(|kind| kind != "html") {
            continue;
        }
        let html = fs::read_to_string(&path)?;
        let up = address::up(&page);
        let link = format!(
            "<link rel=\"alternate\" type=\"application/pdf\" title=\"The whole book as a PDF\" href=\"{up}{name}\">\n"
        );
        if !html.contains(&link) {
            fs::write(&path, html.replacen("</head>", &format!("{link}</head>"), 1))?;
        }
    }
    Ok(())
}

/// Has the browser, or the first of the usual ones that is there, print `page` into `file`.
fn print_with_any(browser: Option<&Path>, page: &Path, file: &Path) -> Result<()> {
    let usual = BROWSERS.map(Path::new);
    let candidates = browser.as_slice();
    for browser in if candidates.is_empty() { &usual[..] } else { candidates } {
        match print(browser, page, file) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).context(format!("cannot run {}", browser.display())),
            Ok(said) => {
                ensure!(file.is_file(), "{} printed nothing:\n{said}", browser.display());
                return Ok(());
            }
        }
    }
    bail!(NO_BROWSER)
}

/// The text of `page` without the call that opens a browser's print dialog, as mdBook writes it: a browser
/// without a window that is printing already may then print nothing at all.
fn keep_still(page: &Path) -> Result<String> {
    const OPENS_THE_DIALOG: &str = "window.setTimeout(window.print, 100);";
    let text = fs::read_to_string(page)?;
    ensure!(
        text.contains(OPENS_THE_DIALOG),
        "{} opens its print dialog in a new way",
        page.display()
    );
    Ok(text.replace(OPENS_THE_DIALOG, ""))
}

/// Starts a browser that prints `page`, and returns what it says.
fn print(browser: &Path, page: &Path, file: &Path) -> std::io::Result<String> {
    let mut to = std::ffi::OsString::from("--print-to-pdf=");
    to.push(std::path::absolute(file)?);
    let output = Command::new(browser)
        .args(["--headless", "--disable-gpu", "--no-pdf-header-footer"])
        .arg("--generate-pdf-document-outline")
        // The page is our own, and in a container there is often no sandbox to be had.
        .arg("--no-sandbox")
        // Fonts are there before it prints.
        .arg("--virtual-time-budget=20000")
        .arg(to)
        .arg(std::path::absolute(page)?)
        .output()?;
    Ok(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The folder of the built book: `pages`, or one for this use of it, in which it is built for release.
fn built(root: &Path, pages: Option<&Path>, kind: &str) -> Result<PathBuf> {
    match pages {
        Some(pages) => Ok(pages.to_path_buf()),
        None => build(root, Some(&root.join("target/offline").join(kind)), Strictness::Strict),
    }
}

fn place(root: &Path, file: Option<&Path>, kind: &str) -> PathBuf {
    let usual = || root.join("target").join(NAME).with_extension(kind);
    file.map_or_else(usual, Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_mention_a_pdf_that_lies_beside_them() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let pages = folder.path();
        fs::create_dir(pages.join("part")).expect("a folder");
        fs::write(pages.join("part/page.html"), "<head></head>").expect("a file");
        let html = || fs::read_to_string(pages.join("part/page.html")).expect("a page");
        let elsewhere = tempfile::tempdir().expect("a temporary folder");
        mention(pages, &elsewhere.path().join("b.pdf")).expect("a folder that can be read");
        assert_eq!(html(), "<head></head>");
        for _ in 0..2 {
            mention(pages, &pages.join("b.pdf")).expect("a folder that can be read");
        }
        assert_eq!(html().matches("type=\"application/pdf\"").count(), 1, "{}", html());
        assert!(html().contains("href=\"../b.pdf\""), "{}", html());
    }
}
