//! The routes of the server, behind the gate.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::gate::Gate;
use super::limits::Limits;
use super::message::{self, BodyShape};
use super::page::page;
use super::problem::Problem;
use crate::library::Library;
use crate::mcp::handler::Handler;
use crate::slots::{Slots, cores};

/// Maximum bytes of a body.
const MAX_BODY: usize = 64 * 1024;

/// Number of requests that may wait for a free core.
const QUEUE: usize = 64;

/// Headers of every response. Pages may load only what this server provides, and no other page may
/// embed or read a response.
const HEADERS: [(&str, &str); 5] = [
    (
        "content-security-policy",
        "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
];

/// What all requests share.
#[derive(Clone)]
struct Server {
    library: Arc<Library>,
    slots: Slots,
    /// Requests that work or wait for work.
    admitted: Arc<Semaphore>,
    mcp: StreamableHttpService<Handler, NeverSessionManager>,
    body_time: Duration,
}

/// What every request must pass.
struct Guard {
    gate: Gate,
    request_time: Duration,
}

/// Returns the routes of a server.
pub(super) fn router(library: Arc<Library>, gate: Gate, limits: &Limits) -> Router {
    let slots = Slots::per_core();
    let handler = Handler { library: Arc::clone(&library), slots: slots.clone() };
    // The gate has checked Host and Origin.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_BODY);
    let mcp = StreamableHttpService::new(move || Ok(handler.clone()), Arc::default(), config);
    let admitted = Arc::new(Semaphore::new(cores() + QUEUE));
    let not_allowed =
        || async { Problem::new(StatusCode::METHOD_NOT_ALLOWED, "only POST is supported") };
    let needs_token = gate.needs_token();
    let start_page = move |headers: HeaderMap| async move {
        asset("text/html; charset=utf-8", page(&headers, needs_token)).await
    };
    let server = Server { library, slots, admitted, mcp, body_time: limits.body_time };
    let gate = Guard { gate, request_time: limits.request_time };
    Router::new()
        .route("/", get(start_page))
        .route("/style.css", get(|| asset("text/css", include_str!("page/style.css"))))
        .route("/favicon.svg", get(|| asset("image/svg+xml", include_str!("page/favicon.svg"))))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/mcp", post(call).fallback(not_allowed))
        .fallback(|| async { Problem::new(StatusCode::NOT_FOUND, "there is no such page") })
        .with_state(server)
        .layer(middleware::from_fn_with_state(Arc::new(gate), guard))
}

/// Lets requests pass that the gate accepts, limits their time, and sets the headers of responses.
async fn guard(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    let mut response = match guard.gate.check(&head) {
        Err(problem) => problem.into_response(),
        Ok(()) => {
            let answer = next.run(Request::from_parts(head, body));
            let late = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "the request took too long");
            timeout(guard.request_time, answer).await.unwrap_or_else(|_| late.into_response())
        }
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

async fn asset(kind: &'static str, text: impl IntoResponse) -> impl IntoResponse {
    ([(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-cache")], text)
}

/// Reports whether a real query can be answered.
async fn ready(State(server): State<Server>) -> Response {
    let library = server.library;
    let checked = server.slots.run(move || library.check()).await;
    let (status, body) = match checked {
        Some(Ok(())) => (StatusCode::OK, json!({ "ready": true })),
        Some(Err(reason)) => {
            (StatusCode::SERVICE_UNAVAILABLE, json!({ "ready": false, "reason": reason }))
        }
        None => (StatusCode::INTERNAL_SERVER_ERROR, json!({ "ready": false })),
    };
    (status, [(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

/// Answers an MCP message.
async fn call(State(server): State<Server>, request: Request) -> Result<Response, Problem> {
    message::check_headers(request.headers())?;
    let (mut head, body) = request.into_parts();
    let body = received(body, server.body_time).await?;
    if message::check_body(&body)? == BodyShape::Other {
        return Ok(not_a_message());
    }
    let Ok(_admitted) = server.admitted.try_acquire() else {
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "too many requests are waiting"));
    };
    // Every answer is JSON. The SDK requires that clients accept event streams, too, and refuses
    // `*/*` (rmcp 3.8.0).
    let accepted = HeaderValue::from_static("application/json, text/event-stream");
    head.headers.insert(ACCEPT, accepted);
    let answer = server.mcp.handle(Request::from_parts(head, Body::from(body))).await;
    Ok(match answer.status() {
        // The SDK answers JSON that is not a message like this (rmcp 3.8.0).
        StatusCode::UNSUPPORTED_MEDIA_TYPE => not_a_message(),
        _ => answer.map(Body::new),
    })
}

/// Returns the JSON-RPC error for a body that is valid JSON, but not one message.
fn not_a_message() -> Response {
    let error = json!({ "code": -32600, "message": "expected one JSON-RPC message" });
    let error = json!({ "jsonrpc": "2.0", "id": null, "error": error });
    let kind = [(CONTENT_TYPE, "application/json")];
    (StatusCode::BAD_REQUEST, kind, error.to_string()).into_response()
}

/// Receives a body within the limits of size and time.
async fn received(body: Body, time: Duration) -> Result<Bytes, Problem> {
    let collected = timeout(time, Limited::new(body, MAX_BODY).collect()).await;
    let collected = collected
        .map_err(|_| Problem::new(StatusCode::REQUEST_TIMEOUT, "the body took too long"))?;
    let collected = collected.map_err(|fault| match fault.is::<LengthLimitError>() {
        true => Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is larger than 64 KB"),
        false => Problem::new(StatusCode::BAD_REQUEST, "the body is incomplete or malformed"),
    })?;
    Ok(collected.to_bytes())
}
