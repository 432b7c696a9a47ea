//! What helps a reader: words of the glossary, citations, questions, notes for teachers, recordings.

use std::path::{Path, PathBuf};

use book::{Strictness, build};

use crate::{counts::pages_of_book, recorded::completed};

/// A small book: files by path, beside those that every book here has.
pub(crate) fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let fixed = [(
        "book.toml",
        "[book]\ntitle = \"t\"\nsrc = \"book\"\n[build]\nbuild-dir = \"out\"\n\
         [preprocessor.directives]\nbefore = [\"links\"]\n",
    )];
    for (path, text) in fixed.iter().chain(files) {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        let is_run = path.extension().is_some_and(|extension| extension == "json");
        let text = if is_run { completed(text) } else { (*text).to_owned() };
        std::fs::write(path, text).expect("a file");
    }
    folder
}

pub(crate) fn built(files: &[(&str, &str)]) -> Result<tempfile::TempDir, String> {
    let folder = folder_with(files);
    match build(folder.path(), None, Strictness::Draft) {
        Ok(_) => Ok(folder),
        Err(error) => Err(error.to_string()),
    }
}

pub(crate) fn page(folder: &tempfile::TempDir, name: &str) -> String {
    let path = Path::new("out").join(name);
    std::fs::read_to_string(folder.path().join(path)).expect("a page")
}

#[track_caller]
pub(crate) fn assert_refused(files: &[(&str, &str)], message: &str) {
    let error = built(files).expect_err("a refusal");
    assert!(error.contains(message), "{error}");
}

const GLOSSARY: &str = "# Glossary\n\nBank\n: A \"slice\". It has $w$.\n\n\
                        Bank conflict <!-- conflict -->\n: Two | words.\n\n\
                        Work <!-- only where marked -->\n: All operations.\n";
const SUMMARY: &str = "- [One](chapter_1/one.md)\n- [Glossary](glossary.md)\n";

fn with_terms(text: &str) -> [(&'static str, String); 3] {
    [
        ("book/SUMMARY.md", SUMMARY.to_owned()),
        ("book/glossary.md", GLOSSARY.to_owned()),
        ("book/chapter_1/one.md", text.to_owned()),
    ]
}

fn build_terms(text: &str) -> Result<tempfile::TempDir, String> {
    let files = with_terms(text);
    let files: Vec<(&str, &str)> = files.iter().map(|(p, t)| (*p, t.as_str())).collect();
    built(&files)
}

#[test]
fn the_first_use_of_a_word_leads_to_the_glossary() {
    let text = "# A bank\n\n`bank` [bank](one.md) $bank$ {{#term work}} per-bank\n\n\
                {{#teachers minutes=5}}\nbanks\n{{#end}}\n\n| a |\n| - |\n| bank conflicts |\n\nA bank\nconflict. Banks, banks and conflicts.\n";
    let folder = build_terms(text).expect("a sound book");
    let page = page(&folder, "chapter_1/one.html");
    let conflict = "href=\"../glossary.html#bank-conflict\" data-definition=\"Two | words.\"";
    assert_eq!(page.matches(conflict).count(), 1, "{page}");
    let bank = "<a class=\"term\" href=\"../glossary.html#bank\"";
    assert_eq!(page.matches(bank).count(), 1, "{page}");
    assert!(page.contains("A &quot;slice&quot;.\">Banks</a>"), "the first sentence: {page}");
    assert!(page.contains("All operations.\">work</a>"), "{page}");
    assert!(page.contains("<p>banks</p>"), "not in notes for teachers: {page}");
    let glossary = self::page(&folder, "glossary.html");
    assert!(glossary.contains("id=\"bank-conflict\""), "{glossary}");
    assert!(!glossary.contains("<!-- conflict"), "{glossary}");
}

#[test]
fn a_word_that_means_something_else_in_a_chapter_is_not_linked_there() {
    let files = [
        (
            "book/SUMMARY.md",
            "- [One](chapter_1/one.md)\n- [Two](chapter_2/two.md)\n- [Glossary](glossary.md)\n",
        ),
        ("book/glossary.md", "# Glossary\n\nTag <!-- tags, mark; not in chapter_1 -->\n: Bits.\n"),
        ("book/chapter_1/one.md", "# One\n\nA tag.\n"),
        ("book/chapter_2/two.md", "# Two\n\nMarks.\n"),
    ];
    let folder = built(&files).expect("a sound book");
    assert!(!page(&folder, "chapter_1/one.html").contains("glossary.html#tag"));
    assert!(page(&folder, "chapter_2/two.html").contains("data-definition=\"Bits.\">Marks</a>"));
}

#[test]
fn a_word_that_the_glossary_lacks_is_refused() {
    let error = build_terms("# One\n\nBanks, conflicts, {{#term work}}\n{{#term wrap}}\n");
    let error = error.expect_err("a refusal");
    assert!(error.contains("book/chapter_1/one.md:4: the glossary has no entry `wrap`"), "{error}");
}

#[test]
fn an_entry_that_no_page_uses_is_refused() {
    let error = build_terms("# One\n\nBanks and conflicts at work.\n").expect_err("a refusal");
    let expected = "book/glossary.md:9: no page uses the entry `Work`";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn a_first_sentence_with_a_formula_is_refused() {
    let glossary = "# Glossary\n\nBank\n: Word $i$.\n";
    let files = [
        ("book/SUMMARY.md", SUMMARY),
        ("book/chapter_1/one.md", "# One\n\nbanks\n"),
        ("book/glossary.md", glossary),
    ];
    assert_refused(&files, "book/glossary.md:4: pages show the first sentence");
}

const WORK: &str = "[a1999]\nlabel = \"A 1999\"\nauthors = \"A\"\ntitle = \"On a\"\n\
                    published = \"1999\"\n";
const BOOK: &str = "- [One](one.md)\n- [Works](bibliography.md)\n";

fn with_works(text: &str, works: &str) -> Result<tempfile::TempDir, String> {
    built(&[
        ("book/SUMMARY.md", BOOK),
        ("book/one.md", text),
        ("book/bibliography.md", "# Works\n\n{{#bibliography}}\n"),
        ("book/bibliography.toml", works),
    ])
}

#[test]
fn a_citation_leads_to_its_work_and_back() {
    let works = format!("{WORK}doi = \"10.1/2\"\n");
    let folder = with_works("# One\n\n{{#cite a1999 \"section 2\"}}\n", &works);
    let folder = folder.expect("a sound book");
    let one = page(&folder, "one.html");
    let link = "<a class=\"cite\" href=\"bibliography.html#a1999\">A 1999</a>, section 2";
    assert!(one.contains(link), "{one}");
    let works = page(&folder, "bibliography.html");
    assert!(works.contains("id=\"a1999\""), "{works}");
    assert!(works.contains("href=\"https://doi.org/10.1/2\""), "{works}");
    assert!(works.contains("Cited in <a href=\"one.html\">One</a>"), "{works}");
}

#[test]
fn works_that_nobody_cites_or_finds_are_refused() {
    let refusal = |text: &str, works: &str| with_works(text, works).expect_err("a refusal");
    let linked = format!("{WORK}doi = \"10.1/2\"\n");
    let error = refusal("# One\n\n{{#cite b2000}}\n", &linked);
    assert!(error.contains("book/one.md:3: the bibliography has no work `b2000`"), "{error}");
    assert!(error.contains("no page cites a1999"), "{error}");
    let error = refusal("# One\n\n{{#cite a1999}}\n", WORK);
    assert!(error.contains("book/bibliography.toml:1: a1999 needs a doi"), "{error}");
    let error = refusal("# One\n", &format!("{linked}dio = \"\"\n"));
    assert!(error.contains("book/bibliography.toml:7: unknown field `dio`"), "{error}");
    with_works("# One\n", &format!("{linked}further = true\n")).expect("further reading");
}

const ONE: &str = "- [One](one.md)\n- [Two](two.md)\n";

fn with_blocks(one: &str) -> Result<tempfile::TempDir, String> {
    built(&[
        ("book/SUMMARY.md", ONE),
        ("book/one.md", one),
        ("book/two.md", "# Two\n\n{{#teaching_plan}}\n"),
    ])
}

#[test]
fn answers_and_notes_unfold_and_minutes_add_up() {
    let text = "# One\n\n## Why\n\n{{#teachers minutes=50}}\nAsk *why*.\n{{#end}}\n\n\
                ## How\n\n{{#question}}\n*How?*\n{{#answer}}\n*So.*\n{{#end}}\n\n\
                {{#aside More of it}}\n*More.*\n{{#end}}\n\n\
                {{#teachers minutes=25}}\nShow.\n{{#end}}\n";
    let folder = with_blocks(text).expect("a sound book");
    let one = page(&folder, "one.html");
    for expected in [
        "<summary>For teachers: 50 minutes</summary>",
        "Ask <em>why</em>.",
        "aria-label=\"Question 1\"",
        "<span class=\"number\">1</span>\n<em>How?</em>",
        "Answer<span class=\"unseen\"> to question 1</span></summary>",
        "<p><em>So.</em></p>",
        "<summary>More of it</summary>",
    ] {
        assert!(one.contains(expected), "{expected}: {one}");
    }
    assert_eq!(one.matches("<details").count(), one.matches("</details>").count());
    let plan = page(&folder, "two.html");
    assert!(plan.contains("One: 1 hour 15 minutes"), "{plan}");
    assert!(plan.contains("<td>Why (50); How (25)</td>"), "{plan}");
}

#[test]
fn a_block_that_is_not_whole_is_refused() {
    let notes = "{{#teachers minutes=5}}\n{{#end}}\n";
    let refused = |text: &str, message: &str| {
        let error = with_blocks(&format!("# One\n\n{notes}{text}")).expect_err("a refusal");
        assert!(error.contains(message), "{error}");
    };
    refused("{{#answer}}\n", "book/one.md:5: `answer` stands outside of any block");
    refused("{{#question}}\n{{#end}}\n", "book/one.md:6: `end` stands in a question");
    refused("\n{{#question}}\nWhy?\n", "book/one.md:6: this block has no {{#end}}");
    refused("{{#teachers}}\n{{#end}}\n", "book/one.md:5: say how long");
}

const EVIDENCE: [(&str, &str); 3] = [
    ("book/SUMMARY.md", "- [One](one.md)\n"),
    ("book/one.md", "# One\n\n{{#evidence}}\n"),
    (
        "book/measurements/ncu_x_2026-01-01_shared.csv",
        "# What it counted for `launches --part shared`\n# device: X; driver: 1; date: 2026-01-01\n\
         name,kernel\na,b\nc,d\n",
    ),
];

#[test]
fn every_recording_is_shown() {
    let mut files = EVIDENCE.to_vec();
    let bits = "chapters-code/simulator/simt/tests/ptx/x/";
    let (device, add) = (format!("{bits}device.txt"), format!("{bits}add.txt"));
    files.push((&device, "X, driver 1\n"));
    files.push((&add, "add.f32\n  00\nadd.f64\n  11\n"));
    let run =
        r#"{"device": {"name": "X"}, "date": "2026-01-01", "kept": "No Y was free.", "rows": []}"#;
    files.push(("book/measurements/x_2026-01-01.json", run));
    let folder = built(&files).expect("a sound book");
    let one = page(&folder, "one.html");
    for expected in [
        "measurements/ncu_x_2026-01-01_shared.csv",
        "<td>2 launches</td>",
        "<dd>not noted in the file</dd>",
        "chapters-code/simulator/simt/tests/ptx/x",
        "<td>2 forms of instructions in 1 kernels</td>",
        "<dd>It has earlier kernels. No Y was free.</dd>",
    ] {
        assert!(one.contains(expected), "{expected}: {one}");
    }
}

#[test]
fn a_recording_as_a_table_has_thousands_separators() {
    let files = [
        ("book/SUMMARY.md", "- [One](one.md)\n"),
        ("book/one.md", "# One\n\n{{#recording waits}}\n"),
        ("book/measurements/waits_x_2026-01-01.tsv", "# X\nof\tclocks\n2^1000\t1379.3\na\t12345\n"),
    ];
    let one = page(&built(&files).expect("a sound book"), "one.html");
    assert!(one.contains("<td>2^1000</td><td>1,379.3</td>"), "{one}");
    assert!(one.contains("<td>a</td><td>12,345</td>"), "{one}");
}

#[test]
fn a_recording_of_an_unknown_kind_is_refused() {
    let mut files = EVIDENCE.to_vec();
    files.push(("book/measurements/nsys_x.sqlite", ""));
    assert_refused(&files, "book/one.md:3: measurements/nsys_x.sqlite: no recording of this kind");
}

#[test]
fn what_kernels_use_is_explained() {
    let kernel = "__global__ void k() { __syncthreads(); } // __syncwarp\n";
    let files = |text| {
        [
            ("book/SUMMARY.md", "- [One](cuda_subset.md)\n"),
            ("book/cuda_subset.md", text),
            ("chapters-code/chapter_1/kernels/k.cu", kernel),
            ("chapters-code/chapter_1/kernels/broken/b.cu", "__global__ void b() {}"),
        ]
    };
    let whole =
        "# One\n\n{{#used_in __global__}}, {{#used_in __syncthreads}}\n\n{{#opcodes executed}}\n";
    let folder = built(&files(whole)).expect("a sound book");
    let one = page(&folder, "cuda_subset.html");
    assert!(
        one.contains(
            "<code>__global__ void k() { __syncthreads(); }</code> in <code>k</code>, and 1 more"
        ),
        "{one}"
    );
    assert!(one.contains("<code>shfl</code>"), "{one}");
    let unexplained = "# One\n\n{{#used_in __global__}}\n";
    assert_refused(&files(unexplained), "`__syncthreads` is used in");
    let lambda = [("chapters-code/chapter_1/kernels/l.cu", "void l() { f([=](int i) {}); }")];
    let unexplained_lambda = [&files(whole)[..], &lambda].concat();
    assert_refused(&unexplained_lambda, "`[=]` is used in");
    let unused = "# One\n\n{{#used_in __global__ __syncthreads}}\n{{#used_in __syncwarp}}\n";
    assert_refused(&files(unused), "book/cuda_subset.md:4: no kernel uses __syncwarp");
}

#[test]
fn the_first_use_of_a_construct_leads_to_its_row() {
    let appendix = "# CUDA\n\n`T` is a type.\n\n| construct | what it does | example |\n| --- | --- | --- |\n\
                    | `__ballot`, `__popc` | a *word* | `k` |\n\
                    | `__ballot_any` | \"any\" bit. Not all. | `__popc` |\n\
                    | `max`<!-- not linked --> | the larger | `k` |\n\
                    | `template` | a copy per type | `k` |\n\
                    | `template <>` | for one type | `k` |\n";
    let one = "# The `__ballot`\n\n[`__ballot`](two.md) {{#term tile \"`__popc`\"}}\n\n\
               {{#teachers minutes=5}}\n`__popc`\n{{#end}}\n\n```text\n__popc\n```\n\n\
               Call `tile[__popc(*__ballot(x))]`, `__ballot`, `__popcll`, `max(T)`.\n\n\
               | a |\n| - |\n| `__ballot_any \\| 1 \\| __popc` |\n";
    let files = [
        (
            "book/SUMMARY.md",
            "- [One](chapter_1/one.md)\n- [Two](chapter_1/two.md)\n- [C](cuda_subset.md)\n- [G](glossary.md)\n",
        ),
        ("book/chapter_1/one.md", one),
        ("book/chapter_1/two.md", "# Two\n"),
        ("book/cuda_subset.md", appendix),
        ("book/glossary.md", "# Glossary\n\nTile\n: A part.\n"),
    ];
    let folder = built(&files).expect("a sound book");
    let page = page(&folder, "chapter_1/one.html");
    let link = |id: &str, what: &str, word: &str| {
        format!(
            "<a class=\"term\" href=\"../cuda_subset.html#cuda-{id}\" data-definition=\"{what}\">{word}</a>"
        )
    };
    let [ballot, popc] = ["__ballot", "__popc"].map(|word| link("__ballot", "a word", word));
    assert!(
        page.contains(&format!("<code>tile[{popc}(*{ballot}(x))]</code>, <code>__ballot</code>"))
    );
    let any = link("__ballot_any", "&quot;any&quot; bit.", "__ballot_any");
    assert!(page.contains(&format!("<code>{any} | 1 | __popc</code>")), "{page}");
    assert_eq!(page.matches("cuda_subset.html#").count(), 3, "{page}");
    let appendix = self::page(&folder, "cuda_subset.html");
    for id in ["cuda-__ballot", "cuda-__ballot_any", "cuda-template", "cuda-template-"] {
        assert_eq!(appendix.matches(&format!("id=\"{id}\"")).count(), 1, "{appendix}");
    }
    assert!(!appendix.contains("cuda_subset.html#"), "{appendix}");
}

#[test]
fn an_explanation_with_a_formula_is_refused() {
    let row = "# CUDA\n\n| construct | what |\n| --- | --- |\n| `__popc` | $n$ bits |\n";
    let files = [("book/SUMMARY.md", "- [C](cuda_subset.md)\n"), ("book/cuda_subset.md", row)];
    assert_refused(&files, "book/cuda_subset.md:5: pages show the first sentence");
}

/// The pages of the chapters of this book, but those that only list: path and text.
fn chapter_pages() -> impl Iterator<Item = (PathBuf, String)> {
    let is_meant = |path: &PathBuf| {
        let lists = path.ends_with("exercises.md") || path.ends_with("further_reading.md");
        path.to_string_lossy().contains("/chapter_") && !lists
    };
    let pages = pages_of_book().into_iter().filter(is_meant);
    pages.map(|path| (path.clone(), std::fs::read_to_string(path).expect("a page")))
}

#[test]
fn every_page_of_a_chapter_asks_one_to_six_questions() {
    for (path, text) in chapter_pages() {
        let asked = text.matches("{{#question}}").count();
        assert!((1..=6).contains(&asked), "{}: {asked}", path.display());
    }
}

#[test]
fn every_page_of_a_chapter_has_notes_for_teachers() {
    for (path, text) in chapter_pages() {
        assert!(text.contains("{{#teachers minutes="), "{}", path.display());
    }
}
