//! What a recording says of itself, and what it covers.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use figures::number::thousands;
use recording::{Clocks, Library, Recording, Row, Skipped};

/// In a folder of recorded instructions: what device they were recorded on.
pub(super) const DEVICE: &str = "device.txt";

/// Whether a file of this name holds what a driver answered: attributes of its device, or functions.
pub(super) fn is_answers(name: &str) -> bool {
    name.ends_with("_attributes.txt") || name.ends_with("_symbols.txt")
}

/// A name and a value.
pub(super) type Fact = (&'static str, String);

const NOT_NOTED: &str = "not noted in the file";

/// The tables: how the names of their files begin, what they hold, and what made them. The first that fits is meant.
const TABLES: [(&str, &str, &str); 9] = [
    ("stalls_", "where the warps of chapter 6 wait, by rung", PROFILER),
    ("samples_", "where the warps of chapter 6 wait, by machine instruction", PROFILER),
    (
        "wrong_clock_",
        "one launch, timed wrongly and rightly",
        "`wrong_clock`, an example of chapter 0",
    ),
    ("latencies_", "how long a lone thread waits", "`latencies`, an example of chapter 0"),
    (
        "trials_of_clusters_",
        "clusters of blocks: all histograms and accesses that were tried",
        OTHER_PROGRAM,
    ),
    ("trials_", "times of variants of kernels that were tried", OTHER_PROGRAM),
    (
        "cluster_histograms_",
        "clusters of blocks: rows of the trials that chapter 2 shows",
        OTHER_PROGRAM,
    ),
    (
        "cluster_",
        "accesses to the shared memory of a cluster",
        "`clusters`, an example of chapter 2",
    ),
    ("broken_", "wrong results of chapter 8's wrong kernels", "`chapter_8 --broken`, see the file"),
];

const PROFILER: &str = "`ncu` on `chapter_6`, see README.md beside the file";

/// A program that is not part of the project.
const OTHER_PROGRAM: &str = "see README.md beside the file";

fn unknown() -> String {
    "no recording of this kind is known; describe it in tools/book/src/evidence".to_owned()
}

/// The facts about the recording at `path`, by its kind.
pub(super) fn facts(path: &Path) -> Result<Vec<Fact>, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if path.is_dir() {
        return instructions(path);
    }
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    match name.rsplit_once('.') {
        Some((_, "json")) => run(&text),
        Some((stem, "csv")) if stem.starts_with("ncu_") => counters(&text),
        Some((stem, "tsv")) if stem.starts_with("sanitizer_") => tools(stem, &text),
        Some((stem, "csv" | "tsv")) => {
            let of_kind = TABLES.iter().find(|(kind, ..)| stem.starts_with(kind));
            of_kind.map(|(_, what, command)| table(stem, &text, what, command)).ok_or_else(unknown)
        }
        _ if is_answers(&name) => answers(&text),
        _ => Err(unknown()),
    }
}

/// A run of `record`.
fn run(text: &str) -> Result<Vec<Fact>, String> {
    let run = Recording::read(text).map_err(|error| error.to_string())?;
    let Recording { head, rows, skipped, checksums } = run.ok_or("it is no recorded run")?;
    let megahertz = |clock: f64| thousands(clock.round() as u64);
    let Clocks { multiprocessor_mhz, memory_mhz } = head.device.clocks;
    let clocks = format!(
        "{} MHz (multiprocessors) and {} MHz (memory) at most",
        megahertz(multiprocessor_mhz),
        megahertz(memory_mhz)
    );
    let mut facts = vec![
        ("what", "times and rates of every kernel".to_owned()),
        ("device", head.device.name),
        ("compute capability", head.device.compute_capability),
        ("driver", head.device.driver),
        ("clocks", clocks),
        ("libraries", libraries(&head.libraries, &rows)),
        ("date", head.date),
        ("commit", head.commit),
        ("command", commands(&head.command)),
        ("holds", covered(&rows)),
        ("results, bit by bit", thousands(checksums.len() as u64)),
        ("left out", left_out(&skipped)),
    ];
    facts.extend(head.kept.map(|reason| ("kept", format!("It has earlier kernels. {reason}"))));
    Ok(facts)
}

/// What is compared with: the libraries that the recorder opened, or else those of the rows.
fn libraries(opened: &[Library], rows: &[Row]) -> String {
    let built_with = |library: &Library| match &library.built_with {
        Some(built_with) => format!(" ({built_with})"),
        None => String::new(),
    };
    let opened = opened.iter().map(|l| format!("{} {}{}", l.name, l.version, built_with(l)));
    let mut libraries: BTreeSet<String> = opened.collect();
    if libraries.is_empty() {
        let baselines = rows.iter().filter_map(|row| row.baseline.as_ref());
        libraries
            .extend(baselines.map(|baseline| format!("{} {}", baseline.name, baseline.version)));
    }
    libraries.into_iter().collect::<Vec<_>>().join("; ")
}

/// The commands of a run.
fn commands(text: &str) -> String {
    format!("`{}`", text.replace("; ", "`; `"))
}

/// How many cases a run left out, and why.
fn left_out(cases: &[Skipped]) -> String {
    let reasons: BTreeSet<&str> = cases.iter().map(|case| &*case.reason).collect();
    match cases.len() {
        0 => "nothing".to_owned(),
        many => format!(
            "{} cases: {}",
            thousands(many as u64),
            reasons.into_iter().collect::<Vec<_>>().join("; ")
        ),
    }
}

/// How many rows of which kernels, sizes and samples.
fn covered(rows: &[Row]) -> String {
    let mut kernels: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for Row { subject, .. } in rows {
        kernels.entry(&subject.chapter).or_default().insert(&subject.kernel);
    }
    let chapters: Vec<String> = kernels
        .iter()
        .map(|(chapter, kernels)| format!("{} kernels of `{chapter}`", kernels.len()))
        .collect();
    let sizes = || rows.iter().map(|row| row.subject.n);
    let samples = rows.iter().filter_map(|row| row.time_ms).map(|time| time.samples);
    format!(
        "{} rows: {}; {} to {} elements; at least {} samples where a row has times",
        thousands(rows.len() as u64),
        chapters.join(", "),
        thousands(sizes().min().unwrap_or(0)),
        thousands(sizes().max().unwrap_or(0)),
        samples.min().unwrap_or(0)
    )
}

/// Counts of Nsight Compute.
fn counters(text: &str) -> Result<Vec<Fact>, String> {
    let header = header(text);
    let field = |name: &str| header.get(name).cloned().unwrap_or(NOT_NOTED.to_owned());
    let rows = text.lines().filter(|line| !line.starts_with('#')).count();
    let command = text.split('`').nth(1).ok_or("its first line names no command")?;
    Ok(vec![
        ("what", "counters of the hardware".to_owned()),
        ("device", field("device")),
        ("driver", field("driver")),
        ("tool", format!("Nsight Compute {}", field("ncu"))),
        ("date", field("date")),
        ("commit", field("commit")),
        ("command", format!("`{command}`, under `ncu`")),
        ("holds", format!("{} launches", thousands(rows.saturating_sub(1) as u64))),
    ])
}

/// The `name: value` pairs of the lines that begin with `#`.
fn header(text: &str) -> BTreeMap<String, String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix('#'));
    let pairs = lines.flat_map(|line| line.split(';').filter_map(|pair| pair.split_once(": ")));
    pairs.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())).collect()
}

/// What compute-sanitizer said.
fn tools(stem: &str, text: &str) -> Result<Vec<Fact>, String> {
    let mut head = text.lines().filter_map(|line| line.strip_prefix("# "));
    let version = head.next().ok_or("it does not begin with the tool's version")?;
    let device = head.next().ok_or("its second line does not name the device")?;
    let (device, driver) = device.rsplit_once(", ").unwrap_or((device, NOT_NOTED));
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').collect())
        .collect();
    let kernels: BTreeSet<&str> = rows.iter().filter_map(|row| row.first().copied()).collect();
    let tools: BTreeSet<&str> = rows.iter().filter_map(|row| row.get(1).copied()).collect();
    Ok(vec![
        ("what", "findings of compute-sanitizer".to_owned()),
        ("device", device.to_owned()),
        ("driver", driver.to_owned()),
        ("tool", format!("compute-sanitizer, {version}")),
        ("date", stem.rsplit('_').next().unwrap_or(NOT_NOTED).to_owned()),
        ("commit", header(text).remove("commit").unwrap_or(NOT_NOTED.to_owned())),
        ("command", "`chapters-code/tools/validate/sanitize.sh`".to_owned()),
        (
            "holds",
            format!(
                "{} kernels under {} tools: {}",
                kernels.len(),
                tools.len(),
                tools.into_iter().collect::<Vec<_>>().join(", ")
            ),
        ),
    ])
}

/// A table whose first lines say if it was recorded.
fn table(stem: &str, text: &str, what: &str, command: &str) -> Vec<Fact> {
    let header = header(text);
    let field = |name: &str| header.get(name).cloned().unwrap_or(NOT_NOTED.to_owned());
    let rows = text.lines().filter(|line| !line.starts_with('#')).count();
    vec![
        ("what", what.to_owned()),
        ("device", field("device")),
        ("driver", field("driver")),
        ("date", stem.rsplit('_').next().unwrap_or(NOT_NOTED).to_owned()),
        ("commit", field("commit")),
        ("command", command.to_owned()),
        ("holds", format!("{} rows", thousands(rows.saturating_sub(1) as u64))),
    ]
}

/// Results of single instructions: a file a kernel, and a line that is not indented for each form.
fn instructions(folder: &Path) -> Result<Vec<Fact>, String> {
    let read = |path: &Path| fs::read_to_string(path).map_err(|error| error.to_string());
    let device = read(&folder.join(DEVICE))?;
    let (mut kernels, mut forms) = (0, 0);
    for entry in fs::read_dir(folder).map_err(|error| error.to_string())? {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.file_name().is_some_and(|name| name != DEVICE) {
            kernels += 1;
            forms += read(&path)?.lines().filter(|line| !line.starts_with(' ')).count();
        }
    }
    Ok(vec![
        ("what", "results of single PTX instructions, bit by bit".to_owned()),
        ("device", device.trim().to_owned()),
        ("date", NOT_NOTED.to_owned()),
        ("commit", NOT_NOTED.to_owned()),
        ("command", "`validate instructions --out FOLDER`".to_owned()),
        (
            "holds",
            format!("{} forms of instructions in {kernels} kernels", thousands(forms as u64)),
        ),
    ])
}

/// A device's answers to the driver's questions about it.
fn answers(text: &str) -> Result<Vec<Fact>, String> {
    let (head, facts): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.starts_with('#'));
    let said: Vec<&str> = head.iter().map(|line| line.trim_start_matches(['#', ' '])).collect();
    let facts = facts.iter().filter(|line| !line.trim().is_empty()).count();
    Ok(vec![("what", said.join(" ")), ("holds", format!("{} answers", thousands(facts as u64)))])
}
