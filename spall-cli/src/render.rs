//! `spall render`: pictures of traces, and pages that have traces in themselves.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use spall_trace::Alignment;
use spall_view::{Place, PlaceFile};

use crate::{
    error::{Error, Result},
    input::{Opened, inputs, on_disk, open},
    output::Output,
    picture::{self, Scene},
    selection::Selection,
    session::Session,
    shown::{Printed, to_stdout},
};

/// The trace that comes with the viewer.
const BUNDLED: &str = "record.spall";

#[derive(Clone, Copy)]
enum Kind {
    Svg,
    Html,
}

/// Returns what a name says a picture is, if it says so.
fn kind_of(name: &Path) -> Option<Kind> {
    let end = name.extension()?.to_ascii_lowercase();
    if end == "svg" { Some(Kind::Svg) } else { (end == "html").then_some(Kind::Html) }
}

/// Draws all files, without the categories `hide`, into the last one, which is a picture, or into `render.svg`.
pub(crate) fn run(
    mut files: Vec<PathBuf>,
    force: bool,
    selection: &Selection,
    session: &Session,
) -> Result<()> {
    let picture = match files.pop_if(|last| kind_of(last).is_some()) {
        Some(picture) => picture,
        None => "render.svg".into(),
    };
    if let [_, .., last] = files.as_slice()
        && !last.exists()
        && last.extension().is_some_and(|end| {
            ["png", "jpg", "jpeg", "gif", "webp", "pdf", "htm"].iter().any(|no| end.eq_ignore_ascii_case(no))
        })
    {
        let last = last.display();
        return Err(Error::new(format_args!(
            "{last}: only .svg and .html can be drawn. Give a name with one of these ends."
        )));
    }
    let output = Output::new(&picture, &files, Some(force))?;
    let said = match kind_of(&picture) {
        Some(Kind::Html) => save(files, selection, &output, session)?,
        _ => draw(&files, selection, &output, session)?,
    };
    let picture = std::path::absolute(&picture).unwrap_or(picture);
    Ok(to_stdout(Printed::Text, |out| writeln!(out, "{said}\npicture: {}", picture.display()))?)
}

/// Writes a page that has the files in itself, and returns what there is to say about them.
fn save(files: Vec<PathBuf>, selection: &Selection, output: &Output, session: &Session) -> Result<String> {
    if !selection.section.is_all() {
        return Err(Error::new(format_args!(
            "{}: a page has whole files in itself. `spall cut` writes a section of a trace, of which a page can be made.",
            output.path.display()
        )));
    }
    if !spall_page::can_save() {
        return Err(Error::new(format_args!(
            "{}: {}. A name that ends with .svg makes a picture, which needs nothing.",
            output.path.display(),
            spall_page::SaveError::NotBuilt
        )));
    }
    let paths = match files.as_slice() {
        [] => Vec::new(),
        _ => on_disk(inputs(&files)?)?,
    };
    let opened = opened(&paths, session)?;
    let trace = selection.of_value(opened.trace, &opened.title, session)?;
    let scene = Scene::without(&trace, selection.hidden(&trace, &opened.title, session));
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut sources: Vec<(String, Box<dyn Read>)> = Vec::new();
    for path in &paths {
        let file = File::open(path).map_err(|error| Error::reading(path, &error))?;
        sources.push((name(path), Box::new(file)));
    }
    if paths.is_empty() {
        sources.push((BUNDLED.into(), Box::new(bundled())));
    }
    let files = sources.iter().map(|(name, _)| PlaceFile { name: name.clone(), offset: None }).collect();
    let place = Place { files, ..selection.place() };
    let place = serde_json::to_string(&place).map_err(|error| Error::new(format_args!("{error}")))?;
    session.doing("packing");
    let saved = output.write(|mut out| match spall_page::save(&mut out, &place, sources) {
        Ok(()) => Ok(()),
        Err(spall_page::SaveError::Io(error)) => Err(error),
        Err(error) => Err(std::io::Error::other(error)),
    });
    session.done();
    saved?;
    Ok(format!("{}: {}", opened.title, picture::about(&scene, &opened.formats)))
}

/// Draws traces, and returns what there is to say about them.
fn draw(files: &[PathBuf], selection: &Selection, output: &Output, session: &Session) -> Result<String> {
    let opened = opened(files, session)?;
    let placed = opened.placements.iter();
    let mut notes: Vec<_> =
        placed.map(|(name, placement)| format!("{name} {}", placement.by.description())).collect();
    let trace = selection.drawn(opened.trace, &opened.title, session)?;
    session.doing("laying out");
    let scene = Scene::without(&trace, selection.hidden(&trace, &opened.title, session));
    let told = [notes.clone(), picture::not_as_in_the_file(&scene)].concat();
    notes.extend(picture::notes(&scene));
    session.doing("drawing");
    let (title, about) = (&opened.title, picture::about(&scene, &opened.formats));
    let text = picture::svg(&scene, title, &about, &notes);
    output.write(|out| out.write_all(text.as_bytes()))?;
    told.iter().for_each(|note| session.tell(note));
    session.done();
    Ok(format!("{title}: {about}"))
}

/// Loads files, or the bundled trace if there are none.
fn opened(files: &[PathBuf], session: &Session) -> Result<Opened> {
    if !files.is_empty() {
        return open(files, Alignment::Auto, session);
    }
    let trace = spall_trace::load(bundled()).map_err(|error| Error::loading(Path::new(BUNDLED), &error))?;
    Ok(Opened { title: BUNDLED.into(), formats: "spall-v3".into(), trace, placements: Vec::new() })
}

fn bundled() -> &'static [u8] {
    spall_page::file(BUNDLED).map_or(&[], |file| file.bytes)
}
