//! Which kernels of the chapters have local memory: a thread's own part of the device's memory, for what has no place in a
//! register. Each that has some is in a list, with its bytes and the reason.

use std::{collections::BTreeMap, path::Path, sync::Mutex, thread};

use anyhow::{Context, Result, bail, ensure};

use crate::{
    kernel,
    ptxas::{self, Bytes, Ptxas},
};

/// The list, from the root of the workspace.
const LIST: &str = "chapters-code/tools/xtask/local_memory.tsv";

/// The first line of the list.
const COLUMNS: &str = "file\tfunction\tstack\tspill_stores\tspill_loads\treason";

/// By file and function.
type Known = BTreeMap<(String, String), Bytes>;

/// Fails where a kernel of a chapter has local memory that is not in the list, or other bytes than there.
///
/// # Errors
/// That, and where the assembler or the list cannot be had.
pub fn check(root: &Path) -> Result<()> {
    let list = read_list(&kernel::read(&root.join(LIST))?)?;
    let (kernels, found) = measure(root)?;
    let wrong = differences(&list, &found);
    if !wrong.is_empty() {
        bail!(
            "local memory by ptxas {} (a parameter that is indexed at run time wants `const __grid_constant__`; \
             what is meant to be there belongs into {LIST}, with its reason):\n  {}",
            ptxas::VERSION,
            wrong.join("\n  ")
        );
    }
    println!("{kernels} modules assembled; {} functions have local memory, as listed", found.len());
    Ok(())
}

/// Assembles the kernels of all chapters. Gives the number of modules, and the functions that have local memory.
fn measure(root: &Path) -> Result<(usize, Known)> {
    let ptxas = Ptxas::provide(root)?;
    let mut modules = kernel::all_ptx(root)?;
    modules.retain(|path| kernel::relative(root, path).starts_with("chapters-code/chapter_"));
    ensure!(!modules.is_empty(), "there is no PTX below chapters-code");
    let (left, found) = (Mutex::new(modules.iter()), Mutex::new(Ok(Known::new())));
    let work = || {
        while let Some(path) = left.lock().ok().and_then(|mut left| left.next()) {
            let of_module = ptxas.local_memory(path);
            let Ok(mut found) = found.lock() else { return };
            match (of_module, &mut *found) {
                (Ok(functions), Ok(known)) => {
                    let file = kernel::relative(root, path);
                    known
                        .extend(functions.into_iter().map(|(f, bytes)| ((file.clone(), f), bytes)));
                }
                (Err(error), _) => *found = Err(error),
                (_, Err(_)) => return,
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let found = found.into_inner().ok().context("a thread that assembles has stopped")?;
    Ok((modules.len(), found?))
}

fn read_list(text: &str) -> Result<Known> {
    let mut lines = text.lines();
    ensure!(lines.next() == Some(COLUMNS), "{LIST}, line 1: the columns are {COLUMNS}");
    let mut known = Known::new();
    for (number, line) in (2..).zip(lines) {
        let at = || {
            format!("{LIST}, line {number}: give a number of bytes in columns 3 to 5, and a reason")
        };
        let columns: Vec<&str> = line.split('\t').collect();
        let [file, function, stack, stores, loads, reason] = columns[..] else { bail!(at()) };
        ensure!(!reason.trim().is_empty(), at());
        let [stack, stores, loads] = [stack, stores, loads].map(str::parse);
        let bytes = Bytes {
            stack: stack.with_context(at)?,
            stores: stores.with_context(at)?,
            loads: loads.with_context(at)?,
        };
        let twice = known.insert((file.to_owned(), function.to_owned()), bytes);
        ensure!(twice.is_none(), "{LIST}, line {number}: {function} of {file} is there twice");
    }
    Ok(known)
}

/// Where what was found is not what is listed.
fn differences(list: &Known, found: &Known) -> Vec<String> {
    let in_words = |Bytes { stack, stores, loads }: &Bytes| format!("{stack}, {stores}, {loads}");
    let mut wrong = Vec::new();
    for ((file, function), bytes) in found {
        let has = format!("{function} of {file} has {} bytes", in_words(bytes));
        match list.get(&(file.clone(), function.clone())) {
            None => wrong.push(format!("{has}, without a reason in the list")),
            Some(listed) if listed != bytes => {
                wrong.push(format!("{has}, and {} in the list", in_words(listed)));
            }
            Some(_) => {}
        }
    }
    for (file, function) in list.keys().filter(|key| !found.contains_key(key)) {
        wrong.push(format!("{function} of {file} has none: take it from the list"));
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: &str = "a.ptx\tsum\t8\t4\t4\tfew registers\n";

    fn list(rows: &str) -> Result<Known> {
        read_list(&format!("{COLUMNS}\n{rows}"))
    }

    #[test]
    fn the_list_is_what_is_found() -> Result<()> {
        let listed = list(ROW)?;
        assert_eq!(differences(&listed, &listed), [""; 0]);
        let grown = list(&ROW.replace("\t8\t4", "\t16\t12"))?;
        let expected = "sum of a.ptx has 16, 12, 4 bytes, and 8, 4, 4 in the list";
        assert_eq!(differences(&listed, &grown), [expected]);
        let expected = "sum of a.ptx has 8, 4, 4 bytes, without a reason in the list";
        assert_eq!(differences(&Known::new(), &listed), [expected]);
        let expected = "sum of a.ptx has none: take it from the list";
        assert_eq!(differences(&listed, &Known::new()), [expected]);
        Ok(())
    }

    #[test]
    fn a_row_has_numbers_and_a_reason() {
        for wrong in [ROW.replace("few registers", " "), ROW.replace("\t8", "\tx"), "a\n".into()] {
            let error = list(&wrong).expect_err(&wrong);
            assert!(format!("{error:#}").contains("line 2: give"), "{error:#}");
        }
        let twice = list(&format!("{ROW}{ROW}")).expect_err("twice");
        assert!(twice.to_string().contains("line 3"), "{twice}");
    }

    #[test]
    fn every_listed_file_is_there() -> Result<()> {
        let root = crate::workspace();
        for (file, _) in read_list(&kernel::read(&root.join(LIST))?)?.keys() {
            assert!(root.join(file).exists(), "{file}");
        }
        Ok(())
    }
}
