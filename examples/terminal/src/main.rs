//! A viewer of profiler traces in the terminal. The key `?` lists its keys.
//!
//! | arguments | what is shown |
//! |---|---|
//! | `spall-terminal FILE` | a file |
//! | `spall-terminal --follow FILE` | a file that is being written |
//! | `spall-terminal --self` | the viewer itself at work |

mod boxes;
mod colors;
mod flame;
mod functions;
mod live;
mod timeline;
mod viewer;

use std::{error::Error, fs::File, io};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use ratatui::crossterm::{event, execute};
use spall_trace::layout::{Layout, LayoutOptions};

use crate::viewer::Viewer;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    match arguments.as_slice() {
        [option] if option == "--self" => in_terminal(live::show_itself),
        [option, path] if option == "--follow" => {
            let file = File::open(path)?;
            in_terminal(|terminal| live::follow(terminal, file))
        }
        [path] => {
            let trace = spall_trace::load_file(path)?;
            let trace = spall_trace::merge_samples(trace);
            let mut layout = Layout::new(&trace, &LayoutOptions::default());
            in_terminal(|terminal| {
                let mut viewer = Viewer::new(&trace);
                loop {
                    terminal.draw(|frame| viewer.draw(frame, &trace, &layout))?;
                    if !viewer.handle(&event::read()?, &trace, &layout) {
                        return Ok(());
                    }
                    if let Some(hidden) = viewer.hides(&trace) {
                        layout = hidden.layout(&trace, &LayoutOptions::default());
                        viewer.lay_out(&trace, &layout);
                    }
                }
            })
        }
        _ => Err("usage: spall-terminal FILE | --follow FILE | --self".into()),
    }
}

/// Gives the terminal to `show`, and puts it back as it was.
fn in_terminal(
    show: impl FnOnce(&mut DefaultTerminal) -> Result<(), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    ratatui::run(|terminal| {
        execute!(io::stdout(), EnableMouseCapture)?;
        let result = show(terminal);
        execute!(io::stdout(), DisableMouseCapture)?;
        result
    })
}
