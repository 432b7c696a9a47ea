//! The bytes that go from each device to each other one: a row per sender, a column per receiver.

use simt_report::Link;
use svg::node::Node;
use svg::node::element::Group;

use crate::number::thousands;
use crate::shapes::{Frame, Picture, rectangle, text};

const WIDTH: f64 = 366.0;
/// The names of the rows.
const LEFT: f64 = 46.0;
const TOP: f64 = 34.0;
const ROW: f64 = 30.0;
/// Between two cells.
const GAP: f64 = 3.0;

/// Draws what links carried. What a device loads comes to it, and what it stores, updates or copies goes from it.
///
/// # Errors
/// If no device moves a byte over a link.
pub fn draw(links: &[Link], kernel: &str) -> Result<Picture, String> {
    let last = links.iter().map(|link| link.from.max(link.to)).max();
    let count = last.ok_or("the run moves nothing over links")? as usize + 1;
    let bytes = Bytes::of(links, count);
    // One more row and column for the sums.
    let pitch = (WIDTH - LEFT) / (count + 1) as f64;
    let at = |row: usize, column: usize| {
        [
            LEFT + pitch * column as f64,
            TOP + ROW * row as f64 + if row == count { 6.0 } else { 0.0 },
        ]
    };
    let middle = |[x, y]: [f64; 2]| [x + (pitch - GAP) / 2.0, y + (ROW - GAP) / 2.0 + 4.0];
    let most = bytes.0.iter().flatten().copied().max().unwrap_or_default();
    let unit = if most < 1024 { Unit::Bytes } else { Unit::Kib };
    let short = |bytes| unit.number(bytes);
    let mut drawing = Group::new();
    let heading = format!("{} to device", unit.name());
    drawing.append(text("small", [LEFT + pitch * count as f64 / 2.0, 11.0], heading));
    drawing.append(text("small", [LEFT / 2.0, TOP - 6.0], "from"));
    for device in 0..count {
        let [x, _] = middle(at(0, device));
        drawing.append(text("step", [x, TOP - 6.0], device.to_string()));
        let [_, y] = middle(at(device, 0));
        drawing.append(text("step", [LEFT / 2.0, y], device.to_string()));
        let sums =
            [(at(device, count), bytes.sent(device)), (at(count, device), bytes.received(device))];
        for (corner, sum) in sums {
            drawing.append(text("", middle(corner), short(sum)));
        }
    }
    let [x, _] = middle(at(0, count));
    drawing.append(text("step", [x, TOP - 6.0], "sum"));
    let [_, y] = middle(at(count, 0));
    drawing.append(text("step", [LEFT / 2.0, y], "sum"));
    for (from, row) in bytes.0.iter().enumerate() {
        for (to, &carried) in row.iter().enumerate() {
            let [x, y] = at(from, to);
            let (width, height) = (pitch - GAP, ROW - GAP);
            let class = if from == to { "cell dead" } else { "cell empty" };
            drawing.append(rectangle(class, [x, y], [width, height]));
            if from == to {
                continue;
            }
            if carried > 0 {
                let part = carried as f64 / most as f64;
                drawing.append(rectangle("cell written", [x, y], [width * part, height]));
            }
            drawing.append(text("", middle([x, y]), short(carried)));
        }
    }
    Ok(Picture {
        title: format!("The bytes that {kernel} moves from device to device."),
        class: "links",
        frames: vec![Frame { drawing, width: WIDTH, height: TOP + ROW * (count + 1) as f64 + 6.0 }],
        said: (0..count).map(|device| bytes.in_words(device)).collect(),
        has_steps: false,
    })
}

/// For each device, the bytes that go from it to each device.
struct Bytes(Vec<Vec<u64>>);

impl Bytes {
    fn of(links: &[Link], count: usize) -> Self {
        let mut bytes = vec![vec![0; count]; count];
        for link in links {
            let (from, to) = (link.from as usize, link.to as usize);
            bytes[from][to] += link.written_bytes + link.atomic_bytes + link.copied_bytes;
            bytes[to][from] += link.read_bytes;
        }
        Self(bytes)
    }

    fn sent(&self, device: usize) -> u64 {
        self.0[device].iter().sum()
    }

    fn received(&self, device: usize) -> u64 {
        self.0.iter().map(|row| row[device]).sum()
    }

    /// What a device sends to whom, and what it receives.
    fn in_words(&self, device: usize) -> String {
        let others = self.0[device].iter().enumerate().filter(|(to, _)| *to != device);
        let sent = others.map(|(to, &bytes)| format!("{} to device {to}", thousands(bytes)));
        format!(
            "Device {device} sends {} bytes: {}. It receives {}.",
            thousands(self.sent(device)),
            sent.collect::<Vec<_>>().join(", "),
            thousands(self.received(device))
        )
    }
}

/// What the numbers in the cells count.
#[derive(Clone, Copy)]
enum Unit {
    Bytes,
    Kib,
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Kib => "KiB",
        }
    }

    fn number(self, bytes: u64) -> String {
        match self {
            Self::Kib if bytes.is_multiple_of(1024) => thousands(bytes >> 10),
            Self::Kib => format!("{:.1}", bytes as f64 / 1024.0),
            Self::Bytes => bytes.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_comes_and_a_store_goes() {
        let link = |from, to| Link { from, to, ..Link::default() };
        let links = [
            Link { read_bytes: 4096, ..link(0, 1) },
            Link { written_bytes: 32, atomic_bytes: 8, copied_bytes: 1500, ..link(2, 0) },
        ];
        let picture = draw(&links, "k").expect("drawn");
        assert_eq!(
            picture.said,
            [
                "Device 0 sends 0 bytes: 0 to device 1, 0 to device 2. It receives 5,636.",
                "Device 1 sends 4,096 bytes: 4,096 to device 0, 0 to device 2. It receives 0.",
                "Device 2 sends 1,540 bytes: 1,540 to device 0, 0 to device 1. It receives 0.",
            ]
        );
        let drawn = picture.frames[0].drawing.to_string();
        let filled = drawn.matches("cell written").count();
        assert_eq!((filled, drawn.matches("cell dead").count()), (2, 3));
        assert!(drawn.contains("KiB to device") && drawn.contains(">1.5<"), "{drawn}");
        assert!(draw(&[], "k").is_err(), "nothing to draw");
    }
}
