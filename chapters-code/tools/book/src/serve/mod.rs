//! `book serve`: the book in a browser, built again whenever one of its sources is saved.
//!
//! Builds happen on this thread, one after another; what they were like goes to the browsers through
//! a channel that keeps the newest `News`. Two folders take turns, so that the pages of the last
//! good build are there while the next is made, and remain if it fails. Pages of an earlier server that are still
//! current are not built again.

mod current;
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
use current::Inputs;
use edit::Editing;
pub use edit::{GPU_WORKER, PRINTER, WORKER, execute_one, print_one, work};
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

/// Whether pages of an earlier server that are current are built again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Earlier {
    /// They are served as they are.
    Kept,
    /// They are built again.
    Rebuilt,
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
pub fn serve(
    root: &Path,
    port: u16,
    browser: Browser,
    editor: Editor,
    earlier: Earlier,
) -> Result<()> {
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
    if earlier == Earlier::Rebuilt || !session.take_current(&sender) {
        session.rebuild(&sender, &[]);
    }
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

    /// Serves the pages of an earlier server, if they are current, and says so, or else why they are not.
    fn take_current(&mut self, browsers: &Sender<News>) -> bool {
        let found = Inputs::now(&self.root).map_err(|error| format!("{error:#}"));
        match found.and_then(|inputs| current::find(&self.root, &inputs)) {
            Ok(folder) => {
                let own = FOLDERS.iter().position(|own| folder.starts_with(self.root.join(own)));
                // The next build goes into the other folder.
                self.builds = own.unwrap_or_default() + 1;
                browsers.send_modify(|news| {
                    *news = News { version: self.builds, folder: Some(folder), ..News::default() };
                });
                println!(
                    "the book is current, and is served as it was built (--rebuild builds it again)"
                );
                true
            }
            Err(reason) => {
                println!("building the book: {reason}");
                false
            }
        }
    }

    /// Builds, and tells the browsers and the terminal.
    fn rebuild(&mut self, browsers: &Sender<News>, changed: &[PathBuf]) {
        self.outdated.note(changed);
        let start = Instant::now();
        let dest = self.root.join(FOLDERS[self.builds % FOLDERS.len()]);
        self.builds += 1;
        // As they are before: what is saved during the build may have come too late for it.
        let inputs = Inputs::now(&self.root);
        current::forget(&self.root);
        let built = self.builder.build_with(Some(&dest), configure);
        let noted = built.as_ref().ok().map(|folder| current::note(&self.root, folder, inputs?));
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
        if let Some(Err(error)) = noted {
            eprintln!("the next server will build the book again: {error:#}");
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
