//! Makes HTML of a picture: the drawing with its title, its steps in words, and its caption.
//!
//! Without JavaScript all steps are visible, one below the other or in one picture; `figures.js`
//! lets a reader step through them. A blank line would end the block for Markdown, so there is none.

use std::fmt::Write as _;

use svg::Document;
use svg::node::Node;
use svg::node::element::Title;

use crate::shapes::{Frame, Picture, short};

/// How far a drawing may grow if there is room, and shrink if there is none before its box scrolls. The stylesheet's
/// smallest text in a narrow column, 12.5 pixels, has 11 then.
const LARGEST: f64 = 1.35;
const SMALLEST: f64 = 0.88;

/// The drawings of figure `number`, and what they show in words: below each, if there are several,
/// and otherwise in a list that unfolds.
pub fn drawings(number: usize, picture: &Picture) -> String {
    drawings_as(&id(number), picture)
}

/// The same of a figure with this id.
pub fn drawings_as(id: &str, picture: &Picture) -> String {
    let mut html = String::new();
    let drawings = picture.drawings();
    if let [drawing] = drawings[..] {
        let said = format!("{id}-said");
        html.push_str(&boxed(id, &picture.title, &said, drawing));
        let steps = if picture.has_steps { " data-steps" } else { "" };
        let _ = writeln!(html, "<details class=\"said\" id=\"{said}\"{steps}>");
        html.push_str("<summary>In words</summary>\n<ol>\n");
        for said in &picture.said {
            let _ = writeln!(html, "<li>{}</li>", inline(said));
        }
        html.push_str("</ol>\n</details>\n");
        return html;
    }
    let count = drawings.len();
    for (index, (drawing, words)) in drawings.into_iter().zip(&picture.said).enumerate() {
        let step = index + 1;
        let title = format!("{} Step {step} of {count}.", picture.title);
        let own = format!("{id}-{step}");
        let said = format!("{own}-said");
        let _ = writeln!(html, "<div class=\"part\" data-step=\"{step}\">");
        html.push_str(&boxed(&own, &title, &said, drawing));
        let words = inline(words);
        let _ = writeln!(html, "<p class=\"words\" id=\"{said}\">{words}</p>\n</div>");
    }
    html
}

/// Two pictures of one drawing each, side by side if there is room, which a reader steps through together. Their words
/// are in one list, those of each picture behind its name.
pub fn pair(number: usize, names: [&str; 2], pictures: [&Picture; 2]) -> String {
    let id = id(number);
    let said = format!("{id}-said");
    let mut html = String::from("<div class=\"beside\">\n");
    for (index, (name, picture)) in names.iter().zip(pictures).enumerate() {
        let _ = writeln!(html, "<div><p class=\"name\">{}</p>", inline(name));
        for drawing in picture.drawings() {
            let own = format!("{id}-{}", index + 1);
            html.push_str(&boxed(&own, &picture.title, &said, drawing));
        }
        html.push_str("</div>\n");
    }
    let _ = writeln!(html, "</div>\n<details class=\"said\" id=\"{said}\" data-steps>");
    html.push_str("<summary>In words</summary>\n<ol>\n");
    let steps = pictures.map(|picture| picture.said.len());
    for step in 0..steps[0].max(steps[1]) {
        let words = names
            .iter()
            .zip(pictures)
            .filter_map(|(name, picture)| Some(format!("{name}: {}", picture.said.get(step)?)));
        let _ = writeln!(html, "<li>{}</li>", inline(&words.collect::<Vec<_>>().join(" ")));
    }
    html.push_str("</ol>\n</details>\n");
    html
}

/// The whole figure around its content.
pub fn figure(
    number: usize,
    class: &str,
    content: &str,
    caption: Option<&str>,
    source: &str,
) -> String {
    let id = id(number);
    let mut html = format!("<figure class=\"drawn {class}\" id=\"{id}\">\n{content}<figcaption>");
    if let Some(caption) = caption {
        let _ = write!(html, "{} ", inline(caption));
    }
    let _ = writeln!(html, "<span class=\"source\">{source}</span></figcaption>");
    html.push_str("</figure>\n");
    html
}

fn id(number: usize) -> String {
    format!("figure-{number}")
}

/// A drawing in a box that scrolls if it must, with the drawing for a narrow column if there is one. The stylesheet shows
/// one of the two.
fn boxed(id: &str, title: &str, said: &str, (frame, narrow): (&Frame, Option<&Frame>)) -> String {
    let mut html = "<div class=\"frame\" tabindex=\"0\">\n".to_owned();
    match narrow {
        Some(narrow) => {
            html.push_str(&drawn("wide", id, title, said, frame));
            html.push_str(&drawn("narrow", &format!("{id}-narrow"), title, said, narrow));
        }
        None => html.push_str(&drawn("", id, title, said, frame)),
    }
    html.push_str("</div>\n");
    html
}

/// One drawing, with its title, and the place of its description.
fn drawn(class: &str, id: &str, title: &str, said: &str, frame: &Frame) -> String {
    let Frame { drawing, width, height } = frame;
    let title_id = format!("{id}-title");
    let mut title = Title::new(title);
    title.assign("id", title_id.as_str());
    let style = format!(
        "--full:{}px;min-width:{}px",
        short((width * LARGEST).round()),
        short((width * SMALLEST).ceil())
    );
    let mut document = Document::new()
        .set("viewBox", (0.0, 0.0, *width, *height))
        .set("role", "img")
        .set("aria-labelledby", title_id.as_str())
        .set("aria-describedby", said)
        .set("style", style)
        .add(title);
    if !class.is_empty() {
        document.assign("class", class);
    }
    document.append(drawing.clone());
    format!("{document}\n")
}

/// Text as HTML, with code between backquotes, and powers of two such as 2^28.
pub fn inline(text: &str) -> String {
    let mut html = String::new();
    for (index, part) in text.split('`').enumerate() {
        let part = escape(part);
        match index % 2 {
            0 => html.push_str(&powers(&part)),
            _ => {
                let _ = write!(html, "<code>{part}</code>");
            }
        }
    }
    html
}

/// Raises the exponents of powers of two.
fn powers(text: &str) -> String {
    let mut parts = text.split("2^");
    let mut html = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (exponent, rest) = part.split_at(digits);
        let _ = match exponent {
            "" => write!(html, "2^{rest}"),
            _ => write!(html, "2<sup>{exponent}</sup>{rest}"),
        };
    }
    html
}

/// Text as HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
