//! Target regions in tasks: dependences of every kind under stress, errors, and programs that end while regions run.

use e2e::{Binary, Build, Mode, line_of};

const GRAPH: &str = "tests/programs/dag.c";
const IN_FLIGHT: &str = "tests/programs/in_flight.c";
/// One helper of libomp's does work itself. A second one leaves it to threads of the device.
const BOTH_WAYS: &[(&str, &str)] = &[
    ("LIBOMP_NUM_HIDDEN_HELPER_THREADS", "2"),
    ("OMPTARGET_VGPU_SMS", "16"),
];

fn graphs(mode: Mode, regions: u32, environments: &[&[(&str, &str)]]) {
    let binary = Build::new(&[GRAPH]).compile(mode);
    for environment in environments {
        let what = format!("{regions} regions, {mode:?}, {environment:?}");
        let outcome = binary.run_with(&[&regions.to_string()], environment);
        assert_eq!(outcome.passed(&what), "PASS\n");
    }
}

#[test]
fn random_graphs_on_the_virtual_gpu() {
    let one_sm: &[_] = &[("OMPTARGET_VGPU_SMS", "1")];
    let one_helper: &[_] = &[("LIBOMP_NUM_HIDDEN_HELPER_THREADS", "1")];
    // Tasks then run on the threads that encounter them.
    let no_helper: &[_] = &[("LIBOMP_USE_HIDDEN_HELPER_TASK", "0")];
    let traced: &[_] = &[("LIBOMPTARGET_PROFILE", "/dev/null")];
    graphs(Mode::Offload("-O2"), 4000, &[&[], one_sm, no_helper]);
    graphs(Mode::Offload("-O0"), 1000, &[BOTH_WAYS, one_helper, traced]);
}

#[test]
fn random_graphs_on_the_host_as_a_device() {
    graphs(Mode::HostDevice, 100_000, &[&[]]);
}

fn in_flight() -> Binary {
    Build::new(&[IN_FLIGHT])
        .flags(&["-g"])
        .compile(Mode::Offload("-O1"))
}

#[test]
fn an_error_is_reported_once_with_its_place() {
    let place = format!(
        "in_flight.c:{}",
        line_of(IN_FLIGHT, "#pragma omp target nowait map(tofrom : values")
    );
    let facts = ["store", "not mapped", "construct: target at", &place];
    let binary = in_flight();
    let ways = [&[], BOTH_WAYS];
    for (what, way) in ["fault", "forsaken"]
        .into_iter()
        .flat_map(|what| ways.map(|way| (what, way)))
    {
        let outcome = binary.run_with(&[what], way);
        outcome.failed_with(what, &facts);
        let said = &outcome.stderr;
        assert_eq!(said.matches("omptarget error").count(), 1, "{said}");
    }
}

#[test]
fn a_program_may_end_with_regions_in_flight() {
    let binary = in_flight();
    let mandatory = ("OMP_TARGET_OFFLOAD", "MANDATORY");
    for what in ["end", "exit"] {
        for way in [vec![mandatory], [BOTH_WAYS, &[mandatory]].concat()] {
            let outcome = binary.run_with(&[what], &way);
            outcome.passed(what);
            assert_eq!(outcome.stderr, "", "{what} {way:?}");
        }
    }
}
