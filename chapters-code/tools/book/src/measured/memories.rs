//! One kernel on two devices that differ in their memory only. How much longer it takes with the slower memory shows
//! whether the memory limits it.

use super::directive::Directive;
use super::records::{self, Records, Row, Run};
use super::{Asked, amount, table};

/// The rows of a directive on two devices.
struct Two<'a> {
    own: &'a Run,
    other: &'a Run,
    rows: [Vec<&'a Row>; 2],
}

/// Times on both devices, a line for every kernel that `directive` selects, in the order of the ladder, and one each for the
/// baseline of the last and for the ceiling.
pub(super) fn ladder(Asked { page, directive, records }: Asked) -> Result<String, String> {
    let two = Two::of(directive, records)?;
    let [own, other] = [two.own.model(), two.other.model()];
    let mut text = format!(
        "| kernel | {own} | {other} | {other} / {own} | does the memory limit it? |\n\
         | --- | ---: | ---: | ---: | --- |\n"
    );
    let (mut library, mut ceilings) = (String::new(), Vec::new());
    for kernel in records::kernels(two.rows.iter().map(Vec::as_slice)) {
        // A kernel that only one of the two has shows nothing.
        let Some(rows) = two.both(kernel)? else { continue };
        let ceiling = times(rows, "ceiling_ms")?;
        let judged = |name: &str, path| -> Result<String, String> {
            let times = times(rows, path)?;
            Ok(line(name, times, Part::of(times, ceiling).answer()))
        };
        text.push_str(&judged(&format!("`{kernel}`"), TIME)?);
        if let [Some(baseline), Some(_)] = rows.map(|row| row.baseline.as_ref()) {
            library = judged(&baseline.name, "baseline.time_ms.median")?;
        }
        ceilings.push(ceiling);
    }
    text.push_str(&library);
    // Kernels that move different bytes have no ceiling in common.
    if let [.., last] = ceilings[..]
        && ceilings.iter().all(|ceiling| (ceiling[0] / last[0] - 1.0).abs() < 0.02)
    {
        text.push_str(&line("ceiling", last, ""));
    }
    let sources = [two.own, two.other].map(|run| table::source(page, run)).join(" ");
    Ok(format!("{text}\n*{sources}*\n"))
}

/// Where the book explains what two memories show.
const EXPLANATION: &str = "chapter_0_setup/your_machine.md#two-memories";

const TIME: &str = "time_ms.median";

fn line(name: &str, times: [f64; 2], answer: &str) -> String {
    let [own, other] = times.map(|time| amount("time_ms", time));
    format!("| {name} | {own} | {other} | {} | {answer} |\n", ratio(times))
}

fn ratio([own, other]: [f64; 2]) -> String {
    // Not by `amount`, which calls a ratio of 1 equal.
    format!("{:.2}×", other / own)
}

/// A time of a kernel's rows on the two devices.
fn times(rows: [&Row; 2], path: &str) -> Result<[f64; 2], String> {
    let [own, other] = rows.map(|row| row.number(path));
    own.zip(other)
        .map(|(own, other)| [own, other])
        .ok_or_else(|| format!("a recorded row of {} has no {path}", rows[0].subject.kernel))
}

/// What the other device shows of the one row that `directive` selects.
pub(super) fn rung(Asked { page, directive, records }: Asked) -> Result<String, String> {
    let two = Two::of(directive, records)?;
    let kernel = &two.own.one_row(directive)?.subject.kernel;
    let rows = two.both(kernel)?.ok_or("only one device has such a row")?;
    let (kernels, ceilings) = (times(rows, TIME)?, times(rows, "ceiling_ms")?);
    let speed = if ceilings[0] < ceilings[1] { "slower" } else { "faster" };
    Ok(format!(
        "The {} has the same multiprocessors as the {} and {} memory: a kernel at the ceiling takes {} as long with it. \
         `{kernel}` takes {} as long there, so the memory's rate {}.",
        two.other.model(),
        two.own.model(),
        format_args!("[a {speed}]({}{EXPLANATION})", table::up(page)),
        ratio(ceilings),
        ratio(kernels),
        Part::of(kernels, ceilings).consequence(),
    ))
}

impl<'a> Two<'a> {
    fn of(directive: &Directive, records: &'a Records) -> Result<Self, String> {
        let own = records.run_of(directive)?;
        let of_own = own.select(directive)?;
        let (other, of_other) = records
            .with_other_memory(own)
            .find_map(|other| Some((other, other.select(directive).ok()?)))
            .ok_or_else(|| {
                format!(
                    "no device is recorded that differs from the {} in its memory only",
                    own.model()
                )
            })?;
        Ok(Self { own, other, rows: [of_own, of_other] })
    }

    /// The rows of a kernel on both devices; none if one of the two does not have it.
    fn both(&self, kernel: &str) -> Result<Option<[&'a Row; 2]>, String> {
        let mut found = [None; 2];
        for (rows, found) in self.rows.iter().zip(&mut found) {
            for row in rows.iter().filter(|row| row.subject.kernel == kernel) {
                if found.replace(*row).is_some() {
                    return Err(format!("{kernel} has several such rows"));
                }
            }
        }
        let [own, other] = found;
        Ok(own.zip(other).map(|(own, other)| [own, other]))
    }
}

/// How much of what the other memory may add to a time it has added.
enum Part {
    Little,
    Some,
    Most,
}

impl Part {
    /// A kernel whose time grows as that of its ceiling is limited by the memory, and one whose time does not grow by
    /// something that the two devices have in common.
    fn of(kernel: [f64; 2], ceiling: [f64; 2]) -> Self {
        let [kernel, ceiling] = [kernel, ceiling].map(|[own, other]| other / own);
        match (kernel - 1.0) / (ceiling - 1.0) {
            part if part < 0.2 => Self::Little,
            part if part <= 0.8 => Self::Some,
            _ => Self::Most,
        }
    }

    fn answer(&self) -> &'static str {
        match self {
            Self::Little => "hardly",
            Self::Some => "in part",
            Self::Most => "mostly",
        }
    }

    fn consequence(&self) -> &'static str {
        match self {
            Self::Little => "hardly limits it",
            Self::Some => "limits it in part",
            Self::Most => "is most of what limits it",
        }
    }
}
