//! The registry of chapters: what records, draws, validates and tests them finds them here.

use chapter_0_setup::chapter::Setup;
use chapter_1_reduce::chapter::Reduce;
use chapter_2_histogram::chapter::Histogram;
use chapter_3_scan::chapter::Scan;
use chapter_4_compact::chapter::Compact;
use chapter_5_segmented_scan::chapter::Segmented;
use chapter_6_transpose::chapter::Transpose;
use chapter_7_coalescing::chapter::Coalescing;
use chapter_8_multi_gpu::chapter::MultiGpu;
use report::AnyChapter;

/// All chapters, in order.
pub static ALL: &[&dyn AnyChapter] = &[
    &Setup,
    &Reduce,
    &Histogram::DEFAULT,
    &Scan,
    &Compact::DEFAULT,
    &Segmented::DEFAULT,
    &Transpose,
    &Coalescing,
    &MultiGpu,
];

/// The chapter of this name, such as `chapter_1_reduce`.
pub fn find(name: &str) -> Option<&'static dyn AnyChapter> {
    ALL.iter().copied().find(|chapter| chapter.name() == name)
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use harness::{Case, Value};
    use report::chapter::{EVEN, MATRIX, ODD};

    use super::*;

    /// The names of the folders `chapter_N_NAME`.
    fn folders() -> BTreeSet<String> {
        let code = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let entries = fs::read_dir(code).expect("the folder of the code");
        let names = entries.flatten().map(|entry| entry.file_name().into_string());
        let names = names.map(|name| name.expect("UTF-8"));
        names.filter(|name| name.starts_with("chapter_")).collect()
    }

    #[test]
    fn every_folder_of_a_chapter_is_registered() {
        let registered: BTreeSet<_> = ALL.iter().map(|chapter| chapter.name().to_owned()).collect();
        assert_eq!(registered, folders());
        assert_eq!(registered.len(), ALL.len());
    }

    /// A case is the same after its columns were written and read.
    #[test]
    fn columns_give_every_case_back() {
        for chapter in ALL {
            let samples = [EVEN, ODD, MATRIX].into_iter().flat_map(|s| chapter.sample_cases(s));
            for case in samples.chain(chapter.checksum_cases()) {
                let text = |column: &str| case.task.get(column).map(Value::to_string);
                let task = chapter.read(&mut |column| text(column)).expect("its own columns");
                assert_eq!(Case { task, ..case.clone() }, case, "{}", chapter.name());
            }
        }
    }

    /// What the lab offers is what the parameter can be.
    #[test]
    fn choices_of_the_lab_are_values() {
        for chapter in ALL {
            for parameter in chapter.parameters() {
                for value in parameter.lab {
                    let read = chapter.read(&mut |column| {
                        (column == parameter.column).then(|| (*value).to_owned())
                    });
                    assert!(read.is_ok(), "{}: {read:?}", chapter.name());
                }
            }
        }
    }
}
