//! Images that `omptarget-codegen` compiles run correctly.

mod fixture;

use fixture::find_compiler;

#[test]
fn the_benchmark_runs() {
    find_compiler();
    for figure in plugin_vgpu::bench().unwrap() {
        let [low, median, high] = figure.quartiles;
        println!(
            "{}: {median:.2} {} ({low:.2} to {high:.2})",
            figure.what, figure.unit
        );
        assert!(0.0 < low && low <= median && median <= high, "{figure:?}");
    }
}
