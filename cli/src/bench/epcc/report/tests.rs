use super::*;

const HEADER: &str =
    r#"{"epcc":1,"device":0,"repetitions":2,"inner":10,"delay":16,"counters":true}"#;

fn case(construct: &str, suite: &str, threads: u32) -> String {
    format!(
        r#""suite":"{suite}","construct":"{construct}","parameter":0,"mode":"spmd","teams":1,"threads":{threads}"#
    )
}

fn lines() -> Lines {
    let (alone, delay) = (
        case("delay", "reference", 1),
        case("delay", "reference", 32),
    );
    let (barrier, lock) = (case("barrier", "sync", 32), case("lock/unlock", "sync", 32));
    Lines::read(
        &[
            HEADER,
            // Ten delays take 100 cycles and 50 ns.
            &format!(r#"{{{alone},"delays":1,"units":10,"ticks":[90,110],"ns":[50,50]}}"#),
            &format!(r#"{{{delay},"delays":1,"units":10,"ticks":[300,300],"ns":[150,150]}}"#),
            &format!(r#"{{{barrier},"delays":1,"units":10,"ticks":[400,420],"ns":[200,200]}}"#),
            &format!(r#"{{{lock},"delays":1,"units":32,"ticks":[640,640],"ns":[320,320]}}"#),
            &format!(r#"{{{alone},"delays":1,"units":[4,8],"work":1,"executors":1,"instructions":[100,440],"switches":[1,1]}}"#),
            &format!(r#"{{{barrier},"delays":1,"units":[4,8],"work":32,"executors":32,"instructions":[1000,12648],"switches":[0,124]}}"#),
            &format!(r#"{{{lock},"delays":1,"units":[32,64],"work":1,"executors":1,"instructions":[0,3200],"switches":[5,5]}}"#),
        ]
        .join("\n"),
    )
    .expect("good lines")
}

#[test]
fn overheads_are_beyond_the_delays() {
    let report = Report::of(&[lines()], "test".into()).expect("figures");
    let means: Vec<(&str, f64, f64)> = report
        .rows
        .iter()
        .map(|row| (row.case.construct.as_str(), row.cycles.mean, row.ns.mean))
        .collect();
    // Per execution: 30 − 10, 41 − 10, 20 − 10 cycles; 15 − 5, 20 − 5, 10 − 5 ns.
    assert_eq!(
        means,
        [
            (OVERSUBSCRIBE, 20.0, 10.0),
            ("barrier", 31.0, 15.0),
            ("lock/unlock", 10.0, 5.0)
        ]
    );
    assert_eq!(report.rows[2].ns.half_width, 0.0);
    assert!(report.rows[1].cycles.half_width > 0.0);
}

#[test]
fn counts_are_without_the_delays() {
    let report = Report::of(&[lines()], "test".into()).expect("figures");
    // A delay is 340 / 4 = 85. Barrier: 11648 / 4 = 2912 for 32 threads, 91 each. A lock: 3200 / 32 = 100 for one.
    assert_eq!(
        (report.rows[0].instructions, report.rows[0].switches),
        (None, None)
    );
    assert_eq!(
        (report.rows[1].instructions, report.rows[1].switches),
        (Some(6.0), Some(31.0 / 32.0))
    );
    assert_eq!(
        (report.rows[2].instructions, report.rows[2].switches),
        (Some(15.0), Some(0.0))
    );
}

#[test]
fn files_are_read_again() {
    let report = Report::of(&[lines()], "a GPU".into()).expect("figures");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("a.json");
    std::fs::write(&file, report.to_json()).expect("written");
    let read = Report::read(&file).expect("read");
    assert_eq!(
        (read.to_json(), read.groups()),
        (report.to_json(), vec![("spmd", 1)])
    );
    std::fs::write(&file, report.to_json().replace("epcc/1", "epcc/9")).expect("written");
    assert!(
        Report::read(&file)
            .expect_err("another schema")
            .to_string()
            .contains("epcc/9")
    );
    std::fs::write(&file, "[]").expect("written");
    assert!(Report::read(&file).is_err());
}

#[test]
fn without_a_reference_nothing_can_be_said() {
    let mut lines = lines();
    lines.timings.remove(0);
    assert!(Report::of(&[lines], String::new()).is_err());
}

#[test]
fn references_of_further_programs_are_left_out() {
    let report = Report::of(&[lines(), lines()], String::new()).expect("figures");
    assert_eq!(report.rows.len(), 3);
    assert!(Report::of(&[], String::new()).is_err());
}
