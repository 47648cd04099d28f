//! Text in a page, without becoming part of its markup.

/// Appends text to HTML, between tags or within a quoted attribute: `& < > " '` become references.
pub fn escape_html(text: &[u8], out: &mut Vec<u8>) {
    for byte in text {
        let reference: &[u8] = match byte {
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            b'>' => b"&gt;",
            b'"' => b"&quot;",
            b'\'' => b"&#39;",
            byte => std::slice::from_ref(byte),
        };
        out.extend_from_slice(reference);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_marks_up_is_left() {
        let mut out = b"<p>".to_vec();
        escape_html("<script>alert('\"x\" & é')</script>\0".as_bytes(), &mut out);
        let expected = "<p>&lt;script&gt;alert(&#39;&quot;x&quot; &amp; é&#39;)&lt;/script&gt;\0";
        assert_eq!(String::from_utf8(out).expect("UTF-8"), expected);
        let mut out = Vec::new();
        escape_html(b"&amp;", &mut out);
        assert_eq!(out, b"&amp;amp;", "what is escaped already is text as well");
    }
}
