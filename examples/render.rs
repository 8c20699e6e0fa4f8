//! Draws a trace: `render [FILE [PICTURE.svg|PICTURE.html]]`.
//!
//! Without a file it draws the trace that comes with the project, without a picture it draws `render.html` in the
//! current folder. It prints what it read and where the picture is.

use std::{
    error::Error,
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use spall_examples::{
    phases::Phases,
    picture::{self, Scene},
};
use spall_trace::model::Limits;

fn main() -> ExitCode {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let (trace, picture) = match arguments.as_slice() {
        [] => (bundled(), PathBuf::from("render.html")),
        [trace] => (trace.clone(), PathBuf::from("render.html")),
        [trace, picture] => (trace.clone(), picture.clone()),
        _ => return usage(),
    };
    let Some(kind) = kind_of(&picture) else { return usage() };
    match render(&trace, &picture, kind) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", trace.display());
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: render [FILE [PICTURE.svg|PICTURE.html]]");
    ExitCode::from(2)
}

/// The trace that comes with the project.
fn bundled() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/record.spall")
}

enum Kind {
    Svg,
    Html,
}

fn kind_of(picture: &Path) -> Option<Kind> {
    let extension = picture.extension()?;
    if extension.eq_ignore_ascii_case("svg") {
        return Some(Kind::Svg);
    }
    extension.eq_ignore_ascii_case("html").then_some(Kind::Html)
}

fn render(path: &Path, picture: &Path, kind: Kind) -> Result<(), Box<dyn Error>> {
    let mut phases = Phases::start();
    let data = std::fs::read(path)?;
    phases.end("read");
    let format = spall_trace::detect(&data).ok_or(spall_trace::Error::UnknownFormat)?;
    let trace = spall_trace::merge_samples(spall_trace::load_as(format, &data, &Limits::default())?);
    phases.end("load");
    let scene = Scene::new(&trace);
    phases.end("layout");
    let title = path.file_name().unwrap_or_default().to_string_lossy();
    let about = picture::about(&scene, format.name());
    let notes = picture::notes(&scene);
    let text = match kind {
        Kind::Svg => picture::svg(&scene, &title, &about, &notes),
        Kind::Html => picture::html(&scene, &title, &about, &notes, picture::MAX_BOXES),
    };
    std::fs::write(picture, text)?;
    phases.end("draw");
    let mut lines = vec![format!("{title}: {about}")];
    lines.extend(notes.iter().map(|note| format!("  {note}")));
    lines.push(phases.report());
    lines.push(format!("picture: {}\n", std::path::absolute(picture)?.display()));
    // Whoever reads this may have seen enough.
    _ = io::stdout().write_all(lines.join("\n").as_bytes());
    Ok(())
}
