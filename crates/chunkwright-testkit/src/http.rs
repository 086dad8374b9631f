//! HTTP byte by byte, for requests that no client library sends.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

/// Maximum time to wait for a response, so that a test fails instead of waiting forever.
const PATIENCE: Duration = Duration::from_secs(60);

/// A response.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The status code.
    pub status: u16,
    /// The status line and the headers.
    pub head: String,
    /// The body.
    pub body: String,
}

impl Reply {
    /// Returns the value of a header. Names are in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.head.lines().filter_map(|line| line.split_once(": "));
        headers.find(|(known, _)| *known == name).map(|(_, value)| value)
    }
}

/// Connects to a server.
///
/// # Errors
/// Fails if the server does not accept connections.
pub fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(stream)
}

/// Sends bytes on a new connection, and returns the response.
///
/// # Errors
/// Fails if the connection ends before the response does.
pub fn exchange(address: SocketAddr, request: &[u8]) -> io::Result<Reply> {
    let mut stream = connect(address)?;
    let mut writer = stream.try_clone()?;
    thread::scope(|scope| {
        // A server may answer, and close the connection, before it has read everything.
        scope.spawn(move || writer.write_all(request));
        receive(&mut stream)
    })
}

/// Receives the next response on a connection.
///
/// # Errors
/// Fails if the connection ends before the response does.
pub fn receive(stream: &mut TcpStream) -> io::Result<Reply> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.ok_or_else(|| io::Error::other(format!("no status: {head}")))?;
    let mut reply = Reply { status, head, body: String::new() };
    let length = reply.header("content-length").and_then(|length| length.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body)?;
    reply.body = String::from_utf8_lossy(&body).into_owned();
    Ok(reply)
}

/// Returns a request for a server: `head` with CRLF and a `Content-Length`, and `body`.
///
/// `head` contains the request line and headers, one per line. In it, `HOST` stands for the address
/// of the server, and `PORT` for its port.
pub fn request(address: SocketAddr, head: &str, body: &[u8]) -> Vec<u8> {
    let (host, port) = (address.to_string(), address.port().to_string());
    let mut head = head.replace("HOST", &host).replace("PORT", &port).replace('\n', "\r\n");
    if !head.contains("Content-Length") && !head.contains("Transfer-Encoding") {
        head += &format!("\r\nContent-Length: {}", body.len());
    }
    [head.as_bytes(), b"\r\n\r\n", body].concat()
}
