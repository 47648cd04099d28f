//! HTML that can't hold what somebody else wrote as anything but text: markup is `&'static str`, all else is escaped.

use crate::report::figures;

/// A document, or a part of one, as it grows.
#[derive(Default)]
pub(super) struct Html(String);

impl Html {
    /// Markup.
    pub(super) fn markup(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Text, whoever wrote it.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        for c in figures::plain(text).chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                other => self.0.push(other),
            }
        }
        self
    }

    /// An element with a text in it.
    pub(super) fn element(&mut self, open: &'static str, text: &str, close: &'static str) -> &mut Self {
        self.markup(open).text(text).markup(close)
    }

    /// A picture, which escapes what it holds.
    pub(super) fn picture(&mut self, svg: &str) -> &mut Self {
        self.0.push_str(svg);
        self
    }

    /// A row of a list of terms: what it is, and how it was.
    pub(super) fn term(&mut self, name: &str, value: &str) -> &mut Self {
        self.element("<div><dt>", name, "</dt>").element("<dd>", value, "</dd></div>\n")
    }

    /// A list of sentences; nothing when there are none.
    pub(super) fn sentences<'a>(&mut self, texts: impl IntoIterator<Item = &'a str>) -> &mut Self {
        let mut texts = texts.into_iter().peekable();
        if texts.peek().is_some() {
            self.markup("<ul>\n");
            texts.for_each(|text| {
                self.element("<li>", text, "</li>\n");
            });
            self.markup("</ul>\n");
        }
        self
    }

    /// A table: a caption, the heads of its columns, and rows whose first cell is their head. On a phone it moves sideways
    /// within itself where it is too wide.
    pub(super) fn table(&mut self, caption: &str, heads: &[&str], rows: &[Vec<String>]) -> &mut Self {
        self.classed_table("<table>", caption, heads, rows, &[])
    }

    /// The same of words, which are set like a text.
    pub(super) fn table_of_words(
        &mut self,
        caption: &str,
        heads: &[&str],
        rows: &[Vec<String>],
    ) -> &mut Self {
        self.classed_table("<table class=\"words\">", caption, heads, rows, &[])
    }

    /// The same with a column for each run: its cells may have several lines, and what they are about stays in sight. Words
    /// are broken only in the rows in `breakable`, by their heads.
    pub(super) fn table_of_runs(
        &mut self,
        caption: &str,
        heads: &[&str],
        rows: &[Vec<String>],
        breakable: &[&str],
    ) -> &mut Self {
        self.classed_table("<table class=\"runs\">", caption, heads, rows, breakable)
    }

    fn classed_table(
        &mut self,
        open: &'static str,
        caption: &str,
        heads: &[&str],
        rows: &[Vec<String>],
        breakable: &[&str],
    ) -> &mut Self {
        self.markup("<div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"")
            .text(caption)
            .markup("\">");
        self.markup(open).element("<caption>", caption, "</caption>\n<thead><tr>");
        heads.iter().for_each(|head| {
            self.element("<th scope=\"col\">", head, "</th>");
        });
        self.markup("</tr></thead>\n<tbody>\n");
        for row in rows {
            let breaks = row.first().is_some_and(|head| breakable.contains(&head.as_str()));
            self.markup(if breaks { "<tr class=\"long\">" } else { "<tr>" });
            for (place, cell) in row.iter().enumerate() {
                let (open, close) =
                    if place == 0 { ("<th scope=\"row\">", "</th>") } else { ("<td>", "</td>") };
                self.element(open, cell, close);
            }
            self.markup("</tr>\n");
        }
        self.markup("</tbody></table></div>\n")
    }

    /// The text of the document.
    pub(super) fn finish(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_wrote_stays_text() {
        let mut html = Html::default();
        html.element("<p>", "</script><svg onload='x()'>&\"\u{202e}\u{1b}", "</p>");
        assert_eq!(html.finish(), "<p>&lt;/script&gt;&lt;svg onload=&#39;x()&#39;&gt;&amp;&quot;  </p>");
    }
}
