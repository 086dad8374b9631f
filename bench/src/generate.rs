//! Generates Markdown that is the same on every machine.

use std::fmt::Write;

use crate::corpus::Page;

const WORDS: &str = "\
    a able about after all also an and any are as at be before block build but by cache call can \
    case change check client cluster command config contains control copy create data default \
    delete describes different directory document each element enable error event every example \
    field file first following for from function has have if image in index input interface into \
    is it its key label language like limit list many may memory method more must name network \
    new node not number object of on one only option or other output page parameter path policy \
    process property read request resource response result return run same section see server \
    service set should so specified state string such support system table text than that the \
    their then there this time to token type until update use used user value version volume \
    when which will with without write you your";

/// Generates pages of documentation, about `bytes` bytes in total.
pub fn pages(bytes: usize) -> Vec<Page> {
    let (mut pages, mut made) = (Vec::new(), 0);
    while made < bytes {
        let mut writer = Writer::new(pages.len() as u64);
        let room = writer.dice.between(1_000, 16_000);
        let text = writer.page(room.min(bytes - made));
        made += text.len();
        pages.push(Page {
            path: format!("part-{}/page-{}.md", pages.len() / 100, pages.len()),
            text,
        });
    }
    pages
}

/// Generates one page of about `bytes` bytes.
pub fn page(seed: u64, bytes: usize) -> String {
    Writer::new(seed).page(bytes)
}

/// A deterministic random number generator.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.roll(most - least)
    }
}

struct Writer {
    dice: Dice,
    words: Vec<&'static str>,
    text: String,
}

impl Writer {
    fn new(seed: u64) -> Self {
        let dice = Dice(seed.wrapping_add(0x9E37_79B9_7F4A_7C15));
        Self { dice, words: WORDS.split(' ').collect(), text: String::new() }
    }

    fn page(mut self, bytes: usize) -> String {
        let title = self.words(3);
        self.put(&format!("---\ntitle: {title}\nweight: {}\n---\n\n# {title}\n\n", bytes % 90));
        while self.text.len() < bytes {
            match self.dice.roll(20) {
                0..=3 => self.heading(),
                4..=11 => self.paragraph(),
                12..=14 => self.list(),
                15..=17 => self.code(),
                18 => self.table(),
                _ => self.quote(),
            }
        }
        self.text
    }

    fn heading(&mut self) {
        let level = [2, 2, 3, 3, 4][self.dice.roll(5)];
        let title = self.phrase(2, 6);
        self.put(&format!("{} {title}\n\n", "#".repeat(level)));
    }

    fn paragraph(&mut self) {
        for _ in 0..self.dice.between(2, 7) {
            let sentence = self.sentence();
            self.put(&format!("{sentence}\n"));
        }
        self.put("\n");
    }

    fn list(&mut self) {
        for _ in 0..self.dice.between(3, 9) {
            let sentence = self.sentence();
            let indent = if self.dice.roll(4) == 0 { "  " } else { "" };
            self.put(&format!("{indent}- {sentence}\n"));
        }
        self.put("\n");
    }

    fn code(&mut self) {
        self.put("```js\n");
        for line in 0..self.dice.between(4, 25) {
            let (name, call) = (self.words(1), self.words(1));
            let number = self.dice.roll(10_000);
            self.put(&format!("  const {name}{line} = await {call}({{ limit: {number} }});\n"));
        }
        self.put("```\n\n");
    }

    fn table(&mut self) {
        self.put("| Name | Type | Meaning |\n| --- | --- | --- |\n");
        for _ in 0..self.dice.between(3, 15) {
            let (name, kind, meaning) = (self.words(1), self.words(1), self.phrase(4, 12));
            self.put(&format!("| `{name}` | {kind} | {meaning} |\n"));
        }
        self.put("\n");
    }

    fn quote(&mut self) {
        let sentence = self.sentence();
        self.put(&format!("> **Note:** {sentence}\n\n"));
    }

    fn sentence(&mut self) -> String {
        let (start, end) = (self.phrase(3, 10), self.phrase(2, 8));
        let name = self.words(1);
        match self.dice.roll(6) {
            0 => format!("The [{start}](/docs/{name}#{name}) {end}."),
            1 => format!("The `{name}()` {start}, {end}."),
            2 => format!("The **{start}** {end}."),
            _ => format!("The {start} {name}, {end}."),
        }
    }

    fn phrase(&mut self, least: usize, most: usize) -> String {
        let count = self.dice.between(least, most);
        self.words(count)
    }

    fn words(&mut self, count: usize) -> String {
        let mut text = String::new();
        for nth in 0..count {
            let gap = if nth == 0 { "" } else { " " };
            let word = self.words[self.dice.roll(self.words.len())];
            write!(text, "{gap}{word}").expect("writing to a string cannot fail");
        }
        text
    }

    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generates_the_same_pages_every_time_in_about_the_requested_size() {
        let [first, second] = [pages(50_000), pages(50_000)];
        assert!(first.iter().zip(&second).all(|(one, other)| one.text == other.text));
        let made: usize = first.iter().map(|page| page.text.len()).sum();
        assert!((50_000..60_000).contains(&made), "{made}");
    }
}
