//! No page gives away what it asks for: in front of a question stands nothing that was measured of its kernel at the same
//! size, and in its section not the number that is asked for. (What follows it waits for the reader, see `lesson::behind`.)

use std::ops::Range;
use std::path::Path;

use crate::Problem;
use crate::check::Page;
use crate::expand::{Call, calls};
use crate::lesson::{Ask, Sought};

/// The directives that show rungs of a ladder without naming each.
const LADDERS: [&str; 4] =
    ["measured_table", "measured_bars", "measured_memories", "measured_in_flight"];

/// The fields of a row that tell nothing of its time.
const TIMELESS: [&str; 2] = ["registers", "occupancy"];

/// The keys that name what a row is of, and not which row is meant.
const NAMES: [&str; 5] = ["kernel", "kernels", "before", "from", "to"];

pub(super) fn check(page: &Page<'_>) -> Vec<Problem> {
    let all: Vec<Call<'_>> = calls(page.text).collect();
    let asks = all.iter().enumerate().filter(|(_, call)| call.name() == "ask");
    let spoiled = asks.filter_map(|(at, call)| {
        let ask = Ask::parse(call.arguments()).ok()?;
        match &ask.sought {
            Sought::Measured { value, .. } => {
                let sought = Keys::of(value, page.name);
                let kernel = *sought.kernels.first()?;
                let shows = |call: &&Call<'_>| shows(page.name, call, kernel, &sought);
                let spoiler = all[..at].iter().find(shows)?;
                let message = format!(
                    "this gives away what is asked for in line {}: something measured of `{kernel}`",
                    line(page.text, call.range.start)
                );
                Some(page.problem(spoiler.range.start, message))
            }
            Sought::Count { shown, .. } => {
                let section = section(page.text, call.range.start);
                let place = number_in(&page.text[section.clone()], shown)?;
                let line = line(page.text, call.range.start);
                let message = format!("{shown} is what is asked for in line {line}");
                Some(page.problem(section.start + place, message))
            }
            Sought::Text(_) => None,
        }
    });
    spoiled.collect()
}

/// The keys of a directive.
struct Keys<'a> {
    kernels: Vec<&'a str>,
    /// The first and the last rung of a ladder, where they are named.
    ends: [Option<&'a str>; 2],
    /// All others.
    rows: Vec<(&'a str, &'a str)>,
}

impl<'a> Keys<'a> {
    /// Those of a directive on `page`, whose folder names the chapter where no key does.
    fn of(arguments: &'a str, page: &'a Path) -> Self {
        let words =
            arguments.split(|letter: char| letter.is_whitespace() || "[]\"".contains(letter));
        let mut pairs: Vec<_> = words.filter_map(|word| word.split_once('=')).collect();
        if !pairs.iter().any(|(name, _)| *name == "chapter") {
            pairs.extend(number_of_chapter(page).map(|number| ("chapter", number)));
        }
        let value =
            |key: &str| pairs.iter().find(|(name, _)| *name == key).map(|(_, value)| *value);
        let named = pairs.iter().filter(|(name, _)| ["kernel", "kernels"].contains(name));
        Self {
            kernels: named.flat_map(|(_, names)| names.split(',')).collect(),
            ends: [value("from"), value("to")],
            rows: pairs.iter().filter(|(name, _)| !NAMES.contains(name)).copied().collect(),
        }
    }

    /// Whether a row with the keys of `other` can have these.
    fn agree(&self, other: &Self) -> bool {
        self.rows.iter().all(|(name, value)| {
            let mut of_name = other.rows.iter().filter(|(key, _)| key == name).peekable();
            of_name.peek().is_none() || of_name.any(|(_, wanted)| wanted == value)
        })
    }
}

/// The number of the chapter that the folder of `page` names.
fn number_of_chapter(page: &Path) -> Option<&str> {
    page.parent()?.file_name()?.to_str()?.strip_prefix("chapter_")?.split('_').next()
}

/// Whether a directive of the page shows, or claims, something measured of the kernel that is asked about.
fn shows(page: &Path, call: &Call<'_>, kernel: &str, sought: &Keys<'_>) -> bool {
    let name = call.name();
    let is_figure = name.starts_with("measured")
        || ["box", "claim", "so_far", "other_memory", "computed", "verdict"].contains(&name);
    let keys = Keys::of(call.arguments(), page);
    let is_of_kernel = || {
        keys.kernels.contains(&kernel)
            || match name {
                "so_far" => is_between(page, [None, keys.kernels.first().copied()], kernel),
                _ if !LADDERS.contains(&name) || !keys.kernels.is_empty() => false,
                _ => is_between(page, keys.ends, kernel),
            }
    };
    let field = call.arguments().split_whitespace().next().unwrap_or_default();
    let tells = is_figure && !(name == "measured" && TIMELESS.contains(&field));
    tells && keys.agree(sought) && sought.agree(&keys) && is_of_kernel()
}

/// Whether a rung of the page's chapter is one of those from the first to the second of `ends`.
fn is_between(page: &Path, ends: [Option<&str>; 2], kernel: &str) -> bool {
    let folder = page.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    let Some(chapter) = folder.and_then(chapters::find) else {
        return false;
    };
    let rungs = chapter.rungs();
    let place = |name: &str| rungs.iter().position(|rung| rung.name == name);
    let [first, last] = ends.map(|end| end.and_then(place));
    place(kernel).is_some_and(|kernel| {
        first.is_none_or(|first| first <= kernel) && last.is_none_or(|last| kernel <= last)
    })
}

/// What stands between the last heading and `end`.
fn section(text: &str, end: usize) -> Range<usize> {
    let heading = text[..end].rfind("\n#").map_or(0, |place| place + 1);
    heading..end
}

/// Where a number with the first word of its unit stands as a word in `text`.
fn number_in(text: &str, shown: &str) -> Option<usize> {
    let mut words = shown.split(['\u{a0}', ' ']);
    let number = words.next()?;
    let unit = words.next().unwrap_or_default();
    let is_number = |place: &usize| {
        let before = text[..*place].chars().next_back();
        let behind = text[place + number.len()..].trim_start_matches(['\u{a0}', ' ']);
        !before.is_some_and(|letter| letter.is_alphanumeric() || ".,/^".contains(letter))
            && behind.starts_with(unit)
    };
    text.match_indices(number).map(|(place, _)| place).find(is_number)
}

fn line(text: &str, offset: usize) -> usize {
    1 + text[..offset].matches('\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let page = Page {
            name: Path::new("book/chapter_1_reduce/a.md"),
            folder: Path::new("."),
            source: Path::new("."),
            text,
        };
        check(&page).into_iter().map(|problem| problem.to_string()).collect()
    }

    const ASK: &str = "{{#ask unit=\"×\" question=\"?\" measured=\"gain kernel=first_add before=sequential n=2^28 \
                       dtype=f32\"}}\n{{#end}}\n";

    #[test]
    fn what_was_measured_of_the_kernel_is_refused_in_front_of_the_question() {
        for spoiler in [
            "{{#measured gb_per_s kernel=first_add n=2^28 dtype=f32}}",
            "{{#claim time_ms.median kernel=first_add < time_ms.median kernel=sequential where n=2^28 dtype=f32}}",
            "{{#computed [time_ms.median kernel=first_add n=2^28 dtype=f32] / 2 in µs}}",
            "{{#measured_table from=sequential to=single_pass_tiled n=2^28 dtype=f32}}",
            "{{#so_far kernel=unrolled n=2^28 dtype=f32}}",
        ] {
            let text = format!("# A\n\n{spoiler}\n\n## B\n\n{ASK}");
            assert_eq!(found(&text).len(), 1, "{spoiler}");
            assert_eq!(found(&format!("# A\n\n{ASK}\n{spoiler}\n")), [""; 0], "{spoiler}");
        }
    }

    #[test]
    fn what_is_of_another_kernel_or_size_may_stand_there() {
        for other in [
            "{{#measured gb_per_s kernel=sequential n=2^28 dtype=f32}}",
            "{{#measured gb_per_s kernel=first_add n=2^20 dtype=f32}}",
            "{{#measured gb_per_s chapter=3 kernel=first_add n=2^28 dtype=f32}}",
            "{{#measured registers kernel=first_add n=2^28 dtype=f32}}",
            "{{#measured_table from=interleaved_modulo to=sequential n=2^28 dtype=f32}}",
            "{{#so_far kernel=sequential n=2^28 dtype=f32}}",
            "{{#figure tree kernel=first_add n=8 block=4}}",
        ] {
            assert_eq!(found(&format!("# A\n\n{other}\n\n{ASK}")), [""; 0], "{other}");
        }
    }

    #[test]
    fn a_count_is_refused_in_the_section_that_asks_for_it() {
        let ask = "{{#ask unit=\"wavefronts\" question=\"?\" answer=\"45\"}}\n{{#end}}\n";
        assert_eq!(found(&format!("# A\n\nIt takes 45 wavefronts.\n\n{ask}")).len(), 1);
        for other in ["145 wavefronts", "45 sectors", "4.45 wavefronts", "45 wavefronts\n\n## B"] {
            assert_eq!(found(&format!("# A\n\n{other}\n\n{ask}")), [""; 0], "{other}");
        }
    }
}
