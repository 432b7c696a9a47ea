//! The table: what of a row people want to see, in 80 or 120 columns.

use crate::{
    Case, Row,
    ceiling::Ceiling,
    recorded::{Recording, recordings},
    row::Caught,
    simulator::Counters,
};

/// Text in columns. The first is left-aligned, the others right-aligned.
struct Table {
    columns: Vec<Column>,
}

/// A column; where the table is too wide, those with the highest rank go first.
struct Column {
    title: String,
    rank: u8,
    cells: Vec<String>,
}

impl Column {
    fn width(&self) -> usize {
        let cells = self.cells.iter().map(|cell| cell.chars().count());
        cells.chain([self.title.chars().count()]).max().unwrap_or(0)
    }
}

impl Table {
    fn of<'a>(rows: &'a [Row], columns: &[(&str, u8, Cell<'a>)]) -> Self {
        let cells = |cell: &Cell<'a>| (0..rows.len()).map(cell).collect();
        let column = |(title, rank, cell): &(&str, u8, Cell<'a>)| Column {
            title: title.to_string(),
            rank: *rank,
            cells: cells(cell),
        };
        // A column in which nothing stands says nothing.
        let columns = columns
            .iter()
            .map(column)
            .filter(|column| column.rank == 0 || column.cells.iter().any(|cell| !cell.is_empty()));
        Self {
            columns: columns.collect(),
        }
    }

    fn width(&self) -> usize {
        self.columns
            .iter()
            .map(|column| column.width() + 2)
            .sum::<usize>()
            .saturating_sub(2)
    }

    fn fit(&mut self, width: usize) {
        while self.width() > width {
            let ranks = self
                .columns
                .iter()
                .enumerate()
                .map(|(i, column)| (column.rank, i));
            match ranks.max() {
                Some((rank, i)) if rank > 0 => drop(self.columns.remove(i)),
                _ => return,
            }
        }
    }

    fn render(&self) -> String {
        let lines = self.columns.first().map_or(0, |column| column.cells.len());
        let title = |column: &Column| column.title.clone();
        let rule = |column: &Column| "─".repeat(column.width());
        let mut text = self.line(&title) + &self.line(&rule);
        for i in 0..lines {
            text += &self.line(&|column: &Column| column.cells[i].clone());
        }
        text
    }

    fn line(&self, cell: &dyn Fn(&Column) -> String) -> String {
        let mut line = String::new();
        for (i, column) in self.columns.iter().enumerate() {
            let (text, width) = (cell(column), column.width());
            line += &if i == 0 {
                format!("{text:<width$}")
            } else {
                format!("  {text:>width$}")
            };
        }
        line.trim_end().to_string() + "\n"
    }
}

type Cell<'a> = Box<dyn Fn(usize) -> String + 'a>;

/// The rows of one case as a table of at most `width` columns, and below it what went wrong.
pub fn render(case: &Case, rows: &[Row], width: usize) -> String {
    let simulated = rows.iter().any(|row| row.simulated);
    let mut table = if simulated {
        simulator_table(case, rows)
    } else {
        gpu_table(case, rows)
    };
    table.fit(width);
    table.render() + &findings(rows, width)
}

fn gpu_table<'a>(case: &'a Case, rows: &'a [Row]) -> Table {
    let all = |ceiling: Ceiling| rows.iter().all(|row| row.ceiling == ceiling);
    let ceiling = match (all(Ceiling::Copy), all(Ceiling::Read)) {
        (true, _) => "of copy",
        (_, true) => "of read",
        _ => "of ceiling",
    };
    Table::of(
        rows,
        &[
            ("kernel", 0, Box::new(|i| rows[i].kernel.to_string())),
            ("on", 6, Box::new(|i| other_case(&rows[i], case))),
            (
                "median ms",
                0,
                Box::new(|i| rows[i].time_ms.map(|t| ms(t.median)).unwrap_or_default()),
            ),
            ("spread", 2, Box::new(|i| spread(&rows[i]))),
            (
                "GB/s",
                0,
                Box::new(|i| rows[i].gb_per_s.map(rate).unwrap_or_default()),
            ),
            (
                ceiling,
                0,
                Box::new(|i| percent(rows[i].fraction_of_ceiling)),
            ),
            (
                "of peak",
                4,
                Box::new(|i| percent(rows[i].fraction_of_peak)),
            ),
            ("regs", 5, Box::new(|i| rows[i].registers.to_string())),
            ("occ.", 6, Box::new(|i| percent(Some(rows[i].occupancy)))),
            ("faster", 1, Box::new(|i| speed_up(rows, i))),
            ("vs peer", 1, Box::new(|i| peer(&rows[i]))),
            ("error/bound", 7, Box::new(|i| error(&rows[i]))),
            ("verdict", 0, Box::new(|i| verdict(&rows[i]))),
        ],
    )
}

fn simulator_table<'a>(case: &'a Case, rows: &'a [Row]) -> Table {
    let recording = recordings().first();
    let counted = |i: usize, show: fn(&Counters) -> String| {
        rows[i].counters.as_ref().map(show).unwrap_or_default()
    };
    Table::of(
        rows,
        &[
            ("kernel", 0, Box::new(|i| rows[i].kernel.to_string())),
            ("on", 6, Box::new(|i| other_case(&rows[i], case))),
            ("verdict", 0, Box::new(|i| verdict(&rows[i]))),
            (
                "sect/req",
                0,
                Box::new(move |i| {
                    counted(i, |c| {
                        let requests = c.global_load_requests + c.global_store_requests;
                        ratio(c.global_load_sectors + c.global_store_sectors, requests)
                    })
                }),
            ),
            (
                "wavef/req",
                0,
                Box::new(move |i| {
                    counted(i, |c| {
                        let requests = c.shared_load_requests + c.shared_store_requests;
                        ratio(
                            c.shared_load_wavefronts + c.shared_store_wavefronts,
                            requests,
                        )
                    })
                }),
            ),
            (
                "lanes",
                0,
                Box::new(move |i| {
                    counted(i, |c| ratio(c.thread_instructions, c.warp_instructions))
                }),
            ),
            (
                "barriers",
                1,
                Box::new(move |i| counted(i, |c| c.barriers.to_string())),
            ),
            ("races", 2, Box::new(|i| rows[i].races.len().to_string())),
            ("error/bound", 5, Box::new(|i| error(&rows[i]))),
            ("floor ms", 3, Box::new(move |i| floor(&rows[i], recording))),
            (
                "recorded ms",
                4,
                Box::new(move |i| recorded(&rows[i], case, recording)),
            ),
        ],
    )
}

/// Says what the columns of a simulated run mean, once a run.
pub fn simulator_legend() -> String {
    let mut text = String::from(
        "sect/req: 32-byte sectors a global request; wavef/req: passes over the banks a shared \
         request;\nlanes: active lanes an instruction, of 32; barriers: arrivals of warps.\n",
    );
    match recordings().first() {
        Some(recording) => {
            let name = &recording.device.name;
            text += &format!(
                "floor: bytes over the copy rate of {name}; recorded: the kernel's time on {name}, \
                 {}.\n",
                recording.date
            );
        }
        None => text += "No recorded run is compiled in, so no times are shown.\n",
    }
    text
}

fn findings(rows: &[Row], width: usize) -> String {
    let mut text = String::new();
    for row in rows {
        for failure in &row.found {
            let by = failure.by.name();
            text += &wrap(&format!("{}: {by}: {}", row.kernel, failure.message), width);
        }
        if let Some(Caught::NotOnThisDevice(_)) = row.caught {
            let why =
                "only the race detector can see what is wrong with it; run it with --device sim";
            text += &wrap(&format!("{}: {why}", row.kernel), width);
        }
    }
    if text.is_empty() {
        text
    } else {
        format!("\n{text}")
    }
}

/// Breaks a paragraph at spaces; lines after the first are indented.
fn wrap(paragraph: &str, width: usize) -> String {
    let mut text = String::new();
    let mut column = 0;
    for word in paragraph.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            text += "\n    ";
            column = 4;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text += word;
        column += length;
    }
    text + "\n"
}

/// What a row was run on, where that is not what the table is about: broken rungs choose.
fn other_case(row: &Row, case: &Case) -> String {
    let same = row.shape() == case.shape
        && (row.dtype, row.op, row.input) == (case.dtype.name(), case.op.name(), case.input.name());
    if same {
        String::new()
    } else {
        format!("{} {} {}", row.shape(), row.op, row.dtype)
    }
}

fn verdict(row: &Row) -> String {
    match &row.caught {
        None if row.correct => "ok".into(),
        None => "WRONG".into(),
        Some(Caught::By(by)) => {
            let names: Vec<_> = by.iter().map(|checker| checker.short()).collect();
            format!("caught: {}", names.join(", "))
        }
        Some(Caught::Missed(_)) => "NOT CAUGHT".into(),
        Some(Caught::NotOnThisDevice(_)) => "not detectable".into(),
    }
}

fn error(row: &Row) -> String {
    if row.error_bound == 0.0 && row.error == 0.0 {
        return "exact".into();
    }
    format!("{:.1e}/{:.0e}", row.error, row.error_bound)
}

/// Over the rung before; a broken one is no step of the ladder.
fn speed_up(rows: &[Row], i: usize) -> String {
    let before = i.checked_sub(1).filter(|_| !rows[i].broken);
    let times = before.and_then(|before| rows[i].speed_up_over(&rows[before]));
    times
        .map(|times| format!("{times:.2}x"))
        .unwrap_or_default()
}

fn peer(row: &Row) -> String {
    row.peer
        .as_ref()
        .map(|peer| format!("{:.2}x", peer.ratio))
        .unwrap_or_default()
}

fn spread(row: &Row) -> String {
    let Some(time) = row.time_ms else {
        return String::new();
    };
    format!(
        "-{:.0}+{:.0}%",
        100.0 * (1.0 - time.min / time.median),
        100.0 * (time.max / time.median - 1.0)
    )
}

fn floor(row: &Row, recording: Option<&Recording>) -> String {
    let floor = |r: &Recording| row.bytes as f64 / (r.ceilings.copy_gb_per_s * 1e9) * 1e3;
    recording.map(floor).map(ms).unwrap_or_default()
}

fn recorded(row: &Row, case: &Case, recording: Option<&Recording>) -> String {
    let time = recording.and_then(|recording| recording.time(row.chapter, row.kernel, case));
    time.map(|time| ms(time.median)).unwrap_or_default()
}

fn ratio(of: u64, over: u64) -> String {
    if over == 0 {
        String::new()
    } else {
        format!("{:.2}", of as f64 / over as f64)
    }
}

fn percent(fraction: Option<f64>) -> String {
    fraction
        .map(|fraction| format!("{:.1}%", 100.0 * fraction))
        .unwrap_or_default()
}

fn rate(gb_per_s: f64) -> String {
    if gb_per_s < 10.0 {
        format!("{gb_per_s:.2}")
    } else {
        format!("{gb_per_s:.0}")
    }
}

fn ms(milliseconds: f64) -> String {
    if milliseconds < 1.0 {
        format!("{milliseconds:.4}")
    } else {
        format!("{milliseconds:.3}")
    }
}
