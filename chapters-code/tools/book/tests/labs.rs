//! A listing and a figure of a rung's kernel have a button that runs it, and the book has what the button needs.

use std::path::Path;

use book::{Strictness, build};
use lab::Lab;
use lab::data::Data;
use lab::replay::Options;

use crate::reading::{folder_with, page};

/// The sources of a book of one page of chapter 1, with the project's kernels.
fn sources(text: &str) -> tempfile::TempDir {
    let summary = "- [One](chapter_1_reduce/one.md)\n";
    let folder =
        folder_with(&[("book/SUMMARY.md", summary), ("book/chapter_1_reduce/one.md", text)]);
    let root = folder.path();
    let code = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = vec![Path::new("tools/lab/lab.wasm.gz").to_path_buf()];
    for kernels in ["chapter_1_reduce/kernels", "chapter_1_reduce/kernels/broken"].map(Path::new) {
        let there = std::fs::read_dir(code.join(kernels)).expect("the chapter's kernels");
        let names = there.map(|entry| kernels.join(entry.expect("a file").file_name()));
        files.extend(names.filter(|file| file.extension().is_some_and(|e| e != "ptx")));
    }
    for file in files {
        let to = root.join("chapters-code").join(&file);
        std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        std::fs::copy(code.join(file), to).expect("a copy");
    }
    folder
}

/// Builds a book of one page of chapter 1, with the project's kernels; gives its folder.
fn built(text: &str) -> tempfile::TempDir {
    let folder = sources(text);
    build(folder.path(), None, Strictness::Draft).expect("a sound book");
    folder
}

/// The lab of a kernel of the built book.
fn opened(folder: &Path, kernel: &str) -> Lab {
    let file = folder.join(format!("out/lab/chapter_1_reduce/{kernel}.js"));
    let text = std::fs::read_to_string(file).expect("the kernel's data");
    let start = format!("warpLab.data(\"chapter_1_reduce/{kernel}\", ");
    let json = text.strip_prefix(&start).and_then(|text| text.strip_suffix(");\n"));
    let data: Data = serde_json::from_str(json.expect("a call")).expect("JSON");
    Lab::open(data).expect("PTX")
}

#[test]
fn a_button_can_strike_out_a_line() {
    let lab =
        |without: &str| format!("# One\n\n{{{{#lab kernel=sequential without=\"{without}\"}}}}\n");
    let folder = built(&lab("__syncthreads()"));
    let page = page(&folder, "chapter_1_reduce/one.html");
    let place = "data-lab=\"chapter_1_reduce/sequential\" data-without=\"__syncthreads()\" hidden";
    assert!(page.contains(place), "{page}");
    let folder = sources(&lab("__syncwarp()"));
    let error = build(folder.path(), None, Strictness::Draft).expect_err("a refusal").to_string();
    let expected = "one.md:3: the source of sequential has no __syncwarp() to strike out";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn a_listing_and_a_figure_can_be_run() {
    let folder = built(
        "# One\n\n{{#listing kernels/sequential.cu:kernel}}\n\n{{#listing kernels/operators.cuh:product}}\n\n\
         {{#figure race kernel=missing_first_barrier n=256}}\n\n{{#lab kernel=unrolled}}\n",
    );
    let page = page(&folder, "chapter_1_reduce/one.html");
    let buttons: Vec<_> = page.match_indices("<p class=\"run-it\" data-lab=\"").collect();
    assert_eq!(buttons.len(), 2, "a header is no kernel: {page}");
    assert!(
        page.contains("<p class=\"run-it named\" data-lab=\"chapter_1_reduce/unrolled\" hidden")
    );
    assert!(page.contains("data-lab=\"chapter_1_reduce/sequential\" hidden"));
    assert!(page.contains(
        "data-lab=\"chapter_1_reduce/missing_first_barrier\" data-shown=\"size=256\" hidden"
    ));
    let machine = std::fs::read_to_string(folder.path().join("out/lab/machine.js"));
    assert!(
        machine.expect("the machine").starts_with("warpLab.machine(\"H4sI"),
        "it is compressed"
    );

    let options = Options { races: true, ..Options::default() };
    let right = opened(folder.path(), "sequential").run(&options).expect("it runs");
    assert_eq!(right.is_right, Some(true));
    assert!(right.launches.iter().all(|launch| launch.races.is_empty()));
    let broken = opened(folder.path(), "missing_first_barrier").run(&options).expect("it runs");
    assert!(!broken.launches[0].races.is_empty());
}
