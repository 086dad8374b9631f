//! The rules for the heads of requests, stated a second time.

use std::net::SocketAddr;
use std::sync::LazyLock;

use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, Method, Request, Uri};
use chunkwright_server::gate::Gate;
use chunkwright_server::{Access, Token};

/// Maximum bytes of a head.
const MOST_BYTES: usize = 16 * 1024;

/// The token of the servers that have one.
const TOKEN: &str = "correct horse battery";

/// Paths that need no token.
const PUBLIC: [&str; 4] = ["/", "/healthz", "/style.css", "/favicon.svg"];

/// A server, and what its gate accepts.
pub struct Rules {
    gate: Gate,
    hosts: &'static [&'static str],
    origins: &'static [&'static str],
    has_token: bool,
}

static SERVERS: LazyLock<[Rules; 3]> = LazyLock::new(|| {
    let gate = |address: &str, hosts: &[&str], token: Option<&str>| {
        let address: SocketAddr = address.parse().expect("an address");
        let mut access = Access::default();
        access.hosts = hosts.iter().map(|&host| host.to_owned()).collect();
        access.token = token.map(|token| Token::new(token).expect("a long token"));
        access.gate(address).expect("valid rules")
    };
    [
        Rules {
            gate: gate("127.0.0.1:4848", &[], None),
            hosts: &["127.0.0.1:4848", "localhost:4848", "[::1]:4848"],
            origins: &["http://127.0.0.1:4848", "http://localhost:4848", "http://[::1]:4848"],
            has_token: false,
        },
        Rules {
            gate: gate("0.0.0.0:80", &["Docs.example.com", "a:81"], Some(TOKEN)),
            hosts: &[
                "127.0.0.1:80",
                "localhost:80",
                "[::1]:80",
                "127.0.0.1",
                "localhost",
                "[::1]",
                "docs.example.com",
                "a:81",
            ],
            origins: &[
                "http://127.0.0.1:80",
                "http://localhost:80",
                "http://[::1]:80",
                "http://127.0.0.1",
                "http://localhost",
                "http://[::1]",
                "http://docs.example.com",
                "https://docs.example.com",
                "http://a:81",
                "https://a:81",
            ],
            has_token: true,
        },
        Rules {
            gate: gate("[::1]:9", &["[::2]:9"], None),
            hosts: &["127.0.0.1:9", "localhost:9", "[::1]:9", "[::2]:9"],
            origins: &[
                "http://127.0.0.1:9",
                "http://localhost:9",
                "http://[::1]:9",
                "http://[::2]:9",
                "https://[::2]:9",
            ],
            has_token: false,
        },
    ]
});

/// Checks that the gate and the rules agree on a request. The first byte selects the server, the
/// second adds a long header, and the others are the lines of the head.
pub fn check(data: &[u8]) {
    let [server, padding, lines @ ..] = data else { return };
    let Some(head) = head(lines, usize::from(*padding)) else { return };
    let rules = &SERVERS[usize::from(*server) % SERVERS.len()];
    let checked = rules.gate.check(&head);
    assert_eq!(checked.is_ok(), rules.accept(&head), "{checked:?} {head:?}");
    if let Err(problem) = checked {
        assert!([400, 401, 403, 431].contains(&problem.status), "{problem:?}");
    }
}

impl Rules {
    fn accept(&self, head: &Parts) -> bool {
        let all = |name: &str| -> Vec<&[u8]> {
            head.headers.get_all(name).iter().map(HeaderValue::as_bytes).collect()
        };
        let is_in = |value: &[u8], list: &[&str]| {
            list.iter().any(|one| one.as_bytes().eq_ignore_ascii_case(value))
        };
        let [host] = all("host")[..] else { return false };
        let names_another = |named: &str| !named.as_bytes().eq_ignore_ascii_case(host);
        is_in(host, self.hosts)
            && !head.uri.authority().is_some_and(|named| names_another(named.as_str()))
            && match all("origin")[..] {
                [] => true,
                [origin] => is_in(origin, self.origins),
                _ => false,
            }
            && matches!(all("sec-fetch-site")[..], [] | [b"same-origin" | b"none"])
            && (!self.has_token
                || PUBLIC.contains(&head.uri.path())
                || matches!(all("authorization")[..], [value] if is_token(value)))
            && bytes(head) <= MOST_BYTES
    }
}

/// Returns whether a header is `Bearer` and the token.
fn is_token(value: &[u8]) -> bool {
    let Some((scheme, secret)) = value.split_at_checked(7) else { return false };
    scheme.eq_ignore_ascii_case(b"Bearer ") && secret.trim_ascii() == TOKEN.as_bytes()
}

/// Returns the size of the target and of all headers with their separators.
fn bytes(head: &Parts) -> usize {
    let of_header =
        |(name, value): (&HeaderName, &HeaderValue)| format!("{name}: \r\n").len() + value.len();
    head.uri.to_string().len() + head.headers.iter().map(of_header).sum::<usize>()
}

/// Reads a head: a line with the method and the target, and a line for each header.
fn head(lines: &[u8], padding: usize) -> Option<Parts> {
    let mut lines = lines.split(|&byte| byte == b'\n');
    let (method, target) = split(lines.next()?, b' ')?;
    let request = Request::builder()
        .method(Method::from_bytes(method).ok()?)
        .uri(Uri::try_from(target).ok()?);
    let mut head = request.body(()).ok()?.into_parts().0;
    for line in lines {
        let (name, value) = split(line, b':')?;
        let name = HeaderName::from_bytes(name).ok()?;
        head.headers.append(name, HeaderValue::from_bytes(value.trim_ascii()).ok()?);
    }
    if padding > 0 {
        let value = HeaderValue::from_str(&"x".repeat(padding * 100)).ok()?;
        head.headers.append(HeaderName::from_static("x-padding"), value);
    }
    Some(head)
}

fn split(line: &[u8], by: u8) -> Option<(&[u8], &[u8])> {
    let at = line.iter().position(|&byte| byte == by)?;
    Some((&line[..at], &line[at + 1..]))
}
