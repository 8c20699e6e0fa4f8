//! Tables take memory in proportion to their file, over every shape that made an operation slow or large.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a test may panic and print")]

use spall_arrow::{Table, Tables};
use spall_layout::Layout;
use spall_synth::shapes;

/// Makes all tables of a file, batch by batch. Returns the bytes of input and trace, and those that were allocated and that
/// were held at once for each table.
fn costs(data: &[u8]) -> (u64, Vec<[u64; 2]>) {
    let mut trace = None;
    let held = allocation_counter::measure(|| trace = Some(spall_trace::load(data).unwrap()));
    let trace = trace.unwrap();
    let layout = Layout::new(&trace);
    let tables = Tables::new(&trace, &layout).unwrap();
    let of_table = |table| {
        let made =
            allocation_counter::measure(|| tables.batches(table).for_each(|batch| drop(batch.unwrap())));
        [made.bytes_total, made.bytes_max]
    };
    (
        data.len() as u64 + u64::try_from(held.bytes_current).unwrap(),
        Table::ALL.iter().copied().map(of_table).collect(),
    )
}

#[test]
fn every_table_grows_with_its_input() {
    let parts = spall_testdata::sized(1024);
    let (mut faults, mut most) = (Vec::new(), (0, String::new()));
    for (shape, input) in shapes::all() {
        let [(small_size, small), (size, double)] = [parts, 2 * parts].map(|parts| costs(&input(parts)));
        for ((table, small), double) in Table::ALL.iter().zip(&small).zip(&double) {
            let name = format!("{} of {shape}", table.name());
            let grown = |bytes: u64| bytes * (5 * size).max(10 * small_size) / (4 * small_size) + (1 << 16);
            if small.iter().zip(double).any(|(&small, &double)| double > grown(small)) {
                faults.push(format!("{name}: {small:?} bytes, of twice as much {double:?}"));
            }
            if double[1] > 64 * size + (1 << 20) {
                faults.push(format!("{name}: {} bytes at once for {size}", double[1]));
            }
            most = most.max((double[1] / size, name));
        }
    }
    println!("at most {} times the input and its trace ({})", most.0, most.1);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
