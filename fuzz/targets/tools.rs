//! Checks that every call of a tool is answered within its token budget, or with an error, and that
//! an answer contains nothing hidden and no line that a page has made.

#![no_main]

use chunkwright_fuzz::{Call, INDEX, answer, watch};
use chunkwright_server::tools;
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: watch(), |data: &[u8]| {
    let Some(call) = Call::take(data) else { return };
    let Call { tool, arguments } = &call;
    let parsed = tools::parse(tool, arguments).expect("the tool exists");
    let outcome = INDEX.library.call(tool, arguments).expect("the tool exists");
    let text = &outcome.text;
    match parsed {
        _ if outcome.is_error => answer::check_error(text, &call.texts()),
        Err(message) => panic!("{message}, but the answer is {text}"),
        Ok(tools::Call::Search(call)) => {
            answer::check_search(text, call.max_tokens.unwrap_or(3_000));
        }
        Ok(tools::Call::Read(call)) => {
            answer::check_read(text, call.max_tokens.unwrap_or(6_000), call.from_line);
        }
        Ok(tools::Call::List(call)) => answer::check_list(text, call.after),
    }
});
