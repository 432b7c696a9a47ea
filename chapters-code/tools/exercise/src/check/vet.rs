//! What a submission's text may hold.
//!
//! NVRTC reads files of the host where a source includes them. So a submission may include some
//! headers of CUDA by name, and nothing else. Comments and raw strings could hide a directive from
//! whoever parses them otherwise than the compiler; so here a directive counts wherever it stands,
//! also in a comment, unless its line begins with `//` and holds nothing that could end another comment.

use crate::{check::Failure, diagnosis::Diagnosis};

/// Headers that a submission may include, between angle brackets: those of CUDA and of libcu++, and those of a
/// host compiler of which kernels use what NVRTC knows anyway. A header a line.
const HEADERS: &str = include_str!("headers.txt");

/// The longest submission in bytes.
const LONGEST: usize = 256 * 1024;

/// Directives that read nothing.
const HARMLESS: [&str; 11] = [
    "define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif", "pragma", "error",
    "warning",
];

/// Operators of the preprocessor that tell whether a file is there.
const ASKS: [&str; 3] = ["__has_include", "__has_include_next", "__has_embed"];

/// A submission's bytes as text.
///
/// # Errors
/// If it is empty, too long, or no text.
pub fn text(bytes: &[u8]) -> Result<String, Failure> {
    if bytes.len() > LONGEST {
        let seen = format!("it has {} bytes; {LONGEST} are allowed", bytes.len());
        return Err(Failure::new(Diagnosis::TooLong, seen));
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.trim_start_matches('\u{feff}').replace("\r\n", "\n"),
        Err(error) => {
            let line = 1 + bytes[..error.valid_up_to()].iter().filter(|b| **b == b'\n').count();
            let seen = format!("line {line} holds bytes that are not UTF-8");
            return Err(Failure::new(Diagnosis::Encoding, seen));
        }
    };
    if text.contains('\0') {
        return Err(Failure::new(Diagnosis::Encoding, "it holds a NUL byte"));
    }
    if text.trim().is_empty() {
        return Err(Failure::new(Diagnosis::Empty, "there is nothing in it"));
    }
    Ok(text)
}

/// Refuses a kernel that would have the compiler read other files, ask whether they are there, or call
/// its own lines those of another file. `also` holds what it may include
/// in quotes, beside headers of CUDA.
///
/// # Errors
/// With the line.
pub fn includes(source: &str, also: &[String]) -> Result<(), Failure> {
    let text = spliced(&without_comments(source));
    if let Some(at) = ASKS.iter().find_map(|asks| text.find(asks)) {
        return Err(refusal(source, &text, at));
    }
    // What is pasted together could be such an operator.
    let pastes = ["##", "%:%:", "??=??="].iter().any(|paste| text.contains(paste));
    for (at, _) in text.match_indices(['#', '%', '?']) {
        let Some(rest) = ["#", "%:", "??="].iter().find_map(|hash| text[at..].strip_prefix(hash))
        else {
            continue;
        };
        let directive = after_blanks(rest);
        let word: String =
            directive.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let begins_line =
            text[..at].rsplit('\n').next().is_none_or(|before| after_blanks(before).is_empty());
        let reads = ["include", "include_next", "import", "embed"].contains(&word.as_str());
        let is_allowed = match word.as_str() {
            "include" => allowed(&directive["include".len()..], also),
            "if" | "elif" if pastes => is_plain(directive),
            _ if reads || directive.starts_with('\\') => false,
            "" => true,
            word => !begins_line || HARMLESS.contains(&word),
        };
        if !is_allowed {
            return Err(refusal(source, &text, at));
        }
    }
    Ok(())
}

/// Without the lines that are a comment in any case: one that begins with `//` is one, or part of another
/// comment, or of a string, unless it ends that comment.
fn without_comments(source: &str) -> String {
    let is_comment = |line: &str| {
        let bare = line.trim_end();
        let goes_on = bare.ends_with('\\') || bare.ends_with("??/") || bare.contains('\r');
        bare.trim_start().starts_with("//") && !bare.contains("*/") && !goes_on
    };
    let kept = |line: &str| if is_comment(line) { "\n".to_owned() } else { line.to_owned() };
    source.split_inclusive('\n').map(kept).collect()
}

/// Lines that a backslash continues, joined; a lone carriage return is an end of line, too.
fn spliced(source: &str) -> String {
    let source = source.replace("??/", "\\").replace('\r', "\n");
    let mut text = String::with_capacity(source.len());
    for line in source.split_inclusive('\n') {
        let bare = line.trim_end();
        match bare.strip_suffix('\\') {
            Some(joined) => text.push_str(joined),
            None => text.push_str(line),
        }
    }
    text
}

/// Whether a condition is made of numbers and `defined` alone, so that no macro can be expanded in it.
fn is_plain(directive: &str) -> bool {
    let line = directive.lines().next().unwrap_or_default();
    let mut words = line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '\\'));
    let mut asks = true; // the directive's own name stands first
    words.by_ref().filter(|word| !word.is_empty()).all(|word| {
        let is_asked = std::mem::replace(&mut asks, word == "defined");
        is_asked || word == "defined" || word.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// What follows spaces and comments that end on this line.
fn after_blanks(text: &str) -> &str {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\u{b}', '\u{c}']);
        let Some(comment) = rest.strip_prefix("/*") else {
            return rest;
        };
        match comment.split_once("*/") {
            Some((_, after)) => rest = after,
            None => return "",
        }
    }
}

fn allowed(after_include: &str, also: &[String]) -> bool {
    let line = after_include.lines().next().unwrap_or_default().trim();
    let header = line.strip_prefix('<').and_then(|rest| rest.split_once('>'));
    let quoted = line.strip_prefix('"').and_then(|rest| rest.split_once('"'));
    header.is_some_and(|(name, _)| HEADERS.lines().any(|header| header == name))
        || quoted.is_some_and(|(name, _)| also.iter().any(|one| one == name))
}

fn refusal(source: &str, text: &str, at: usize) -> Failure {
    let directive = text[at..].lines().next().unwrap_or_default().trim();
    let allowed: Vec<String> = HEADERS.lines().map(|name| format!("<{name}>")).collect();
    // Of a directive that is one line as it stands, the line.
    let line = source.lines().position(|line| line.contains(directive));
    Failure::new(Diagnosis::Include, format!("`{directive}`"))
        .note(format!("headers that may be included: {}", allowed.join(", ")))
        .note("#line, __has_include, and macros in an #if beside ## are not allowed")
        .at(line.map(|line| line + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_cuda_and_macros_are_allowed() {
        for text in [
            "#include <cuda_fp16.h>\n",
            "  #  include   <cooperative_groups.h> // for groups\n",
            "#define NAME(x) #x\n#if 1\n#endif\n",
            "#define JOIN(a, b) a ## b\n#ifdef JOIN\n#endif\n#pragma unroll\nint a = 7 % 3;\n",
        ] {
            assert!(includes(text, &[]).is_ok(), "{text}");
        }
    }

    #[test]
    fn beside_a_paste_conditions_are_plain() {
        let paste = "#define P(a, b) a##b\n";
        for condition in ["1", "0 && 1", "defined(P) || !defined Q"] {
            assert!(includes(&format!("{paste}#if {condition}\n#endif\n"), &[]).is_ok());
        }
        for condition in ["P(1, 2)", "Q", "__CUDA_ARCH__ > 1", "defined P && Q(\"x\")"] {
            assert!(includes(&format!("{paste}#if {condition}\n#endif\n"), &[]).is_err());
        }
    }

    #[test]
    fn a_comment_may_speak_of_a_header() {
        for text in
            ["// #include <vector> is not needed\n", "int a;\n  // #include \"x\"\nint b;\n"]
        {
            assert!(includes(text, &[]).is_ok(), "{text}");
        }
        let refused = includes("int a;\n#include <vector>\n", &[]).expect_err("it is refused");
        assert_eq!(refused.places.first().map(|place| place.line), Some(2));
    }

    #[test]
    fn files_of_the_host_are_not() {
        for text in [
            "#include \"solution.cu\"\n",
            "#include </etc/passwd>\n",
            "#include <../solution.cu>\n",
            "#include <cuda_fp16.h/../../x>\n",
            "int a; /* */ #include \"x\"\n",
            "/* \n*/ # /* */ include \"x\"\n",
            "#inc\\\nlude \"x\"\n",
            "#inc\\  \nlude \"x\"\n",
            "#inc??/\nlude \"x\"\n",
            "%:include \"x\"\n",
            "??=include \"x\"\n",
            "#include_next <cuda_fp16.h>\n",
            "#import \"x\"\n",
            "#embed \"x\"\n",
            "#define F \"x\"\n#include F\n",
            "const char* s = R\"(/*)\";\n#include \"x\"\n// */\n",
            "// \r#include \"x\"\n",
            "/*\n// */ #include \"x\"\n",
            "// a ??/\n#include \"x\"\n",
            "// a\n#include \"x\"\n",
            "#\\u0069nclude \"x\"\n",
            "#ident \"x\"\n",
            "#if __has_include(\"/etc/passwd\")\n#endif\n",
            "#if __has_\\\ninclude(\"/etc/passwd\")\n#endif\n",
            "#define P(a, b) a##b\n#if P(__has_, include)(\"x\")\n#endif\n",
            "%:define P(a, b) a%:%:b\n%:if P(__has_, include)(\"x\")\n%:endif\n",
            "#line 7 \"x\"\n",
            "# 7 \"x\"\n",
        ] {
            assert!(includes(text, &[]).is_err(), "{text}");
        }
    }

    #[test]
    fn a_file_that_is_named_may_be_included() {
        let also = ["a.cuh".to_owned()];
        assert!(includes("#include \"a.cuh\" // why\n", &also).is_ok());
        for text in ["#include \"b.cuh\"\n", "#include <a.cuh>\n", "#include \"a.cuh/../b\"\n"] {
            assert!(includes(text, &also).is_err(), "{text}");
        }
    }

    #[test]
    fn a_text_is_utf8_and_not_empty() {
        assert_eq!(text(b"a\r\n").as_deref().ok(), Some("a\n"));
        let diagnosis = |bytes: &[u8]| text(bytes).expect_err("refused").diagnosis;
        assert_eq!(diagnosis(b" \n"), Diagnosis::Empty);
        assert_eq!(diagnosis(b"a\xff"), Diagnosis::Encoding);
        assert_eq!(diagnosis(b"a\0"), Diagnosis::Encoding);
        assert_eq!(diagnosis(&vec![b'a'; LONGEST + 1]), Diagnosis::TooLong);
    }
}
