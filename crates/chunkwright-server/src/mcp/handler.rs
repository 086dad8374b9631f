//! Answers MCP requests with the tools and resources of a library.

use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
    CustomRequest, CustomResult, DiscoverResult, ErrorCode, Implementation,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ResourceContents, ResourceTemplate,
    ServerCapabilities, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::json;

use crate::library::Library;
use crate::slots::Slots;
use crate::{tools, uri};

/// How long clients may keep the lists of tools and templates, which do not change while the server
/// runs.
const LIST_TTL_MS: u64 = 60_000;

/// The methods whose invalid parameters are reported as such. `initialize` and `ping` are not among
/// them: the revision of 2026-07-28 does not have them, so they must be unknown there.
const METHODS: [&str; 7] = [
    "server/discover",
    "tools/list",
    "tools/call",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
];

/// Answers the requests of one client, or of all clients over HTTP.
///
/// Everything that may read the index runs in a slot, because it may block.
#[derive(Clone)]
pub(crate) struct Handler {
    pub(crate) library: Arc<Library>,
    pub(crate) slots: Slots,
}

impl ServerHandler for Handler {
    fn get_info(&self) -> InitializeResult {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts();
        let mut server = Implementation::new("chunkwright", env!("CARGO_PKG_VERSION"));
        server.title = Some("Documentation search".to_owned());
        InitializeResult::new(capabilities.build()).with_server_info(server)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let info = self.negotiate_initialize(&request)?;
        Ok(info.with_instructions(self.instructions().await))
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let info = self.get_info().with_instructions(self.instructions().await);
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, info))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(definitions())
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Private))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        definitions().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let library = Arc::clone(&self.library);
        let name = request.name.to_string();
        let arguments = request.arguments.unwrap_or_default();
        let called = self.slots.run(move || library.call(&name, &arguments)).await;
        let outcome = called.ok_or_else(|| ErrorData::internal_error("the tool failed", None))?;
        let outcome = outcome.ok_or_else(|| {
            ErrorData::invalid_params(format!("unknown tool: {}", request.name), None)
        })?;
        let content = vec![ContentBlock::text(outcome.text)];
        Ok(match outcome.is_error {
            true => CallToolResult::error(content),
            false => CallToolResult::success(content),
        }
        .into())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = ResourceTemplate::new(uri::TEMPLATE, "page")
            .with_description("A page of the documentation; add #slug for a section")
            .with_mime_type("text/markdown");
        Ok(ListResourceTemplatesResult::with_all_items(vec![template])
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(Vec::new())
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(Vec::new())
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let library = Arc::clone(&self.library);
        let resource = request.uri.clone();
        let read = self.slots.run(move || library.read(&resource)).await;
        let read = read.ok_or_else(|| ErrorData::internal_error("the resource failed", None))?;
        let text = read.map_err(|message| {
            ErrorData::resource_not_found(message, Some(json!({ "uri": request.uri })))
        })?;
        let contents = ResourceContents::text(text, request.uri).with_mime_type("text/markdown");
        let result = ReadResourceResult::new(vec![contents])
            .with_ttl_ms(0)
            .with_cache_scope(CacheScope::Private);
        Ok(result.into())
    }

    /// The SDK treats a method as unknown if its parameters have the wrong type (rmcp 3.8.0).
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        Err(match METHODS.contains(&&*method) {
            true => ErrorData::invalid_params(format!("invalid parameters of {method}"), None),
            false => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None),
        })
    }
}

impl Handler {
    async fn instructions(&self) -> String {
        let library = Arc::clone(&self.library);
        self.slots.run(move || library.instructions()).await.unwrap_or_default()
    }
}

fn definitions() -> Vec<Tool> {
    let tool = |definition| serde_json::from_value(definition).expect("a definition is a tool");
    tools::definitions().into_iter().map(tool).collect()
}
