//! The server: pages out of a folder, and news for those who read them.

use std::convert::Infallible;
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use tokio::sync::watch::Receiver;
use tokio_stream::wrappers::WatchStream;
use tokio_stream::{Stream, StreamExt};
use tower_http::services::{ServeDir, ServeFile};

use super::edit::{self, Editing};

/// The newest state of the book.
#[derive(Clone, Debug, Default)]
pub(super) struct News {
    /// How many builds there were.
    pub(super) version: usize,
    /// The pages of the last good build, if there was one.
    pub(super) folder: Option<PathBuf>,
    /// What is wrong with the sources, if the last build failed.
    pub(super) error: Option<String>,
    /// What else the reader should know.
    pub(super) notice: Option<String>,
}

/// What pages are served from.
#[derive(Clone)]
struct Served {
    news: Receiver<News>,
    /// What is added to each page.
    scripts: &'static str,
}

/// Serves until the process ends.
pub(super) fn run(listener: TcpListener, news: Receiver<News>, editing: Option<Arc<Editing>>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let served = runtime.and_then(|runtime| {
        listener.set_nonblocking(true)?;
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            axum::serve(listener, routes(news, editing)).await
        })
    });
    if let Err(error) = served {
        eprintln!("error: the server has stopped: {error}");
        std::process::exit(1);
    }
}

fn routes(news: Receiver<News>, editing: Option<Arc<Editing>>) -> Router {
    let scripts = if editing.is_some() { SCRIPTS_TO_EDIT } else { SCRIPT };
    let routes = Router::new()
        .route("/__live.js", get(script))
        .route("/__live", get(live))
        .fallback(page)
        .with_state(Served { news, scripts });
    match editing {
        Some(editing) => routes.merge(edit::routes(editing)),
        None => routes,
    }
}

async fn script() -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/javascript")], include_str!("live.js"))
}

/// The news, and then each that is newer, as events.
async fn live(State(served): State<Served>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let events = WatchStream::new(served.news).map(|news| {
        let News { version, error, notice, .. } = news;
        let data = serde_json::json!({ "version": version, "error": error, "notice": notice });
        Ok(Event::default().data(data.to_string()))
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}

async fn page(State(served): State<Served>, request: Request) -> Response {
    let folder = served.news.borrow().folder.clone();
    let Some(folder) = folder else {
        return (StatusCode::SERVICE_UNAVAILABLE, Html(NO_PAGES)).into_response();
    };
    let missing = ServeFile::new(folder.join("404.html"));
    let mut files = ServeDir::new(folder).not_found_service(missing);
    let answer = files.try_call(request).await;
    match answer.map(IntoResponse::into_response) {
        Ok(response) => with_scripts(response, served.scripts).await.unwrap_or_else(failure),
        Err(error) => failure(error),
    }
}

/// A page with scripts added; other files as they are. A browser asks each time
/// whether what it has is still current.
async fn with_scripts(response: Response, scripts: &'static str) -> Result<Response, axum::Error> {
    let (mut head, mut body) = response.into_parts();
    head.headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    let kind = head.headers.get(CONTENT_TYPE);
    let is_page = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    if is_page && head.status != StatusCode::NOT_MODIFIED {
        let mut page = axum::body::to_bytes(body, usize::MAX).await?.to_vec();
        page.extend_from_slice(scripts.as_bytes());
        head.headers.remove(CONTENT_LENGTH);
        body = page.into();
    }
    Ok(Response::from_parts(head, body))
}

fn failure(error: impl std::fmt::Display) -> Response {
    (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response()
}

/// Listens for news.
const SCRIPT: &str = "<script src=\"/__live.js\"></script>\n";
/// The same, and the editor.
const SCRIPTS_TO_EDIT: &str =
    "<script src=\"/__edit.js\"></script>\n<script src=\"/__live.js\"></script>\n";

/// While no build has succeeded.
const NO_PAGES: &str = "<!DOCTYPE html><html lang=\"en\"><title>The book cannot be built yet</title>\
    <h1>The book cannot be built yet</h1><script src=\"/__live.js\"></script></html>";
