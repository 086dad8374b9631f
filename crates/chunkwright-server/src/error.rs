//! Errors that keep a server from running.

use std::io;
use std::net::SocketAddr;

/// An error that keeps a server from starting, or ends it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The address is in use, or not an address of this machine.
    #[error("cannot listen on {address}: {}", reason(.fault))]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The error of the operating system.
        fault: io::Error,
    },
    /// A server beyond loopback needs a token and allowed hosts.
    #[error("{address} can be reached from other machines, so {missing} is required")]
    Exposed {
        /// The address.
        address: SocketAddr,
        /// What is missing.
        missing: &'static str,
    },
    /// An allowed host is not a host name with an optional port.
    #[error("invalid host `{0}`: expected a name such as `docs.example.com` or `localhost:8080`")]
    Host(String),
    /// The token is too short to protect anything.
    #[error("the token has {length} characters; use at least {least}")]
    Token {
        /// The number of characters.
        length: usize,
        /// The smallest number of characters.
        least: usize,
    },
    /// The operating system reported an error.
    #[error("cannot run the server: {0}")]
    Io(#[from] io::Error),
    /// The connection to the client failed.
    #[error("the connection to the client failed: {0}")]
    Client(String),
}

fn reason(fault: &io::Error) -> String {
    match fault.kind() {
        io::ErrorKind::AddrInUse => "the port is in use (choose another with --port)".to_owned(),
        io::ErrorKind::AddrNotAvailable => "it is not an address of this machine".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => fault.to_string(),
    }
}
