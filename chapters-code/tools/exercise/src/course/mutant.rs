//! Kernels that are wrong: a solution, or a variant, with a few lines replaced.

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::diagnosis::Diagnosis;

/// A wrong kernel and what must be said of it.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// Its name, such as `missing_barrier`.
    pub name: String,
    /// The text.
    pub source: String,
    /// What must be found.
    pub diagnosis: Diagnosis,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    mutant: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    /// What it does wrong, for who reads the file.
    #[allow(dead_code)]
    wrong: String,
    diagnosis: Diagnosis,
    /// The variant that it is made of; the solution where none is named.
    of: Option<String>,
    replace: String,
    with: String,
    /// A second place.
    also_replace: Option<String>,
    also_with: Option<String>,
}

/// Makes the mutants that a file describes.
pub(super) fn read(
    text: &str,
    solution: &str,
    variants: &[(String, String)],
) -> Result<Vec<Mutant>> {
    let file: File = toml::from_str(text)?;
    let make = |entry: Entry| {
        let name = entry.name.clone();
        mutate(entry, solution, variants).with_context(|| format!("mutant {name}"))
    };
    file.mutant.into_iter().map(make).collect()
}

fn mutate(entry: Entry, solution: &str, variants: &[(String, String)]) -> Result<Mutant> {
    let of = match &entry.of {
        None => solution,
        Some(wanted) => {
            let found = variants.iter().find(|(name, _)| name == wanted);
            let (_, text) = found.with_context(|| format!("there is no variant {wanted}"))?;
            text
        }
    };
    let mut source = replaced(of, &entry.replace, &entry.with)?;
    if let (Some(replace), Some(with)) = (&entry.also_replace, &entry.also_with) {
        source = replaced(&source, replace, with)?;
    }
    Ok(Mutant { name: entry.name, source, diagnosis: entry.diagnosis })
}

fn replaced(text: &str, old: &str, new: &str) -> Result<String> {
    match text.matches(old).count() {
        1 => Ok(text.replacen(old, new, 1)),
        count => bail!("what it replaces stands {count} times there, not once:\n{old}"),
    }
}
