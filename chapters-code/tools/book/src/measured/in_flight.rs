//! Rates over bytes in flight, and Little's law fitted to them.

use figures::chart::{GB_PER_S, Series, Style, lines};

use super::chart::Labels;
use super::records::{Row, Run};
use super::{Asked, amount, chart};

/// Bytes of a load, and threads of a block, of the kernel that these rows are of.
const BYTES: f64 = 16.0;
const THREADS: f64 = 256.0;

/// Rows with no more KiB in flight a multiprocessor lie well below the knee: the law is fitted to them.
const BELOW_THE_KNEE: f64 = 8.0;

/// A recorded row.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    loads: u64,
    resident: u64,
    /// Bytes a nanosecond of the whole device.
    rate: f64,
}

impl Point {
    fn of(row: &Row) -> Option<Self> {
        let number = |column| row.subject.task.number(column);
        Some(Self { loads: number("loads")?, resident: number("resident")?, rate: row.gb_per_s? })
    }

    /// KiB in flight a multiprocessor.
    fn kib(&self) -> f64 {
        BYTES * THREADS * (self.loads * self.resident) as f64 / 1024.0
    }

    /// Bytes in flight of all multiprocessors.
    fn bytes(&self, multiprocessors: f64) -> f64 {
        1024.0 * self.kib() * multiprocessors
    }
}

/// The latency, in nanoseconds, of the straight line through the origin that lies nearest to the points
/// below the knee; none if there is none of them.
fn latency(points: &[Point], multiprocessors: f64) -> Option<f64> {
    let below = points.iter().filter(|point| point.kib() <= BELOW_THE_KNEE);
    let (squares, products) = below.fold((0.0, 0.0), |(squares, products), point| {
        let bytes = point.bytes(multiprocessors);
        (squares + bytes * bytes, products + bytes * point.rate)
    });
    (products > 0.0).then(|| squares / products)
}

/// A picture of the rows, by the bytes in flight, with the law's line; the rows themselves in a table below.
pub(super) fn over_bytes(Asked { page, directive, records }: Asked) -> Result<String, String> {
    let run = records.run_of(directive)?;
    let rows = run.select(directive)?;
    let mut points: Vec<Point> = rows.into_iter().filter_map(Point::of).collect();
    points.sort_by(|a, b| a.kib().total_cmp(&b.kib()).then(a.loads.cmp(&b.loads)));
    let law = Law::of(run, &points).ok_or("no row lies below the knee")?;
    let rows: String = points.iter().map(|point| law.line(point)).collect();
    let curve = law.curve(points.last().map_or(0.0, Point::kib));
    let labels = Labels {
        axis: lines::KIB_IN_FLIGHT,
        unit: GB_PER_S,
        title: format!("Bandwidth over bytes in flight on {}.", run.device()),
        caption: "Bandwidth over bytes in flight, on a logarithmic scale, and Little's law."
            .to_owned(),
        table: chart::table(run, &HEADS, &rows),
    };
    let mut series = curves(&points);
    series.push(Series::of_points("the law".to_owned(), Style::Ceiling, &curve));
    let picture = chart::curves(page, run, series, &labels)?;
    Ok(format!("{picture}\n{}\n", law.sentence()))
}

const HEADS: [&str; 6] =
    ["loads per thread", "blocks", "KiB in flight", "rate", "by the law", "wait per load"];

/// For each number of loads a thread, as the option that sets it, the rates over the KiB in flight.
fn curves(points: &[Point]) -> Vec<Series> {
    let mut loads: Vec<u64> = points.iter().map(|point| point.loads).collect();
    loads.sort_unstable();
    loads.dedup();
    let curve = |(place, loads): (usize, u64)| {
        let own = points.iter().filter(|point| point.loads == loads);
        let places: Vec<_> = own.map(|point| [point.kib(), point.rate]).collect();
        Series::of_points(format!("--loads-per-thread {loads}"), Style::Kernel(place), &places)
    };
    loads.into_iter().enumerate().map(curve).collect()
}

/// Little's law, with what was recorded put in.
struct Law {
    multiprocessors: f64,
    latency: f64,
    /// The rate of the read sweep, in GB/s.
    most: f64,
    /// The latency of a lone load in a chain, in ns.
    alone: Option<f64>,
}

impl Law {
    fn of(run: &Run, points: &[Point]) -> Option<Self> {
        let multiprocessors = f64::from(run.head.device.multiprocessors);
        let ceilings = run.head.ceilings.as_ref()?;
        Some(Self {
            multiprocessors,
            latency: latency(points, multiprocessors)?,
            most: ceilings.read_gb_per_s,
            alone: ceilings.latency_ns,
        })
    }

    fn line(&self, point: &Point) -> String {
        let bytes = point.bytes(self.multiprocessors);
        let cells = [
            point.loads.to_string(),
            point.resident.to_string(),
            point.kib().to_string(),
            amount("gb_per_s", point.rate),
            amount("gb_per_s", self.rate(bytes)),
            amount("latency_ns", bytes / point.rate),
        ];
        let cells = cells.map(|cell| format!("<td>{cell}</td>")).concat();
        format!("<tr>{cells}</tr>\n")
    }

    /// The rate in GB/s with `bytes` bytes in flight.
    fn rate(&self, bytes: f64) -> f64 {
        (bytes / self.latency).min(self.most)
    }

    /// The law's rates from 4 KiB in flight a multiprocessor up, with its knee.
    fn curve(&self, last: f64) -> Vec<[f64; 2]> {
        let halves = (4..).map(|i| 2f64.powf(f64::from(i) / 2.0));
        let mut places: Vec<f64> = halves.take_while(|&kib| kib <= last).collect();
        places.push(self.knee());
        places.sort_by(f64::total_cmp);
        let rate = |kib: f64| [kib, self.rate(1024.0 * kib * self.multiprocessors)];
        places.into_iter().map(rate).collect()
    }

    /// KiB in flight a multiprocessor at which the law bends.
    fn knee(&self) -> f64 {
        self.latency * self.most / self.multiprocessors / 1024.0
    }

    fn sentence(&self) -> String {
        let knee = self.knee();
        let alone = self.alone.map_or(String::new(), |alone| {
            format!(" A lone load takes {}.", amount("latency_ns", alone))
        });
        format!(
            "Fitted to the points up to {BELOW_THE_KNEE} KiB: $\\lambda$ = {}. With the read sweep's {} the knee \
             is at {knee:.1} KiB.{alone}",
            amount("latency_ns", self.latency),
            amount("gb_per_s", self.most),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(loads: u64, resident: u64, rate: f64) -> Point {
        Point { loads, resident, rate }
    }

    /// Points on the law's line give its latency; what is above the knee does not count.
    #[test]
    fn the_fit_finds_the_line() {
        let on_the_line = |loads, resident| {
            let bytes = point(loads, resident, 0.0).bytes(132.0);
            point(loads, resident, bytes / 400.0)
        };
        let points = [on_the_line(1, 1), on_the_line(2, 1), point(8, 4, 4500.0)];
        let fitted = latency(&points, 132.0).expect("two points");
        assert!((fitted - 400.0).abs() < 1e-9, "{fitted}");
        assert_eq!(latency(&points[2..], 132.0), None);
    }

    #[test]
    fn bytes_in_flight_are_counted() {
        assert_eq!(point(1, 1, 0.0).kib(), 4.0);
        assert_eq!(point(8, 4, 0.0).kib(), 128.0);
    }
}
