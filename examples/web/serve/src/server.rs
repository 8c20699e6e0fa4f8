//! Serves the files of a folder to this machine only.

use std::{
    error::Error,
    fs::File,
    io::{self, BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::{Component, Path, PathBuf},
    thread,
    time::UNIX_EPOCH,
};

/// More bytes than the head of a request of a browser has.
const MAX_HEAD: u64 = 1 << 16;

/// Takes a port of the loopback address.
pub fn listen(port: u16) -> Result<TcpListener, Box<dyn Error>> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => {
            format!("port {port} is in use; name another one: cargo web {}", port.wrapping_add(1)).into()
        }
        _ => format!("cannot listen on port {port}: {error}").into(),
    })
}

/// Serves until the program is ended.
pub fn serve(listener: &TcpListener, folder: &Path) -> Result<(), Box<dyn Error>> {
    for connection in listener.incoming() {
        let (connection, folder) = (connection?, folder.to_owned());
        // A browser that goes away is no reason to end.
        thread::spawn(move || _ = answer(connection, &folder));
    }
    Ok(())
}

/// Answers the one request of a connection.
fn answer(mut connection: TcpStream, folder: &Path) -> io::Result<()> {
    let mut lines = BufReader::new(connection.try_clone()?.take(MAX_HEAD)).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    let (mut is_ours, mut known) = (false, String::new());
    // The browser waits until its whole request was read.
    for line in lines {
        let line = line?;
        if line.is_empty() {
            break;
        }
        let (key, value) = line.split_once(':').unwrap_or_default();
        match key.to_ascii_lowercase().as_str() {
            "host" => is_ours = is_loopback(value.trim()),
            "if-none-match" => value.trim().clone_into(&mut known),
            _ => {}
        }
    }
    let mut words = request.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let refusal = match method {
        _ if !is_ours => Some("421 Misdirected Request"),
        "GET" | "HEAD" => None,
        _ => Some("405 Method Not Allowed"),
    };
    if let Some(status) = refusal {
        return head(&mut connection, status, "text/plain", 0, "");
    }
    let Some(path) = local(folder, target.split(['?', '#']).next().unwrap_or_default()) else {
        return head(&mut connection, "400 Bad Request", "text/plain", 0, "");
    };
    let file = File::open(&path).ok().and_then(|file| Some((file.metadata().ok()?, file)));
    let Some((metadata, mut file)) = file.filter(|(metadata, _)| metadata.is_file()) else {
        return head(&mut connection, "404 Not Found", "text/plain", 0, "");
    };
    // A browser keeps what it has compiled for as long as the file is the same.
    let changed = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    let tag = format!("\"{:x}-{:x}\"", metadata.len(), changed.as_nanos());
    if known == tag {
        return head(&mut connection, "304 Not Modified", kind(&path), metadata.len(), &tag);
    }
    head(&mut connection, "200 OK", kind(&path), metadata.len(), &tag)?;
    if method == "HEAD" { Ok(()) } else { io::copy(&mut file, &mut connection).map(drop) }
}

/// Whether a `Host` is this machine by a name that no other machine has. Otherwise a page from elsewhere, whose name now
/// leads here, could read the files.
fn is_loopback(host: &str) -> bool {
    let name = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    matches!(name.map_or(host, |(name, _)| name), "127.0.0.1" | "localhost" | "[::1]")
}

/// The file that a request names, unless it lies outside of the folder. A folder has an `index.html`.
fn local(folder: &Path, target: &str) -> Option<PathBuf> {
    let text = unescaped(target)?;
    let path = Path::new(text.trim_start_matches('/'));
    let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    let found = folder.join(path);
    is_inside.then(|| if found.is_dir() { found.join("index.html") } else { found })
}

/// A text without its percent escapes, or `None` if one is cut or the bytes are not UTF-8.
fn unescaped(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        bytes.extend(part.get(2..)?.as_bytes());
    }
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

fn kind(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json") => "application/json",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}

fn head(connection: &mut TcpStream, status: &str, kind: &str, length: u64, tag: &str) -> io::Result<()> {
    let tag = if tag.is_empty() { String::new() } else { format!("ETag: {tag}\r\n") };
    write!(
        connection,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nCache-Control: no-cache\r\n{tag}\
         X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n\
         Connection: close\r\n\r\n"
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// What a folder with a page and a file of an odd name answers.
    fn asked(request: &str) -> String {
        asked_twice(|_| request.into())
    }

    /// What it answers the second time, to a request that is made of the first answer.
    fn asked_twice(request: impl Fn(&str) -> String) -> String {
        let folder =
            std::env::temp_dir().join(format!("serve-{}-{:?}", std::process::id(), thread::current().id()));
        fs::create_dir_all(folder.join("sub")).unwrap();
        fs::write(folder.join("index.html"), "page").unwrap();
        fs::write(folder.join("sub/index.html"), "below").unwrap();
        fs::write(folder.join("a ä%.json"), "{}").unwrap();
        let listener = listen(0).unwrap();
        let mut text = String::new();
        for _ in 0..2 {
            let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            client.write_all(request(&text).as_bytes()).unwrap();
            answer(listener.accept().unwrap().0, &folder).unwrap();
            text.clear();
            client.read_to_string(&mut text).unwrap();
        }
        fs::remove_dir_all(folder).unwrap();
        text
    }

    fn get(target: &str) -> String {
        asked(&format!("GET {target} HTTP/1.1\r\nHost: localhost:8000\r\n\r\n"))
    }

    #[test]
    fn files_are_found_by_their_escaped_names_and_folders_by_their_page() {
        assert!(get("/?trace=x").ends_with("\r\n\r\npage"));
        assert!(get("/sub/").ends_with("\r\n\r\nbelow"));
        assert!(get("/a%20%C3%A4%25.json").ends_with("\r\n\r\n{}"));
        for (target, status) in [
            ("/none", "404"),
            ("/%", "400"),
            ("/%zz", "400"),
            ("/../serve", "400"),
            ("/%2e%2e/serve", "400"),
            ("/%00", "400"),
        ] {
            assert!(get(target).starts_with(&format!("HTTP/1.1 {status} ")), "{target}");
        }
    }

    #[test]
    fn head_answers_with_the_length_alone() {
        let text = asked("HEAD / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
        assert!(text.contains("Content-Length: 4\r\n") && text.ends_with("\r\n\r\n"), "{text}");
        assert!(text.contains("nosniff"), "{text}");
    }

    #[test]
    fn a_file_that_the_browser_has_is_not_sent_again() {
        let request =
            |tag: &str| format!("GET / HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: {tag}\r\n\r\n");
        let same = |first: &str| {
            request(first.lines().find_map(|line| line.strip_prefix("ETag: ")).unwrap_or("\"none\""))
        };
        let text = asked_twice(same);
        assert!(text.starts_with("HTTP/1.1 304 ") && text.ends_with("\r\n\r\n"), "{text}");
        assert!(asked(&request("\"other\"")).ends_with("\r\n\r\npage"));
    }

    #[test]
    fn other_hosts_and_methods_are_refused() {
        for host in ["example.org", "localhost.example.org", "127.0.0.1.example.org:8000", ""] {
            let text = asked(&format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"));
            assert!(text.starts_with("HTTP/1.1 421 "), "{host}: {text}");
        }
        assert!(asked("GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 421 "));
        assert!(asked("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n").starts_with("HTTP/1.1 405 "));
    }

    #[test]
    fn a_port_in_use_is_a_sentence() {
        let taken = listen(0).unwrap();
        let port = taken.local_addr().unwrap().port();
        let text = listen(port).unwrap_err().to_string();
        assert!(text.starts_with(&format!("port {port} is in use; name another one")), "{text}");
    }
}
