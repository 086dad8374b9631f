//! MCP on standard input and output, for one client.

use std::sync::Arc;

use rmcp::service::{ServerInitializeError, serve_server};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;
use tokio::io::AsyncReadExt;

use super::ending::Ending;
use super::handler::Handler;
use crate::error::Error;
use crate::library::Library;
use crate::slots::Slots;

/// Serves a client on standard input and output until it closes the input, and every request that it
/// sent is answered.
///
/// Nothing but messages is written to standard output.
///
/// # Errors
/// Fails if the connection to the client fails.
pub fn stdio(library: Library) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let handler = Handler { library: Arc::new(library), slots: Slots::per_core() };
    let done = runtime.block_on(async {
        let (input, output) = stdio_pipes();
        // The last message may lack its line break.
        let transport = AsyncRwTransport::new_server(input.chain(&b"\n"[..]), output);
        match serve_server(handler, Ending::new(transport)).await {
            Ok(running) => running.waiting().await.map(|_| ()).map_err(|fault| fault.to_string()),
            // The client closed the input before it said anything.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    });
    // A thread may still wait for input.
    runtime.shutdown_background();
    done.map_err(Error::Client)
}
