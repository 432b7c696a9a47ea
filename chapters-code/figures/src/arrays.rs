//! Parts of arrays in device memory at one moment: a cell per element, and a box per sector of 32 bytes.

use svg::node::Node;
use svg::node::element::{Element as Shape, Group, Title};

use crate::memory::Touched;
use crate::shapes::{Frame, Picture, element, rectangle, text};

const LEFT: f64 = 84.0;
const CELL: f64 = 25.0;
const PITCH: f64 = 27.0;
const HEIGHT: f64 = 20.0;
const ROW: f64 = 30.0;
/// Between two sectors.
const GAP: f64 = 5.0;
/// Bytes of a sector.
pub const SECTOR: u32 = 32;
/// Bytes and cells of a row, at most.
const LINE: u32 = 128;
const CELLS: u32 = 32;
/// Letters of a value that a cell of 4 bytes has room for.
const LETTERS: usize = 5;

/// The value of an element that nothing has written, as the title of its cell has it; the cell is too narrow.
pub const UNSET: &str = "unset";

/// An element of an array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Element {
    /// The value; empty if it is not known.
    pub value: String,
    /// What the current instruction does with the element.
    pub touched: Touched,
}

/// Neighboring elements of an array, of which the first begins a sector.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strip {
    /// The array's name.
    pub name: String,
    /// The index of the first element. It is negative where the sector begins before the array.
    pub first: i64,
    /// The bytes of an element: 1, 2, 4 or 8.
    pub bytes: u32,
    /// The elements.
    pub elements: Vec<Element>,
    /// Sectors that the current instruction touches and that are not among these.
    pub other_sectors: usize,
}

impl Strip {
    /// Elements of a sector.
    fn of_sector(&self) -> usize {
        (SECTOR / self.bytes.clamp(1, 8)) as usize
    }

    /// Elements of a row.
    pub fn of_row(bytes: u32) -> usize {
        (LINE / bytes.clamp(1, 8)).min(CELLS) as usize
    }

    fn touched_sectors(&self) -> usize {
        let is_touched = |one: &&[Element]| one.iter().any(|one| one.touched != Touched::No);
        self.elements.chunks(self.of_sector()).filter(is_touched).count()
    }

    fn in_words(&self) -> String {
        let last = self.first + self.elements.len() as i64 - 1;
        let [read, written] = [Touched::Read, Touched::Written].map(|touched| {
            self.elements.iter().filter(|element| element.touched == touched).count()
        });
        let others = match self.other_sectors {
            0 => String::new(),
            count => {
                format!(" It also touches sectors of `{}` that are not drawn: {count}.", self.name)
            }
        };
        format!(
            "Elements {} to {last} of `{}`: the instruction reads {read} and writes {written} of them, in sectors of 32 \
             bytes: {}.{others}",
            self.first.max(0),
            self.name,
            self.touched_sectors()
        )
    }

    fn draw(&self, top: f64, drawing: &mut Group) -> f64 {
        let per_row = Self::of_row(self.bytes);
        let mut y = top;
        for (index, row) in self.elements.chunks(per_row).enumerate() {
            let first = self.first + (index * per_row) as i64;
            drawing.append(text("end small", [LEFT - 6.0, y + 9.0], self.name.clone()));
            drawing.append(text("end by", [LEFT - 6.0, y + 20.0], format!("[{}]", first.max(0))));
            self.draw_row(row, first, y, drawing);
            y += ROW;
        }
        y
    }

    fn draw_row(&self, row: &[Element], first: i64, y: f64, drawing: &mut Group) {
        let of_sector = self.of_sector();
        let scale = f64::from(CELLS) / Self::of_row(self.bytes) as f64;
        let (pitch, width) = (PITCH * scale, CELL * scale);
        for (sector, elements) in row.chunks(of_sector).enumerate() {
            let left = LEFT + (pitch * of_sector as f64 + GAP) * sector as f64;
            let is_lit = elements.iter().any(|element| element.touched != Touched::No);
            let class = if is_lit { "sector lit" } else { "sector" };
            let size = [pitch * elements.len() as f64, HEIGHT + 4.0];
            drawing.append(rectangle(class, [left - 1.0, y - 1.0], size));
            for (index, one) in elements.iter().enumerate() {
                let number = first + (sector * of_sector + index) as i64;
                if number >= 0 {
                    let corner = [left + pitch * index as f64, y + 1.0];
                    drawing.append(self.cell(one, number, corner, width));
                }
            }
        }
    }

    fn cell(&self, one: &Element, number: i64, [x, y]: [f64; 2], width: f64) -> Shape {
        let class = match (one.touched, one.value.is_empty()) {
            (Touched::Written, _) => "cell written",
            (Touched::Read, _) => "cell read",
            (Touched::No, true) => "cell empty",
            (Touched::No, false) => "cell",
        };
        let value = if one.value.is_empty() { "not known" } else { &one.value };
        let mut cell = element("g", "", []);
        cell.append(Title::new(format!("{}[{number}]: {value}", self.name)));
        cell.append(rectangle(class, [x, y], [width, HEIGHT]));
        let letters = LETTERS * if width > CELL { 2 } else { 1 };
        let shown = match &*one.value {
            UNSET => "–".to_owned(),
            value if value.chars().count() > letters => "…".to_owned(),
            value => value.to_owned(),
        };
        cell.append(text("small", [x + width / 2.0, y + 14.0], shown));
        cell
    }
}

/// Draws strips, one below the other.
pub fn draw(strips: &[Strip], kernel: &str) -> Picture {
    let mut drawing = Group::new();
    let mut y = 2.0;
    for strip in strips {
        y = strip.draw(y, &mut drawing) + 2.0;
    }
    let sectors = f64::from(LINE / SECTOR);
    Picture {
        title: format!("Arrays of {kernel}: a box is a sector of 32 bytes."),
        class: "arrays",
        frames: vec![Frame {
            drawing,
            width: LEFT + PITCH * f64::from(CELLS) + GAP * sectors,
            height: y,
        }],
        said: strips.iter().map(Strip::in_words).collect(),
        has_steps: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touched_sectors_are_lit() {
        let element = |value: &str, touched| Element { value: value.into(), touched };
        let mut elements = vec![element("3", Touched::No); 40];
        elements[0] = element(UNSET, Touched::No);
        elements[9] = element("7", Touched::Written);
        elements[39] = element("123456", Touched::Read);
        let strip = Strip { name: "out".into(), first: 64, bytes: 4, elements, other_sectors: 2 };
        let picture = draw(&[strip.clone(), Strip { bytes: 8, first: -2, ..strip }], "k");
        assert_eq!(
            picture.said[0],
            "Elements 64 to 103 of `out`: the instruction reads 1 and writes 1 of them, in sectors of 32 bytes: 2. It also \
             touches sectors of `out` that are not drawn: 2."
        );
        let drawn = picture.frames[0].drawing.to_string();
        assert!(drawn.contains("out[73]: 7") && drawn.contains("out[0]: 3"), "{drawn}");
        assert!(!drawn.contains("out[-1]") && drawn.contains("…"));
        assert!(
            drawn.contains("out[64]: unset") && drawn.contains(">–<") && !drawn.contains(">unset<"),
            "{drawn}"
        );
        assert_eq!(
            (drawn.matches("sector lit").count(), drawn.matches("\"sector\"").count()),
            (4, 11)
        );
        assert_eq!(drawn.matches("cell written").count(), 2);
    }
}
