//! One table, for a terminal and for Markdown.

/// Cells, of which the first columns hold words and the others numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
    /// Columns with words; they stand at the left.
    pub(super) words: Vec<usize>,
}

impl Table {
    /// Lines for a terminal.
    pub(super) fn text(&self) -> String {
        let lines = || std::iter::once(&self.head).chain(&self.rows);
        let width =
            |column: usize| lines().map(|line| line[column].chars().count()).max().unwrap_or_default();
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let cell = |(column, text): (usize, &String)| {
            let width = widths[column];
            if self.words.contains(&column) { format!("{text:<width$}") } else { format!("{text:>width$}") }
        };
        let line = |cells: &Vec<String>| {
            let cells: Vec<String> = cells.iter().enumerate().map(cell).collect();
            format!("{}\n", cells.join("  ").trim_end())
        };
        lines().map(line).collect()
    }

    /// A table in Markdown.
    pub(super) fn markdown(&self) -> String {
        let line = |cells: &mut dyn Iterator<Item = &str>| {
            format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
        };
        let rule = |column| if self.words.contains(&column) { "---" } else { "---:" };
        let mut text = line(&mut self.head.iter().map(String::as_str));
        text += &line(&mut (0..self.head.len()).map(rule));
        for row in &self.rows {
            text += &line(&mut row.iter().map(String::as_str));
        }
        text
    }
}
