//! Builds the viewer for the browser and serves it: `cargo web [--minimal] [--build] [PORT]`.
//!
//! Everything that the page needs is then in a folder `dist`, which any server of static files can serve. With
//! `--minimal` it is the smallest viewer.

mod build;
mod server;

use std::{error::Error, path::Path, process::ExitCode};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let (mut page, mut is_build, mut port) = (&build::VIEWER, false, 8000);
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--build" => is_build = true,
            "--minimal" => page = &build::MINIMAL,
            other => port = other.parse().map_err(|_| "usage: cargo web [--minimal] [--build] [PORT]")?,
        }
    }
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("the folder has no parent")?;
    // The build takes minutes, so what would be in the way is found out before.
    let listener = if is_build { None } else { Some(server::listen(port)?) };
    let folder = build::build(web, page)?;
    println!("built {}", folder.display());
    let Some(listener) = listener else { return Ok(()) };
    println!("open http://{}/", listener.local_addr()?);
    server::serve(&listener, &folder)
}
