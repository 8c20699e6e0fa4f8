//! Draws traces: `render [FILE… [PICTURE.svg|PICTURE.html]]`.
//!
//! Without a file it draws the trace that comes with the project, without a picture it draws `render.html` in the
//! current folder. Several files are put on one axis of time. It prints what it read and where the picture is.

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
use spall_trace::{Loader, MergeInput, merge_traces, model::Limits};

fn main() -> ExitCode {
    let mut files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if files.iter().any(|file| file.as_os_str().as_encoded_bytes().starts_with(b"-")) {
        eprintln!("usage: render [FILE… [PICTURE.svg|PICTURE.html]]");
        return ExitCode::from(2);
    }
    let picture = files.pop_if(|last| kind_of(last).is_some()).unwrap_or_else(|| "render.html".into());
    if files.is_empty() {
        files.push(bundled());
    }
    match render(&files, &picture) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
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

fn render(files: &[PathBuf], picture: &Path) -> Result<(), Box<dyn Error>> {
    let limits = Limits::default();
    let mut phases = Phases::start();
    let mut inputs = Vec::new();
    for path in files {
        let load = || -> Result<_, Box<dyn Error>> {
            let data = std::fs::read(path)?;
            let trace = Loader::new().load(&data)?.into_owned();
            Ok((spall_trace::detect(&data).map_or("", spall_trace::Format::name), trace))
        };
        let (format, trace) = load().map_err(|error| format!("{}: {error}", path.display()))?;
        inputs.push((path.file_name().unwrap_or_default().to_string_lossy(), format, trace));
    }
    phases.end("load");
    let title = inputs.iter().map(|(name, ..)| name.as_ref()).collect::<Vec<_>>().join(", ");
    let formats = inputs.iter().map(|(_, format, _)| *format).collect::<Vec<_>>().join(", ");
    let mut placements = Vec::new();
    let trace = match inputs.len() {
        1 => inputs.remove(0).2,
        _ => {
            let inputs: Vec<_> = inputs.iter().map(|(name, _, trace)| MergeInput::new(trace, name)).collect();
            let merged = merge_traces(&inputs, &limits);
            let names = inputs.iter().map(|input| input.name).zip(&merged.placements);
            placements
                .extend(names.map(|(name, placement)| format!("{name} {}", placement.by.description())));
            merged.trace
        }
    };
    let trace = spall_trace::merge_samples(trace);
    phases.end("merge");
    let scene = Scene::new(&trace);
    phases.end("layout");
    let about = picture::about(&scene, &formats);
    let notes = [placements, picture::notes(&scene)].concat();
    let text = match kind_of(picture) {
        Some(Kind::Svg) => picture::svg(&scene, &title, &about, &notes),
        _ => picture::html(&scene, &title, &about, &notes, picture::MAX_BOXES),
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
