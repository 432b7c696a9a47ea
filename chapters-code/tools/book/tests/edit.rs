//! `book serve --edit` compiles kernels and checks exercises, for its own pages alone.

use std::path::Path;
use std::time::{Duration, Instant};

use exercise::course::{Exercise, FOLDER};
use lab::content::{Content, Expected};
use lab::data::{Allocation, Operation, Run};
use nvrtc::testing::has_compiler;
use serde_json::{Value, json};

use super::serve::{Server, book, small_book, write};

const KERNEL: &str = "chapters-code/c/kernels/k.cu";
const SOURCE: &str = "extern \"C\" __global__ void a(float* out) {\n    out[threadIdx.x] = 1.0f;\n}\n\
                      extern \"C\" __global__ void b(float* out) {\n    out[threadIdx.x] = 2.0f;\n}\n";

/// A server of a small book with a kernel, and the session's token.
struct Session {
    server: Server,
    token: String,
    folder: tempfile::TempDir,
}

/// A header of a request, and its value.
type Header<'a> = (&'a str, &'a str);

impl Session {
    fn start() -> Self {
        Self::start_with(&[])
    }

    /// With environment variables.
    fn start_with(variables: &[(&str, &str)]) -> Self {
        let folder = small_book();
        write(folder.path(), KERNEL, SOURCE);
        let mut command = book(folder.path(), "0");
        let server = Server::of(command.arg("--edit").envs(variables.iter().copied()));
        let token = server.line.split("#token=").nth(1).and_then(|rest| rest.split(' ').next());
        let token = token.expect("the address holds a token").to_owned();
        Self { server, token, folder }
    }

    /// The whole answer to a request with a body, whose headers are those of a page, except for `others`.
    fn post(&self, others: &[Header<'_>], body: &str) -> String {
        let host = self.server.address.clone();
        let origin = format!("http://{host}");
        let token = format!("Bearer {}", self.token);
        let length = body.len().to_string();
        let mut request = "POST /__edit HTTP/1.1\r\nConnection: close\r\n".to_owned();
        for (name, value) in [
            ("Host", &*host),
            ("Origin", &origin),
            ("Authorization", &token),
            ("Content-Type", "application/json"),
            ("Content-Length", &length),
        ] {
            let value = others.iter().find(|other| other.0 == name).map_or(value, |other| other.1);
            request += &format!("{name}: {value}\r\n");
        }
        self.server.send(&(request + "\r\n" + body))
    }

    /// The answer to a question of a page, as JSON.
    fn ask(&self, question: &Value) -> Value {
        let answer = self.post(&[], &question.to_string());
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
        serde_json::from_str(body).expect("JSON")
    }

    fn compile(&self, file: &str, source: &str) -> Value {
        self.ask(
            &json!({ "question": "compile", "file": file, "source": source, "entries": ["a"] }),
        )
    }

    fn check(&self, source: &str) -> Value {
        let target = "simulator";
        self.ask(
            &json!({ "question": "check", "number": "1.1", "source": source, "target": target }),
        )
    }
}

#[test]
fn only_a_page_of_the_session_is_answered() {
    let session = Session::start();
    let question = json!({ "question": "session" }).to_string();
    let status = |others: &[Header<'_>], body: &str| {
        let answer = session.post(others, body);
        answer.split(' ').nth(1).expect("a status").to_owned()
    };
    assert_eq!(status(&[], &question), "200");
    let half = &session.token[..session.token.len() / 2];
    for other in [
        ("Host", "evil.example"),
        ("Origin", "http://evil.example"),
        ("Origin", "null"),
        ("Authorization", "Bearer 0123456789abcdef"),
        ("Authorization", &format!("Bearer {half}")),
        ("Authorization", ""),
    ] {
        assert_eq!(status(&[other], &question), "403", "{other:?}");
    }
    // A site whose name has come to mean this machine.
    let port = session.server.address.rsplit(':').next().expect("a port");
    let (host, origin) = (format!("evil.example:{port}"), format!("http://evil.example:{port}"));
    assert_eq!(status(&[("Host", &host), ("Origin", &origin)], &question), "403");
    assert_eq!(status(&[("Content-Type", "text/plain")], &question), "415");
    assert_eq!(status(&[], &"a".repeat((2 << 20) + 1)), "413");
    assert_eq!(status(&[], "{\"question\": \"other\"}"), "400");
    assert_eq!(status(&[], "no JSON"), "400");
    let page = session.server.get("/one.html");
    assert!(page.contains("/__edit.js") && !page.contains(&session.token), "{page}");
}

#[test]
fn without_the_option_there_is_no_editor() {
    let folder = small_book();
    let server = Server::start_with(folder.path(), &[]);
    assert!(!server.line.contains("token"), "{}", server.line);
    assert!(!server.get("/one.html").contains("__edit"));
    assert!(server.get("/__edit.js").starts_with("HTTP/1.1 404"));
}

#[test]
fn a_missing_compiler_is_named_with_its_remedy() {
    let session = Session::start_with(&[("NVRTC_PATH", "/nowhere")]);
    let compiled = session.compile(KERNEL, SOURCE);
    let error = compiled["error"].as_str().expect("an error");
    let remedy = if cfg!(target_os = "macos") { "container" } else { "`cargo exercise setup`" };
    assert!(error.contains(remedy), "{error}");
    assert_eq!(session.ask(&json!({ "question": "session" }))["compiler"], error);
}

#[test]
fn a_kernel_is_compiled_and_its_errors_have_lines() {
    if !has_compiler() {
        return;
    }
    let session = Session::start();
    let elsewhere = session.compile("chapters-code/c/kernels/../../../book/one.md", SOURCE);
    assert_eq!(
        elsewhere["error"],
        "the kernel could not be compiled: there is no kernel chapters-code/c/kernels/../../../book/one.md"
    );
    let right = session.compile(KERNEL, SOURCE);
    let ptx = right["ptx"].as_str().expect("PTX");
    assert!(ptx.starts_with(&format!("// {KERNEL}\n")), "{ptx}");
    assert!(ptx.contains(".entry a(") && !ptx.contains(".entry b("), "only what is wanted: {ptx}");
    assert!(
        ptx.contains(&format!(".file\t1 \"{KERNEL}\"")),
        "lines are named as the book's are: {ptx}"
    );
    let wrong = session.compile(KERNEL, &SOURCE.replace("2.0f", "two"));
    assert_eq!(wrong["lines"], json!([{ "line": 5, "text": "identifier \"two\" is undefined" }]));
    assert!(wrong["log"].as_str().is_some_and(|log| log.contains("k.cu(5): error")), "{wrong}");
    let other = session.compile(KERNEL, &format!("#include \"../../../book.toml\"\n{SOURCE}"));
    assert!(other["log"].as_str().is_some_and(|log| log.contains("may not stand here")), "{other}");
    let kept = std::fs::read_to_string(session.folder.path().join(KERNEL)).expect("the source");
    assert_eq!(kept, SOURCE, "no source file is written");
}

/// A run of kernel `a` on 32 floats, which it should make 1.
fn ones(parameters: Vec<u8>) -> Run {
    let ones = Content::of(&1.0f32.to_le_bytes().repeat(32), 0);
    let launch = Operation::Launch {
        module: 0,
        kernel: "a".into(),
        grid: [1; 3],
        block: [32, 1, 1],
        dynamic_shared: 0,
        cooperative: false,
        parameters: simt_report::Bytes(parameters),
        device: None,
        group: None,
    };
    Run {
        size: "32".into(),
        chosen: None,
        elements: 32,
        title: "ones".into(),
        dtype: "f32".into(),
        op: "sum".into(),
        seed: 0,
        allocations: vec![Allocation {
            address: 4096,
            device: None,
            content: Content::Fill { byte: 0, bytes: 128 },
        }],
        operations: vec![
            launch,
            Operation::Read { address: 4096, content: Some(Expected::Content(ones)) },
        ],
        counters: simt_report::Counters::default(),
    }
}

/// The simulator stands for a GPU here: it is called in the same way.
#[test]
fn a_run_is_executed_by_a_driver() {
    let session = Session::start();
    let execute = |ptx: &Value, run: &Run| {
        session.ask(
            &json!({ "question": "execute", "modules": [ptx], "run": run, "target": "simulator" }),
        )
    };
    if !has_compiler() {
        return;
    }
    let run = ones(4096u64.to_le_bytes().to_vec());
    let right = execute(&session.compile(KERNEL, SOURCE)["ptx"], &run);
    assert_eq!(right["is_right"], true, "{right}");
    let wrong =
        execute(&session.compile(KERNEL, &SOURCE.replace("1.0f", "threadIdx.x"))["ptx"], &run);
    assert_eq!(wrong["is_right"], false, "{wrong}");
    assert_eq!(wrong["first"], "element 0 is 0 instead of 1");
    let other = session.compile(KERNEL, &SOURCE.replace("a(float* out", "a(float* out, int n"));
    let other = execute(&other["ptx"], &run);
    let error = other["error"].as_str().expect("an error");
    assert!(error.contains("a has 12 bytes of parameters, and is launched with 8"), "{error}");
    let beyond = SOURCE.replace("out[threadIdx.x] = 1", "out[1000000] = 1");
    let beyond = execute(&session.compile(KERNEL, &beyond)["ptx"], &run);
    assert!(
        beyond["error"].as_str().is_some_and(|error| error.contains("ILLEGAL_ADDRESS")),
        "{beyond}"
    );
}

const PRINTING: &str = "printf(\"thread %u\\n\", threadIdx.x);";

/// Kernel `a`, which also does something before it writes.
fn doing(first: &str) -> String {
    SOURCE.replace(
        "    out[threadIdx.x] = 1.0f",
        &format!("    {first}\n    out[threadIdx.x] = 1.0f"),
    )
}

#[test]
fn what_a_kernel_prints_is_heard() {
    let session = Session::start();
    if !has_compiler() {
        return;
    }
    let run = ones(4096u64.to_le_bytes().to_vec());
    let print = |ptx: &Value, options: Value| {
        let data = json!({
            "kernel": "a", "is_broken": false, "files": [], "modules": [ptx],
            "choices": [], "family": [], "runs": [run],
        });
        session.ask(&json!({ "question": "print", "data": data, "options": options }))
    };
    let options = |instruction_limit: u64| {
        json!({
            "request": "run", "run": 0, "seed": 0, "input_seed": null, "races": true, "trace": true,
            "weak_seeds": 2, "instruction_limit": instruction_limit, "removed": [],
        })
    };
    let ptx = session.compile(KERNEL, &doing(PRINTING))["ptx"].clone();
    let in_order: String = (0..32).map(|thread| format!("thread {thread}\n")).collect();
    assert_eq!(print(&ptx, options(0)), json!({ "text": in_order, "is_cut": false }));
    let silent = session.compile(KERNEL, SOURCE)["ptx"].clone();
    assert_eq!(print(&silent, options(0)), json!({ "text": "", "is_cut": false }));

    let endless = session.compile(KERNEL, &doing(&format!("for (;;) {PRINTING}")))["ptx"].clone();
    let heard = print(&endless, options(100_000));
    let text = heard["text"].as_str().expect("a text");
    assert_eq!(heard["is_cut"], true);
    assert!(text.starts_with(&in_order) && text.ends_with('\n') && text.len() <= 16 << 10);

    // A driver's answer is told from what it prints.
    let executed = session.ask(
        &json!({ "question": "execute", "modules": [ptx], "run": run, "target": "simulator" }),
    );
    assert_eq!(executed["is_right"], true, "{executed}");
    assert_eq!(executed["printed"], json!({ "text": in_order, "is_cut": false }));
}

/// Templates whose number doubles with each level.
const ENDLESS: &str = "template <int N, int M> struct T { static const int v = T<N - 1, 2 * M>::v + T<N - 1, 2 * M + 1>::v; };\n\
                       template <int M> struct T<0, M> { static const int v = M; };\n\
                       extern \"C\" __global__ void a(float* out) { out[0] = T<28, 1>::v; }\n";

#[test]
#[ignore = "it waits for the time limit of a compilation"]
fn exhaustive_a_compilation_without_end_is_stopped() {
    let session = Session::start();
    if !has_compiler() {
        return;
    }
    let start = Instant::now();
    let endless = session.compile(KERNEL, ENDLESS);
    let error = endless["error"].as_str().expect("an error");
    assert!(error.starts_with("the kernel could not be compiled: it"), "{error}");
    assert!(start.elapsed() < Duration::from_secs(90));
    assert!(session.compile(KERNEL, SOURCE)["ptx"].is_string(), "the next is compiled");
}

#[test]
fn an_exercise_is_given_and_checked() {
    let session = Session::start();
    if !has_compiler() {
        return;
    }
    let of_book = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../..")
        .join(FOLDER)
        .join("chapter_1/01_block_sum");
    let own = session.folder.path().join(FOLDER).join("chapter_1/01_block_sum");
    std::fs::create_dir_all(&own).expect("a folder");
    for file in ["exercise.toml", "solution.cu"] {
        std::fs::copy(of_book.join(file), own.join(file)).expect("a copy");
    }
    let given = session.ask(&json!({ "question": "exercise", "number": "1.1" }));
    assert_eq!(given["file"], "exercises/chapter_1/1_block_sum.cu");
    let text = given["text"].as_str().expect("a text");

    let untouched = session.check(text);
    assert_eq!(untouched["is_right"], false, "{untouched}");
    let solution = Exercise::open(&own).and_then(|exercise| exercise.cut()).expect("an exercise");
    let solution = solution.solution.expect("a solution");
    let right = session.check(&solution);
    assert_eq!(right["is_right"], true, "{right}");
    assert!(
        right["text"].as_str().is_some_and(|text| text.starts_with("right on the simulated GPU: "))
    );
    let racing = session.check(&solution.replace("__syncthreads();", ""));
    assert_eq!(racing["is_right"], false, "{racing}");
    assert!(racing["lines"].as_array().is_some_and(|lines| !lines.is_empty()), "{racing}");
    let wrong = session.check(&solution.replace("__syncthreads();", "__syncthreads()"));
    assert!(
        wrong["lines"][0]["text"].as_str().is_some_and(|text| text.contains("expected a \";\"")),
        "{wrong}"
    );
    let endless =
        session.check(&solution.replace("__syncthreads();", "while (true) { __syncthreads(); }"));
    assert_eq!(endless["is_right"], false, "{endless}");
    assert!(!session.folder.path().join("exercises").exists(), "no file is written");
}
