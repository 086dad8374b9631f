use super::*;

/// Returns a query in canonical form: words in angle brackets, and recognized operators.
fn shown(text: &str) -> String {
    fn clause(clause: &Clause) -> String {
        let need = match clause.need {
            Need::Wanted => "",
            Need::Required => "+",
            Need::Forbidden => "-",
        };
        let field = clause.field.map_or(String::new(), |field| format!("{field:?}:"));
        let content = match &clause.content {
            ClauseContent::Word(word) => format!("<{word}>"),
            ClauseContent::Prefix(stem) => format!("<{stem}>*"),
            ClauseContent::Phrase(words) => format!("\"{words}\""),
            ClauseContent::Group(group) => format!("({})", all(group)),
        };
        let boost = if clause.boost == 1.0 { String::new() } else { format!("^{}", clause.boost) };
        format!("{need}{field}{content}{boost}")
    }
    fn all(clauses: &[Clause]) -> String {
        clauses.iter().map(clause).collect::<Vec<_>>().join(" ")
    }
    all(&parse(text).clauses)
}

fn oddities(text: &str) -> Vec<(usize, &'static str)> {
    parse(text).oddities.into_iter().map(|oddity| (oddity.at, oddity.message)).collect()
}

#[test]
fn words_are_optional() {
    assert_eq!(shown("How do I rotate keys?"), "<How> <do> <I> <rotate> <keys?>");
    assert_eq!(shown("  "), "");
    assert_eq!(shown(""), "");
}

#[test]
fn recognizes_signs_before_a_letter_if_another_word_is_plain() {
    assert_eq!(shown("kettle +key -file"), "<kettle> +<key> -<file>");
    assert_eq!(shown("-file kettle"), "-<file> <kettle>");
    assert_eq!(shown("a +\"b c\""), "<a> +\"b c\"");
}

#[test]
fn ignores_operators_in_prose_and_flags() {
    assert_eq!(shown("what does --flag do"), "<what> <does> <--flag> <do>");
    assert_eq!(shown("use -0 or a-b"), "<use> <-0> <or> <a-b>");
    assert_eq!(shown("this - or that"), "<this> <or> <that>");
    assert_eq!(shown("-file"), "<file>");
    assert_eq!(shown("+a -b"), "<a> <b>");
    assert_eq!(shown("C++ and std::vec"), "<C++> <and> <std::vec>");
    assert_eq!(shown("cats AND dogs NOT birds"), "<cats> <AND> <dogs> <NOT> <birds>");
}

#[test]
fn recognizes_only_known_fields() {
    assert_eq!(shown("title:kettle path:docs/a.md"), "Title:<kettle> Path:<docs/a.md>");
    assert_eq!(shown("tag:\"two words\""), "Tag:\"two words\"");
    assert_eq!(shown("note:this title: that"), "<note:this> <title:> <that>");
    assert_eq!(shown("http://example.org"), "<http://example.org>");
}

#[test]
fn or_joins_its_operands() {
    assert_eq!(shown("a OR b"), "(<a> <b>)");
    assert_eq!(shown("x +a OR b OR c"), "<x> +(<a> <b> <c>)");
    assert_eq!(shown("a or b"), "<a> <or> <b>");
}

#[test]
fn recognizes_balanced_quotes_and_parentheses() {
    assert_eq!(shown("\"a b\" c"), "\"a b\" <c>");
    assert_eq!(shown("a (b OR (c d))"), "<a> ((<b> (<c> <d>)))");
    assert_eq!(shown("call f(x) now"), "<call> <f(x)> <now>");
    assert_eq!(shown("a 5\" disk"), "<a> <5\"> <disk>");
    assert_eq!(shown("say \"hello world"), "<say> <\"hello> <world>");
    assert_eq!(shown("(a b"), "<(a> <b>");
}

#[test]
fn boosts_and_prefixes_need_at_least_two_letters() {
    assert_eq!(shown("kettle^2 key*"), "<kettle>^2 <key>*");
    assert_eq!(shown("\"a b\"^3 (a b)^2"), "\"a b\"^3 (<a> <b>)^2");
    assert_eq!(shown("x^2 **kwargs *emphasis*"), "<x^2> <**kwargs> <*emphasis*>");
}

#[test]
fn reports_syntax_errors_with_their_position() {
    assert_eq!(oddities("say \"hello"), [(4, "unclosed quote")]);
    assert_eq!(oddities("a (b"), [(2, "unclosed parenthesis")]);
    assert_eq!(oddities("a b) c"), [(3, "unmatched closing parenthesis")]);
    assert_eq!(oddities("OR a"), [(0, "`OR` without a left operand")]);
    assert_eq!(oddities("a OR"), [(2, "`OR` without a right operand")]);
    assert_eq!(oddities("a \"\""), [(2, "no words between the quotes")]);
    assert_eq!(oddities("-a"), [(0, "signs ignored: every word has a `+` or `-`")]);
    assert_eq!(oddities("plain words, (no error) here"), []);
}

#[test]
fn points_at_a_syntax_error_with_a_caret() {
    let query = "größe \"offen";
    let oddity = &parse(query).oddities[0];
    assert_eq!(oddity.pointed(query), "unclosed quote\n  größe \"offen\n        ^");
}

#[test]
fn limits_the_nesting_of_groups() {
    let deep = format!("{}a{}", "( ".repeat(5000), " )".repeat(5000));
    assert!(!parse(&deep).oddities.is_empty());
}

#[test]
fn parses_any_text() {
    for text in
        ["\"", "(", ")", "^", "*", "OR", "OR OR", "+", "-", "\u{0}", "a\u{a0}b", "é\"", "title:"]
    {
        parse(text);
    }
}

#[test]
fn unclosed_quotes_and_parentheses_take_linear_time() {
    // Without a memo, each would be searched for up to the end of the query.
    for sign in ["(a ", "\"a ", "(\"a "] {
        let query = parse(&sign.repeat(100_000));
        assert_eq!((query.clauses.len(), query.oddities.len()), (100_000, 100_000));
    }
    assert_eq!(shown("(\"a b) \"c d\""), "(<\"a> <b>) \"c d\"");
}
