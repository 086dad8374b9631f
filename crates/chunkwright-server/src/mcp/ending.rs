//! A transport that ends only after every request is answered.
//!
//! The SDK gives requests five seconds after the end of the input, loses a last message without a
//! line break, and stops if the first message is not a request (rmcp 3.8.0).

use std::collections::HashSet;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::RoleServer;
use rmcp::transport::Transport;
use tokio::sync::Notify;
use tokio::time::timeout;

/// Maximum time between two answers after the end of the input.
const PATIENCE: Duration = Duration::from_secs(30);

/// A transport that ends only after every request is answered.
pub(super) struct Ending<T> {
    transport: T,
    open: Arc<Unanswered>,
    has_begun: bool,
    has_ended: bool,
}

/// The requests without an answer.
#[derive(Default)]
struct Unanswered {
    ids: Mutex<HashSet<RequestId>>,
    changed: Notify,
}

impl<T> Ending<T> {
    pub(super) fn new(transport: T) -> Self {
        Self { transport, open: Arc::default(), has_begun: false, has_ended: false }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Ending<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        let id = match &message {
            JsonRpcMessage::Response(answer) => Some(answer.id.clone()),
            JsonRpcMessage::Error(answer) => answer.id.clone(),
            _ => None,
        };
        let open = Arc::clone(&self.open);
        let sent = self.transport.send(message);
        async move {
            let sent = sent.await;
            id.inspect(|id| open.remove(id));
            sent
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        while !self.has_ended {
            let Some(message) = self.transport.receive().await else {
                self.has_ended = true;
                break;
            };
            match &message {
                JsonRpcMessage::Request(request) => {
                    self.has_begun = true;
                    self.open.insert(request.id.clone());
                }
                // A cancelled request has no answer.
                JsonRpcMessage::Notification(cancelled) => {
                    if let ClientNotification::CancelledNotification(cancelled) =
                        &cancelled.notification
                    {
                        cancelled.params.request_id.iter().for_each(|id| self.open.remove(id));
                    }
                }
                _ => {}
            }
            if self.has_begun {
                return Some(message);
            }
        }
        let _ = timeout(PATIENCE, self.open.none()).await;
        None
    }

    async fn close(&mut self) -> Result<(), T::Error> {
        self.transport.close().await
    }
}

impl Unanswered {
    fn insert(&self, id: RequestId) {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
    }

    fn remove(&self, id: &RequestId) {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        self.changed.notify_waiters();
    }

    fn is_empty(&self) -> bool {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Waits until there are no requests without an answer.
    async fn none(&self) {
        loop {
            let changed = self.changed.notified();
            if self.is_empty() {
                return;
            }
            changed.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::convert::Infallible;

    use serde_json::{Value, json};

    use super::*;

    /// An input that has ended, except for these messages.
    struct Messages(VecDeque<Value>);

    impl Transport<RoleServer> for Messages {
        type Error = Infallible;

        fn send(
            &mut self,
            _: ServerJsonRpcMessage,
        ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
            std::future::ready(Ok(()))
        }

        async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
            self.0.pop_front().map(|message| serde_json::from_value(message).unwrap())
        }

        async fn close(&mut self) -> Result<(), Infallible> {
            Ok(())
        }
    }

    fn ping(id: u32) -> Value {
        json!({ "jsonrpc": "2.0", "id": id, "method": "ping" })
    }

    async fn answer(transport: &mut Ending<Messages>, id: u32) {
        let answer = json!({ "jsonrpc": "2.0", "id": id, "result": {} });
        transport.send(serde_json::from_value(answer).unwrap()).await.unwrap();
    }

    async fn is_waiting(transport: &mut Ending<Messages>) -> bool {
        timeout(Duration::ZERO, transport.receive()).await.is_err()
    }

    fn with(messages: &[Value], test: impl AsyncFnOnce(&mut Ending<Messages>)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let messages = messages.iter().cloned().collect();
        runtime.block_on(test(&mut Ending::new(Messages(messages))));
    }

    #[test]
    fn ends_after_the_last_answer() {
        with(&[ping(1), ping(2)], async |transport| {
            for _ in 0..2 {
                assert!(transport.receive().await.is_some());
            }
            for id in [2, 1] {
                assert!(is_waiting(transport).await);
                answer(transport, id).await;
            }
            assert!(transport.receive().await.is_none());
        });
    }

    #[test]
    fn does_not_wait_for_a_cancelled_request() {
        let method = "notifications/cancelled";
        let cancel = json!({ "jsonrpc": "2.0", "method": method, "params": { "requestId": 1 } });
        with(&[ping(1), cancel], async |transport| {
            for _ in 0..2 {
                assert!(transport.receive().await.is_some());
            }
            assert!(transport.receive().await.is_none());
        });
    }

    #[test]
    fn begins_with_the_first_request() {
        let early = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        with(&[early, ping(1)], async |transport| {
            let first = transport.receive().await;
            assert!(matches!(first, Some(JsonRpcMessage::Request(_))), "{first:?}");
        });
    }
}
