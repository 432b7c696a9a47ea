//! Instructions that the declared target does not have: PTX's assembler refuses them, so no GPU would run
//! such a kernel, though the simulator could.

use super::{Failure, Place};
use crate::diagnosis::Diagnosis;

/// The beginning of an instruction, the first architecture that has it, and what does instead. Of two that fit the
/// first is meant.
const SINCE: [(&str, u32, &str); 24] = [
    ("cp.async.bulk", 90, "ordinary loads and stores"),
    ("cp.reduce.async.bulk", 90, "atomics"),
    ("cp.async", 80, "an ordinary load and store"),
    ("redux.sync", 80, "__shfl_xor_sync or __shfl_down_sync in five steps"),
    ("mbarrier.try_wait", 90, "mbarrier.test_wait, or __syncthreads()"),
    ("mbarrier.arrive.expect_tx", 90, "mbarrier.arrive, or __syncthreads()"),
    ("mbarrier.expect_tx", 90, "mbarrier.arrive, or __syncthreads()"),
    ("mbarrier.complete_tx", 90, "mbarrier.arrive, or __syncthreads()"),
    ("mbarrier.", 80, "__syncthreads()"),
    ("barrier.cluster", 90, "__syncthreads()"),
    ("fence.mbarrier_init", 90, "__syncthreads()"),
    ("fence.proxy.async", 90, "__syncthreads()"),
    ("elect.sync", 90, "the lowest lane"),
    ("griddepcontrol", 90, "a launch of its own"),
    ("setmaxnreg", 90, "nothing"),
    ("mapa", 90, "global memory"),
    ("getctarank", 90, "global memory"),
    ("st.async", 90, "an ordinary store"),
    ("red.async", 90, "an atomic"),
    ("multimem.", 90, "ordinary loads and stores"),
    ("stmatrix", 90, "ordinary stores"),
    ("wgmma", 90, "ordinary arithmetic"),
    ("createpolicy", 80, "nothing"),
    ("discard", 80, "nothing"),
];

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
    let mut failure = Failure::new(Diagnosis::Module, seen);
    failure.hint = Some(format!("what there is on sm_{own} in its place: {instead}"));
    failure.places.extend(line.map(|line| Place { line, who: String::new() }));
    failure
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
