"""What the figures must be on a GPU, and whether they are. Without the figures a goal is unmeasured."""

import statistics

from .running import BY_HAND, OPENMP


def median(figures, what, side):
    """Median nanoseconds of a peer, or None."""
    line = (figures.get(what) or {}).get(side)
    return statistics.median(line["ns"]) if line else None


def ratio_of_peers(what, above, below):
    """Median of one side over that of the other."""
    def measured(steps):
        figures = steps.get("peers", {}).get("figures", {})
        over, under = median(figures, what, above), median(figures, what, below)
        return None if over is None or under is None else over / under
    return measured


def rows_by_case(outcome):
    """EPCC's overheads in cycles by construct and shape."""
    keys = ("suite", "construct", "parameter", "mode", "teams", "threads")
    return {tuple(row[key] for key in keys): row["cycles"] for row in outcome.get("rows", [])}


def two_barriers(rows, shape):
    """The hardware's barriers. Where a block has one barrier only, they are timed in SPMD mode alone."""
    parameter, _, teams, threads = shape
    name = ("reference", "two named barriers")
    return rows.get((*name, *shape)) or rows.get((*name, parameter, "spmd", teams, threads))


def parallel_over_barriers(steps):
    """The worst ratio over the sizes of a team, in the kernels where a master wakes workers."""
    rows = rows_by_case(steps.get("epcc", {}))
    ratios = []
    for (suite, construct, parameter, mode, teams, threads), cycles in rows.items():
        barriers = two_barriers(rows, (parameter, mode, teams, threads))
        if (suite, construct, mode) == ("sync", "parallel", "generic") and barriers and barriers["mean"] > 0:
            ratios.append(cycles["mean"] / barriers["mean"])
    return max(ratios, default=None)


def worst_over_llvm(steps):
    """The worst ratio of a construct's overhead to that with LLVM's runtime; 1 where their intervals overlap."""
    ours = rows_by_case(steps.get("epcc", {}))
    llvm = rows_by_case(steps.get("llvm", {}).get("parts", {}).get("epcc", {}))
    ratios = []
    for case in ours.keys() & llvm.keys():
        if case[0] == "reference" or llvm[case]["mean"] <= 0:
            continue
        apart = ours[case]["mean"] - ours[case]["half_width"] > llvm[case]["mean"] + llvm[case]["half_width"]
        ratios.append(ours[case]["mean"] / llvm[case]["mean"] if apart else min(1.0, ours[case]["mean"] / llvm[case]["mean"]))
    return max(ratios, default=None)


def nested_mean(steps):
    return steps.get("nested", {}).get("report", {}).get("geometric_mean")


def of_maker(maker):
    """The goals on its GPUs: what, how it is measured, "<=" or ">=", the bound."""
    return [
        (f"EPCC parallel over two bare {maker.barriers} of the same size", parallel_over_barriers, "<=", 1.2),
        ("worst EPCC construct over LLVM's", worst_over_llvm, "<=", 1.0),
        (f"empty target region over {maker.launch} and synchronisation",
         ratio_of_peers("launch", OPENMP, BY_HAND), "<=", 1.3),
        (f"bandwidth of saxpy over {maker.compiler}'s", ratio_of_peers("saxpy", BY_HAND, OPENMP), ">=", 0.98),
        (f"double sum across teams over {maker.primitives}'s", ratio_of_peers("sum", BY_HAND, OPENMP), ">=", 0.95),
        ("nested over SPMD, geometric mean", nested_mean, ">=", 3.6),
    ]


def judge(steps, machine):
    """Each goal with its figure and whether it is met; None: unmeasured, as everything is in a dry run."""
    judged = []
    for what, measure, sign, bound in of_maker(machine.maker):
        figure = measure(steps) if machine.gpus else None
        met = None if figure is None else figure <= bound if sign == "<=" else figure >= bound
        judged.append({"goal": what, "measured": figure, "sign": sign, "bound": bound, "met": met})
    return judged
