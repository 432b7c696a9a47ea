//! Fetches wheels from an index, which a thread of the test serves.

use std::{
    io::{BufRead, BufReader, Cursor, Write},
    net::{TcpListener, TcpStream},
    path::Path,
};

use nvrtc::wheels::{self, Wheel};
use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;

/// A wheel with one file of that name.
fn wheel(name: &str, content: &str) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file(name, SimpleFileOptions::default()).expect("it begins");
    archive.write_all(content.as_bytes()).expect("it is written");
    archive.finish().expect("it ends").into_inner()
}

/// The files of the packages that the index lists.
const FILES: [&str; 2] = ["a_compiler-1.0-py3-none-any.whl", "headers-1.0-py3-none-any.whl"];

/// Answers requests: for a wheel with it, otherwise with the files of all packages, and an older one.
fn serve(listener: &TcpListener, wheel: &[u8]) {
    let address = listener.local_addr().expect("it has one");
    let older = "a_compiler-0.9-py3-none-any.whl";
    let files = [older].into_iter().chain(FILES).map(
        |file| serde_json::json!({ "filename": file, "url": format!("http://{address}/{file}") }),
    );
    let package = serde_json::json!({ "files": files.collect::<Vec<_>>() });
    for stream in listener.incoming().map_while(Result::ok) {
        let mut line = String::new();
        let mut reader = BufReader::new(&stream);
        if reader.read_line(&mut line).is_err() {
            continue;
        }
        let rest = reader.lines().map_while(Result::ok);
        rest.take_while(|line| !line.is_empty()).for_each(drop);
        match line.contains(".whl") {
            true => answer(&stream, wheel),
            false => answer(&stream, package.to_string().as_bytes()),
        }
    }
}

fn answer(mut stream: &TcpStream, body: &[u8]) {
    let head =
        format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    // A client that has gone is no fault of the server.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
}

/// Fetches both packages, whose wheels must have that hash.
fn fetch(wheel: Vec<u8>, sha256: &str, folder: &Path) -> anyhow::Result<Vec<String>> {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let index = format!("http://{}", listener.local_addr().expect("it has one"));
    std::thread::spawn(move || serve(&listener, &wheel));
    let mut fetched = Vec::new();
    let pinned = FILES.map(|file| pinned(file, sha256));
    wheels::fetch(folder, &index, &pinned, &mut |file| fetched.push(file.to_owned()))?;
    Ok(fetched)
}

fn pinned<'a>(file: &'a str, sha256: &'a str) -> Wheel<'a> {
    Wheel { package: "a-package", file, sha256 }
}

fn sha256(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn wheels_are_unpacked() {
    let folder = tempfile::tempdir().expect("there is room");
    let wheel = wheel("nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "a library");
    let hash = sha256(&wheel);
    let fetched = fetch(wheel, &hash, folder.path()).expect("they are fetched");
    assert_eq!(fetched.len(), 2);
    assert!(!fetched.iter().any(|file| file.contains("0.9")), "{fetched:?}");
    let file = folder.path().join("nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
    assert_eq!(std::fs::read_to_string(file).expect("it is there"), "a library");
}

#[test]
fn a_damaged_wheel_is_not_unpacked() {
    let folder = tempfile::tempdir().expect("there is room");
    let error = fetch(wheel("x", "y"), &sha256(b"other"), folder.path()).expect_err("refused");
    assert!(error.to_string().contains("not the pinned file"), "{error:#}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("it is one").count(), 0);
}

#[test]
fn a_wheel_stays_in_its_folder() {
    let folder = tempfile::tempdir().expect("there is room");
    let inner = folder.path().join("inner");
    let wheel = wheel("../outside", "y");
    let hash = sha256(&wheel);
    let _ = fetch(wheel, &hash, &inner);
    assert!(!folder.path().join("outside").exists());
}

#[test]
fn an_index_that_does_not_answer_is_named() {
    let folder = tempfile::tempdir().expect("there is room");
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let index = format!("http://{}", listener.local_addr().expect("it has one"));
    drop(listener);
    let fetched = wheels::fetch(folder.path(), &index, &wheels::WHEELS, &mut |_| {});
    let error = fetched.expect_err("nobody answers");
    assert!(format!("{error:#}").contains(&index), "{error:#}");
}

#[test]
fn a_wheel_that_the_index_lacks_is_named() {
    let folder = tempfile::tempdir().expect("there is room");
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let index = format!("http://{}", listener.local_addr().expect("it has one"));
    std::thread::spawn(move || serve(&listener, b""));
    let newer = pinned("a_compiler-2.0-py3-none-any.whl", "");
    let fetched = wheels::fetch(folder.path(), &index, &[newer], &mut |_| {});
    let error = fetched.expect_err("there is none").to_string();
    assert!(error.contains(newer.file), "{error}");
}
