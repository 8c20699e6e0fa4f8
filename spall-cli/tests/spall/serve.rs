//! The server of `spall open` and `spall serve`, asked as a browser would, and as somebody else would.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{Folder, TRACE};

/// A program that serves a trace.
pub(crate) struct Served {
    pub(crate) program: Child,
    host: String,
    token: String,
}

impl Served {
    pub(crate) fn new(folder: &Folder, arguments: &[&str]) -> Self {
        Self::with(&mut folder.command(arguments))
    }

    pub(crate) fn with(command: &mut Command) -> Self {
        command.env("BROWSER", "true").stdout(Stdio::piped());
        let mut program = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(program.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.strip_prefix("page: http://").unwrap_or_else(|| panic!("{line}")).trim_end();
        let (host, token) = address.trim_end_matches('/').split_once('/').unwrap();
        Self { program, host: host.into(), token: token.into() }
    }

    fn connect(&self) -> TcpStream {
        let connection = TcpStream::connect(&self.host).unwrap();
        connection.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        connection
    }

    /// The status and the text of the answer to a request.
    fn send(&self, head: &str, body: &[u8]) -> (u16, Vec<u8>) {
        let mut connection = self.connect();
        // The server may have refused before it has read all.
        _ = connection.write_all(format!("{head}\r\nConnection: close\r\n\r\n").as_bytes());
        _ = connection.write_all(body);
        let mut answer = Vec::new();
        _ = connection.read_to_end(&mut answer);
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap_or(answer.len());
        let status =
            String::from_utf8_lossy(&answer[..end]).split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.unwrap_or(0), answer.split_off((end + 4).min(answer.len())))
    }

    pub(crate) fn get(&self, path: &str) -> (u16, String) {
        let head = format!("GET {} HTTP/1.1\r\nHost: {}", path.replace('@', &self.token), self.host);
        let (status, body) = self.send(&head, b"");
        (status, String::from_utf8_lossy(&body).into_owned())
    }

    pub(crate) fn post(&self, path: &str, body: &[u8]) -> (u16, Vec<u8>) {
        let (token, host) = (&self.token, &self.host);
        let head = format!(
            "POST /{token}/{path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nContent-Length: {}",
            body.len()
        );
        self.send(&head, body)
    }

    /// Asks the engine of a page, and returns the kind and the value of the last message.
    pub(crate) fn ask(&self, page: &str, path: &str, question: &Value) -> (u8, Value) {
        let (status, body) =
            self.post(&format!("{path}?engine={page}"), &rmp_serde::to_vec_named(question).unwrap());
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
        // The body comes in chunks, which are of no interest: the last message ends with it.
        let chunks = chunks(&body);
        let mut rest = &chunks[..];
        let mut last = (u8::MAX, Value::Null);
        while let Some((length, more)) = rest.split_first_chunk() {
            let (message, behind) = more.split_at(u32::from_le_bytes(*length) as usize);
            last = (message[0], rmp_serde::from_slice(&message[1..]).unwrap_or(Value::Null));
            rest = behind;
        }
        last
    }

    fn is_over(&mut self, within: Duration) -> bool {
        let began = Instant::now();
        while began.elapsed() < within {
            if self.program.try_wait().unwrap().is_some() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        false
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        _ = self.program.kill();
        _ = self.program.wait();
    }
}

/// A body without the lengths of its chunks.
fn chunks(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = body.windows(2).position(|bytes| bytes == b"\r\n") {
        let length = usize::from_str_radix(std::str::from_utf8(&body[..end]).unwrap(), 16).unwrap();
        whole.extend(&body[end + 2..end + 2 + length]);
        body = &body[(end + 4 + length).min(body.len())..];
    }
    whole
}

#[test]
fn a_page_is_served_and_its_engine_answers() {
    let folder = Folder::new("serve").with("a.json", TRACE);
    let served = Served::new(&folder, &["serve", "a.json", "--hide", "io"]);
    assert!(served.get("/@/").1.contains("<trace-view whole-page>"));
    assert!(served.get("/@/ui/viewer.js").1.contains("export class Viewer"));
    let started: Value = serde_json::from_str(&served.get("/@/started").1).unwrap();
    assert_eq!(started["files"], json!([{ "name": "a.json", "size": TRACE.len(), "number": 0 }]));
    assert_eq!(started["place"], json!({ "files": [{ "name": "a.json" }], "categories": ["io"] }));

    let wanted = json!({ "files": [0], "offsets": [null], "value": null });
    assert_eq!(served.ask("one", "open", &wanted).0, 0);
    let (kind, about) = served.ask("one", "ask", &json!("about"));
    assert_eq!((kind, &about["format"]), (0, &json!("trace-event-json")));
    // Another page has an engine of its own.
    assert_eq!(served.ask("two", "ask", &json!("about")).1["message"], json!("the trace was closed"));
    assert_eq!(served.ask("two", "open", &wanted).0, 0);
    assert_eq!(served.ask("two", "ask", &json!("about")).1, about);
    assert_eq!(served.ask("two", "ask", &json!({ "nonsense": 1 })).0, 4);
    // A file that a page sends is opened like the others.
    let (status, _) = served.post("file?name=b%20%26c.json", TRACE.as_bytes());
    assert_eq!(status, 200);
    assert_eq!(served.ask("one", "open", &json!({ "files": [0, 1], "offsets": [null, "1000"] })).0, 0);
    let place = &served.ask("one", "ask", &json!({ "apply": [{}, null] })).1["place"];
    assert_eq!(place["files"], json!([{ "name": "a.json" }, { "name": "b &c.json", "offset": "1000" }]));
    assert_eq!(served.ask("one", "compare", &json!({ "files": [1], "offsets": [null] })).0, 0);
}

#[test]
fn who_is_not_the_page_is_refused() {
    let folder = Folder::new("serve_foreign").with("a.json", TRACE);
    let served = Served::new(&folder, &["serve", "a.json"]);
    let (token, host) = (&served.token, &served.host);
    let port = host.rsplit_once(':').unwrap().1;
    for (head, status) in [
        // An address that does not begin with the token is none.
        (format!("GET / HTTP/1.1\r\nHost: {host}"), 404),
        (format!("GET /started HTTP/1.1\r\nHost: {host}"), 404),
        (format!("GET /{}/ HTTP/1.1\r\nHost: {host}", "0".repeat(32)), 404),
        (format!("GET /{}/started HTTP/1.1\r\nHost: {host}", &token[..31]), 404),
        (format!("GET /{token} HTTP/1.1\r\nHost: {host}"), 404),
        // A name that leads here, but is that of another page.
        (format!("GET /{token}/started HTTP/1.1\r\nHost: example.com"), 403),
        (format!("GET /{token}/started HTTP/1.1\r\nHost: localhost.example.com:{port}"), 403),
        (format!("GET /{token}/started HTTP/1.1\r\nHost: {host}\r\nHost: example.com"), 403),
        (format!("GET /{token}/started HTTP/1.1"), 403),
        // Another page of the browser.
        (format!("GET /{token}/started HTTP/1.1\r\nHost: {host}\r\nOrigin: http://example.com"), 403),
        (format!("GET /{token}/started HTTP/1.1\r\nHost: {host}\r\nOrigin: null"), 403),
        (format!("GET /{token}/started HTTP/1.1\r\nHost: {host}\r\nOrigin: http://127.0.0.1:1"), 403),
        (format!("GET /{token}/started HTTP/1.1\r\nHost: {host}\r\nSec-Fetch-Site: cross-site"), 403),
        // What is no file of the page.
        (format!("GET /{token}/../../etc/passwd HTTP/1.1\r\nHost: {host}"), 404),
        (format!("GET /{token}/..%2f..%2fetc%2fpasswd HTTP/1.1\r\nHost: {host}"), 404),
        (format!("GET /{token}//etc/passwd HTTP/1.1\r\nHost: {host}"), 404),
        (format!("GET /{token}/a.json HTTP/1.1\r\nHost: {host}"), 404),
        (format!("DELETE /{token}/started HTTP/1.1\r\nHost: {host}"), 405),
        (format!("POST /{token}/nothing HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0"), 404),
        // Larger than any question, and than any file.
        (format!("POST /{token}/ask?engine=1 HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000000000"), 413),
        (format!("POST /{token}/file?name=a HTTP/1.1\r\nHost: {host}\r\nContent-Length: 9000000000"), 413),
        (format!("GET /{token}/{} HTTP/1.1\r\nHost: {host}", "x".repeat(100_000)), 414),
        (format!("GET /{token}/ HTTP/1.1\r\nHost: {host}\r\nX: {}", "x".repeat(1 << 20)), 431),
        ("\u{1}\u{2}\u{3}".to_owned(), 400),
    ] {
        let (is, _) = served.send(&head, b"");
        assert_eq!(is, status, "{}", &head[..head.len().min(200)]);
    }
    // The same by other names of this machine, such as at the other end of `ssh -L`.
    let (status, _) = served.send(
        &format!("GET /{token}/started HTTP/1.1\r\nHost: localhost:8000\r\nOrigin: http://localhost:8000"),
        b"",
    );
    assert_eq!(status, 200);
    // A body without an end.
    let head = format!("POST /{token}/ask?engine=1 HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked");
    let chunk = [format!("{:x}\r\n", 1 << 20).as_bytes(), &vec![b'x'; 1 << 20], b"\r\n"].concat();
    assert_eq!(served.send(&head, &chunk.repeat(10)).0, 413);
    for header in ["content-security-policy", "x-content-type-options", "referrer-policy"] {
        let mut connection = served.connect();
        write!(connection, "GET /{token}/ HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).unwrap();
        assert!(answer.contains(header), "{answer}");
    }
}

#[test]
fn ten_thousand_connections_take_nothing_from_the_page() {
    let folder = Folder::new("serve_many").with("a.json", TRACE);
    let served = Served::new(&folder, &["serve", "a.json"]);
    let address = served.host.parse().unwrap();
    let mut held = std::collections::VecDeque::new();
    for at in 0..10_000 {
        // More than the server has are held at one time, but fewer than this process may have.
        held.extend(TcpStream::connect_timeout(&address, Duration::from_millis(20)));
        held.drain(..held.len().saturating_sub(500));
        if at % 1000 == 0 {
            assert_eq!(served.get("/@/started").0, 200, "{at}");
        }
    }
    assert_eq!(served.get("/@/started").0, 200);
    drop(held);
    assert_eq!(served.get("/@/started").0, 200);
}

#[test]
fn open_ends_with_its_page_and_serve_goes_on() {
    let folder = Folder::new("open").with("a.json", TRACE);
    let mut open = Served::new(&folder, &["open", "a.json"]);
    let serve = Served::new(&folder, &["serve", "a.json"]);
    let wanted = json!({ "files": [0], "offsets": [null] });
    for served in [&open, &serve] {
        assert_eq!(served.ask("one", "open", &wanted).0, 0);
        assert_eq!(served.post("closed?engine=one", b"").0, 200);
        // It is loaded again.
        assert_eq!(served.ask("two", "open", &wanted).0, 0);
    }
    assert!(!open.is_over(Duration::from_secs(4)), "a page is open");
    for served in [&open, &serve] {
        assert_eq!(served.post("closed?engine=two", b"").0, 200);
    }
    assert!(open.is_over(Duration::from_secs(10)));
    assert_eq!(open.program.wait().unwrap().code(), Some(0));
    assert_eq!(serve.get("/@/").0, 200);
}

#[test]
fn what_cannot_be_served_is_said() {
    let folder = Folder::new("serve_not").with("a.json", TRACE);
    folder.fails(&["serve", "none.json"], "none.json: there is no such file. Check the name and the folder.");
    let served = Served::new(&folder, &["serve", "a.json"]);
    let port = served.host.rsplit_once(':').unwrap().1;
    folder.fails(
        &["serve", "a.json", "--port", port],
        &format!("port {port} is in use. Name another one with `--port`, or none for any that is free."),
    );
    // A browser that is not there is no reason to end: the page is printed.
    let mut command = folder.command(&["open", "a.json"]);
    let mut program = command
        .env("BROWSER", "no such browser")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(program.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("no browser could be started. Open the page by hand"), "{line}");
    program.kill().unwrap();
    program.wait().unwrap();
}
