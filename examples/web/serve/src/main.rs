//! Builds the viewer for the browser and serves it: `cargo web [--build] [PORT]`.
//!
//! Everything that the page needs is then in `examples/web/dist`, which any server of static files can serve.

mod build;
mod server;

use std::{error::Error, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_build = arguments.iter().any(|argument| argument == "--build");
    let port = arguments.iter().filter_map(|argument| argument.parse().ok()).next().unwrap_or(8000);
    if arguments.iter().any(|argument| argument != "--build" && argument.parse::<u16>().is_err()) {
        return Err("usage: cargo web [--build] [PORT]".into());
    }
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("the folder has no parent")?;
    let folder = web.join("dist");
    build::build(web, &folder)?;
    println!("built {}", folder.display());
    if is_build { Ok(()) } else { server::serve(&folder, port) }
}
