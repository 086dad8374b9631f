//! Decides from the head of a request whether it is answered at all.
//!
//! A page in a browser can send requests to servers on the same machine, and DNS can make a foreign
//! name point to it. Therefore every request must name this server as its host, and requests of
//! other origins are refused. The gate applies to all routes.

use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, StatusCode};

use super::{Access, Token};
use crate::error::Error;

pub use super::problem::Problem;

/// Maximum bytes of the request target and all headers.
const MAX_HEAD: usize = 16 * 1024;

/// Paths that need no token, since they contain no data.
const PUBLIC: [&str; 4] = ["/", "/healthz", "/style.css", "/favicon.svg"];

/// The rules of a server.
///
/// ```
/// use axum::http::Request;
/// use chunkwright_server::Access;
///
/// let gate = Access::default().gate("127.0.0.1:4848".parse()?)?;
/// let head = |host| Request::get("/mcp").header("Host", host).body(()).unwrap().into_parts().0;
/// assert!(gate.check(&head("localhost:4848")).is_ok());
/// assert_eq!(gate.check(&head("evil.example")).unwrap_err().status, 403);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Gate {
    /// Names of this server in `Host`, in lower case and with the port where there is one.
    hosts: Vec<String>,
    /// Origins of pages of this server.
    origins: Vec<String>,
    token: Option<Token>,
}

impl Gate {
    pub(super) fn new(access: &Access, port: u16) -> Result<Self, Error> {
        let names = ["127.0.0.1", "localhost", "[::1]"];
        let mut hosts: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
        if port == 80 {
            hosts.extend(names.map(str::to_owned));
        }
        let mut origins: Vec<String> = hosts.iter().map(|host| format!("http://{host}")).collect();
        for host in &access.hosts {
            let host = allowed(host).ok_or_else(|| Error::Host(host.clone()))?;
            // A proxy in front of the server may use TLS.
            origins.extend([format!("http://{host}"), format!("https://{host}")]);
            hosts.push(host);
        }
        Ok(Self { hosts, origins, token: access.token.clone() })
    }

    /// Returns whether requests for data need a token.
    pub(super) fn needs_token(&self) -> bool {
        self.token.is_some()
    }

    /// Checks the head of a request.
    ///
    /// # Errors
    /// Returns the problem that the response reports.
    pub fn check(&self, head: &Parts) -> Result<(), Problem> {
        check_size(head)?;
        self.check_host(head)?;
        self.check_origin(&head.headers)?;
        self.check_token(head)
    }

    fn check_host(&self, head: &Parts) -> Result<(), Problem> {
        let bad = |detail| Problem::new(StatusCode::BAD_REQUEST, detail);
        let host = only(&head.headers, &HOST)
            .map_err(|()| bad("the request has more than one Host"))?
            .ok_or_else(|| bad("the request has no Host"))?;
        if !self.hosts.contains(&host.to_ascii_lowercase()) {
            return Err(forbidden("the Host is not a name of this server; see --allow-host"));
        }
        match head.uri.authority() {
            Some(other) if !other.as_str().eq_ignore_ascii_case(host) => {
                Err(bad("the request target names a different host"))
            }
            _ => Ok(()),
        }
    }

    fn check_origin(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let foreign = || forbidden("requests of other origins are not allowed");
        if let Some(origin) = only(headers, &ORIGIN).map_err(|()| foreign())?
            && !self.origins.contains(&origin.to_ascii_lowercase())
        {
            return Err(foreign());
        }
        let site = HeaderName::from_static("sec-fetch-site");
        match only(headers, &site).map_err(|()| foreign())? {
            None | Some("same-origin" | "none") => Ok(()),
            Some(_) => Err(foreign()),
        }
    }

    fn check_token(&self, head: &Parts) -> Result<(), Problem> {
        let Some(expected) = &self.token else { return Ok(()) };
        if PUBLIC.contains(&head.uri.path()) {
            return Ok(());
        }
        let given = only(&head.headers, &AUTHORIZATION).ok().flatten();
        let given = given.and_then(|value| value.split_once(' '));
        let given = given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        match given {
            Some((_, secret)) if Token::hashed(secret.trim()) == *expected => Ok(()),
            _ => Err(Problem::new(StatusCode::UNAUTHORIZED, "the request needs a valid token")),
        }
    }
}

fn forbidden(detail: &'static str) -> Problem {
    Problem::new(StatusCode::FORBIDDEN, detail)
}

fn check_size(head: &Parts) -> Result<(), Problem> {
    let target = head.uri.to_string().len();
    let headers = head.headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4);
    match target + headers.sum::<usize>() > MAX_HEAD {
        true => Err(Problem::new(
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            "the headers are larger than 16 KB",
        )),
        false => Ok(()),
    }
}

/// Returns the only value of a header, `None` if there is no such header, or an error if there are
/// several or it is not ASCII.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h str>, ()> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| ()),
        (Some(_), Some(_)) => Err(()),
    }
}

/// Returns a host that the user allows, in lower case, or `None` if it is not a host.
fn allowed(host: &str) -> Option<String> {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !name.ends_with(':') && !port.ends_with(']') => (name, Some(port)),
        _ => (host, None),
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    let is_ipv6 = name.starts_with('[')
        && name.ends_with(']')
        && name[1..name.len() - 1].parse::<std::net::Ipv6Addr>().is_ok();
    let is_valid = (!name.is_empty() && name.chars().all(is_name)) || is_ipv6;
    let is_port = port.is_none_or(|port| port.parse::<u16>().is_ok());
    (is_valid && is_port).then(|| host.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn gate(access: &Access) -> Gate {
        access.gate("127.0.0.1:4848".parse().expect("an address")).expect("a gate")
    }

    fn status(gate: &Gate, target: &str, headers: &[(&str, &str)]) -> u16 {
        let mut request = Request::get(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let head = request.body(()).expect("a request").into_parts().0;
        gate.check(&head).map_or_else(|problem| problem.status, |()| 200)
    }

    #[test]
    fn accepts_only_names_of_this_server() {
        let gate = gate(&Access::default());
        for host in ["127.0.0.1:4848", "localhost:4848", "LOCALHOST:4848", "[::1]:4848"] {
            assert_eq!(status(&gate, "/", &[("Host", host)]), 200, "{host}");
        }
        for host in ["evil.example", "localhost", "localhost:80", "localhost:4848.evil.example"] {
            assert_eq!(status(&gate, "/", &[("Host", host)]), 403, "{host}");
        }
        assert_eq!(status(&gate, "/", &[]), 400);
        let other = "http://evil.example/mcp";
        assert_eq!(status(&gate, other, &[("Host", "localhost:4848")]), 400);
    }

    #[test]
    fn accepts_allowed_hosts_with_and_without_tls() {
        let mut access = Access::default();
        access.hosts.push("Docs.Example.com".to_owned());
        let gate = gate(&access);
        for origin in ["http://docs.example.com", "https://docs.example.com"] {
            let headers = [("Host", "docs.example.com"), ("Origin", origin)];
            assert_eq!(status(&gate, "/", &headers), 200, "{origin}");
        }
    }

    #[test]
    fn protects_data_with_the_token() {
        let token = Some(Token::new("correct horse battery").expect("a token"));
        let gate = gate(&Access { token, ..Access::default() });
        let host = ("Host", "localhost:4848");
        assert_eq!(status(&gate, "/healthz", &[host]), 200);
        assert_eq!(status(&gate, "/readyz", &[host]), 401);
        for wrong in ["correct horse battery", "Bearer ", "Bearer wrong", "Basic Y29ycmVjdA=="] {
            assert_eq!(status(&gate, "/mcp", &[host, ("Authorization", wrong)]), 401, "{wrong}");
        }
        let right = ("Authorization", "bearer correct horse battery");
        assert_eq!(status(&gate, "/mcp", &[host, right]), 200);
        assert_eq!(status(&gate, "/mcp", &[host, right, right]), 401);
    }

    #[test]
    fn rejects_hosts_that_are_not_names() {
        for host in ["", "http://a", "a b", "a/b", "a:b", "*", "[::1", "a:99999"] {
            assert_eq!(allowed(host), None, "{host}");
        }
        for host in ["docs", "docs.example.com:8443", "10.0.0.7", "[::1]", "[::1]:80"] {
            assert_eq!(allowed(host).as_deref(), Some(host));
        }
    }

    #[test]
    fn beyond_loopback_a_token_and_a_host_are_required() {
        let address = "0.0.0.0:4848".parse().expect("an address");
        let mut access = Access::default();
        assert!(matches!(access.gate(address), Err(Error::Exposed { .. })));
        access.token = Some(Token::new("correct horse battery").expect("a token"));
        assert!(matches!(access.gate(address), Err(Error::Exposed { .. })));
        access.hosts.push("docs.example.com".to_owned());
        assert!(access.gate(address).is_ok());
        assert!(matches!(Token::new("short"), Err(Error::Token { .. })));
    }
}
