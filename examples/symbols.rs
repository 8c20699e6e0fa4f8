//! Lists the functions of a native auto trace by their names, which come from the debug information of the traced
//! program: `symbols TRACE [PROGRAM]`. The trace says where the program was; it may have moved.

use std::{borrow::Cow, collections::BTreeMap, error::Error, process::ExitCode};

use addr2line::Loader;
use spall_cli::picture::clean;
use spall_trace::{
    format::spall::auto::{CachedSymbols, Parser},
    layout::{Layout, LayoutView},
    model::{SliceId, Text, TraceView, Value},
};

/// The name of the function at an address, from the symbols and the debug information of a program.
fn function_name(program: &Loader, address: u64) -> Option<Vec<u8>> {
    let mut frames = program.find_frames(address).ok()?;
    let function = frames.next().ok()??.function;
    match &function {
        Some(function) => Some(function.demangle().ok()?.into_owned().into_bytes()),
        None => Some(program.find_symbol(address)?.as_bytes().to_vec()),
    }
}

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(trace), program) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: symbols TRACE [PROGRAM]");
        return ExitCode::from(2);
    };
    match list(trace.as_ref(), program.as_deref()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}", clean(&format!("{}: {error}", trace.to_string_lossy())));
            ExitCode::FAILURE
        }
    }
}

fn list(path: &std::path::Path, program: Option<&std::ffi::OsStr>) -> Result<(), Box<dyn Error>> {
    let data = std::fs::read(path)?;
    let recorded = spall_trace::load(&data)?;
    let program = match program {
        Some(program) => program.to_owned(),
        None => recorded_program(&recorded).ok_or("the trace does not say which program it is of")?.into(),
    };
    let loader = Loader::new(&program).map_err(|error| format!("{}: {error}", program.to_string_lossy()))?;
    let symbols = CachedSymbols::new(|address| function_name(&loader, address));
    let trace = spall_trace::Loader::new().load_from_with(Parser::new(symbols), &data[..])?;
    let layout = Layout::new(&trace);
    let mut functions = BTreeMap::<Cow<'_, str>, (u64, i64)>::new();
    for (slice, &name) in (0..).map(SliceId).zip(trace.slices().names()) {
        let (calls, time) = functions.entry(trace.name(name)).or_default();
        *calls += 1;
        *time += layout.self_time(slice).unwrap_or_default().0;
    }
    let mut functions: Vec<_> = functions.into_iter().collect();
    functions.sort_by_key(|(_, (_, time))| std::cmp::Reverse(*time));
    println!("{:>10}  {:>14}  function", "calls", "self ticks");
    for (name, (calls, time)) in functions {
        println!("{calls:>10}  {time:>14}  {}", clean(&name));
    }
    Ok(())
}

fn recorded_program(trace: &spall_trace::model::Trace) -> Option<String> {
    let is_program = |text: &str| text == "program";
    let meta = trace.meta().iter().find(|meta| is_program(&trace.name(meta.key)))?;
    match trace.meta_value(meta) {
        Value::Text(text) => Some(Text::decode(text).into_owned()),
        _ => None,
    }
}
