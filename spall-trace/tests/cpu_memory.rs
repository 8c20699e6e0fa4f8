//! Traces of profiles take at most 16 times their input and a mebibyte, as every trace does.

use allocation_counter::measure;
use spall_synth::cpu_profile::{Form, Profile};
use spall_testdata::sized;

fn check(name: &str, data: &str) {
    check_peak(name, data, 28);
}

fn check_peak(name: &str, data: &str, times: u64) {
    let mut trace = None;
    let info = measure(|| trace = spall_trace::load(data.as_bytes()).ok());
    assert!(trace.is_some(), "{name}");
    let (kept, peak) = (u64::try_from(info.bytes_current).unwrap(), info.bytes_max);
    let input = data.len() as u64;
    println!("{name}: {} and {} tenths of the input", 10 * kept / input, 10 * peak / input);
    assert!(kept <= 16 * input + (1 << 20), "{name}: {kept} bytes for {input}");
    assert!(peak <= times * input + (4 << 20), "{name}: {peak} bytes at most for {input}");
}

fn document(nodes: &str, rest: &str) -> String {
    format!(r#"{{"nodes":[{{"id":1,"callFrame":{{}}}}{nodes}]{rest}}}"#)
}

#[test]
fn traces_of_profiles_are_small() {
    let many = sized(300_000);
    check("honest", &Profile::random(sized(20_000), 80, sized(20_000), 1).to_json(Form::Document));
    check("honest chunks", &Profile::random(sized(20_000), 80, sized(20_000), 1).to_json(Form::Chunks(100)));
    let ones = "1,".repeat(many);
    check("samples", &document("", &format!(r#","samples":[{ones}],"timeDeltas":[{ones}]"#)));
    check("same children", &document(&format!(r#",{{"id":2,"children":[{ones}]}}"#), ""));
    let lines = r#"{"line":1,"ticks":1},"#.repeat(many);
    check("lines", &document(&format!(r#",{{"id":2,"positionTicks":[{lines}]}}"#), ""));
    check("same nodes", &document(&r#",{"id":1}"#.repeat(many), ""));
    let nodes: String = (2..many).map(|id| format!(r#",{{"id":{id}}}"#)).collect();
    check("nodes", &document(&nodes, ""));
    check("hits", &document(&r#",{"id":1,"hitCount":2}"#.repeat(many), ""));
    let nodes: String = (2..many).map(|id| format!(r#",{{"id":{id},"hitCount":2}}"#)).collect();
    check("hits of nodes", &document(&nodes, ""));
    let sites: Vec<_> = (0..many).map(|site| format!("\"{site}\":1")).collect();
    let chunk = |name: &str, data: &str| {
        format!(
            r#"{{"ph":"P","name":"{name}","pid":1,"tid":1,"id":"1","ts":1,"args":{{"data":{{{data}}}}}}}"#
        )
    };
    let sites = format!(r#""cpuProfile":{{"nodes":[{{"id":1}}],"trace_ids":{{{}}}}}"#, sites.join(","));
    check("call sites", &format!("[{},{}]", chunk("Profile", ""), chunk("ProfileChunk", &sites)));
    check("parts", &format!("[{}]", vec![chunk("ProfileChunk", ""); many / 10].join(",")));
    let table = |key: &str, items: &[String]| format!("{{\"{key}\":{}}}", items.concat());
    let frames: Vec<_> = (0..many).map(|id| format!(r#","{id}":{{}}"#)).collect();
    let frames = format!(r#"{{"x":{{}}{}}}"#, frames.concat());
    check("shared frames", &table("stackFrames", &[frames]));
    let list = |samples: &[String]| table("samples", &[format!("[{}]", samples.join(","))]);
    check("samples of a thread", &list(&vec![r#"{"ts":1,"tid":1}"#.into(); many]));
    // Each sample becomes a process, a thread and a profile, whose places in the file have a time. Tables have the most unused room
    // just above a power of two.
    let samples: Vec<_> = (0..sized(140_000)).map(|tid| format!(r#"{{"ts":1,"tid":{tid}}}"#)).collect();
    check_peak("samples of many threads", &list(&samples), 38);
    let samples: Vec<_> =
        (0..many / 3).map(|name| format!(r#"{{"ts":1,"tid":1,"name":"{name}"}}"#)).collect();
    check("samples of many names", &list(&samples));
    let samples: Vec<_> =
        (0..many / 3).map(|name| format!(r#"{{"ts":1,"tid":1,"stack":["{name}"]}}"#)).collect();
    check("stacks spelt out", &list(&samples));
    let deep = format!(r#"{{"ts":1,"tid":1,"stack":[{}""]}}"#, r#""","#.repeat(many));
    check("a deep stack spelt out", &list(&[deep]));
    check("heads", &format!("[{}]", vec![chunk("Profile", ""); many / 10].join(",")));
}
