//! Requests of the page. Every address begins with the token; what is not of this page is refused before it is looked at.

use std::{
    collections::VecDeque,
    convert::Infallible,
    io,
    net::TcpListener,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use http_body_util::BodyExt;
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Body, Incoming},
    header::{self, HeaderMap},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use spall_view::{Answer, Engine, Place, Progress, Question, Reply, wire};
use tokio::{task::AbortHandle, time::timeout};

use super::{
    answer::{self, Answered, Messages, refusal},
    engine::PageEngine,
    files::{Files, Wanted},
    pages::{Asked, Pages},
};
use crate::error::words;

/// More bytes than a question has.
const MAX_QUESTION: usize = 8 << 20;

/// The largest file that a page can send. The program can be started with larger ones.
const MAX_FILE: usize = 1 << 30;

/// The most connections at one time that have not named the token yet.
const MAX_STRANGERS: usize = 64;

/// Who says nothing for so long is not waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a page may be away while it is loaded again.
const AWAY: Duration = Duration::from_secs(3);

/// What is served.
pub(super) struct Server {
    pub(super) token: String,
    pub(super) files: Arc<Files>,
    /// What the page shows at first.
    pub(super) place: Place,
    pub(super) pages: Pages,
    /// How many things are done that take long.
    pub(super) n_loading: AtomicUsize,
}

/// Answers requests, until the last page is closed if that is wanted.
pub(super) async fn serve(
    server: Arc<Server>,
    listener: TcpListener,
    ends_with_page: bool,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    tokio::spawn(accept(server.clone(), listener));
    let (mut was_open, mut away) = (false, Duration::ZERO);
    while !ends_with_page || !was_open || away < AWAY {
        let period = Duration::from_millis(250);
        tokio::time::sleep(period).await;
        let is_open = server.pages.n_open() + server.n_loading.load(Relaxed) > 0;
        was_open |= is_open;
        away = if is_open { Duration::ZERO } else { away + period };
    }
    Ok(())
}

/// Takes connections. Who opens very many without knowing the token loses the oldest of them, and takes none from the page.
async fn accept(server: Arc<Server>, listener: tokio::net::TcpListener) {
    let mut strangers: VecDeque<(Arc<AtomicBool>, AbortHandle)> = VecDeque::new();
    loop {
        // A browser that goes away is no reason to end.
        let Ok((connection, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        // A short answer is not held back until the browser has said that it has the last one.
        _ = connection.set_nodelay(true);
        let is_known = Arc::new(AtomicBool::new(false));
        let (server, known) = (server.clone(), is_known.clone());
        let service = service_fn(move |request| {
            let (server, known) = (server.clone(), known.clone());
            async move { Ok::<_, Infallible>(server.answer(request, &known).await) }
        });
        let mut connections = http1::Builder::new();
        connections.timer(TokioTimer::new()).header_read_timeout(PATIENCE).max_buf_size(64 << 10);
        let serving = connections.serve_connection(TokioIo::new(connection), service);
        let task = tokio::spawn(async { _ = serving.await });
        strangers.retain(|(is_known, task)| !task.is_finished() && !is_known.load(Relaxed));
        if strangers.len() >= MAX_STRANGERS
            && let Some((_, oldest)) = strangers.pop_front()
        {
            oldest.abort();
        }
        strangers.push_back((is_known, task.abort_handle()));
    }
}

/// Returns the body of a request, unless it is longer than allowed or does not arrive.
async fn whole(mut body: Incoming, limit: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    if body.size_hint().lower() > limit as u64 {
        return None;
    }
    while let Some(frame) = timeout(PATIENCE, body.frame()).await.ok()? {
        let Ok(data) = frame.ok()?.into_data() else { continue };
        if bytes.len() + data.len() > limit {
            return None;
        }
        bytes.extend_from_slice(&data);
    }
    Some(bytes)
}

impl Server {
    async fn answer(self: Arc<Self>, request: Request<Incoming>, known: &AtomicBool) -> Response<Answered> {
        if let Some(sentence) = foreign(request.headers()) {
            return refusal(StatusCode::FORBIDDEN, sentence);
        }
        let path = request.uri().path().to_owned();
        let own = path.strip_prefix('/').and_then(|path| path.strip_prefix(&*self.token));
        let Some(path) = own.and_then(|path| path.strip_prefix('/')) else {
            return refusal(StatusCode::NOT_FOUND, "this is no address of a page");
        };
        known.store(true, Relaxed);
        match (request.method(), path) {
            (&Method::GET, "") => file("served.html"),
            (&Method::GET, "started") => self.started(),
            (&Method::GET, path) => file(path),
            (&Method::POST, path) => self.clone().act(path, request).await,
            _ => refusal(StatusCode::METHOD_NOT_ALLOWED, "only GET and POST are answered"),
        }
    }

    /// What the page begins with: its files, and the place to show.
    fn started(&self) -> Response<Answered> {
        let started = serde_json::json!({
            "files": self.files.list(),
            "place": self.place,
            "sql": cfg!(feature = "sql"),
        });
        answer::bytes(StatusCode::OK, "application/json", started.to_string())
    }

    async fn act(self: Arc<Self>, path: &str, request: Request<Incoming>) -> Response<Answered> {
        let page = parameter(&request, "engine");
        let limit = if path == "file" { MAX_FILE } else { MAX_QUESTION };
        let name = parameter(&request, "name");
        let Some(body) = whole(request.into_body(), limit).await else {
            return refusal(StatusCode::PAYLOAD_TOO_LARGE, "this is more than a page sends");
        };
        let (messages, answer) = Messages::answer();
        match path {
            "ask" => self.pages.ask(&page, &messages, |messages| Asked::Question(body, messages)),
            "open" => {
                self.in_background(messages, move |server, messages| server.open(page, &body, messages))
            }
            "compare" => {
                self.in_background(messages, move |server, messages| server.compare(&page, &body, messages))
            }
            "finish" => self.pages.ask(&page, &messages, Asked::Finish),
            #[cfg(feature = "sql")]
            "query" => {
                let sql = String::from_utf8_lossy(&body).into_owned();
                self.pages.ask(&page, &messages, |messages| Asked::Query(sql, messages));
            }
            "file" => messages.send(wire::message(wire::Kind::Answer, &self.files.add(name, body))),
            "save" => return self.save(&body).await,
            "closed" => self.pages.close(&page),
            _ => return refusal(StatusCode::NOT_FOUND, "this is nothing that a page asks"),
        }
        answer
    }

    /// Does something that takes long on a thread of its own.
    fn in_background(
        self: Arc<Self>,
        messages: Messages,
        act: impl FnOnce(&Self, &Messages) + Send + 'static,
    ) {
        let told = messages.clone();
        if let Err(error) = std::thread::Builder::new().spawn(move || act(&self, &messages)) {
            told.send(wire::error(error.to_string()));
        }
    }

    /// Loads what a page wants to see.
    fn load(&self, wanted: &Wanted, messages: &Messages) -> Option<Engine> {
        let told = messages.clone();
        let tell =
            move |at: u64, what: Option<&str>| told.send(wire::message(wire::Kind::Progress, &(at, what)));
        match self.files.load(wanted, tell) {
            Ok(engine) => Some(engine),
            Err(error) => {
                let error = wire::WireError { message: error.message, offset: Some(error.offset) };
                messages.send(wire::message(wire::Kind::Error, &error));
                None
            }
        }
    }

    fn open(&self, page: String, wanted: &[u8], messages: &Messages) {
        let Some(wanted) = wanted_of(wanted, messages) else { return };
        let engine = match self.files.follow(&wanted) {
            Some(Ok(growing)) => growing,
            Some(Err(error)) => return messages.send(wire::error(words(&error))),
            None => match self.load(&wanted, messages) {
                Some(engine) => PageEngine::from(engine),
                None => return,
            },
        };
        messages.send(match self.pages.open(page, engine) {
            Ok(()) => wire::message(wire::Kind::Answer, &()),
            Err(error) => wire::error(error.to_string()),
        });
    }

    /// Compares the trace of a page with another one, of which only the call tree is kept.
    fn compare(&self, page: &str, wanted: &[u8], messages: &Messages) {
        let wanted = wanted_of(wanted, messages);
        let Some(mut other) = wanted.and_then(|wanted| self.load(&wanted, messages)) else { return };
        let Reply::Later(ticket) = other.ask(Question::Tree) else { return };
        let tree = loop {
            match other.go_on(ticket) {
                Progress::Of(..) if !messages.is_closed() => {}
                Progress::Done(Answer::Tree(tree)) => break tree,
                _ => return,
            }
        };
        drop(other);
        self.pages.ask(page, messages, |messages| Asked::Compare(tree, messages));
    }

    /// Returns a page of its own, which shows a place.
    async fn save(self: Arc<Self>, place: &[u8]) -> Response<Answered> {
        let Ok(place) = serde_json::from_slice::<Place>(place) else {
            return refusal(StatusCode::BAD_REQUEST, "this is no place");
        };
        let written = tokio::task::spawn_blocking(move || {
            let names: Vec<_> = place.files.iter().map(|file| file.name.clone()).collect();
            let mut page = Vec::new();
            let place = serde_json::to_string(&place).unwrap_or_default();
            spall_page::save(&mut page, &place, self.files.read(&names)?)?;
            Ok::<_, spall_page::SaveError>(page)
        });
        match written.await {
            Ok(Ok(page)) => answer::bytes(StatusCode::OK, "text/html; charset=utf-8", page),
            Ok(Err(error)) => {
                answer::bytes(StatusCode::CONFLICT, "text/plain; charset=utf-8", error.to_string())
            }
            Err(_) => refusal(StatusCode::INTERNAL_SERVER_ERROR, "the page could not be written"),
        }
    }
}

/// Returns what a page wants to see, or tells it what is wrong with that.
fn wanted_of(wanted: &[u8], messages: &Messages) -> Option<Wanted> {
    let wanted = wire::value(wanted);
    wanted.map_err(|error| messages.send(wire::error(error.to_string()))).ok()
}

/// Says what is wrong with a request that is not of this page: another site's page whose name now leads here, or that sends
/// something without being asked.
fn foreign(headers: &HeaderMap) -> Option<&'static str> {
    let text =
        |name| headers.get_all(name).iter().map(|value| value.to_str().unwrap_or("?")).collect::<Vec<_>>();
    let (hosts, origins) = (text(header::HOST), text(header::ORIGIN));
    let [host] = hosts.as_slice() else { return Some("a request names one host") };
    let name = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    let name = name.map_or(*host, |(name, _)| name).to_ascii_lowercase();
    if !matches!(&*name, "127.0.0.1" | "localhost" | "[::1]") {
        return Some("this host is not this machine");
    }
    let is_own = |origin: &&str| origin.strip_prefix("http://").is_some_and(|from| from == *host);
    let sites = text(header::HeaderName::from_static("sec-fetch-site"));
    let is_same = |site: &&str| matches!(*site, "same-origin" | "none");
    (!origins.iter().all(is_own) || !sites.iter().all(is_same)).then_some("this is a request of another page")
}

/// A file of the page.
fn file(path: &str) -> Response<Answered> {
    match spall_page::file(path) {
        Some(file) => answer::bytes(StatusCode::OK, spall_page::media_type(path), file.bytes),
        None => refusal(StatusCode::NOT_FOUND, "the page has no such file"),
    }
}

/// A parameter behind the `?` of an address; empty if there is none.
fn parameter(request: &Request<Incoming>, name: &str) -> String {
    let query = request.uri().query().unwrap_or_default();
    let found = query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
    unescaped(found.unwrap_or_default())
}

/// A text without its percent escapes.
fn unescaped(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().replace('+', " ").into_bytes();
    for part in parts {
        let byte = part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.extend(byte);
        bytes.extend(
            part.get(if byte.is_some() { 2.. } else { 0.. }).unwrap_or_default().replace('+', " ").bytes(),
        );
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
