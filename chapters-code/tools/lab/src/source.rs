//! Names that a kernel's source gives to its parameters and shared arrays, where the source leaves no doubt.
//!
//! The text is not parsed as C++: a declaration is found by its words. Kernels that macros make are found by the macro's
//! text. Where several declarations fit and disagree, there is no name.

use std::collections::BTreeMap;

use figures::tiles::Tag;
use ptx::ir::Kernel;
use serde::{Deserialize, Serialize};

use crate::data::File;

/// A parameter of a kernel as its source declares it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// The name; empty for a parameter without one.
    pub name: String,
    /// The type without the name, such as `const float*`.
    pub declared: String,
}

impl Parameter {
    /// Whether it is a pointer.
    pub fn is_pointer(&self) -> bool {
        self.declared.ends_with('*')
    }

    /// Whether it is a pointer through which nothing is written.
    pub fn is_read_only(&self) -> bool {
        self.is_pointer() && self.declared.starts_with("const ")
    }
}

/// The parameters of a kernel, in order; none where the source leaves a doubt. `files` are all that the kernel's file
/// includes, and itself.
pub fn parameters(files: &[File], kernel: &Kernel) -> Option<Vec<Parameter>> {
    let fitting = fitting(files, kernel);
    let underscores = |declaration: &&Declaration| {
        declaration.name.matches('_').count() == kernel.name.matches('_').count()
    };
    agreed(fitting.iter().filter(|declaration| declaration.name == kernel.name))
        .or_else(|| agreed(fitting.iter().filter(underscores)))
        .or_else(|| agreed(fitting.iter()))
}

/// The declarations that may be the kernel's.
fn fitting(files: &[File], kernel: &Kernel) -> Vec<Declaration> {
    let sizes: Vec<u32> = kernel.params.iter().map(|param| param.size).collect();
    let texts: Vec<String> = files.iter().map(|file| without_comments(&file.text)).collect();
    let all = texts.iter().flat_map(|text| declarations(text));
    let is_used = |name: &String| {
        let words = texts.iter().flat_map(|text| text.split(|letter: char| !is_word(letter)));
        words.filter(|word| word == name).nth(1).is_some()
    };
    all.filter(|declaration| may_be(&declaration.name, &kernel.name))
        .filter(|declaration| declaration.made_by.as_ref().is_none_or(is_used))
        .map(|declaration| declaration.expanded(&texts))
        .filter(|declaration| has_sizes(&declaration.parameters, &sizes))
        .collect()
}

/// The parameters of declarations that give them the same names; none if they do not, or there are none.
fn agreed<'d>(mut all: impl Iterator<Item = &'d Declaration>) -> Option<Vec<Parameter>> {
    let first = all.next()?;
    let names = |declaration: &'d Declaration| {
        declaration.parameters.iter().map(|parameter| &parameter.name)
    };
    all.all(|other| names(other).eq(names(first))).then(|| first.parameters.clone())
}

/// The bytes of an element of each shared array that has one extent and elements of a known size. Of two arrays with one
/// name both must be so, and alike.
pub fn shared_arrays(files: &[File]) -> BTreeMap<String, u32> {
    let mut all: BTreeMap<String, Option<u32>> = BTreeMap::new();
    for file in files {
        let text = without_comments(&file.text);
        for declaration in text.split("__shared__").skip(1) {
            let declaration = declaration.split(';').next().unwrap_or_default();
            let Some((of, extents)) = declaration.split_once('[') else { continue };
            let (declared, name) = split_name(of);
            let element = size_of(&declared).filter(|_| !extents.contains('['));
            let known = all.entry(name).or_insert(element);
            *known = known.filter(|&known| Some(known) == element);
        }
    }
    all.into_iter().filter_map(|(name, element)| Some((name, element?))).collect()
}

/// What the tags of status words say, by the constants of the sources that have these names.
pub fn tags(files: &[File]) -> Vec<Tag> {
    let named = ["AGGREGATE", "PREFIX", "READY"].into_iter().filter_map(|name| {
        let declaration = format!("constexpr u32 {name} = ");
        let value = files.iter().find_map(|file| file.text.split_once(&declaration))?.1;
        let tag = value.split(';').next()?.parse().ok()?;
        Some(Tag { tag, name: name.to_lowercase() })
    });
    named.collect()
}

/// The bytes of a type that has the same size everywhere; none for any other.
pub fn size_of(declared: &str) -> Option<u32> {
    Some(match declared.trim_start_matches("const ").trim_end_matches('*').trim() {
        "u8" | "i8" | "char" | "unsigned char" | "signed char" | "bool" => 1,
        "u16" | "i16" | "f16" | "bf16" | "short" | "unsigned short" | "__half"
        | "__nv_bfloat16" => 2,
        "u32" | "i32" | "f32" | "b32" | "int" | "unsigned" | "unsigned int" | "float" => 4,
        "u64" | "i64" | "f64" | "long long" | "unsigned long long" | "size_t" | "double" => 8,
        _ => return None,
    })
}

/// A kernel as a source declares it, perhaps in a macro: then `##` stands in the name.
#[derive(Debug)]
struct Declaration {
    name: String,
    /// The macro that makes it.
    made_by: Option<String>,
    inside: String,
    parameters: Vec<Parameter>,
}

impl Declaration {
    /// With the parameters, after macros in their list are replaced by what they stand for.
    fn expanded(self, texts: &[String]) -> Self {
        let mut inside = self.inside.clone();
        for _ in 0..2 {
            inside = replaced(&inside, texts);
        }
        let parameters = split(&inside).iter().map(|one| parameter(one)).collect();
        Self { inside, parameters, ..self }
    }
}

/// The kernels that a text declares.
fn declarations(text: &str) -> Vec<Declaration> {
    let mut all = Vec::new();
    for (at, word) in text.match_indices("__global__") {
        let made_by = macro_around(text, at).map(str::to_owned);
        let mut rest = &text[at + word.len()..];
        while let Some(open) = rest.find('(') {
            let name = rest[..open].split_whitespace().last().unwrap_or_default();
            let inside = in_brackets(&rest[open..]);
            if !name.starts_with("__") {
                let (name, inside) = (name.to_owned(), inside.to_owned());
                all.push(Declaration { name, made_by, inside, parameters: Vec::new() });
                break;
            }
            rest = rest.get(open + inside.len() + 2..).unwrap_or_default();
        }
    }
    all
}

/// The macro in whose definition a position lies.
fn macro_around(text: &str, at: usize) -> Option<&str> {
    let start = text[..at].rfind("#define ")?;
    let definition = &text[start..at];
    let mut lines: Vec<&str> = definition.lines().collect();
    lines.pop();
    if !lines.iter().all(|line| line.trim_end().ends_with('\\')) {
        return None;
    }
    definition["#define ".len()..].split(|letter: char| !is_word(letter)).next()
}

/// A list of parameters in which each macro that a text defines is replaced by its text.
fn replaced(list: &str, texts: &[String]) -> String {
    let mut made = String::new();
    let mut rest = list;
    while let Some(open) = rest.find('(') {
        let before = &rest[..open];
        let start = before.rfind(|letter: char| !is_word(letter)).map_or(0, |at| at + 1);
        let arguments = in_brackets(&rest[open..]);
        match texts.iter().find_map(|text| macro_body(text, &before[start..])) {
            Some(body) => {
                made.push_str(&before[..start]);
                made.push_str(&body);
            }
            None => made.push_str(&rest[..(open + arguments.len() + 2).min(rest.len())]),
        }
        rest = rest.get(open + arguments.len() + 2..).unwrap_or_default();
    }
    made + rest
}

/// What a macro with arguments stands for.
fn macro_body(text: &str, name: &str) -> Option<String> {
    if name.is_empty() {
        return None;
    }
    let at = text.find(&format!("#define {name}("))?;
    let line = &text[at..];
    let open = line.find('(')?;
    let behind = line.get(open + in_brackets(&line[open..]).len() + 2..)?;
    let mut body = String::new();
    for line in behind.lines() {
        body.push_str(line.trim_end().trim_end_matches('\\'));
        body.push(' ');
        if !line.trim_end().ends_with('\\') {
            break;
        }
    }
    Some(body)
}

/// What stands between the bracket that a text begins with and the one that closes it; the rest if none does.
fn in_brackets(text: &str) -> &str {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[1..at];
        }
    }
    text.get(1..).unwrap_or_default()
}

/// The parts between commas that stand in no brackets.
fn split(list: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for letter in list.chars() {
        match letter {
            '(' | '<' | '[' => depth += 1,
            ')' | '>' | ']' => depth -= 1,
            _ => {}
        }
        match (letter, parts.last_mut()) {
            (',', _) if depth == 0 => parts.push(String::new()),
            ('\\' | '\n', Some(last)) => last.push(' '),
            (_, Some(last)) => last.push(letter),
            (_, None) => {}
        }
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}

fn parameter(text: &str) -> Parameter {
    let (declared, name) = split_name(&text.replace("__restrict__", " "));
    Parameter { name, declared }
}

/// The type and the name of a declaration.
fn split_name(declaration: &str) -> (String, String) {
    let spaced = declaration.replace('*', "* ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let Some((name, declared)) = words.split_last() else {
        return Default::default();
    };
    if name.ends_with('*') {
        return (words.join(" ").replace(" *", "*"), String::new());
    }
    (declared.join(" ").replace(" *", "*"), (*name).to_owned())
}

/// Whether a name with the parts of a macro may be that of a kernel. A part that ends in an underscore is no argument.
fn may_be(pattern: &str, kernel: &str) -> bool {
    let Some((first, rest)) = pattern.split_once("##") else { return pattern == kernel };
    let is_prefix = !first.ends_with('_') || kernel.starts_with(first);
    is_prefix && rest.matches('_').count() <= kernel.matches('_').count()
}

/// Whether parameters may have these sizes: pointers have 8 bytes, and types without a known size any.
fn has_sizes(parameters: &[Parameter], sizes: &[u32]) -> bool {
    parameters.len() == sizes.len()
        && parameters.iter().zip(sizes).all(|(parameter, &size)| {
            let is_name = parameter.name.chars().all(is_word) && !parameter.declared.is_empty();
            let expected =
                if parameter.is_pointer() { Some(8) } else { size_of(&parameter.declared) };
            is_name && expected.is_none_or(|expected| expected == size)
        })
}

fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// A text without comments, with as many lines.
pub(crate) fn without_comments(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut is_inside = false;
    for line in text.lines() {
        let mut rest = line;
        loop {
            if is_inside {
                let Some((_, behind)) = rest.split_once("*/") else { break };
                (is_inside, rest) = (false, behind);
            }
            let line_comment = rest.find("//").unwrap_or(rest.len());
            match rest.find("/*").filter(|&at| at < line_comment) {
                Some(at) => {
                    made.push_str(&rest[..at]);
                    (is_inside, rest) = (true, &rest[at + 2..]);
                }
                None => {
                    made.push_str(&rest[..line_comment]);
                    break;
                }
            }
        }
        made.push('\n');
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(name: &str, sizes: &[&str]) -> Kernel {
        let params: Vec<String> =
            sizes.iter().enumerate().map(|(n, size)| format!(".param .{size} p{n}")).collect();
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry {name}({})\n{{\nret;\n}}\n",
            params.join(", ")
        );
        ptx::parse(&text).expect("it is PTX").kernels.remove(0)
    }

    fn names(source: &str, kernel: &Kernel) -> Option<Vec<String>> {
        let files = [File { name: "k.cu".into(), text: source.into() }];
        let all = parameters(&files, kernel)?;
        Some(all.into_iter().map(|parameter| parameter.name).collect())
    }

    #[test]
    fn parameters_have_the_names_of_the_source() {
        let plain = kernel("sum_f32", &["u64", "u64", "u64"]);
        let source = "extern \"C\" __global__ void __launch_bounds__(f(1), 2)\nsum_f32(const float* in, \
            float *out, // the sums\n size_t n) {";
        assert_eq!(names(source, &plain).expect("names"), ["in", "out", "n"]);
        let made = "#define PARAMETERS(T) const T* __restrict__ in, \\\n    T* out\n\
            #define K(kind, T) extern \"C\" __global__ void BOUNDS kind##_##T(PARAMETERS(T), size_t n) {}\n\
            #define OTHER(kind, T) \\\n extern \"C\" __global__ void kind##_##T(T* x, T* y, size_t z)\n\
            K(sum, f32)";
        assert_eq!(names(made, &plain).expect("names"), ["in", "out", "n"]);
    }

    #[test]
    fn an_open_bracket_at_the_end_is_read() {
        let one = kernel("k", &["u64"]);
        for text in [
            "__global__ __launch_bounds__(",
            "__global__ __launch_bounds__(1",
            "__global__ void k(",
            "__global__ void k(P(x));\n#define P(",
            "__global__ void k(P(x",
        ] {
            assert_eq!(names(text, &one), None, "{text}");
            shared_arrays(&[File { name: "k.cu".into(), text: text.into() }]);
        }
    }

    #[test]
    fn a_doubt_leaves_no_names() {
        let kernel = kernel("sum_f32", &["u64", "u32"]);
        for source in [
            "",
            "__global__ void sum_f32(float* in)",
            "__global__ void sum_f32(float* in, size_t n)",
            "__global__ void sum_f64(float* in, unsigned n)",
            "#define A(a, b) __global__ void a##_##b(float* in, unsigned n)\n\
             #define C(c, b) __global__ void c##_##b(float* x, unsigned n)\nA(sum, f32)\nC(sum, f32)",
            "#define A(a, b) __global__ void a##_##b(float* in, unsigned n)",
            "// __global__ void sum_f32(float* in, unsigned n)",
        ] {
            assert_eq!(names(source, &kernel), None, "{source}");
        }
    }

    #[test]
    fn tags_have_the_names_of_constants() {
        let text =
            "constexpr u32 AGGREGATE = 1;   // of the tile\nconstexpr u32 PREFIX = 2;\n".into();
        let tags = tags(&[File { name: "k.cuh".into(), text }]);
        let tags: Vec<(u64, &str)> = tags.iter().map(|tag| (tag.tag, &tag.name[..])).collect();
        assert_eq!(tags, [(1, Tag::AGGREGATE), (2, Tag::PREFIX)]);
    }

    #[test]
    fn shared_arrays_have_elements_of_a_size() {
        let of = |text: &str| {
            let files = [File { name: "k.cu".into(), text: text.into() }];
            shared_arrays(&files).get("tile").copied()
        };
        assert_eq!(of("extern __shared__ float tile[];"), Some(4));
        assert_eq!(of("__shared__ u32 tile[8], *x;"), Some(4));
        assert_eq!(of("__shared__ T tile[8];"), None);
        assert_eq!(of("__shared__ u8 tile[8][9];"), None);
        assert_eq!(of("__shared__ u8 tile[8];\n__shared__ u32 tile[9];"), None);
        assert_eq!(of("__shared__ u8 tiles[8];"), None);
    }
}
