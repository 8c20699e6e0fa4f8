//! Serves the files of a folder to this machine only.

use std::{
    error::Error,
    fs::File,
    io::{self, BufRead, BufReader, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::{Component, Path, PathBuf},
    thread,
};

/// Serves until the program is ended.
pub fn serve(folder: &Path, port: u16) -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    println!("open http://{}/", listener.local_addr()?);
    for connection in listener.incoming() {
        let (connection, folder) = (connection?, folder.to_owned());
        // A browser that goes away is no reason to end.
        thread::spawn(move || _ = answer(connection, &folder));
    }
    Ok(())
}

/// Answers the one request of a connection.
fn answer(mut connection: TcpStream, folder: &Path) -> io::Result<()> {
    let mut lines = BufReader::new(connection.try_clone()?).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    // The browser waits until its whole request was read.
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let path = request.strip_prefix("GET ").and_then(|rest| rest.split([' ', '?']).next());
    let Some(path) = path.and_then(|path| local(folder, path)) else {
        return head(&mut connection, "400 Bad Request", "text/plain", 0);
    };
    let Ok(mut file) = File::open(&path) else {
        return head(&mut connection, "404 Not Found", "text/plain", 0);
    };
    head(&mut connection, "200 OK", kind(&path), file.metadata()?.len())?;
    io::copy(&mut file, &mut connection).map(drop)
}

/// The file that a request names, unless it lies outside of the folder.
fn local(folder: &Path, path: &str) -> Option<PathBuf> {
    let path = Path::new(path.trim_start_matches('/'));
    let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    is_inside.then(|| if path == Path::new("") { folder.join("index.html") } else { folder.join(path) })
}

fn kind(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}

fn head(connection: &mut TcpStream, status: &str, kind: &str, length: u64) -> io::Result<()> {
    write!(
        connection,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nCache-Control: no-store\r\n\
         Connection: close\r\n\r\n"
    )
}
