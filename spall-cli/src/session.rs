//! One run of the command: what it says on the error stream, and what is left when it is interrupted.

use std::{
    collections::BTreeSet,
    fmt::Display,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use spall_trace::export::ExportReport;

use crate::shown;

/// The files that are not complete yet, and the folders of temporary files. They are removed at the end, and when the user
/// interrupts the command.
static TEMPORARY: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The time after which the user is shown that something goes on.
const PATIENCE: Duration = Duration::from_secs(1);

/// The line on the error stream that shows what goes on, and the way to say something beside it.
pub(crate) struct Session {
    /// Whether everything is said of which there may be much.
    pub(crate) verbose: bool,
    /// Whether nothing is said but errors and what was asked for.
    quiet: bool,
    bar: ProgressBar,
}

impl Session {
    /// Starts a run, and sees to it that an interruption leaves no half of a file behind.
    pub(crate) fn start(verbose: bool, quiet: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let shown = bar.clone();
        std::thread::spawn(move || {
            std::thread::sleep(PATIENCE);
            if quiet {
                return;
            }
            shown.set_draw_target(ProgressDrawTarget::stderr());
            shown.enable_steady_tick(Duration::from_millis(100));
        });
        // Without a handler, the system ends the program, too.
        _ = ctrlc::set_handler(|| {
            // Nobody can make or finish a file from here on, as both need the list.
            let mut paths = temporary_paths();
            remove_all(&mut paths);
            #[cfg(feature = "tui")]
            spall_terminal::give_back();
            std::process::exit(130);
        });
        Self { verbose, quiet, bar }
    }

    /// Shows what is being done, if it takes long.
    pub(crate) fn doing(&self, what: impl Display) {
        self.bar.set_style(ProgressStyle::default_spinner());
        self.bar.set_message(shown::line(what));
    }

    /// Shows that `n_steps` steps are to be done, and returns the bar that counts them.
    pub(crate) fn counting(&self, what: impl Display, n_steps: u64, template: &str) -> &ProgressBar {
        self.doing(what);
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
        self.bar.set_length(n_steps);
        self.bar.set_position(0);
        &self.bar
    }

    /// Says a line on the error stream, unless the user wants no notes.
    pub(crate) fn tell(&self, line: impl Display) {
        if !self.quiet {
            self.say(line);
        }
    }

    /// Says on the error stream why something was not done, or what the user asked for. Nobody can be told when that fails.
    pub(crate) fn say(&self, line: impl Display) {
        let line = shown::line(line);
        self.bar.suspend(|| {
            _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("{line}\n"));
        });
    }

    /// Says what a file that was written does not hold.
    pub(crate) fn tell_losses(&self, file: &Path, report: &ExportReport) {
        let file = if file.as_os_str() == "-" { Path::new("standard output") } else { file }.display();
        if !report.is_lossless() {
            self.tell(format_args!("{file}: {report}"));
        }
    }

    /// Ends what was being shown, before something is printed.
    pub(crate) fn done(&self) {
        self.bar.finish_and_clear();
    }
}

/// Makes a temporary file or folder, which is removed at the end of the command unless it is [`finished`].
pub(crate) fn temporary<T: AsRef<Path>, E>(make: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let mut paths = temporary_paths();
    let made = make()?;
    paths.insert(made.as_ref().to_owned());
    Ok(made)
}

/// Does what makes something temporary permanent, or removes it. The user cannot interrupt the command meanwhile.
pub(crate) fn finished<T>(path: &Path, finish: impl FnOnce() -> T) -> T {
    let mut paths = temporary_paths();
    paths.remove(path);
    finish()
}

/// Removes all that is temporary.
pub(crate) fn remove_temporary() {
    remove_all(&mut temporary_paths());
}

fn remove_all(paths: &mut BTreeSet<PathBuf>) {
    for path in std::mem::take(paths) {
        // A thread that still writes into a folder may put a file there while it is removed. Nobody can be told when all
        // attempts fail.
        _ = (0..100).any(|_| {
            let is_gone = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path)).is_ok();
            if !is_gone && path.exists() {
                std::thread::sleep(Duration::from_millis(1));
            }
            is_gone || !path.exists()
        });
    }
}

fn temporary_paths() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner)
}
