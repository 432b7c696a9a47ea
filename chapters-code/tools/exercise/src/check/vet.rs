//! What a submission's text may hold.
//!
//! NVRTC reads files of the host where a source includes them. So a submission may include some
//! headers of CUDA by name, and nothing else. Comments and raw strings could hide a directive from
//! whoever parses them otherwise than the compiler; so here a directive counts wherever it stands,
//! also in a comment.

use crate::{check::Failure, diagnosis::Diagnosis};

/// Headers of CUDA that a submission may include, between angle brackets.
const HEADERS: [&str; 4] =
    ["cuda_fp16.h", "cuda_bf16.h", "cooperative_groups.h", "cooperative_groups/reduce.h"];

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
/// Where it is empty, too long, or no text.
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
    let text = spliced(source);
    if let Some(at) = ASKS.iter().find_map(|asks| text.find(asks)) {
        return Err(refusal(&text, at));
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
            "if" | "elif" if pastes => false,
            _ if reads || directive.starts_with('\\') => false,
            "" => true,
            word => !begins_line || HARMLESS.contains(&word),
        };
        if !is_allowed {
            return Err(refusal(&text, at));
        }
    }
    Ok(())
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
    header.is_some_and(|(name, _)| HEADERS.contains(&name))
        || quoted.is_some_and(|(name, _)| also.iter().any(|one| one == name))
}

fn refusal(text: &str, at: usize) -> Failure {
    let line = text[at..].lines().next().unwrap_or_default().trim();
    let allowed: Vec<String> = HEADERS.iter().map(|name| format!("<{name}>")).collect();
    Failure::new(Diagnosis::Include, format!("`{line}`"))
        .note(format!("headers that may be included: {}", allowed.join(", ")))
        .note("#line, __has_include, and #if beside ## are not allowed")
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
