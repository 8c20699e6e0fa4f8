//! Serves the files of a folder to this machine only.

use std::{
    error::Error,
    fs::File,
    io::{self, BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::{Component, Path, PathBuf},
    thread,
    time::{Duration, UNIX_EPOCH},
};

/// More bytes than the head of a request of a browser has.
const MAX_HEAD: u64 = 1 << 16;
/// A browser that says nothing for so long is not waited for. It opens connections ahead of its requests.
const PATIENCE: Duration = Duration::from_secs(60);

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
        let folder = folder.to_owned();
        // A browser that goes away is no reason to end, and neither is one that opens too many connections.
        let begun = connection
            .and_then(|connection| thread::Builder::new().spawn(move || _ = answer(connection, &folder)));
        if begun.is_err() {
            thread::sleep(Duration::from_millis(10));
        }
    }
    Ok(())
}

/// Answers the one request of a connection.
fn answer(mut connection: TcpStream, folder: &Path) -> io::Result<()> {
    connection.set_read_timeout(Some(PATIENCE))?;
    connection.set_write_timeout(Some(PATIENCE))?;
    let mut lines = BufReader::new(connection.try_clone()?.take(MAX_HEAD)).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    // Of several hosts, each has to be this machine.
    let (mut is_ours, mut is_of_other, mut known) = (false, false, String::new());
    let mut is_whole = false;
    // The browser waits until its whole request was read.
    for line in lines {
        let line = line?;
        if line.is_empty() {
            is_whole = true;
            break;
        }
        let (key, value) = line.split_once(':').unwrap_or_default();
        match key.to_ascii_lowercase().as_str() {
            "host" => match is_loopback(value.trim()) {
                true => is_ours = true,
                false => is_of_other = true,
            },
            "if-none-match" => value.trim().clone_into(&mut known),
            _ => {}
        }
    }
    let mut words = request.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let refusal = match method {
        _ if !is_whole => Some("431 Request Header Fields Too Large"),
        _ if !is_ours || is_of_other => Some("421 Misdirected Request"),
        "GET" | "HEAD" => None,
        _ => Some("405 Method Not Allowed"),
    };
    if let Some(status) = refusal {
        return head(&mut connection, status, "text/plain", 0, "");
    }
    let Some(path) = local(folder, target.split(['?', '#']).next().unwrap_or_default()) else {
        return head(&mut connection, "400 Bad Request", "text/plain", 0, "");
    };
    // To open a pipe waits for its other end, so what is no file is not opened.
    let file = is_plain(folder, &path).then(|| File::open(&path)).and_then(Result::ok);
    let file = file.and_then(|file| Some((file.metadata().ok()?, file)));
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
    let name = name.map_or(host, |(name, _)| name).to_ascii_lowercase();
    matches!(&*name, "127.0.0.1" | "localhost" | "[::1]")
}

/// The file that a request names, unless it lies outside of the folder. A folder has an `index.html`.
fn local(folder: &Path, target: &str) -> Option<PathBuf> {
    let text = unescaped(target)?;
    let path = Path::new(text.trim_start_matches('/'));
    let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    let found = folder.join(path);
    is_inside.then(|| if found.is_dir() { found.join("index.html") } else { found })
}

/// Whether a path inside of the folder is a file that no symbolic link leads to: a link may lead anywhere.
fn is_plain(folder: &Path, path: &Path) -> bool {
    let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.file_type().is_symlink());
    let below = path.ancestors().take_while(|&above| above != folder);
    path.symlink_metadata().is_ok_and(|found| found.is_file()) && !{ below }.any(is_link)
}

/// A text without its percent escapes, or `None` if one is cut or the bytes are not UTF-8.
fn unescaped(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        // The standard library would also take a sign.
        let digits = part.get(..2).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
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
        let outside = folder.with_extension("outside");
        fs::create_dir_all(&outside).unwrap();
        fs::write(outside.join("secret"), "secret").unwrap();
        #[cfg(unix)]
        for (to, name) in
            [(outside.join("secret"), "link"), (outside.clone(), "links"), ("index.html".into(), "inner")]
        {
            std::os::unix::fs::symlink(to, folder.join(name)).unwrap();
        }
        let listener = listen(0).unwrap();
        let mut text = String::new();
        for _ in 0..2 {
            let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let request = request(&text);
            let mut sender = client.try_clone().unwrap();
            // What is never read may not be written to its end.
            let sending = thread::spawn(move || {
                _ = sender.write_all(request.as_bytes());
                _ = sender.shutdown(std::net::Shutdown::Write);
            });
            answer(listener.accept().unwrap().0, &folder).unwrap();
            text.clear();
            _ = client.read_to_string(&mut text);
            sending.join().unwrap();
        }
        fs::remove_dir_all(folder).unwrap();
        fs::remove_dir_all(outside).unwrap();
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
            ("/%+1", "400"),
            ("/%2", "400"),
            ("/%ff", "400"),
            ("/%2e%2e%2fserve", "400"),
            ("/sub%2f..%2f..%2fserve", "400"),
            ("/sub/../../serve", "400"),
            ("/%252e%252e/serve", "404"),
            ("//etc/passwd", "404"),
            ("/%2fetc/passwd", "404"),
            ("http://localhost/../serve", "400"),
            ("/..\\serve", if cfg!(windows) { "400" } else { "404" }),
            ("/C:/", if cfg!(windows) { "400" } else { "404" }),
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
        for host in [
            "example.org",
            "localhost.example.org",
            "127.0.0.1.example.org:8000",
            "localhost:80@example.org",
            "localhost:8000:",
            "localhost example.org",
            "[::1].example.org",
            "0.0.0.0",
            "127.0.0.1\r\nHost: example.org",
            "example.org\r\nHost: 127.0.0.1",
            "",
        ] {
            let text = asked(&format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"));
            assert!(text.starts_with("HTTP/1.1 421 "), "{host}: {text}");
        }
        assert!(asked("GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 421 "));
        assert!(asked("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n").starts_with("HTTP/1.1 405 "));
        for host in ["LocalHost:8000", "[::1]:8000", "127.0.0.1\r\nHost: localhost"] {
            let text = asked(&format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"));
            assert!(text.ends_with("\r\n\r\npage"), "{host}: {text}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn symbolic_links_are_not_followed() {
        for target in ["/link", "/links/secret", "/links/", "/inner", "/sub/../link"] {
            let text = get(target);
            assert!(!text.contains("200 OK") && !text.contains("secret"), "{target}: {text}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_not_opened() {
        let folder = std::env::temp_dir().join(format!("serve-pipe-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let pipe = folder.join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert!(!is_plain(&folder, &pipe) && !is_plain(&folder, &folder.join("none")));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_request_without_an_end_is_refused() {
        let long = "x".repeat(2 * MAX_HEAD as usize);
        for request in [
            long.clone(),
            format!("GET /{long} HTTP/1.1\r\nHost: localhost\r\n\r\n"),
            format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {long}\r\n\r\n"),
            format!("GET / HTTP/1.1\r\nHost: localhost\r\n{}", "X: y\r\n".repeat(20_000)),
            "GET / HTTP/1.1\r\nHost: localhost\r\n".to_owned(),
            String::new(),
        ] {
            let text = asked(&request);
            assert!(text.is_empty() || text.starts_with("HTTP/1.1 431 "), "{text}");
        }
        // Longer than any name of a file, but a request.
        let name = "x".repeat(5000);
        assert!(get(&format!("/{name}")).starts_with("HTTP/1.1 404 "));
    }

    #[test]
    fn a_port_in_use_is_a_sentence() {
        let taken = listen(0).unwrap();
        let port = taken.local_addr().unwrap().port();
        let text = listen(port).unwrap_err().to_string();
        assert!(text.starts_with(&format!("port {port} is in use; name another one")), "{text}");
    }
}
