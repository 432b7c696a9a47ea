//! What a page asks of the lab, and the answers, as JSON.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Lab;
use crate::data::{Data, MOST_EVENTS, Run};
use crate::replay::{Options, Outcome};
use crate::reports::Reported;
use crate::steps;
use crate::weak::{Failed, Weak};

/// A question of the page.
#[derive(Debug, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub enum Request {
    /// Opens a kernel, and gives the lines that can be left out. For each run it gives whether its digits can be drawn
    /// anew, whether it can be stepped through, and the blocks of its largest launch.
    Open {
        /// The kernel.
        data: Box<Data>,
    },
    /// Executes a run.
    Run(Options),
    /// The steps of a block of a launch that was traced.
    Steps {
        /// The index of the launch.
        launch: usize,
        /// The block's number in the grid.
        block: u64,
    },
    /// What a step looks like.
    View {
        /// The index of the launch.
        launch: usize,
        /// The block's number in the grid.
        block: u64,
        /// The event of the step.
        event: usize,
        /// The lane whose registers are shown.
        lane: u32,
    },
    /// The trees that a block folds.
    Trees {
        /// The index of the launch.
        launch: usize,
        /// The block's number in the grid.
        block: u64,
    },
    /// The active lanes of a block over time.
    Timeline {
        /// The index of the launch.
        launch: usize,
        /// The block's number in the grid.
        block: u64,
    },
}

/// A launch that was traced.
#[derive(Debug, Serialize)]
struct Traced {
    blocks: Vec<u64>,
    dropped: u64,
}

/// Answers a question. What is wrong with the question is in the answer's field `error`.
pub fn answer(lab: &mut Option<Lab>, question: &str) -> String {
    let answer = serde_json::from_str(question).map_err(|error| error.to_string());
    let answer = answer.and_then(|request| answer_request(lab, request));
    answer.unwrap_or_else(|error| json!({ "error": error })).to_string()
}

fn answer_request(lab: &mut Option<Lab>, request: Request) -> Result<Value, String> {
    match request {
        Request::Open { data } => contents(lab.insert(Lab::open(*data)?)),
        Request::Run(options) => {
            let lab = current(lab)?;
            let outcome = lab.run(&options)?;
            let mut answer = in_json(&outcome)?;
            answer["races"] = json!(races(lab, &outcome));
            answer["links"] = json!(links(lab, &outcome));
            answer["weak"] =
                json!(outcome.weak.as_ref().map(|weak| weak_memory(lab, options.run, weak)));
            if options.trace {
                let traced = lab.traced().iter().map(|launch| Traced {
                    blocks: steps::blocks(launch),
                    dropped: launch.trace.as_ref().map_or(0, |trace| trace.dropped),
                });
                answer["traced"] = in_json(&traced.collect::<Vec<_>>())?;
            }
            Ok(answer)
        }
        Request::Steps { launch, block } => in_json(&current(lab)?.steps(launch, block)?),
        Request::View { launch, block, event, lane } => {
            in_json(&current(lab)?.view(launch, block, event, lane)?)
        }
        Request::Trees { launch, block } => in_json(&current(lab)?.trees(launch, block)?),
        Request::Timeline { launch, block } => {
            Ok(json!({ "picture": steps::timeline(current(lab)?.launch(launch)?, block)? }))
        }
    }
}

fn current(lab: &mut Option<Lab>) -> Result<&mut Lab, String> {
    lab.as_mut().ok_or_else(|| "no kernel is open".into())
}

fn contents(lab: &Lab) -> Result<Value, String> {
    let runs = &lab.data.runs;
    let has_digits: Vec<bool> = runs.iter().map(Run::has_digits).collect();
    let can_step: Vec<bool> = runs.iter().map(Run::can_step).collect();
    let blocks: Vec<u64> = runs.iter().map(Run::blocks).collect();
    Ok(json!({
        "removable": lab.removable(),
        "has_digits": has_digits,
        "can_step": can_step,
        "blocks": blocks,
        "most_events": MOST_EVENTS,
    }))
}

fn in_json(value: &impl Serialize) -> Result<Value, String> {
    serde_json::to_value(value).map_err(|error| error.to_string())
}

/// The different races of all launches: the race itself, both lines, the location by its name, whether an atomic operation
/// is the repair or else a struck line, and the report as the book shows it.
fn races(lab: &Lab, outcome: &Outcome) -> Vec<Value> {
    let races = outcome.reports.iter().map(|reported| {
        let Reported { race, location, struck } = reported;
        let lines = [&race.first.line, &race.second.line];
        let quoted = lines.map(|line| lab.quote(line));
        let (words, message) = (reported.words(&|line| lab.quote(line)), reported.message());
        let html = figures::race::draw_as(race, [&quoted[0], &quoted[1]], words, &message);
        json!({
            "fact": race,
            "lines": lines,
            "html": html,
            "message": message,
            "location": location,
            "needs_atomic": race.is_update && struck.is_none(),
            "struck": struck.as_ref().map(|struck| &struck.line),
        })
    });
    races.collect()
}

/// What went from device to device, as a picture.
fn links(lab: &Lab, outcome: &Outcome) -> Option<String> {
    let picture = figures::links::draw(&outcome.links, &lab.data.kernel).ok()?;
    Some(steps::figure("lab-links", &picture))
}

/// The result of the runs with weak memory in JSON. For a run that fails, it includes the stale reads: each with its
/// lines, and as HTML like that of a race.
fn weak_memory(lab: &Lab, run: usize, weak: &Weak) -> Value {
    let Some(Failed { failure, outcome }) = &weak.failed else {
        return json!({ "seeds": weak.seeds });
    };
    let reads = failure.stale_reads.iter().map(|read| {
        let lines = [read.store.as_ref(), Some(&read.load)].map(|side| side.map(|side| &side.line));
        let quoted = lines.map(|line| line.map(|line| lab.quote(line)).unwrap_or_default());
        let location = lab.element_at(run, outcome, read.address);
        let html = figures::race::draw_stale(read, [&quoted[0], &quoted[1]], location.as_deref());
        json!({ "lines": lines.into_iter().flatten().collect::<Vec<_>>(), "html": html })
    });
    let fault = outcome.launches.iter().find_map(|launch| launch.fault.as_ref());
    json!({
        "seeds": weak.seeds,
        "seed": failure.memory.seed,
        "is_promised_by_gpus": failure.is_promised_by_gpus(),
        "reads": reads.collect::<Vec<_>>(),
        "fault": fault.map(|fault| &fault.message),
        "differences": outcome.differences,
        "different": outcome.different,
    })
}
