//! The start page: what the server is, and how to connect agents to it. It contains no data.

use axum::http::header::HOST;
use axum::http::{HeaderMap, HeaderName};

const PAGE: &str = include_str!("page/index.html");

/// What the page shows if the server needs a token, and the placeholders for it.
const TOKEN: [(&str, &str); 5] = [
    (
        "token",
        "<p>This server needs a token: replace <code>TOKEN</code> below, and keep it out of files \
         that you commit. Codex reads it from the variable <code>CHUNKWRIGHT_TOKEN</code>.</p>",
    ),
    ("claude", " --header 'Authorization: Bearer TOKEN'"),
    ("codex", " --bearer-token-env-var CHUNKWRIGHT_TOKEN"),
    ("headers", ",\n    \"headers\": {\n      \"Authorization\": \"Bearer TOKEN\"\n    }"),
    ("readyz", "; it needs the token"),
];

/// Returns the start page, with the address that the browser used.
///
/// The gate has checked the host. A proxy with TLS reports the scheme.
pub(super) fn page(headers: &HeaderMap, needs_token: bool) -> String {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let forwarded = text(HeaderName::from_static("x-forwarded-proto"));
    let scheme = if forwarded.eq_ignore_ascii_case("https") { "https" } else { "http" };
    let mut page = PAGE.replace("{{url}}", &escaped(&format!("{scheme}://{}", text(HOST))));
    for (name, shown) in TOKEN {
        page = page.replace(&format!("{{{{{name}}}}}"), if needs_token { shown } else { "" });
    }
    page
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn shown(headers: &[(&'static str, &'static str)], needs_token: bool) -> String {
        let headers = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        page(&headers.collect(), needs_token)
    }

    #[test]
    fn shows_the_address_of_the_request() {
        let page = shown(&[("host", "[::1]:4848")], false);
        assert!(page.contains("chunkwright http://[::1]:4848/mcp</pre>"));
        let page = shown(&[("host", "docs.example.com"), ("x-forwarded-proto", "https")], false);
        assert!(page.contains("\"url\": \"https://docs.example.com/mcp\"\n"));
        assert!(!page.contains("{{") && !page.contains("TOKEN"));
    }

    #[test]
    fn shows_where_the_token_belongs() {
        let page = shown(&[("host", "docs.example.com")], true);
        assert_eq!(page.matches("Bearer TOKEN").count(), 4);
        assert!(page.contains("/mcp --bearer-token-env-var CHUNKWRIGHT_TOKEN</pre>"));
        assert!(!page.contains("{{"));
    }

    #[test]
    fn headers_cannot_add_markup() {
        let page = shown(&[("host", "<script>\"&"), ("x-forwarded-proto", "<b>")], false);
        assert!(page.contains("http://&lt;script&gt;&quot;&amp;/mcp"));
        assert!(!page.contains("<script") && !page.contains("<b>"));
    }

    /// The content security policy allows neither inline scripts and styles nor other origins.
    #[test]
    fn the_page_is_within_its_content_security_policy() {
        for forbidden in ["<script", "<style", " style=", "://"] {
            assert!(!PAGE.contains(forbidden), "{forbidden}");
        }
    }
}
