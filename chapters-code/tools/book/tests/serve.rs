//! `book serve` shows a small book, follows its changes, and outlives its errors.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

/// A running server, ended with the test.
pub(super) struct Server {
    child: Child,
    output: BufReader<ChildStdout>,
    /// What it prints before.
    said: String,
    /// What it prints when it serves.
    pub(super) line: String,
    pub(super) address: String,
}

impl Server {
    fn start(root: &Path) -> Self {
        Self::start_with(root, &[])
    }

    /// With further arguments.
    pub(super) fn start_with(root: &Path, arguments: &[&str]) -> Self {
        Self::of(book(root, "0").args(arguments))
    }

    /// That a command starts.
    pub(super) fn of(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("it starts");
        let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut said = String::new();
        while !said.contains("serving http://") {
            assert_ne!(output.read_line(&mut said).expect("a line"), 0, "it serves: {said}");
        }
        let start = said.trim_end().rfind('\n').map_or(0, |end| end + 1);
        let line = said.split_off(start);
        let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        let address = address.expect("an address").to_owned();
        Self { child, output, said, line, address }
    }

    /// What is answered to a request for `path`, head and all.
    pub(super) fn get(&self, path: &str) -> String {
        self.send(&request(path))
    }

    /// What is answered to a request, head and all.
    pub(super) fn send(&self, request: &str) -> String {
        let mut text = Vec::new();
        // An answer may come, and the connection be closed, before all of the request is read.
        let ended = self.connect(request).read_to_end(&mut text);
        assert!(ended.is_ok() || !text.is_empty(), "an answer");
        String::from_utf8(text).expect("a text")
    }

    /// The first news.
    fn news(&self) -> String {
        line_with(&mut BufReader::new(self.connect(&request("/__live"))), "data:")
    }

    fn connect(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(100))).expect("a time-out");
        let _ = stream.write_all(request.as_bytes());
        stream
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn request(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
}

pub(super) fn book(root: &Path, port: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_book"));
    command.args(["serve", "--port", port]).current_dir(root);
    command
}

/// The next line that contains `part`.
fn line_with(lines: &mut impl BufRead, part: &str) -> String {
    let mut line = String::new();
    while !line.contains(part) {
        line.clear();
        assert_ne!(lines.read_line(&mut line).expect("a line"), 0, "no line with {part}");
    }
    line
}

pub(super) fn write(root: &Path, file: &str, text: &str) {
    let path = root.join(file);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(path, text).expect("a file");
}

pub(super) fn small_book() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path(), "book.toml", "[book]\ntitle = \"t\"\nsrc = \"book\"\n");
    write(folder.path(), "book/SUMMARY.md", "- [One](one.md)\n");
    write(folder.path(), "book/one.md", "# One\n\nbefore\n");
    write(folder.path(), "chapters-code/README.md", "");
    folder
}

#[test]
fn a_change_is_served_and_an_error_does_not_end_it() {
    let folder = small_book();
    let root = folder.path();
    let mut server = Server::start(root);
    let page = server.get("/one.html");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("before"), "{page}");
    assert!(page.contains("/__live.js"), "the page listens for news");
    assert!(server.get("/nowhere").starts_with("HTTP/1.1 404"));
    assert!(server.get("/../book.toml").starts_with("HTTP/1.1 404"));

    write(root, "book/one.md", "# One\n\nbad: $\\frac{1}$\n");
    while server.news().contains("\"error\":null") {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(server.news().contains("book/one.md:3: KaTeX rejects"), "{}", server.news());
    assert!(server.get("/one.html").contains("before"), "the last good page stays");

    write(root, "book/one.md", "# One\n\nafter\n");
    line_with(&mut server.output, "built in");
    assert!(server.news().contains("\"error\":null"));
    assert!(server.get("/one.html").contains("after"));
}

#[test]
fn a_kernel_that_is_not_compiled_yet_is_named() {
    let folder = small_book();
    write(folder.path(), "chapters-code/c/kernels/k.cu", "// older\n");
    let mut server = Server::start(folder.path());
    assert!(server.news().contains("\"notice\":null"));
    write(folder.path(), "chapters-code/c/kernels/k.cu", "// newer\n");
    line_with(&mut server.output, "cargo xtask ptx");
    assert!(server.news().contains("k.cu is newer than its PTX"));
}

#[test]
fn a_book_that_is_broken_from_the_start_is_served_once_it_is_mended() {
    let folder = small_book();
    write(folder.path(), "book/one.md", "[dead](nowhere.md)\n");
    let mut server = Server::start(folder.path());
    let page = server.get("/one.html");
    assert!(page.starts_with("HTTP/1.1 503") && page.contains("/__live.js"), "{page}");
    assert!(server.news().contains("leads nowhere"));
    write(folder.path(), "book/one.md", "mended\n");
    line_with(&mut server.output, "built in");
    assert!(server.get("/one.html").contains("mended"));
}

#[test]
fn a_port_that_is_taken_names_the_option() {
    let folder = small_book();
    let server = Server::start(folder.path());
    let port = server.address.rsplit(':').next().expect("a port");
    let output = book(folder.path(), port).output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(said.contains(port) && said.contains("--port"), "{said}");
}

const CURRENT: &str = "the book is current";

#[test]
fn a_book_that_is_current_is_served_as_it_was_built() {
    let folder = small_book();
    let root = folder.path();
    let first = Server::start(root);
    assert!(first.said.contains("no pages of an earlier build"), "{}", first.said);
    assert!(first.said.contains("built in"), "{}", first.said);
    drop(first);

    let mut again = Server::start_with(root, &["--edit"]);
    assert!(again.said.starts_with(CURRENT) && !again.said.contains("built in"), "{}", again.said);
    assert_eq!(again.said.lines().count(), 1, "{}", again.said);
    assert!(again.get("/one.html").contains("before"));
    assert!(again.news().contains("\"error\":null"));
    write(root, "book/one.md", "# One\n\nafter\n");
    line_with(&mut again.output, "built in");
    assert!(again.get("/one.html").contains("after"), "changes are followed");
    drop(again);

    let last = Server::start(root);
    assert!(last.said.starts_with(CURRENT), "{}", last.said);
    assert!(last.get("/one.html").contains("after"), "the last build counts");
}

#[test]
fn what_has_changed_between_two_servers_is_built() {
    let folder = small_book();
    let root = folder.path();
    drop(Server::start(root));
    for (file, text) in [
        ("book/one.md", "# One\n\nanother text\n"),
        ("book/measurements/samples.csv", "line\n"),
        ("book.toml", "[book]\ntitle = \"other\"\nsrc = \"book\"\n"),
        ("chapters-code/c/kernels/k.cu", "// a kernel\n"),
        ("chapters-code/c/kernels/k.ptx", "// compiled\n"),
        ("chapters-code/tools/book/src/lib.rs", "// what directives do\n"),
    ] {
        write(root, file, text);
        let server = Server::start(root);
        assert!(server.said.contains(&format!("building the book: {file}")), "{}", server.said);
        assert!(server.said.contains("built in"), "{}", server.said);
        drop(server);
        assert!(Server::start(root).said.starts_with(CURRENT), "{file}");
    }
}

#[test]
fn a_current_book_is_built_when_that_is_asked_for() {
    let folder = small_book();
    drop(Server::start(folder.path()));
    let server = Server::start_with(folder.path(), &["--rebuild"]);
    assert!(server.said.starts_with("built in"), "{}", server.said);
    drop(server);
    let mut with_title = book(folder.path(), "0");
    let server = Server::of(with_title.env("MDBOOK_BOOK__TITLE", "another"));
    assert!(server.said.contains("the variable MDBOOK_BOOK__TITLE has changed"), "{}", server.said);
}

#[test]
fn a_build_that_fails_leaves_nothing_that_is_current() {
    let folder = small_book();
    let root = folder.path();
    let mut server = Server::start(root);
    write(root, "book/one.md", "[dead](nowhere.md)\n");
    while server.news().contains("\"error\":null") {
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(server);
    server = Server::start(root);
    assert!(server.get("/one.html").starts_with("HTTP/1.1 503"), "the page is not the older one");
}
