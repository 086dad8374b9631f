//! The phrases to avoid, what to write instead, and the exceptions.

use super::Exception;

/// Groups of phrases with their replacement. Case and line breaks do not matter; punctuation does.
pub(crate) const PHRASES: &[(&[&str], &str)] = &[
    // Verbs and nouns that name the wrong thing.
    (&["told apart", "tell apart", "tells apart"], "distinguished, listed separately"),
    (&["told", "tell", "tells", "telling"], "report, print, return, contain, give"),
    (&["mend", "mends", "mended", "mending"], "fix"),
    (&["hands on", "hand on", "handed on"], "pass on, forward, flush"),
    (&["is made of", "are made of", "was made of", "were made of"], "consists of, derived from"),
    (&["to be had", "can be had", "cannot be had"], "available, unavailable"),
    (&["keeps its word", "keep their word"], "matches, is accurate"),
    (&["is one room", "the room next"], "(say what the module does)"),
    (
        &["is odd", "are odd", "was odd", "were odd", "be odd", "nothing odd", "something odd"],
        "unusual, malformed; is reported as a note",
    ),
    // People.
    (&["somebody", "anybody"], "someone, a process, the caller"),
    (&["nobody"], "no one, nothing"),
    (&["whoever"], "the caller, the process that, anyone who"),
    // Standing.
    (&["stands before", "stand before", "stood before"], "precedes"),
    (&["stands after", "stand after"], "follows"),
    (&["stands alone", "stand alone"], "is separate"),
    (&["stands above", "stand above", "stands below", "stand below"], "is above, is below"),
    (&["stands there", "stand there", "as it stands", "what stands"], "is, exists, unchanged"),
    (&["stands in a", "stands in the", "stand in a", "stand in the"], "is in"),
    (&["stands at", "stand at", "stands on", "stand on"], "is at, is on"),
    (&["stands between", "stand between"], "separates"),
    // Adverbs of another language.
    (&["anew"], "again; rebuild, rewrite"),
    (&["in vain"], "without effect, unnecessarily"),
    (&["so many", "so manieth", "every so"], "N, that many, every nth"),
    (
        &[
            "indexes otherwise",
            "indexed otherwise",
            "made otherwise",
            "made it otherwise",
            "done otherwise",
            "answers otherwise",
            "reads otherwise",
            "read otherwise",
            "same otherwise",
            "otherwise:",
        ],
        "differently; by an older version",
    ),
    (&["are others", "were others", "was another", "be others"], "are different, changed"),
    (&["as was asked", "as asked for", "as it was asked"], "as requested"),
    (&["is there twice", "are there twice", "was there twice"], "duplicate"),
    (&["work on at once", "worked on at once", "many at once"], "in parallel, at the same time"),
    (&["a record a line", "a page a topic", "one a core", "one a line"], "one record per line"),
    (&["chunk of its own", "chunks of their own"], "its own chunk, a separate chunk"),
    (&["tree of its own", "task of its own", "tasks of their own"], "its own, separate"),
    (
        &["is like.", "is like,", "is like:", "are like.", "are like,", "are like:"],
        "(name the property)",
    ),
    // Summaries that only list inputs and outputs.
    (
        &["come in;", "comes in;", "come in:", "what comes in", "what came in"],
        "(say what the module is for, starting with a verb)",
    ),
    (&["goes out", "go out.", "go out,", "go out;", "what goes out"], "returns, writes, prints"),
    // Splitting. A cut is the position where a block is split.
    (
        &[
            "cut a document",
            "cuts a document",
            "cut documents",
            "cuts documents",
            "document is cut",
            "documents are cut",
            "how to cut",
        ],
        "split",
    ),
    // Messages.
    (&["whole number", "whole numbers"], "expected an integer"),
    // Not "is no file", which "there is no file" contains.
    (&["is no UTF", "is no glob", "that is no file", "that is no text"], "is not a …, invalid …"),
    (&["are no files", "are no numbers", "are no directories"], "are not …"),
    // American spelling.
    (&["colour", "colours", "coloured", "colouring"], "color"),
    (&["neighbour", "neighbours", "neighbouring"], "neighbor"),
    (&["behaviour", "behaviours"], "behavior"),
    (&["favour", "favours", "honour", "honours", "honoured"], "favor, honor"),
    (&["normalise", "normalises", "normalised", "normalising"], "normalize"),
    (&["recognise", "recognises", "recognised"], "recognize"),
    (&["serialise", "serialises", "serialised"], "serialize"),
    (&["optimise", "optimises", "optimised"], "optimize"),
    (&["initialise", "initialised", "summarise", "summarised"], "initialize, summarize"),
    (&["tokenise", "tokenised", "tokeniser"], "tokenize, tokenizer"),
    (&["centre", "grey", "catalogue"], "center, gray, catalog"),
];

/// Texts that may contain a listed phrase. Rewrite a sentence rather than add to this list.
pub(crate) const EXCEPTIONS: &[Exception] = &[Exception {
    file: "docs/examples/front-matter.md",
    text: "Tell the team",
    reason: "an instruction in a sample page",
}];
