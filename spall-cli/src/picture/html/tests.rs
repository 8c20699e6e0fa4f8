use super::*;

/// Two threads of `n` short slices each, below one long one.
fn busy(n: usize) -> Vec<u8> {
    let mut json = String::from("[");
    for tid in 1..3 {
        json +=
            &format!("{{\"ph\":\"X\",\"pid\":1,\"tid\":{tid},\"ts\":0,\"dur\":{},\"name\":\"all\"}},", n * 3);
        for index in 0..n {
            let (ts, dur) = (index * 3, 1 + index % 2);
            json += &format!(
                "{{\"ph\":\"X\",\"pid\":1,\"tid\":{tid},\"ts\":{ts},\"dur\":{dur},\"name\":\"a\"}},"
            );
        }
    }
    json.into_bytes()
}

#[test]
fn a_coarse_page_has_few_boxes_and_counts_every_slice() {
    let data = busy(5000);
    let trace = spall_trace::load(&data).unwrap();
    let scene = Scene::new(&trace);
    let frame = coarse(&scene, 4000);
    let mut page = Page::new(&scene);
    page.processes(Some(&frame));
    assert!(page.n_boxes <= 4000 && page.n_boxes > 2000, "{}", page.n_boxes);
    assert_eq!(page.n_slices, trace.slices().len() as u64);
}

#[test]
fn a_page_has_a_box_for_each_slice_and_knows_where() {
    let data = busy(10);
    let trace = spall_trace::load(&data).unwrap();
    let scene = Scene::new(&trace);
    let mut page = Page::new(&scene);
    page.processes(None);
    assert_eq!((page.n_boxes, page.n_slices), (22, 22));
    page.positions.sort_unstable();
    assert!(page.positions.into_iter().eq(0..22));
}

#[test]
fn a_coarse_page_of_very_many_rows_has_the_first_of_them_and_counts_the_others() {
    let slice = |tid| format!(r#"{{"ph":"X","pid":1,"tid":{tid},"ts":0,"dur":9,"name":"a"}}"#);
    let json = format!("[{}]", (0..100).map(slice).collect::<Vec<_>>().join(","));
    let trace = spall_trace::load(json.as_bytes()).unwrap();
    let scene = Scene::new(&trace);
    let mut page = Page::new(&scene);
    page.max_boxes = Some(10);
    let frame = coarse(&scene, 10);
    page.processes(Some(&frame));
    assert_eq!((page.n_boxes, page.n_slices), (10, 10));
    assert!(page.coarse_notes(&frame).contains(&"not drawn: 90 slices".to_owned()));
}
