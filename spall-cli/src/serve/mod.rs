//! `spall open` and `spall serve`: the viewer in a browser, whose engine is this program.

mod answer;
mod engine;
mod files;
mod http;
mod pages;
#[cfg(feature = "sql")]
mod sql;
mod stream;

use std::{
    io,
    net::{Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
    time::Duration,
};

use spall_view::{Mark, Place, PlaceFile};

use self::{files::Files, http::Server, pages::Pages};
use crate::{
    error::{Error, Result},
    input::inputs,
    selection::Viewed,
    session::Session,
    shown::{Printed, to_stdout},
};

/// How long something goes on that takes long, before the questions of a page are looked at.
const TURN: Duration = Duration::from_millis(8);

/// How the page is reached.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reach {
    /// The port, or 0 for any that is free.
    pub(crate) port: u16,
    /// Whether the browser of this machine is started.
    pub(crate) browser: bool,
    /// Whether the program ends once no page is open any more.
    pub(crate) ends_with_page: bool,
    /// Whether the file is shown as it grows.
    pub(crate) follows: bool,
}

/// Serves the viewer of some files until its page is closed, or the user interrupts the program.
pub(crate) fn run(
    arguments: &[PathBuf],
    notes: Option<&Path>,
    selection: &Viewed,
    reach: Reach,
    session: &Session,
) -> Result<()> {
    let files = Files::new(&inputs(arguments)?, reach.follows)?;
    let place = Place {
        files: files.names().map(|name| PlaceFile { name, offset: None }).collect(),
        marks: notes.map(read_notes).transpose()?.unwrap_or_default(),
        ..selection.place()
    };
    let listener = listen(reach.port)?;
    let address = listener.local_addr().map_err(|error| failed(&error))?;
    let token = token()?;
    let page = format!("http://{address}/{token}/");
    session.done();
    to_stdout(Printed::Text, |out| writeln!(out, "page: {page}\nCtrl-C ends it."))?;
    if reach.browser {
        show(&page, session);
    }
    let server = Arc::new(Server {
        token,
        files: Arc::new(files),
        place,
        pages: Pages::default(),
        n_loading: 0.into(),
    });
    // One thread is enough for what goes back and forth; loading and answering have threads of their own.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let served =
        runtime.and_then(|runtime| runtime.block_on(http::serve(server, listener, reach.ends_with_page)));
    served.map_err(|error| failed(&error))
}

/// Reads marks and notes, which are a part of a place.
fn read_notes(path: &Path) -> Result<Vec<Mark>> {
    let text = std::fs::read(path).map_err(|error| Error::reading(path, &error))?;
    let read = serde_json::from_slice::<Place>(&text);
    let name = path.display();
    Ok(read.map_err(|error| Error::new(format_args!("{name} has no notes: {error}.")))?.marks)
}

fn failed(error: &io::Error) -> Error {
    Error::new(format_args!("the page cannot be served: {error}."))
}

/// Takes a port of this machine alone.
fn listen(port: u16) -> Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => Error::new(format_args!(
            "port {port} is in use. Name another one with `--port`, or none for any that is free."
        )),
        _ => Error::new(format_args!("port {port} cannot be listened on: {error}.")),
    })
}

/// A part of the address that nobody can guess: other users of this machine, and other pages of the browser, do not know it.
fn token() -> Result<String> {
    let mut random = [0; 16];
    getrandom::fill(&mut random)
        .map_err(|error| Error::new(format_args!("there are no random numbers for the address: {error}.")))?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Starts the browser.
fn show(page: &str, session: &Session) {
    let mut browser = match std::env::var_os("BROWSER") {
        Some(browser) => Command::new(browser),
        None if cfg!(target_os = "macos") => Command::new("open"),
        None if cfg!(windows) => Command::new("explorer"),
        None => Command::new("xdg-open"),
    };
    browser.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match browser.spawn() {
        // Some programs end at once, others with the browser.
        Ok(mut started) => drop(std::thread::spawn(move || started.wait())),
        Err(_) => session.tell(
            "no browser could be started. Open the page by hand, or name a program in the variable BROWSER.",
        ),
    }
}
