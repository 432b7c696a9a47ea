//! `book serve --edit`: the page asks this server to compile a kernel, or to check an exercise.
//!
//! A kernel's text comes from the page, and its PTX goes back there; the page runs it, and asks what it prints. Nothing
//! is written to a source file. Only who knows the session's token is answered ([`guard`]), and a compiler, a run or a
//! check is in a process of its own, with limits ([`worker`] and `exercise::check`).

mod compile;
mod gpu;
mod guard;
mod printed;
mod worker;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use axum::Router;
use axum::body::{Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use exercise::check::Target;
use exercise::command::{check_text, find_compiler};
use exercise::course::{Course, FOLDER};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

pub use compile::{WORKER, work};
pub use gpu::{GPU_WORKER, execute_one};
use guard::Guard;
pub use printed::{PRINTER, print_one};

/// The most bytes of a question. A recorded run with its PTX takes most of it.
const LARGEST: usize = 2 << 20;
/// Compilers and checks that run at a time.
const WORKERS: usize = 2;

/// The editor's server.
pub(super) struct Editing {
    root: PathBuf,
    guard: Guard,
    workers: Semaphore,
}

/// What a page asks.
#[derive(Debug, Deserialize)]
#[serde(tag = "question", rename_all = "snake_case", deny_unknown_fields)]
enum Question {
    /// What there is on this machine.
    Session {},
    /// The PTX of a kernel.
    Compile(compile::Job),
    /// What a driver makes of a run.
    Execute(Box<gpu::Job>),
    /// What the kernels of a run print.
    Print(printed::Job),
    /// What an exercise gives at first.
    Exercise {
        /// The exercise's number, such as `1.2`.
        number: String,
    },
    /// Whether a text solves an exercise.
    Check {
        /// The exercise's number.
        number: String,
        /// The text.
        source: String,
        /// Where the kernel runs; on a GPU only after it has run on the simulator.
        target: Target,
    },
}

impl Editing {
    /// The editor's server of the project in `root`, at `port` of this machine, with a new token.
    pub(super) fn new(root: &Path, port: u16) -> Result<Self> {
        let root = root.canonicalize()?;
        Ok(Self { root, guard: Guard::new(port)?, workers: Semaphore::new(WORKERS) })
    }

    /// The part of an address that makes a page an editor. What follows `#` is in no request and no log.
    pub(super) fn fragment(&self) -> String {
        format!("#token={}", self.guard.token())
    }

    fn answer(&self, question: Question) -> Result<Value> {
        match question {
            Question::Session {} => Ok(json!({
                "has_gpu": harness::driver::probe_nvidia().is_ok(),
                "compiler": find_compiler().err().map(|error| format!("{error:#}")),
            })),
            Question::Compile(job) => {
                find_compiler()?;
                Ok(serde_json::to_value(compile::in_a_process(&self.root, job)?)?)
            }
            Question::Execute(job) => Ok(serde_json::to_value(gpu::in_a_process(&job)?)?),
            Question::Print(job) => Ok(serde_json::to_value(printed::in_a_process(&job)?)?),
            Question::Exercise { number } => {
                let course = self.course()?;
                let exercise = course.find(&number)?;
                Ok(json!({
                    "title": exercise.declaration.title,
                    "file": format!("exercises/{}", exercise.file_name()),
                    "text": exercise.file_at_first()?,
                }))
            }
            Question::Check { number, source, target } => self.check(&number, &source, target),
        }
    }

    fn check(&self, number: &str, source: &str, target: Target) -> Result<Value> {
        let course = self.course()?;
        let exercise = course.find(number)?;
        let targets = match target {
            Target::Simulator => vec![Target::Simulator],
            Target::Gpu => vec![Target::Simulator, Target::Gpu],
        };
        let checked = check_text(exercise, source, &targets)?;
        let name = format!("exercises/{}", exercise.file_name());
        let mut lines = Vec::new();
        if let Some(failure) = &checked.failure {
            lines = compile::lines(&failure.seen, &name);
            lines.extend(failure.places.iter().map(|place| compile::Line {
                line: place.line,
                text: match &*place.who {
                    "" => failure.diagnosis.text().to_owned(),
                    who => who.to_owned(),
                },
            }));
        }
        Ok(json!({
            "is_right": checked.failure.is_none(),
            "text": exercise::check::printable(&checked.text),
            "lines": lines,
        }))
    }

    fn course(&self) -> Result<Course> {
        Course::read(&self.root.join(FOLDER)).context("cannot read the exercises")
    }
}

/// The addresses of the editor.
pub(super) fn routes(editing: Arc<Editing>) -> Router {
    const SCRIPT: &str = "text/javascript; charset=utf-8";
    let file = |kind: &'static str, text: &'static str| {
        get(move || async move { ([(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-cache")], text) })
    };
    Router::new()
        .route("/__edit.js", file(SCRIPT, include_str!("../../../editor/edit.js")))
        .route("/__edit.css", file("text/css", include_str!("../../../editor/edit.css")))
        .route("/__codemirror.js", file(SCRIPT, include_str!("../../../editor/codemirror.js")))
        .route("/__edit", post(asked))
        .with_state(editing)
}

async fn asked(State(editing): State<Arc<Editing>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    if let Err(refusal) = editing.guard.check(&head.headers) {
        return refusal.into_response();
    }
    let Ok(body) = to_bytes(body, LARGEST).await else {
        let said = format!("a question has at most {LARGEST} bytes");
        return (StatusCode::PAYLOAD_TOO_LARGE, said).into_response();
    };
    answered(editing, body)
        .await
        .unwrap_or_else(|said| (StatusCode::BAD_REQUEST, said).into_response())
}

/// The answer as JSON; what went wrong, such as a missing compiler, is in its field `error`.
async fn answered(editing: Arc<Editing>, body: Bytes) -> Result<Response, String> {
    let question: Question =
        serde_json::from_slice(&body).map_err(|error| format!("no question: {error}"))?;
    let Ok(_permit) = editing.workers.acquire().await else {
        return Err("the server ends".to_owned());
    };
    let asked = editing.clone();
    let answer = tokio::task::spawn_blocking(move || asked.answer(question)).await;
    let answer = answer.unwrap_or_else(|error| Err(error.into()));
    let answer = answer.unwrap_or_else(|error| json!({ "error": format!("{error:#}") }));
    let kind = [(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "no-store")];
    Ok((kind, answer.to_string()).into_response())
}
