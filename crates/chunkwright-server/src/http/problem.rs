//! Error responses: problem details for HTTP APIs (RFC 9457).

use axum::body::Body;
use axum::http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// A refused or failed request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The status code.
    pub status: u16,
    /// What is wrong. It never quotes the request.
    pub detail: &'static str,
}

impl Problem {
    pub(crate) const fn new(status: StatusCode, detail: &'static str) -> Self {
        Self { status: status.as_u16(), detail }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::BAD_REQUEST);
        let title = status.canonical_reason().unwrap_or_default();
        let body = json!({ "title": title, "status": self.status, "detail": self.detail });
        let mut response = Response::new(Body::from(body.to_string()));
        *response.status_mut() = status;
        let mut set = |name: HeaderName, value: &'static str| {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        };
        set(CONTENT_TYPE, "application/problem+json");
        match status {
            StatusCode::SERVICE_UNAVAILABLE => set(RETRY_AFTER, "1"),
            StatusCode::UNAUTHORIZED => set(WWW_AUTHENTICATE, "Bearer"),
            StatusCode::METHOD_NOT_ALLOWED => set(ALLOW, "POST"),
            _ => {}
        }
        response
    }
}
