//! A server whose requests are spans of `tracing`, recorded as Trace Event JSON.
//!
//! `server OUT.json` answers eight requests of its own. Fields of spans are arguments, and events are instants.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::{error::Error, thread};

use spall_record::TracingLayer;
use tracing_subscriber::layer::SubscriberExt;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: server OUT.json")?;
    let session = spall_record::to_file(&path)?;
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(TracingLayer::new()))?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(move || TcpStream::connect(address)?.write_all(b"a request"));
        }
        for stream in listener.incoming().take(8).flatten() {
            scope.spawn(|| answer(stream));
        }
    });
    session.finish()?;
    Ok(())
}

fn answer(mut stream: TcpStream) -> io::Result<()> {
    let _request = tracing::info_span!("request", peer = %stream.peer_addr()?).entered();
    let mut name = [0; 16];
    let length = tracing::info_span!("read").in_scope(|| stream.read(&mut name))?;
    tracing::info!(bytes = length, "asked");
    tracing::info_span!("write").in_scope(|| stream.write_all(&name[..length]))
}
