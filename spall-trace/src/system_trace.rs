//! Text of ftrace inside of Trace Event JSON. [ftrace 1.6](spall_format::rules::ftrace#1.6)

#[cfg(feature = "perfetto")]
use alloc::vec::Vec;

use spall_model::{ByteRange, MetaEvent, Receiver};

/// The text of ftrace that a document has beside its events. It is read when all of them were.
#[derive(Debug, Default)]
pub(crate) struct SystemTrace {
    #[cfg(feature = "perfetto")]
    text: Option<(Vec<u8>, ByteRange)>,
}

impl SystemTrace {
    /// Takes the text that a fact of the file is. Returns `false` if it is anything else.
    #[cold]
    #[cfg(feature = "perfetto")]
    pub(crate) fn take(&mut self, fact: &MetaEvent<'_>, bytes: ByteRange) -> bool {
        let text = match fact.value {
            spall_model::Value::Text(text) if fact.key.is(b"systemTraceEvents") => text.unescape(),
            _ => return false,
        };
        let is_read = spall_format::ftrace::is_ftrace(&text);
        if is_read {
            self.text = Some((text.into_owned(), bytes));
        }
        is_read
    }

    #[cfg(not(feature = "perfetto"))]
    pub(crate) fn take(&mut self, _: &MetaEvent<'_>, _: ByteRange) -> bool {
        false
    }

    /// Takes the text of another part of the file.
    #[cfg(feature = "parallel")]
    pub(crate) fn append(&mut self, other: Self) {
        *self = if other.is_empty() { core::mem::take(self) } else { other };
    }

    /// Returns whether there is no text.
    #[cfg(feature = "parallel")]
    const fn is_empty(&self) -> bool {
        #[cfg(feature = "perfetto")]
        return self.text.is_none();
        #[cfg(not(feature = "perfetto"))]
        true
    }

    /// Hands over the events of the text, whose axis is that of the document. The document says the clock.
    #[cfg(feature = "perfetto")]
    pub(crate) fn hand_over(&mut self, to: &mut dyn for<'e> Receiver<'e>) {
        use spall_format::ftrace::{Parser, monotonic_shift_ns};
        use spall_model::{Event, LendingParser as _};

        let Some((text, bytes)) = self.text.take() else { return };
        let parser = Parser::new().with_shift_ns(monotonic_shift_ns(&text));
        // Without an event that is read, the text has only facts about itself.
        let _ = parser.lend_all(&text, |event, _| {
            if !matches!(event, Event::Clock(_) | Event::Conventions(_)) {
                to.receive(event, bytes);
            }
        });
    }

    #[cfg(not(feature = "perfetto"))]
    pub(crate) fn hand_over(&mut self, _: &mut dyn for<'e> Receiver<'e>) {}
}
