//! Plain text: very long lines, combining and invisible characters, blank lines.

use crate::hostile::{Pattern, fill};

pub(super) const PATTERNS: &[Pattern] = &[
    Pattern::markdown("one line without a blank", |n| fill(n, "xxxxxxx.")),
    Pattern::markdown("one line of random letters", |n| {
        let mut state = 1_u32;
        let mut letter = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // The letters before `a` keep the run from being elided as a payload.
            char::from(b'[' + (state >> 24) as u8 % 32)
        };
        (0..n).map(|_| letter()).collect()
    }),
    Pattern::markdown("one line of digits", |n| fill(n, "0123456789,")),
    Pattern::markdown("one payload", |n| fill(n, "x")),
    Pattern::markdown("payloads with a sign between them", |n| fill(n, &("f".repeat(200) + "."))),
    Pattern::markdown("payloads of two alphabets", |n| {
        fill(n, &format!("{0}/{0}_", "a".repeat(150)))
    }),
    Pattern::markdown("nearly payloads", |n| fill(n, &("f".repeat(199) + " "))),
    Pattern::markdown("payloads in code", |n| {
        format!("```\n{}```\n", fill(n, &format!("key: {}==\n", "Zm9v".repeat(60))))
    }),
    Pattern::markdown("dashes as long as payloads", |n| fill(n, &("-".repeat(300) + "\n\n"))),
    Pattern::markdown("headings of payloads", |n| {
        fill(n, &format!("# {}\n\na\n\n", "0f".repeat(150)))
    }),
    Pattern::markdown("one line of short words", |n| fill(n, "a ")),
    Pattern::markdown("one line of sentences", |n| fill(n, "It is so. ")),
    Pattern::markdown("one line of abbreviations", |n| fill(n, "e.g. ")),
    Pattern::markdown("one line of full stops", |n| fill(n, ".")),
    Pattern::markdown("one line of quotation marks", |n| fill(n, ".\" ")),
    Pattern::markdown("lines of one letter", |n| fill(n, "a\n")),
    Pattern::markdown("paragraphs of one letter", |n| fill(n, "a\n\n")),
    Pattern::markdown("newlines", |n| fill(n, "\n") + "a"),
    Pattern::markdown("newlines after text", |n| "a".to_owned() + &fill(n, "\n")),
    Pattern::markdown("carriage returns", |n| fill(n, "a\r")),
    Pattern::markdown("line ends of all kinds", |n| fill(n, "a\nb\r\nc\rd\u{2028}e\u{85}f\u{c}")),
    Pattern::markdown("blanks", |n| fill(n, " ") + "a"),
    Pattern::markdown("blanks after text", |n| format!("a{}b", fill(n, " "))),
    Pattern::markdown("blank lines full of blanks", |n| fill(n, "a\n          \n")),
    Pattern::markdown("NUL", |n| fill(n, "\0")),
    Pattern::markdown("Chinese without a blank", |n| fill(n, "文字很多没有空格")),
    Pattern::markdown("Chinese sentences", |n| fill(n, "这是一句话。")),
    Pattern::markdown("Thai without a blank", |n| fill(n, "ภาษาไทยไม่มีช่องว่าง")),
    Pattern::markdown("Hindi with joiners", |n| fill(n, "क्\u{200d}ष ")),
    Pattern::markdown("Hindi conjuncts without an end", |n| fill(n, "क्")),
    Pattern::markdown("emoji families", |n| fill(n, "👨‍👩‍👧‍👦")),
    Pattern::markdown("one emoji family of thousands", |n| fill(n, "👨\u{200d}")),
    Pattern::markdown("flags", |n| fill(n, "🇩🇪")),
    Pattern::markdown("one letter with many accents", |n| "a".to_owned() + &fill(n, "\u{301}")),
    Pattern::markdown("letters with accents", |n| fill(n, "a\u{301}\u{302}\u{303} ")),
    Pattern::markdown("bidi controls", |n| fill(n, "a\u{202e}b\u{202c} ")),
    Pattern::markdown("zero-width spaces", |n| fill(n, "\u{200b}")),
    Pattern::markdown("tag characters", |n| fill(n, "a\u{e0041}\u{e0042}")),
    Pattern::markdown("byte order marks", |n| fill(n, "\u{feff}")),
    Pattern::markdown("private and unassigned characters", |n| {
        fill(n, "\u{e000}\u{10ffff}\u{378}")
    }),
    Pattern::markdown("an image of base64", |n| {
        format!("![a](data:image/png;base64,{})\n", fill(n, "iVBORw0KGgo"))
    }),
    Pattern::markdown("data URIs without an end", |n| fill(n, "data:image/png;base64,")),
    Pattern::markdown("small images of base64", |n| {
        fill(n, "![a](data:image/png;base64,iVBORw0KGgoiVBORw0KGgoiVBORw0KGgoiVBORw0KGgo=) ")
    }),
];
