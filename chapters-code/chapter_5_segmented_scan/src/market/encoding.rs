//! What a file is before it is text: compressed, of another encoding, or with other ends of lines.

use super::Refusal;

/// The first bytes of compressed files, the format's name, and the command that mends it.
const COMPRESSED: [(&[u8], &str, &str); 5] = [
    (b"\x1f\x8b", "gzip", "gunzip"),
    (b"BZh", "bzip2", "bunzip2"),
    (b"\xfd7zXZ\0", "xz", "unxz"),
    (b"\x28\xb5\x2f\xfd", "zstd", "unzstd"),
    (b"PK\x03\x04", "zip", "unzip"),
];

/// Where the header of a tar archive has its name.
const TAR: (usize, &[u8]) = (257, b"ustar");

/// Returns the bytes of a file if they may be lines of text.
pub(super) fn check(bytes: &[u8]) -> Result<&[u8], Refusal> {
    if bytes.is_empty() {
        return Err(Refusal::new("the file is empty", "get the file again"));
    }
    for (start, name, command) in COMPRESSED {
        if bytes.starts_with(start) {
            let what = format!("the file is compressed with {name}");
            let remedy =
                format!("unpack it with `{command} FILE`, and give --matrix what comes out of it");
            return Err(Refusal::new(what, remedy));
        }
    }
    if bytes.get(TAR.0..).is_some_and(|rest| rest.starts_with(TAR.1)) {
        let remedy = "unpack it with `tar -xf FILE`, and give --matrix the file that ends in .mtx";
        return Err(Refusal::new("the file is a tar archive", remedy));
    }
    if let Some(encoding) = wide(bytes) {
        let what = format!("the file's text is in {encoding}, not in ASCII");
        let remedy = format!("convert it with `iconv -f {encoding} -t UTF-8 FILE > new.mtx`");
        return Err(Refusal::new(what, remedy));
    }
    if bytes.starts_with(b"\xef\xbb\xbf") {
        let what = "the file begins with a byte-order mark, as editors on Windows write it";
        return Err(Refusal::new(what, "remove it with `tail -c +4 FILE > new.mtx`").at(1));
    }
    if bytes.contains(&b'\r') && !bytes.contains(&b'\n') {
        let what = "lines end in a carriage return alone, as on old Macs";
        return Err(Refusal::new(what, "convert them with `tr '\\r' '\\n' < FILE > new.mtx`"));
    }
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        let line = 1 + bytes[..at].iter().filter(|byte| **byte == b'\n').count();
        let what = "there is a byte 0: the file is damaged, or no text";
        return Err(Refusal::new(what, "get the file again").at(line));
    }
    Ok(bytes)
}

/// The encoding of a text whose characters have 16 or 32 bits, by its mark or its first character, which is a `%`.
fn wide(bytes: &[u8]) -> Option<&'static str> {
    let starts = |all: &[&[u8]]| all.iter().any(|start| bytes.starts_with(start));
    if starts(&[b"\xff\xfe\0\0", b"\0\0\xfe\xff", b"%\0\0\0", b"\0\0\0%"]) {
        Some("UTF-32")
    } else if starts(&[b"\xff\xfe", b"\xfe\xff"]) {
        Some("UTF-16")
    } else if starts(&[b"%\0"]) {
        Some("UTF-16LE")
    } else if starts(&[b"\0%"]) {
        Some("UTF-16BE")
    } else {
        None
    }
}
