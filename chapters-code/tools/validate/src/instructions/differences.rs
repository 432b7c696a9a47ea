//! Where the results of two devices differ.

use std::fmt::Write;

use super::{
    case::{Case, ROWS},
    inputs,
    recording::values,
};

/// The largest number of rows that are shown of a column.
const SHOWN: usize = 12;

/// The rows in which two devices' results of a case differ, a paragraph a column; empty if none
/// does.
pub fn describe(case: &Case, one: &[u8], other: &[u8]) -> String {
    let rows = inputs::rows(&case.operands, ROWS);
    let mut text = String::new();
    for column in &case.columns {
        let (one, other) = (values(case, column, one), values(case, column, other));
        let differ: Vec<usize> = (0..ROWS).filter(|&row| one[row] != other[row]).collect();
        if differ.is_empty() {
            continue;
        }
        let count = differ.len();
        let _ = writeln!(text, "{}: `{}`, {count} rows", case.name, column.name);
        for &row in differ.iter().step_by(count.div_ceil(SHOWN)) {
            let operands = rows[row][..case.operands.len()].iter().map(|x| format!("{x:#x}"));
            let operands = operands.collect::<Vec<_>>().join(" ");
            let (one, other) = (one[row], other[row]);
            let _ = writeln!(text, "  row {row}: {operands}: {one:#x} and {other:#x}");
        }
    }
    text
}
