//! Text in columns, as wide as the terminal allows.

/// Text in columns below their titles.
pub(super) struct Table {
    columns: Vec<Column>,
}

/// A column of cells.
pub(super) struct Column {
    /// One line or two.
    pub(super) title: &'static str,
    /// Where a cell stands in its column.
    pub(super) align: Align,
    /// Where the table is too wide, the columns of the highest rank go first, and those of rank 0
    /// never.
    pub(super) rank: u8,
    /// Cells from top to bottom, of one line or several.
    pub(super) cells: Vec<String>,
}

/// Words stand left, numbers right.
#[derive(Clone, Copy)]
pub(super) enum Align {
    Left,
    Right,
}

impl Column {
    pub(super) fn width(&self) -> usize {
        let lines = self.cells.iter().flat_map(|cell| cell.lines());
        let widths = lines.chain(self.title.lines()).map(|s| s.chars().count());
        widths.max().unwrap_or(0)
    }

    fn pad(&self, text: &str) -> String {
        let width = self.width();
        match self.align {
            Align::Left => format!("{text:<width$}"),
            Align::Right => format!("{text:>width$}"),
        }
    }
}

impl Table {
    /// A table of at most `width` columns of text, if those of rank 0 fit. A column in which nothing
    /// stands says nothing, and is left out.
    pub(super) fn fitting(columns: Vec<Column>, width: usize) -> Self {
        let says = |column: &Column| column.cells.iter().any(|cell| !cell.is_empty());
        let mut table = Self { columns: columns.into_iter().filter(says).collect() };
        while table.width() > width {
            let ranks = table.columns.iter().enumerate();
            match ranks.map(|(i, column)| (column.rank, i)).max() {
                Some((rank, i)) if rank > 0 => drop(table.columns.remove(i)),
                _ => break,
            }
        }
        table
    }

    fn width(&self) -> usize {
        let widths = self.columns.iter().map(|column| column.width() + 2);
        widths.sum::<usize>().saturating_sub(2)
    }

    /// The titles of the columns that are there, in one line each.
    pub(super) fn titles(&self) -> impl Iterator<Item = &'static str> {
        self.columns.iter().map(|column| column.title)
    }

    /// Titles, a rule, and the lines.
    pub(super) fn render(&self) -> String {
        let rows = self.columns.first().map_or(0, |column| column.cells.len());
        let (upper, lower) = (|c: &Column| halves(c).0.into(), |c: &Column| halves(c).1.into());
        let mut text = String::new();
        if self.columns.iter().any(|column| !halves(column).0.is_empty()) {
            text += &self.line(&upper);
        }
        text += &self.line(&lower);
        text += &self.line(&|column: &Column| "─".repeat(column.width()));
        for i in 0..rows {
            for l in 0..self.height(i) {
                text += &self.line(&|c: &Column| c.cells[i].lines().nth(l).unwrap_or("").into());
            }
        }
        text
    }

    /// Lines of a row: as many as its highest cell has.
    fn height(&self, row: usize) -> usize {
        let heights = self.columns.iter().map(|column| column.cells[row].lines());
        heights.map(Iterator::count).max().unwrap_or(1)
    }

    fn line(&self, cell: &dyn Fn(&Column) -> String) -> String {
        let cells = self.columns.iter().map(|column| column.pad(&cell(column)));
        let line = cells.collect::<Vec<_>>().join("  ");
        line.trim_end().to_string() + "\n"
    }
}

/// The upper and the lower line of a title; a short one stands below.
fn halves(column: &Column) -> (&'static str, &'static str) {
    column.title.split_once('\n').unwrap_or(("", column.title))
}
