//! Accepts connections, and limits their number and patience.
//!
//! axum's own loop has no timeout for slow headers (axum 0.8.9,
//! <https://github.com/tokio-rs/axum/issues/2741>).

use std::future::Future;
use std::net::{SocketAddr, TcpListener};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;

use super::Access;
use super::gate::Gate;
use super::limits::Limits;
use super::routes::router;
use crate::error::Error;
use crate::library::Library;

/// Buffer for the head of a request. The gate has a lower limit.
const BUFFER: usize = 32 * 1024;

/// Time to wait if no connection can be accepted, as when the process has too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A bound address with the rules for requests to it.
pub struct Listener {
    socket: TcpListener,
    address: SocketAddr,
    gate: Gate,
    limits: Limits,
}

/// Binds an address. Port 0 chooses a free port.
///
/// # Errors
/// Fails if the address cannot be bound, or is not loopback and [`Access`] lacks a token or hosts.
pub fn listen(address: SocketAddr, access: &Access) -> Result<Listener, Error> {
    // Check the rules first: a server that must not run should not bind the port either.
    access.gate(address)?;
    let failed = |fault| Error::Listen { address, fault };
    let socket = TcpListener::bind(address).map_err(failed)?;
    socket.set_nonblocking(true)?;
    let bound = socket.local_addr()?;
    let gate = access.gate(bound)?;
    Ok(Listener { socket, address: bound, gate, limits: Limits::default() })
}

impl Listener {
    /// Returns the bound address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sets the limits on connections and requests.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Serves requests until the process receives SIGINT or SIGTERM.
    ///
    /// Requests under way then have [`Limits::stop_time`] to finish.
    ///
    /// # Errors
    /// Fails if the runtime cannot be started.
    pub fn serve(self, library: Library) -> Result<(), Error> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let served = runtime.block_on(async {
            let socket = tokio::net::TcpListener::from_std(self.socket)?;
            let router = router(Arc::new(library), self.gate, &self.limits);
            accept(socket, router, &self.limits, stop_signal()?).await;
            Ok(())
        });
        // Work that outlives its request must not delay the exit.
        runtime.shutdown_background();
        served
    }
}

/// Returns a future that completes when the process shall stop.
fn stop_signal() -> Result<impl Future<Output = ()>, Error> {
    #[cfg(unix)]
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    Ok(async move {
        let interrupt = tokio::signal::ctrl_c();
        #[cfg(unix)]
        tokio::select! {
            _ = interrupt => {}
            _ = terminate.recv() => {}
        }
        #[cfg(not(unix))]
        let _ = interrupt.await;
    })
}

async fn accept(
    socket: tokio::net::TcpListener,
    router: axum::Router,
    limits: &Limits,
    stop: impl Future,
) {
    let seats = Arc::new(Semaphore::new(limits.connections.min(Semaphore::MAX_PERMITS)));
    let graceful = GracefulShutdown::new();
    let mut stop = pin!(stop);
    loop {
        // Waiting for a seat must not keep the server from stopping.
        let next = async {
            let seat = Arc::clone(&seats).acquire_owned().await.ok()?;
            Some((seat, socket.accept().await))
        };
        let accepted = tokio::select! {
            accepted = next => accepted,
            _ = &mut stop => break,
        };
        match accepted {
            Some((seat, Ok((stream, _)))) => connect(stream, seat, &router, limits, &graceful),
            Some((_, Err(_))) => sleep(ACCEPT_PAUSE).await,
            None => break,
        }
    }
    drop(socket);
    let _ = timeout(limits.stop_time, graceful.shutdown()).await;
}

/// Serves a connection on its own task.
fn connect(
    stream: TcpStream,
    seat: OwnedSemaphorePermit,
    router: &axum::Router,
    limits: &Limits,
    graceful: &GracefulShutdown,
) {
    // Answers are small and complete, so there is nothing to wait for.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits.write_time));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_time)
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(Box::pin(stream)), TowerToHyperService::new(router.clone()));
    let connection = graceful.watch(connection);
    tokio::spawn(async move {
        // A failed connection concerns only its client.
        let _ = connection.await;
        drop(seat);
    });
}
