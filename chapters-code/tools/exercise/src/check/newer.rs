//! Instructions that the declared target does not have: PTX's assembler refuses them, so no GPU would run
//! such a kernel, though the simulator could.

use std::sync::LazyLock;

use super::Failure;
use crate::diagnosis::Diagnosis;

/// The beginning of an instruction, the first architecture that has it, and what does instead. Of two that fit the
/// first is meant.
static SINCE: LazyLock<Vec<(&str, u32, &str)>> = LazyLock::new(|| {
    let row = |line: &'static str| {
        let [begin, since, instead] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("`{line}` has not three columns");
        };
        (begin, since.parse().expect("a number of an architecture"), instead)
    };
    include_str!("newer.tsv").lines().map(row).collect()
});

/// Refuses an instruction that the architecture, such as `compute_75`, does not have. `name` is the submission's.
///
/// # Errors
/// With its line.
pub fn instructions(ptx: &str, architecture: &str, name: &str) -> Result<(), Failure> {
    let own = architecture.strip_prefix("compute_").and_then(|number| number.parse().ok());
    let own: u32 = own.unwrap_or(u32::MAX);
    let (mut file, mut line) = (None, None);
    for text in ptx.lines().map(str::trim).filter(|text| !text.starts_with("//")) {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words[..] {
            [".file", number, path, ..] if path.contains(name) => file = Some(number),
            [".loc", of, number, ..] => {
                line = number.parse().ok().filter(|_| file.is_none_or(|file| file == of));
            }
            _ => {
                if let Some((word, since, instead)) = newer(text, own) {
                    return Err(refusal(word, own, since, instead, line));
                }
            }
        }
    }
    Ok(())
}

/// The first instruction on a line of PTX that is newer than an architecture.
fn newer(text: &str, own: u32) -> Option<(&str, u32, &'static str)> {
    let words = text.split(|c: char| c.is_whitespace() || "{};".contains(c));
    words.into_iter().find_map(|word| {
        let &(_, since, instead) = SINCE.iter().find(|(begin, ..)| word.starts_with(begin))?;
        (own < since).then_some((word, since, instead))
    })
}

fn refusal(word: &str, own: u32, since: u32, instead: &str, line: Option<usize>) -> Failure {
    let seen = format!(
        "`{word}` is an instruction of sm_{since} and later, and this exercise is compiled for sm_{own}"
    );
    let hint = format!("what there is on sm_{own} in its place: {instead}");
    Failure::new(Diagnosis::Module, seen).hint(hint).at(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = "\t.file\t1 \"k.cu\"\n\t.loc\t1 7 5\n\tmov.u32 %r1, %tid.x;\n\t.loc\t1 9 5\n\t{ .reg .b64 s; @%p1 mbarrier.try_wait.parity.shared.b64 p, [%1], 0; }\n// redux.sync\n";

    #[test]
    fn what_a_target_lacks_is_refused_with_its_line() {
        let refused = instructions(PTX, "compute_80", "k.cu").expect_err("it is newer");
        assert_eq!(refused.places.first().map(|place| place.line), Some(9));
        assert!(refused.seen.contains("mbarrier.try_wait.parity.shared.b64"), "{}", refused.seen);
        assert!(refused.seen.contains("sm_90"), "{}", refused.seen);
        assert!(instructions(PTX, "compute_90", "k.cu").is_ok());
        let test_wait = PTX.replace("try_wait", "test_wait");
        assert!(instructions(&test_wait, "compute_80", "k.cu").is_ok());
        assert!(instructions(&test_wait, "compute_75", "k.cu").is_err());
    }
}
