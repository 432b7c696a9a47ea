//! A table of many lines, which the theme's script filters and offers as a file.

/// The table in HTML. `file` is the name under which it can be saved; the cells are HTML.
pub(crate) fn table(
    file: &str,
    heads: &[&str],
    lines: impl Iterator<Item = Vec<String>>,
) -> String {
    let heads: String = heads.iter().map(|head| format!("<th scope=\"col\">{head}</th>")).collect();
    let line = |cells: Vec<String>| {
        let cells: String = cells.iter().map(|cell| format!("<td>{cell}</td>")).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let lines: String = lines.map(line).collect();
    format!(
        "<div class=\"table-wrapper\">\n<table class=\"filtered\" data-file=\"{file}\">\n\
         <thead><tr>{heads}</tr></thead>\n<tbody>\n{lines}</tbody>\n</table>\n</div>\n"
    )
}

/// HTML in which what stands between backquotes is code.
pub(crate) fn with_code(cell: &str) -> String {
    let parts = cell.split('`').enumerate();
    parts.fold(String::new(), |html, (number, part)| match number % 2 {
        0 => html + part,
        _ => format!("{html}<code>{part}</code>"),
    })
}
