//! `book serve`: the book in a browser, built again whenever one of its sources is saved.
//!
//! Builds happen on this thread, one after another; what they were like goes to the browsers through
//! a channel that keeps the newest `News`. Two folders take turns, so that the pages of the last
//! good build are there while the next is made, and remain if it fails.

mod edit;
mod outdated;
mod server;
mod watch;

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use mdbook_driver::config::Config;
use tokio::sync::watch::Sender;

use crate::{Builder, Strictness};
use edit::Editing;
pub use edit::{GPU_WORKER, WORKER, execute_one, work};
use outdated::Outdated;
use server::News;

/// Where the served pages are, in turn.
const FOLDERS: [&str; 2] = ["target/served/0", "target/served/1"];

/// Whether to show the book at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Browser {
    /// Open the system's browser.
    Open,
    /// Only print the address.
    Leave,
}

/// Whether kernels and exercises can be edited in the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Editor {
    /// They can, by who has the address that is printed.
    Offered,
    /// They can not.
    Absent,
}

/// Serves the book of `root` at `port` of this machine, until the process ends.
///
/// # Errors
/// If the port is taken, or the sources cannot be watched. What is wrong with the book is shown,
/// in the terminal and in the page, and ends nothing.
pub fn serve(root: &Path, port: u16, browser: Browser, editor: Editor) -> Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).with_context(|| {
        format!(
            "cannot serve at port {port}: choose another with --port, or 0 for any that is free"
        )
    })?;
    let local = listener.local_addr()?;
    let editing = match editor {
        Editor::Offered => Some(Arc::new(Editing::new(root, local.port())?)),
        Editor::Absent => None,
    };
    let fragment = editing.as_ref().map(|editing| editing.fragment()).unwrap_or_default();
    let address = format!("http://{local}/{fragment}");
    let changes = watch::changes(root)?;
    let mut session = Session::new(root);
    let (sender, receiver) = tokio::sync::watch::channel(News::default());
    session.rebuild(&sender, &[]);
    std::thread::spawn(move || server::run(listener, receiver, editing));
    println!("serving {address} (Ctrl-C ends it)");
    if browser == Browser::Open
        && let Err(error) = open::that(&address)
    {
        eprintln!("cannot open a browser: {error}");
    }
    for changed in changes {
        session.rebuild(&sender, &changed);
    }
    Ok(())
}

/// The builds of one run of the server.
struct Session {
    root: PathBuf,
    builder: Builder,
    /// How many builds were begun.
    builds: usize,
    /// What no build shows until this program is built again.
    outdated: Outdated,
}

impl Session {
    fn new(root: &Path) -> Self {
        Self {
            root: root.to_path_buf(),
            builder: Builder::new(root, Strictness::Draft),
            builds: 0,
            outdated: Outdated::default(),
        }
    }

    /// Builds, and tells the browsers and the terminal.
    fn rebuild(&mut self, browsers: &Sender<News>, changed: &[PathBuf]) {
        self.outdated.note(changed);
        let start = Instant::now();
        let dest = self.root.join(FOLDERS[self.builds % FOLDERS.len()]);
        self.builds += 1;
        let built = self.builder.build_with(Some(&dest), configure);
        let seconds = start.elapsed().as_secs_f64();
        let error = built.as_ref().err().map(|error| format!("{error:#}"));
        let notice = self.outdated.notice();
        browsers.send_modify(|news| {
            *news = News {
                version: self.builds,
                folder: built.ok().or(news.folder.take()),
                error: error.clone(),
                notice: notice.clone(),
            };
        });
        let cause = changed
            .first()
            .map_or(String::new(), |path| format!(" after a change of {}", path.display()));
        match error {
            None => println!("built in {seconds:.2} s{cause}"),
            Some(error) => {
                eprintln!("error{cause}: {error}");
                // The good pages keep their folder, and this one is next again.
                self.builds += 1;
            }
        }
        if let Some(notice) = notice {
            println!("{notice}");
        }
    }
}

/// Pages that are served stand at the root.
fn configure(config: &mut Config) -> Result<()> {
    config.set("output.html.site-url", "/")
}
