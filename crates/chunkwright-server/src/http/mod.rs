//! MCP over HTTP: who may connect, what is served, and how much of it.

pub mod gate;
pub(crate) mod limits;
pub(crate) mod listen;
mod message;
mod page;
mod problem;
mod routes;

use std::fmt;
use std::net::SocketAddr;

use crate::error::Error;
use gate::Gate;

/// Minimum number of characters of a token.
const LEAST_TOKEN: usize = 16;

/// Who may use a server.
///
/// ```
/// use chunkwright_server::{Access, Token};
///
/// let mut access = Access::default();
/// access.hosts.push("docs.example.com".to_owned());
/// access.token = Some(Token::new("a long and secret token")?);
/// # Ok::<(), chunkwright_server::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Access {
    /// Hosts that requests may name besides the loopback addresses, each with its port if it is not
    /// the default one.
    pub hosts: Vec<String>,
    /// The token that requests must contain. Default: none is needed.
    pub token: Option<Token>,
}

impl Access {
    /// Returns the gate of a server with these rules.
    ///
    /// # Errors
    /// Fails if a host is invalid, or if the address can be reached from other machines and the
    /// token or the hosts are missing.
    pub fn gate(&self, address: SocketAddr) -> Result<Gate, Error> {
        let missing = match (&self.token, &self.hosts[..]) {
            (None, _) => Some("a token (--token-file)"),
            (_, []) => Some("the name that clients use (--allow-host)"),
            _ => None,
        };
        match missing {
            Some(missing) if !address.ip().is_loopback() => {
                Err(Error::Exposed { address, missing })
            }
            _ => Gate::new(self, address.port()),
        }
    }
}

/// A secret that clients present as `Authorization: Bearer …`. Only its hash is kept.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(blake3::Hash);

impl Token {
    /// Returns a token of at least 16 characters.
    ///
    /// # Errors
    /// Fails if the secret is too short.
    pub fn new(secret: &str) -> Result<Self, Error> {
        let length = secret.chars().count();
        match length < LEAST_TOKEN {
            true => Err(Error::Token { length, least: LEAST_TOKEN }),
            false => Ok(Self::hashed(secret)),
        }
    }

    /// Hashes a secret. Comparing hashes takes the same time wherever they differ.
    pub(crate) fn hashed(secret: &str) -> Self {
        Self(blake3::hash(secret.as_bytes()))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}
