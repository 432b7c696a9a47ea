//! The built book, checked without a browser: whether links and anchors lead somewhere, all that is
//! loaded is the book's own, and nothing was left unrendered.

mod page;

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};
use page::Page;

use crate::mathematics;

/// What was checked, and what of it is wrong.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Pages, the print page and the one for wrong addresses among them.
    pub pages: usize,
    /// Links within the book.
    pub links: usize,
    /// Of these, links to a place within a page.
    pub fragments: usize,
    /// Files that pages load.
    pub loaded: usize,
    /// Formulas that are set.
    pub formulas: usize,
    /// Pictures.
    pub pictures: usize,
    /// What is wrong, a line each, with its page.
    pub problems: Vec<String>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} pages: {} links within the book, {} of them to a place in a page; {} files loaded; \
             {} formulas; {} pictures",
            self.pages, self.links, self.fragments, self.loaded, self.formulas, self.pictures
        )
    }
}

/// Checks the built book in `folder`.
///
/// # Errors
/// If it cannot be read. What is wrong with it is in the report.
pub fn check(folder: &Path) -> Result<Report> {
    let site = Site { folder, pages: read(folder)? };
    let mut report = Report { pages: site.pages.len(), ..Report::default() };
    for (name, page) in &site.pages {
        let found = site.check(name, page, &mut report);
        let lines = found.into_iter().map(|problem| format!("{}: {problem}", name.display()));
        report.problems.extend(lines);
    }
    Ok(report)
}

/// Compares the TeX that formulas of the built book in `folder` carry with that of their sources in `source`, and
/// returns each page on which the two differ, with the first formula that does. A formula that a directive made is
/// in no source: it must be one that this thread has rendered.
///
/// # Errors
/// If either cannot be read.
pub fn check_tex(folder: &Path, source: &Path) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for (name, page) in read(folder)? {
        let written = source.join(&name).with_extension("md");
        // The first page is there twice, and the print page is made of all.
        if written.is_file() {
            let text = fs::read_to_string(&written)
                .with_context(|| format!("cannot read {}", written.display()))?;
            let fault = fault_of_tex(&page.tex, &text);
            problems.extend(fault.map(|fault| format!("{}: {fault}", name.display())));
        }
    }
    Ok(problems)
}

fn fault_of_tex(built: &[String], text: &str) -> Option<String> {
    let parts = mathematics::parts(text).into_iter();
    let mut written = parts.filter_map(|(_, part)| part.formula().map(mathematics::on_one_line));
    let mut awaited = written.next();
    for tex in built.iter().map(|tex| mathematics::on_one_line(tex)) {
        if awaited.as_ref() == Some(&tex) {
            awaited = written.next();
        } else if !mathematics::was_rendered(&tex) {
            let awaited = awaited.unwrap_or_default();
            return Some(format!("the TeX of `{awaited}` became `{tex}`"));
        }
    }
    awaited.map(|formula| format!("no formula carries the TeX `{formula}`"))
}

/// The pages by their files, relative to the folder.
fn read(folder: &Path) -> Result<BTreeMap<PathBuf, Page>> {
    let mut pages = BTreeMap::new();
    for file in files(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        if file.extension().is_some_and(|kind| kind == "html") {
            let html = fs::read_to_string(folder.join(&file))
                .with_context(|| format!("cannot read {}", file.display()))?;
            pages.insert(file, Page::read(&html));
        }
    }
    Ok(pages)
}

/// All files within `folder`, relative to it, in order.
///
/// # Errors
/// What the file system says.
pub(crate) fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut waiting = vec![PathBuf::new()];
    while let Some(inside) = waiting.pop() {
        for entry in fs::read_dir(folder.join(&inside))? {
            let entry = entry?;
            let path = inside.join(entry.file_name());
            match entry.file_type()?.is_dir() {
                true => waiting.push(path),
                false => found.push(path),
            }
        }
    }
    found.sort();
    Ok(found)
}

struct Site<'a> {
    folder: &'a Path,
    pages: BTreeMap<PathBuf, Page>,
}

impl Site<'_> {
    /// What is wrong with a page; what is checked is added to the report.
    fn check(&self, name: &Path, page: &Page, report: &mut Report) -> Vec<String> {
        let mut problems = Vec::new();
        for link in page.links.iter().filter(|link| !is_elsewhere(link)) {
            report.links += 1;
            report.fragments += usize::from(link.contains('#'));
            problems.extend(self.fault_of(name, link));
        }
        for file in page.loaded.iter().filter(|file| !file.starts_with("data:")) {
            report.loaded += 1;
            match is_elsewhere(file) {
                true => problems.push(format!("{file} is loaded from beyond the book")),
                false => problems.extend(self.fault_of(name, file)),
            }
        }
        report.formulas += page.formulas;
        report.pictures += page.pictures;
        let silent = |which| format!("{which} has no words for those who do not see it");
        problems.extend(page.silent.iter().map(silent));
        problems.extend(unrendered(&page.prose));
        problems.extend(twice(&page.anchors));
        problems
    }

    /// Why a link of a page leads nowhere, if it does.
    fn fault_of(&self, page: &Path, link: &str) -> Option<String> {
        let (path, fragment) = link.split_once('#').unwrap_or((link, ""));
        let path = path.split('?').next().unwrap_or_default();
        // The state of a lab follows its kernel.
        let fragment = match fragment.split_once('&') {
            Some((lab, _)) if lab.starts_with("lab=") => lab,
            _ => fragment,
        };
        let nowhere = || Some(format!("{link} leads nowhere"));
        let Some(mut target) = target(page, path) else {
            return nowhere();
        };
        if path.ends_with('/') || self.folder.join(&target).is_dir() {
            target.push("index.html");
        }
        match self.pages.get(&target) {
            Some(other) if fragment.is_empty() || other.anchors.iter().any(|a| a == fragment) => {
                None
            }
            Some(_) => Some(format!("{link}: that page has no such place")),
            None if self.folder.join(&target).is_file() => None,
            None => nowhere(),
        }
    }
}

/// The file that `path` means on `page`, both relative to the book; none outside of it.
fn target(page: &Path, path: &str) -> Option<PathBuf> {
    if path.is_empty() {
        return Some(page.to_path_buf());
    }
    let mut target = page.parent()?.to_path_buf();
    for part in Path::new(path).components() {
        match part {
            Component::Normal(name) => target.push(name),
            Component::ParentDir if !target.pop() => return None,
            Component::CurDir | Component::ParentDir => {}
            Component::Prefix(_) | Component::RootDir => return None,
        }
    }
    Some(target)
}

/// Whether an address is not the book's: it names a scheme or a host.
fn is_elsewhere(address: &str) -> bool {
    let scheme = address.split(['/', '#', '?']).next().unwrap_or_default();
    scheme.contains(':') || address.starts_with("//")
}

/// What stands in the prose as its author typed it.
fn unrendered(prose: &str) -> Option<String> {
    let place = ["$", "{{#"].iter().find_map(|mark| prose.find(mark))?;
    let rest: String = prose[place..].chars().take(40).collect();
    Some(format!("not rendered: {}", rest.trim()))
}

/// Anchors of which a page has two.
fn twice(anchors: &[String]) -> Vec<String> {
    let mut seen = HashSet::new();
    let again = anchors.iter().filter(|anchor| !seen.insert(*anchor));
    again.map(|anchor| format!("two places are called {anchor}")).collect()
}
