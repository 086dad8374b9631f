//! What one client may cost a server.

use std::time::Duration;

/// Limits on connections and requests, against clients that are slow or open too many connections.
///
/// ```
/// use chunkwright_server::Limits;
///
/// let mut limits = Limits::default();
/// limits.connections = 16;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum number of connections. Further ones wait. Default: 256.
    pub connections: usize,
    /// Maximum time to receive the head of a request, and to wait for one. Default: 10 seconds.
    pub head_time: Duration,
    /// Maximum time to receive the body of a request. Default: 10 seconds.
    pub body_time: Duration,
    /// Maximum time to answer a request. Default: 30 seconds.
    pub request_time: Duration,
    /// Maximum time during which a client reads nothing of a response. Default: 30 seconds.
    pub write_time: Duration,
    /// Maximum time to finish requests after a stop signal. Default: 4 seconds.
    pub stop_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 256,
            head_time: Duration::from_secs(10),
            body_time: Duration::from_secs(10),
            request_time: Duration::from_secs(30),
            write_time: Duration::from_secs(30),
            stop_time: Duration::from_secs(4),
        }
    }
}
