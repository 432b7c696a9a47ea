//! The compiler fetched from an index, which a thread of this test plays.

use std::{
    io::{BufRead, BufReader, Cursor, Write},
    net::{TcpListener, TcpStream},
    path::Path,
};

use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;

/// A wheel with one file of that name.
fn wheel(name: &str, content: &str) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    archive
        .start_file(name, SimpleFileOptions::default())
        .expect("it begins");
    archive
        .write_all(content.as_bytes())
        .expect("it is written");
    archive.finish().expect("it ends").into_inner()
}

/// Answers requests: for a wheel with it, otherwise with the files of all packages, and an older one.
fn serve(listener: &TcpListener, wheel: &[u8], hash: &str) {
    let address = listener.local_addr().expect("it has one");
    let tag = match std::env::consts::OS {
        "windows" => "win_amd64".to_owned(),
        _ => format!("manylinux1_{}", std::env::consts::ARCH),
    };
    let file = |release: String| {
        serde_json::json!({
            "filename": format!("{release}-py3-none-{tag}.whl"),
            "url": format!("http://{address}/p.whl"),
            "hashes": { "sha256": hash },
        })
    };
    let of = |(name, version): &(&str, &str)| format!("{}-{version}", name.replace('-', "_"));
    let mut files = vec![file("nvidia_cuda_nvrtc_cu12-11.9.1".to_owned())];
    files.extend(
        xtask::wheels::PACKAGES
            .iter()
            .map(|package| file(of(package))),
    );
    let package = serde_json::json!({ "files": files });
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
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    // A client that has gone is no fault of the server.
    let _ = stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(body));
}

fn fetch(wheel: Vec<u8>, hash: String, folder: &Path) -> anyhow::Result<Vec<String>> {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let index = format!("http://{}", listener.local_addr().expect("it has one"));
    std::thread::spawn(move || serve(&listener, &wheel, &hash));
    let mut told = Vec::new();
    exercises::wheels::fetch(folder, &index, &mut |file| told.push(file.to_owned()))?;
    Ok(told)
}

fn sha256(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(not(target_os = "macos"))]
#[test]
fn wheels_are_unpacked() {
    let folder = tempfile::tempdir().expect("there is room");
    let wheel = wheel("nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "a library");
    let hash = sha256(&wheel);
    let told = fetch(wheel, hash, folder.path()).expect("they are fetched");
    assert_eq!(told.len(), 2);
    assert!(!told.iter().any(|file| file.contains("11.9.1")), "{told:?}");
    let file = folder.path().join("nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
    assert_eq!(
        std::fs::read_to_string(file).expect("it is there"),
        "a library"
    );
}

#[cfg(not(target_os = "macos"))]
#[test]
fn a_damaged_wheel_is_not_unpacked() {
    let folder = tempfile::tempdir().expect("there is room");
    let error = fetch(wheel("x", "y"), sha256(b"other"), folder.path()).expect_err("refused");
    assert!(error.to_string().contains("damaged"), "{error:#}");
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("it is one").count(),
        0
    );
}

#[cfg(not(target_os = "macos"))]
#[test]
fn a_wheel_stays_in_its_folder() {
    let folder = tempfile::tempdir().expect("there is room");
    let inner = folder.path().join("inner");
    let wheel = wheel("../outside", "y");
    let hash = sha256(&wheel);
    let _ = fetch(wheel, hash, &inner);
    assert!(!folder.path().join("outside").exists());
}

#[test]
fn an_index_that_does_not_answer_is_named() {
    let folder = tempfile::tempdir().expect("there is room");
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let index = format!("http://{}", listener.local_addr().expect("it has one"));
    drop(listener);
    let fetched = exercises::wheels::fetch(folder.path(), &index, &mut |_| {});
    let error = fetched.expect_err("nobody answers");
    assert!(format!("{error:#}").contains(&index), "{error:#}");
}
