//! From sizes and rates to coordinates.

/// A picture's size, and the room around what is plotted.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The class for the stylesheet.
    pub class: &'static str,
    /// The width in pixels.
    pub width: f64,
    /// The height in pixels.
    pub height: f64,
    /// Pixels on the left, for the rates.
    pub left: f64,
    /// Pixels on the right, for the names.
    pub right: f64,
    /// Pixels above.
    pub top: f64,
    /// Pixels below, for the sizes.
    pub bottom: f64,
}

impl Layout {
    /// Where the plotted part ends, to the right and below.
    pub(super) fn corner(&self) -> [f64; 2] {
        [self.width - self.right, self.height - self.bottom]
    }
}

/// From that ratio of the highest rate to the lowest on, rates are drawn by their logarithms: on a linear axis all but the
/// highest of them would lie at the bottom.
const SPAN: f64 = 100.0;

/// Sizes, by their logarithms or as they are, and rates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// How far along the axis a size lies.
    along: fn(f64) -> f64,
    ends: [f64; 2],
    rates: Rates,
    layout: Layout,
}

/// A vertical axis: its lowest and its highest rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rates {
    /// From 0 up, or from a round rate up if all rates lie in the upper half.
    Linear { low: f64, high: f64 },
    /// By logarithms.
    Log { low: f64, high: f64 },
}

impl Rates {
    fn over(low: f64, high: f64) -> Self {
        if low > 0.0 && high >= SPAN * low {
            return Self::Log { low: 0.9 * low, high: 1.1 * high };
        }
        let top = high * 1.03;
        if low <= high / 2.0 {
            return Self::Linear { low: 0.0, high: top };
        }
        let room = (high - low).max(0.1 * high);
        let step = step(room);
        let low = ((low - room / 4.0) / step).floor() * step;
        Self::Linear { low: low.max(0.0), high: top }
    }

    /// How far up the axis a rate lies, from 0 to 1.
    fn up(self, rate: f64) -> f64 {
        match self {
            Self::Linear { low, high } => (rate - low) / (high - low),
            Self::Log { low, high } => (rate / low).ln() / (high / low).ln(),
        }
    }

    /// Round rates for the marks.
    fn marks(self) -> Vec<f64> {
        match self {
            Self::Linear { low, high } => {
                let step = step(high - low);
                let [first, last] = [(low / step).ceil() as u32, (high / step) as u32];
                (first..=last).map(|mark| f64::from(mark) * step).collect()
            }
            Self::Log { low, high } => {
                let decades = (low.log10().floor() as i32)..=(high.log10().ceil() as i32);
                let digits = if high / low > 1e4 { &[1.0][..] } else { &[1.0, 2.0, 5.0] };
                let marks = decades.flat_map(|power| digits.iter().map(move |d| round(d, power)));
                marks.filter(|mark| (low..=high).contains(mark)).collect()
            }
        }
    }
}

/// A digit with zeros, before or behind the point, as exact as it is written.
fn round(digit: &f64, power: i32) -> f64 {
    match power < 0 {
        true => digit / 10f64.powi(-power),
        false => digit * 10f64.powi(power),
    }
}

/// A round distance of marks that has room four to ten times in that range.
fn step(range: f64) -> f64 {
    let decade = 10f64.powf((range / 4.0).log10().floor());
    let steps = [5.0, 2.0, 1.0].map(|times| times * decade);
    steps.into_iter().find(|step| range / step >= 4.0).unwrap_or(decade)
}

impl Scale {
    /// A scale for points of size and rate; none if they are of one size.
    pub(super) fn over(
        points: impl Iterator<Item = (f64, f64)> + Clone,
        along: fn(f64) -> f64,
        layout: Layout,
    ) -> Option<Self> {
        let sizes = points.clone().map(|(n, _)| along(n));
        let first = sizes.clone().min_by(f64::total_cmp)?;
        let last = sizes.max_by(f64::total_cmp)?;
        let rates = points.map(|(_, rate)| rate);
        let low = rates.clone().min_by(f64::total_cmp)?;
        let high = rates.max_by(f64::total_cmp)?;
        let rates = Rates::over(low, high);
        (first < last).then_some(Self { along, ends: [first, last], rates, layout })
    }

    pub(super) fn x(&self, n: f64) -> f64 {
        let along = ((self.along)(n) - self.ends[0]) / (self.ends[1] - self.ends[0]);
        self.layout.left + along * (self.layout.corner()[0] - self.layout.left)
    }

    pub(super) fn y(&self, rate: f64) -> f64 {
        let bottom = self.layout.corner()[1];
        bottom - self.rates.up(rate) * (bottom - self.layout.top)
    }

    pub(super) fn rates(&self) -> Rates {
        self.rates
    }

    /// Round rates for the marks.
    pub(super) fn marks_of_rates(&self) -> Vec<f64> {
        self.rates.marks()
    }

    /// The multiples of `step` between the ends of an axis of sizes as they are.
    pub(super) fn multiples(&self, step: u32) -> impl Iterator<Item = u32> {
        let [low, high] = self.ends;
        let first = (low / f64::from(step)).ceil() as u32;
        (first..).map(move |i| i * step).take_while(move |&n| f64::from(n) <= high)
    }

    /// Powers of two, as many as can be read beside one another on a logarithmic axis.
    pub(super) fn powers(&self) -> impl Iterator<Item = i32> {
        const ROOM: f64 = 34.0;
        let [low, high] = [self.ends[0].ceil() as i32, self.ends[1].floor() as i32];
        let width = self.layout.corner()[0] - self.layout.left;
        let steps = [1, 2, 4, 8];
        let fits = |step: &i32| f64::from(*step) * width / (self.ends[1] - self.ends[0]) >= ROOM;
        let step = steps.into_iter().find(fits).unwrap_or(8);
        (low..=high).filter(move |power| power % step == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_that_span_two_decades_are_drawn_by_their_logarithms() {
        let rates = Rates::over(1.0, 4000.0);
        assert!(matches!(rates, Rates::Log { .. }));
        let [tenth, half] = [rates.up(40.0) - rates.up(4.0), rates.up(400.0) - rates.up(40.0)];
        assert!((tenth - half).abs() < 1e-9, "a decade is as long as the next");
        assert!(rates.up(1.0) < 0.03 && rates.up(4000.0) > 0.97, "the axis is not half empty");
        assert_eq!(rates.marks()[..4], [1.0, 2.0, 5.0, 10.0]);
        assert_eq!(Rates::over(0.05, 9000.0).marks(), [0.1, 1.0, 10.0, 100.0, 1000.0]);
    }

    #[test]
    fn other_rates_are_drawn_from_zero_up() {
        let rates = Rates::over(100.0, 4000.0);
        assert_eq!(rates, Rates::Linear { low: 0.0, high: 4120.0 });
        assert_eq!(rates.marks(), [0.0, 1000.0, 2000.0, 3000.0, 4000.0]);
    }

    #[test]
    fn an_axis_whose_lower_half_would_be_empty_begins_above_zero() {
        let rates = Rates::over(3200.0, 4300.0);
        let Rates::Linear { low, .. } = rates else { panic!("{rates:?}") };
        assert!((2400.0..3200.0).contains(&low) && low % 100.0 == 0.0, "{low}");
        assert!(rates.up(3200.0) < 0.35, "{}", rates.up(3200.0));
        let Rates::Linear { low, .. } = Rates::over(500.0, 500.0) else { panic!("one rate") };
        assert!(low > 0.0 && low < 500.0, "{low}");
    }
}
