//! The generator of the text of ftrace, and of Perfetto's packets of the same events. [ftrace 2.1]

use core::fmt::Write as _;

use crate::perfetto::{Message, file, packet, payload};

/// Events of the kernel, as text and as packets.
#[derive(Debug, Default)]
struct Events {
    text: String,
    packets: Vec<Message>,
    ns: u64,
}

impl Events {
    /// Adds an event of a thread on a processor: its text, and the number and fields that it has in a packet.
    fn add(&mut self, cpu: u64, tid: u64, text: &str, number: u32, fields: &Message) {
        self.ns += 1000 + self.ns % 7 * 1000;
        let (seconds, us) = (100 + self.ns / 1_000_000_000, self.ns / 1000 % 1_000_000);
        _ = writeln!(self.text, "  worker {tid}-{tid} [{cpu:03}] d..2 {seconds}.{us:06}: {text}");
        let time = 100_000_000_000 + self.ns / 1000 * 1000;
        let event = Message::new().number(1, time).number(2, tid).message(number, fields);
        let bundle = Message::new().number(1, cpu).message(2, &event);
        self.packets.push(packet(0, payload::FTRACE, &bundle));
    }

    fn print(&mut self, cpu: u64, tid: u64, text: &str) {
        self.add(cpu, tid, &format!("tracing_mark_write: {text}"), 3, &Message::new().text(2, text));
    }

    fn switch(&mut self, cpu: u64, previous: u64, next: u64) {
        let text = format!(
            "sched_switch: prev_comm=worker {previous} prev_pid={previous} prev_prio=120 prev_state=S ==> \
             next_comm=worker {next} next_pid={next} next_prio=120"
        );
        let fields = Message::new().text(1, &format!("worker {previous}")).number(2, previous).number(4, 1);
        let fields = fields.text(5, &format!("worker {next}")).number(6, next);
        self.add(cpu, previous, &text, 4, &fields);
    }

    /// Adds a round of events of two threads.
    fn round(&mut self, round: u64) {
        let (cpu, tid) = (round % 4, 1001 + round % 16 * 2);
        let other = tid + 1;
        let number = Message::new;
        self.print(cpu, tid, &format!("B|1000|frame {}", round % 5));
        let waking = format!("sched_waking: comm=worker {other} pid={other} prio=120 target_cpu=000");
        self.add(cpu, tid, &waking, 20, &number().text(1, &format!("worker {other}")).number(2, other));
        self.print(cpu, tid, &format!("C|1000|frames|{round}"));
        let frequency = format!("cpu_frequency: state={} cpu_id={cpu}", 1000 * round);
        self.add(cpu, tid, &frequency, 11, &number().number(1, 1000 * round).number(2, cpu));
        self.add(
            cpu,
            tid,
            "irq_handler_entry: irq=3 name=timer",
            36,
            &number().number(1, 3).text(2, "timer"),
        );
        self.add(cpu, tid, "softirq_entry: vec=9 [action=RCU]", 24, &number().number(1, 9));
        self.add(cpu, tid, "softirq_exit: vec=9 [action=RCU]", 25, &number().number(1, 9));
        self.add(cpu, tid, "irq_handler_exit: irq=3 ret=handled", 37, &number().number(1, 3).number(2, 1));
        self.print(cpu, tid, "E|1000");
        self.switch(cpu, tid, other);
        self.print(cpu, other, &format!("S|1000|load|{round}"));
        let sent = format!(
            "binder_transaction: transaction={round} dest_node=1 dest_proc=1 dest_thread=0 reply=0 flags=0x1 code=0x1"
        );
        self.add(cpu, other, &sent, 50, &number().number(1, round).number(7, 1));
        let received = format!("binder_transaction_received: transaction={round}");
        self.add(cpu, tid, &received, 51, &number().number(1, round));
        self.print(cpu, tid, &format!("F|1000|load|{round}"));
        self.add(cpu, other, "ipi_entry: (Function call)", 21, &number().text(1, "Function call"));
        self.add(cpu, other, "ipi_exit: (Function call)", 22, &number().text(1, "Function call"));
        self.switch(cpu, other, tid);
    }
}

fn events(rounds: usize) -> Events {
    let mut events = Events { text: "# tracer: nop\n#\n".to_owned(), ..Events::default() };
    (0..rounds as u64).for_each(|round| events.round(round));
    events
}

/// Returns a recording of four processors and 32 threads. A round takes about 1.7 kB.
///
/// ```
/// let text = spall_synth::ftrace::recording(2);
/// assert_eq!(text.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b"  worker ")).count(), 34);
/// ```
#[must_use]
pub fn recording(rounds: usize) -> Vec<u8> {
    events(rounds).text.into_bytes()
}

/// Returns the text of a recording, and a file of Perfetto with the same events.
#[must_use]
pub fn both(rounds: usize) -> (String, Vec<u8>) {
    let events = events(rounds);
    (events.text, file(&events.packets))
}

/// Returns inputs of about so many lines that cost as much as possible for their size.
#[must_use]
pub fn attacks(lines: usize) -> Vec<(&'static str, Vec<u8>)> {
    let mark = "a-1 [0] 1.0: 0: I|1|a\n";
    let each = |line: fn(usize) -> String| {
        (mark.to_owned() + &(0..lines).map(line).collect::<String>()).into_bytes()
    };
    vec![
        ("threads", each(|n| format!("a-{n} [0] 1.0: 0: B|1|\n"))),
        ("threads that wait", each(|n| format!("a-{n} [0] 1.0: 0: E\n"))),
        ("names of threads", each(|n| format!("{n}-1 [0] 1.0: 0: E\n"))),
        ("steps that wait", each(|_| "a-2 [0] 1.0: 0: E\n".to_owned())),
        (
            "switches",
            each(|n| format!("-1 [0] 1.0: sched_switch: :{} [1] S ==> :{} [1]\n", n % 9, (n + 1) % 9)),
        ),
        (
            "switches of threads",
            each(|n| format!("-1 [0] 1.0: sched_switch: :{n} [1] S ==> :{} [1]\n", n + 1)),
        ),
        ("states", each(|n| format!("-1 [0] 1.0: sched_switch: :1 [1] {n} ==> :0 [1]\n"))),
        ("wakers", each(|n| format!("-{n} [0] 1.0: sched_waking: :1 [1]\n"))),
        ("reasons", each(|n| format!("-1 [0] 1.0: sched_blocked_reason: pid=1 iowait=1 caller={n}\n"))),
        ("counters", each(|n| format!("a-1 [0] 1.0: 0: C|1|{n}|1\n"))),
        ("spans", each(|n| format!("a-1 [0] 1.0: 0: S|1|a|{n}\n"))),
        ("events", each(|n| format!("a-1 [0] 1.0: e{n}: x\n"))),
        ("interrupts", each(|n| format!("a-1 [{}] 1.0: ipi_entry: ()\n", n % 65_536))),
        (
            "transactions",
            each(|n| format!("-1 [0] 1.0: binder_transaction: transaction={n} reply=0 flags=0x1\n")),
        ),
        ("losses", each(|n| format!("CPU:{n} [LOST EVENTS]\n"))),
        ("junk", each(|_| "x\n".to_owned())),
        ("one line", (mark.to_owned() + &"-1 [0] ".repeat(3 * lines)).into_bytes()),
    ]
}
