//! Formats tables as Markdown.

/// Formats a Markdown table. All columns except the first are right-aligned.
pub fn table<C: AsRef<str>>(columns: &[C], rows: &[Vec<String>]) -> String {
    let cells = |row: &mut dyn Iterator<Item = &str>| {
        format!("| {} |\n", row.collect::<Vec<_>>().join(" | "))
    };
    let mut text = cells(&mut columns.iter().map(AsRef::as_ref));
    text += &cells(&mut (0..columns.len()).map(|nth| if nth == 0 { "---" } else { "--:" }));
    for row in rows {
        text += &cells(&mut row.iter().map(String::as_str));
    }
    text
}

/// Formats a number with about three significant digits.
pub fn figures(number: f64) -> String {
    let decimals = match number.abs() {
        100.0.. => 0,
        10.0.. => 1,
        _ => 2,
    };
    format!("{number:.decimals$}")
}

/// Formats a ratio.
pub fn times(ratio: f64) -> String {
    format!("{}×", figures(ratio))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_a_markdown_table() {
        let rows = [vec!["a".to_owned(), times(1.234)]];
        assert_eq!(table(&["x", "y"], &rows), "| x | y |\n| --- | --: |\n| a | 1.23× |\n");
    }
}
