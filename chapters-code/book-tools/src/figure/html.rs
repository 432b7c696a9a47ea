//! A picture as a part of a page: the drawing with its title, its steps in words, its caption.
//!
//! Without JavaScript all steps are there, one below the other or in one picture; `figures.js`
//! turns them into something to step through. A blank line would end the block for Markdown, so
//! there is none.

use std::fmt::Write as _;

use harness::trace::Traced;
use svg::Document;
use svg::node::Node;
use svg::node::element::Title;

use super::arguments::Run;
use super::picture::{Frame, Picture, short};

/// How far a drawing may grow where there is room, and shrink where there is none before its box
/// scrolls.
const LARGEST: f64 = 1.35;
const SMALLEST: f64 = 0.85;

/// The whole figure, of which there are `number - 1` before it in the book.
pub(super) fn figure(
    number: usize,
    picture: &Picture,
    caption: Option<&str>,
    source: &str,
) -> String {
    let id = format!("figure-{number}");
    let mut html = format!("<figure class=\"drawn {}\" id=\"{id}\">\n", picture.class);
    for (index, frame) in picture.frames.iter().enumerate() {
        html.push_str(&framed(&id, index, picture, frame));
    }
    let _ = writeln!(html, "<details class=\"said\" id=\"{id}-said\">");
    html.push_str("<summary>In words</summary>\n<ol>\n");
    for said in &picture.said {
        let _ = writeln!(html, "<li>{}</li>", inline(said));
    }
    html.push_str("</ol>\n</details>\n<figcaption>");
    if let Some(caption) = caption {
        let _ = write!(html, "{} ", inline(caption));
    }
    let _ = writeln!(html, "<span class=\"source\">{source}</span></figcaption>");
    html.push_str("</figure>\n");
    html
}

/// One drawing in a box that scrolls where it is too wide.
fn framed(id: &str, index: usize, picture: &Picture, frame: &Frame) -> String {
    let Frame {
        drawing,
        width,
        height,
    } = frame;
    let several = picture.frames.len() > 1;
    let step = match several {
        true => format!(" data-step=\"{}\"", index + 1),
        false => String::new(),
    };
    let title_id = format!("{id}-title-{}", index + 1);
    let title = match several {
        true => format!(
            "{} Step {} of {}.",
            picture.title,
            index + 1,
            picture.frames.len()
        ),
        false => picture.title.clone(),
    };
    let mut title = Title::new(title);
    title.assign("id", title_id.as_str());
    let style = format!(
        "min-width:{}px;max-width:{}px",
        short((width * SMALLEST).round()),
        short((width * LARGEST).round())
    );
    let mut document = Document::new()
        .set("viewBox", (0.0, 0.0, *width, *height))
        .set("role", "img")
        .set("aria-labelledby", title_id.as_str())
        .set("aria-describedby", format!("{id}-said"))
        .set("style", style)
        .add(title);
    document.append(drawing.clone());
    format!("<div class=\"frame\"{step} tabindex=\"0\">\n{document}\n</div>\n")
}

/// Where a picture comes from.
pub(super) fn source(run: &Run, traced: &Traced) -> String {
    let threads = traced.report.launches.first().map(|launch| launch.block);
    let threads = threads.map_or(0, |block| block.iter().product::<u32>());
    inline(&format!(
        "Drawn from an execution of `{}`: {}, blocks of {threads} threads.",
        run.kernel,
        run.chapter.title(&traced.case)
    ))
}

/// Text as HTML, with code between backquotes.
pub(super) fn inline(text: &str) -> String {
    let mut html = String::new();
    for (index, part) in text.split('`').enumerate() {
        let part = escape(part);
        match index % 2 {
            0 => html.push_str(&part),
            _ => {
                let _ = write!(html, "<code>{part}</code>");
            }
        }
    }
    html
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
