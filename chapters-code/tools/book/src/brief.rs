//! The box on top of a page, `{{#box …}}`: what limits the rung before, what changes, and which words are new.
//!
//! ```text
//! {{#box changes="Each thread adds two elements before the tree."
//!        limits="kernel=sequential n=2^28 dtype=f32 op=sum" counted="kernel=sequential n=2^20"}}
//! ```
//!
//! `limits` selects a recorded row, as the directive `measured_rung` does, and `counted` is a run, as a figure has it, whose
//! instructions and wavefronts for each KiB are compared with what a multiprocessor can do in the time in which a KiB comes from
//! memory at peak. `instructions=2370` takes the place of a count that PTX does not show. A limit explains a rate that
//! comes near to it; if none does, the kernel **waits**. The new words are the entries of the glossary that no page of the main
//! path before this one has used.
//!
//! A page on which blocks wait for each other also has the protocol: `published`, `by`, `waits`, `ends` and `bits` say what is
//! published, by whom, who waits for it, why the wait ends, and whether every run gives the same bits.

use figures::page::inline;

use crate::lesson::pairs;
use crate::measured::{Reached, amount};

const USAGE: &str = "write {{#box changes=\"…\"}}, with limits=\"KEY=VALUE …\" and counted=\"KEY=VALUE …\" if a rung stands \
                     before, and all of published, by, waits, ends, bits if blocks wait";

/// A memory that is used so far is the limit.
const OF_CEILING: f64 = 0.95;

/// A count explains a rate that is at least this part of what it allows.
const EXPLAINED: f64 = 0.75;

/// Warp instructions that a multiprocessor issues in a clock. Its shared memory serves one wavefront.
const SCHEDULERS: f64 = 4.0;

/// The rows of the protocol.
const PROTOCOL: [&str; 5] =
    ["Published", "By", "Who waits", "Why the wait ends", "Same bits every run"];

/// What a directive asks for.
pub(crate) struct Box {
    changes: String,
    /// What is measured, and the run that is counted.
    pub(crate) limits: Option<(String, String)>,
    /// Instructions for each KiB, if they are not those of PTX.
    instructions: Option<f64>,
    protocol: Option<[String; 5]>,
}

/// What a kernel needs for each KiB that it must move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needs {
    pub(crate) instructions: f64,
    pub(crate) wavefronts: f64,
}

impl Box {
    /// Reads what stands behind the directive's name.
    pub(crate) fn parse(arguments: &str) -> Result<Self, String> {
        const KEYS: [&str; 9] = [
            "changes",
            "limits",
            "counted",
            "instructions",
            "published",
            "by",
            "waits",
            "ends",
            "bits",
        ];
        let [changes, limits, counted, instructions, published, by, waits, ends, bits] =
            pairs(arguments, KEYS, USAGE)?;
        let limits = match (limits, counted) {
            (Some(limits), Some(counted)) => Some((limits, counted)),
            (None, None) => None,
            _ => return Err(USAGE.to_owned()),
        };
        let protocol = match [published, by, waits, ends, bits] {
            [None, None, None, None, None] => None,
            [Some(what), Some(by), Some(who), Some(why), Some(bits)] => {
                Some([what, by, who, why, bits])
            }
            _ => return Err(USAGE.to_owned()),
        };
        let number = |text: String| {
            text.replace(',', "").parse().map_err(|_| format!("instructions={text} is no number"))
        };
        let instructions = instructions.map(number).transpose()?;
        Ok(Self { changes: changes.ok_or(USAGE)?, limits, instructions, protocol })
    }

    /// The size of the run that is counted, as it is written there.
    fn counted_size(&self) -> String {
        let counted = self.limits.as_ref().map_or("", |(_, counted)| counted);
        let size = counted.split_whitespace().find_map(|word| word.strip_prefix("n="));
        format!("n\u{a0}=\u{a0}{}", size.unwrap_or_default().replace('x', "\u{a0}×\u{a0}"))
    }

    /// The box as HTML. `limit` has what was measured and counted of the rung before; `words` are links.
    pub(crate) fn html(&self, limit: Option<(&Reached, Needs)>, words: &[String]) -> String {
        let mut rows = Vec::new();
        if let Some((measured, counted)) = limit {
            let instructions = self.instructions.unwrap_or(counted.instructions);
            let needs = Needs { instructions, ..counted };
            rows.push(("Limits now", sentence(measured, needs, &self.counted_size())));
        }
        rows.push(("Changes", inline(&self.changes)));
        if !words.is_empty() {
            rows.push(("New words", words.join(" · ")));
        }
        let protocol = self.protocol.iter().flatten().map(|text| inline(text));
        rows.extend(PROTOCOL.into_iter().zip(protocol));
        let rows: String =
            rows.iter().map(|(name, text)| format!("<dt>{name}</dt><dd>{text}</dd>\n")).collect();
        format!("<dl class=\"box\">\n{rows}</dl>\n")
    }
}

/// What limits a rung, in words. Counts are of a run of `counted_size`.
fn sentence(measured: &Reached, needs: Needs, counted_size: &str) -> String {
    let reached = measured.fraction_of_peak;
    let clocks = measured.clocks_per_kib;
    let allowed = [
        ("instructions", needs.instructions, SCHEDULERS * clocks),
        ("wavefronts", needs.wavefronts, clocks),
    ];
    let allowed = allowed.map(|(name, needed, budget)| (name, needed, (budget / needed).min(1.0)));
    let said = |(name, needed, allowed): (&str, f64, f64)| match allowed {
        1.0 if needed < 1.0 => format!("it needs hardly any {name}"),
        1.0 => format!("its {needed:.0} {name} per KiB are few enough"),
        _ => format!("its {needed:.0} {name} per KiB allow {:.0}\u{a0}%", allowed * 100.0),
    };
    let [instructions, wavefronts] = allowed.map(said);
    let tightest = if allowed[0].2 <= allowed[1].2 { allowed[0] } else { allowed[1] };
    let verdict = match tightest {
        _ if measured.fraction_of_ceiling >= OF_CEILING => "The memory's rate.".to_owned(),
        (name, _, allowed) if allowed < 1.0 && reached >= EXPLAINED * allowed => {
            format!("Its {name}.")
        }
        _ => "Waiting.".to_owned(),
    };
    format!(
        "<strong>{verdict}</strong> <code>{}</code> reaches {} of peak; {instructions}, {wavefronts} ({}).",
        measured.kernel,
        amount("fraction_of_peak", reached),
        inline(counted_size)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reached(fraction_of_peak: f64, fraction_of_ceiling: f64) -> Reached {
        let kernel = "sequential".to_owned();
        Reached { kernel, fraction_of_peak, fraction_of_ceiling, clocks_per_kib: 56.0 }
    }

    #[test]
    fn a_limit_explains_a_rate_near_to_it() {
        let needs = |instructions, wavefronts| Needs { instructions, wavefronts };
        let said = |reached: Reached, needs| sentence(&reached, needs, "n = 2^20");
        assert_eq!(
            said(reached(0.179, 0.19), needs(716.0, 9.3)),
            "<strong>Waiting.</strong> <code>sequential</code> reaches 17.9\u{a0}% of peak; its 716 instructions per KiB \
             allow 31\u{a0}%, its 9 wavefronts per KiB are few enough (n = 2<sup>20</sup>)."
        );
        assert!(
            said(reached(0.09, 0.1), needs(2370.0, 150.0)).contains("<strong>Its instructions.")
        );
        assert!(said(reached(0.3, 0.32), needs(100.0, 150.0)).contains("<strong>Its wavefronts."));
        assert!(said(reached(0.93, 0.98), needs(60.0, 0.0)).contains("<strong>The memory's rate."));
        assert!(
            said(reached(0.93, 0.98), needs(60.0, 0.0)).contains("it needs hardly any wavefronts")
        );
    }

    #[test]
    fn a_box_is_whole() {
        assert!(Box::parse("limits=\"kernel=a\" counted=\"kernel=a\"").is_err());
        assert!(Box::parse("changes=\"all\" limits=\"kernel=a\"").is_err());
        assert!(Box::parse("changes=\"all\" published=\"a word\"").is_err());
        assert!(Box::parse("changes=\"all\" instructions=many").is_err());
        let all = "changes=\"`b`\" published=\"w\" by=\"x\" waits=\"y\" ends=\"z\" bits=\"yes\"";
        let html = Box::parse(all).expect("all of it").html(None, &["<a>tile</a>".to_owned()]);
        assert!(
            html.starts_with(
                "<dl class=\"box\">\n<dt>Changes</dt><dd><code>b</code></dd>\n<dt>New words"
            ),
            "{html}"
        );
        assert!(html.contains("<dt>Same bits every run</dt><dd>yes</dd>"), "{html}");
    }
}
