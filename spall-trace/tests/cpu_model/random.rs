//! Random threads that use every rule of the merge.

use spall_synth::Random;

use super::case::{Case, FIRST_OF_FILE, FUNCTIONS, Function, INVOCATIONS, Node, Slice};

const NAMES: [&str; 8] = [
    INVOCATIONS[0],
    INVOCATIONS[1],
    INVOCATIONS[2],
    INVOCATIONS[3],
    "RunTask",
    "Layout",
    "V8.StackGuard",
    "work",
];

fn pick<T: Copy>(random: &mut Random, of: &[T]) -> T {
    of[random.below(of.len())]
}

pub(crate) fn case(seed: u64) -> Case {
    let random = &mut Random(seed);
    let duration = pick(random, &[40, 120, 400]);
    let mut case = Case { start: 1000, ..Case::default() };
    nodes(random, &mut case);
    slices(random, &mut case, duration);
    let step = pick(random, &[3, 10, 30]);
    let mut at = case.start;
    while at < case.start + duration {
        at += match random.below(8) {
            0 => 0,
            1 => -step / 2,
            2 => random.below(2 * step),
            _ => step,
        };
        let last = case.samples.last().map(|&(_, id)| id);
        let any = 1 + random.below(case.nodes.len() + 1);
        let id = last.filter(|_| random.one_in(3)).unwrap_or(any);
        case.samples.push((at, id));
    }
    // The profiler takes a sample when a slice with a call site begins, and writes it late.
    for slice in &case.slices {
        if let Some(&id) = slice.site.and_then(|site| case.sites.get(&site)).filter(|_| !random.one_in(3)) {
            case.samples.push((slice.start, id));
        }
    }
    case.end = pick(random, &[None, Some(case.start + duration + 40), Some(at), Some(at - 5)]);
    case
}

fn nodes(random: &mut Random, case: &mut Case) {
    let count = pick(random, &[3, 6, 12, 20]);
    for id in 1..=count {
        let function: Function = match random.below(20) {
            _ if id == 1 => 0,
            0 | 1 => 1,
            2 => 2,
            3 => 3,
            4..=7 => 4 + random.below(2),
            _ => FIRST_OF_FILE + random.below(FUNCTIONS.len() - FIRST_OF_FILE),
        };
        let parent = match random.below(25) {
            _ if id == 1 => None,
            _ if function < 4 => Some(1),
            // The caller is missing, does not exist, comes later or is the node itself.
            0 => None,
            1 => Some(1 + random.below(count + 3)),
            2..=9 => Some(1 + random.below(id - 1)),
            _ => Some(id - 1),
        };
        case.nodes.push(Node { id, parent, function });
        if random.one_in(40) {
            case.nodes.push(Node { id, parent: Some(1), function: FIRST_OF_FILE });
        }
    }
}

fn slices(random: &mut Random, case: &mut Case, duration: i64) {
    let around = (case.start - random.below(30), case.start + duration + random.below(50) - 20);
    let mut open = vec![around];
    // A case has slices that overlap others or slices without duration: where both begin at one time, the timeline says
    // less of their order than the walk knows.
    let overlaps = random.one_in(3);
    for _ in 0..pick(random, &[0, 1, 4, 12, 25]) {
        let (from, to) = pick(random, &open);
        let start = from + random.below(to - from);
        let mut end = start + random.below(to - start + 1);
        if overlaps {
            end += 1 + i64::from(random.one_in(10)) * random.below(20);
        }
        let crosses =
            |&(a, b): &(i64, i64)| a < start && start < b && b < end || start < a && a < end && end < b;
        if !overlaps && open.iter().any(crosses) {
            continue;
        }
        let number = u64::try_from(case.slices.len()).unwrap();
        let site = random.one_in(4).then_some(number);
        if site.is_some() && !random.one_in(6) {
            case.sites.insert(number, 1 + random.below(case.nodes.len() + 1));
        }
        let function = FIRST_OF_FILE + random.below(FUNCTIONS.len() - FIRST_OF_FILE);
        let callee = random.one_in(2).then_some((function, random.one_in(2)));
        case.slices.push(Slice { name: pick(random, &NAMES), start, end, site, callee });
        open.push((start, end));
    }
}
