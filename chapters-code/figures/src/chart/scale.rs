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

/// Sizes, by their logarithms or as they are, and rates from 0 up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// How far along the axis a size lies.
    along: fn(f64) -> f64,
    ends: [f64; 2],
    top: f64,
    layout: Layout,
}

impl Scale {
    /// A scale for points of size and rate; none if they are of one size.
    pub(super) fn over(
        points: impl Iterator<Item = (f64, f64)> + Clone,
        along: fn(f64) -> f64,
        layout: Layout,
    ) -> Option<Self> {
        let sizes = points.clone().map(|(n, _)| along(n));
        let low = sizes.clone().min_by(f64::total_cmp)?;
        let high = sizes.max_by(f64::total_cmp)?;
        let top = points.map(|(_, rate)| rate).max_by(f64::total_cmp)?;
        (low < high).then_some(Self { along, ends: [low, high], top: top * 1.03, layout })
    }

    pub(super) fn x(&self, n: f64) -> f64 {
        let along = ((self.along)(n) - self.ends[0]) / (self.ends[1] - self.ends[0]);
        self.layout.left + along * (self.layout.corner()[0] - self.layout.left)
    }

    pub(super) fn y(&self, rate: f64) -> f64 {
        let bottom = self.layout.corner()[1];
        bottom - rate / self.top * (bottom - self.layout.top)
    }

    /// Four to ten round rates, from 0 up.
    pub(super) fn rates(&self) -> Vec<f64> {
        let decade = 10f64.powf((self.top / 4.0).log10().floor());
        let steps = [5.0, 2.0, 1.0].map(|times| times * decade);
        let fits = |step: &f64| self.top / step >= 4.0;
        let step = steps.into_iter().find(fits).unwrap_or(decade);
        let last = (self.top / step) as u32;
        (0..=last).map(|tick| f64::from(tick) * step).collect()
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
