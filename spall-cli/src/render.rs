//! `spall render` and `spall open`: pictures of traces.

use std::{
    fs::Metadata,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use spall_trace::Alignment;

use crate::{
    error::{Error, Result},
    input::{Opened, open},
    output::{Output, temporary_folder},
    picture::{self, Scene},
    selection::Selection,
    session::{Session, finished},
    shown::{Printed, to_stdout},
};

/// The trace that comes with the project.
const BUNDLED: &[u8] = include_bytes!("../../testdata/record.spall");

/// The beginning of the names of the folders of pages.
const PAGES: &str = "spall-page-";

/// The time after which a page that was shown is removed.
const AGE: Duration = Duration::from_secs(24 * 60 * 60);

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

/// Draws all files, without the categories `hide`, into the last one, which is a picture, or into `render.html`.
pub(crate) fn run(
    mut files: Vec<PathBuf>,
    force: bool,
    selection: &Selection,
    session: &Session,
) -> Result<()> {
    let picture = match files.pop_if(|last| kind_of(last).is_some()) {
        Some(picture) => picture,
        None => "render.html".into(),
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
    let output = Output::new(&picture, &files, force)?;
    let said = draw(&files, selection, kind_of(&picture).unwrap_or(Kind::Html), &output, session)?;
    let picture = std::path::absolute(&picture).unwrap_or(picture);
    Ok(to_stdout(Printed::Text, |out| writeln!(out, "{said}\npicture: {}", picture.display()))?)
}

/// Draws files into a page of a temporary folder, and shows it in the browser. Nobody but the user can read the page.
///
/// A browser may read the page at any time after it was started, so the page stays, and the next call removes it.
pub(crate) fn show(files: &[PathBuf], selection: &Selection, session: &Session) -> Result<()> {
    let folder = temporary_folder(PAGES)?;
    remove_old_pages(&folder);
    let page = folder.join("trace.html");
    draw(files, selection, Kind::Html, &Output::private(&page), session)?;
    finished(&folder, || ());
    let mut browser = match std::env::var_os("BROWSER") {
        Some(browser) => Command::new(browser),
        None if cfg!(target_os = "macos") => Command::new("open"),
        None if cfg!(windows) => Command::new("explorer"),
        None => Command::new("xdg-open"),
    };
    let page = page.display();
    let shown = browser.arg(page.to_string()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    match shown {
        Ok(status) if status.success() || cfg!(windows) => {
            Ok(to_stdout(Printed::Text, |out| writeln!(out, "page: {page}"))?)
        }
        _ => Err(Error::new(format_args!(
            "{page}: no browser could be started for this page. Open it by hand, or name a program in the variable BROWSER."
        ))),
    }
}

/// Removes the folders of pages that were shown longer than [`AGE`] ago, but those of other users than the owner of `new`.
fn remove_old_pages(new: &Path) {
    let entries = std::env::temp_dir().read_dir().into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PAGES)) {
        // This is about the entry itself: what a symbolic link names is left alone.
        let Ok(found) = entry.metadata() else { continue };
        let is_old = found.modified().is_ok_and(|at| at.elapsed().is_ok_and(|age| age > AGE));
        if found.is_dir() && is_old && is_of_one_user(&found, new) {
            // Nobody is told when that fails: it is no part of what was asked for.
            _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn is_of_one_user(found: &Metadata, new: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        new.metadata().is_ok_and(|new| new.uid() == found.uid())
    }
    // Elsewhere each user has temporary files of their own.
    #[cfg(not(unix))]
    {
        found.is_dir() && new.is_dir()
    }
}

/// Draws traces, and returns what there is to say about them.
fn draw(
    files: &[PathBuf],
    selection: &Selection,
    kind: Kind,
    output: &Output,
    session: &Session,
) -> Result<String> {
    let opened = match files {
        [] => bundled()?,
        _ => open(files, Alignment::Auto, session)?,
    };
    let placed = opened.placements.iter();
    let mut notes: Vec<_> =
        placed.map(|(name, placement)| format!("{name} {}", placement.by.description())).collect();
    let trace = selection.of_value(opened.trace, &opened.title, session)?;
    let trace = spall_trace::merge_samples(trace);
    session.doing("laying out");
    let scene = Scene::without(&trace, selection.hidden(&trace, &opened.title, session));
    let told = [notes.clone(), picture::not_as_in_the_file(&scene)].concat();
    notes.extend(picture::notes(&scene));
    session.doing("drawing");
    let (title, about) = (&opened.title, picture::about(&scene, &opened.formats));
    let text = match kind {
        Kind::Svg => picture::svg(&scene, title, &about, &notes),
        Kind::Html => picture::html(&scene, title, &about, &notes, picture::MAX_BOXES),
    };
    output.write(|out| out.write_all(text.as_bytes()))?;
    told.iter().for_each(|note| session.tell(note));
    session.done();
    Ok(format!("{title}: {about}"))
}

fn bundled() -> Result<Opened> {
    let path = Path::new("record.spall");
    let trace = spall_trace::load(BUNDLED).map_err(|error| Error::loading(path, &error))?;
    Ok(Opened { title: "record.spall".into(), formats: "spall-v3".into(), trace, placements: Vec::new() })
}
