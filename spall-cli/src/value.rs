//! The choice of a value of samples, such as `cpu/nanoseconds`: `--value`, which means the same to all subcommands that have
//! it.

use spall_trace::model::{SampleValue, Trace, TraceView};

use crate::{
    error::{Error, Result},
    session::Session,
};

/// The value of samples that is shown.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct ValueChoice {
    /// Which value of the samples is shown, if they have several; `spall info` lists them
    #[arg(long, value_name = "NAME")]
    value: Option<String>,
}

impl ValueChoice {
    /// Returns whether none was chosen.
    pub(crate) fn is_none(&self) -> bool {
        self.value.is_none()
    }

    /// Returns the one that was chosen.
    pub(crate) fn name(&self) -> Option<&str> {
        self.value.as_deref()
    }

    /// Returns a trace with the samples of the value that was chosen, or of the one that the file says. Says which others
    /// there are, and how much is left out because it is not on the axis of the value.
    pub(crate) fn of(&self, trace: Trace, title: &str, session: &Session) -> Result<Trace> {
        let Some(wanted) = &self.value else {
            let values = trace.sample_values();
            let named = |value: &SampleValue| quoted(&trace.name(value.name));
            let others: Vec<_> = values.iter().filter(|value| !value.counts).map(named).collect();
            if !others.is_empty() {
                let shown: Vec<_> = values.iter().filter(|value| value.counts).map(named).collect();
                session.tell(format_args!(
                    "{title}: of the values of samples, {} is shown. `--value` shows another one: {}",
                    shown.join(", "),
                    others.join(", ")
                ));
            }
            return Ok(trace.with_value(None));
        };
        let value =
            trace.sample_value(wanted).map_err(|error| Error::new(format_args!("{title}: {error}")))?;
        let n_slices = trace.slices().len();
        let trace = trace.with_value(Some(value.name));
        let n_left_out = n_slices - trace.slices().len();
        if n_left_out > 0 {
            let unit = trace.clock().unit;
            let unit = unit.counted().unwrap_or("nanoseconds");
            session.tell(format_args!(
                "{title}: {n_left_out} slices are left out, as they are not on an axis of {unit}"
            ));
        }
        Ok(trace)
    }
}

/// Returns a name as it has to be given.
fn quoted(name: &str) -> String {
    if name.is_empty() || name.contains(' ') { format!("\"{name}\"") } else { name.to_owned() }
}
