"""The JSON file with everything, and the Markdown table for people."""

import json
import statistics

from . import makers
from .running import BY_HAND, OPENMP, PASSED

SCHEMA = 2


class Results:
    """Outcomes of steps; those of an earlier run on the same machine with the same bundle are kept."""

    def __init__(self, folder, bundle, machine):
        folder.mkdir(parents=True, exist_ok=True)
        self.json_file = folder / "gpu-check.json"
        self.markdown_file = folder / "gpu-check.md"
        self.head = {"schema": SCHEMA, "machine": machine.words(),
                     "bundle": {key: bundle.manifest[key] for key in ("commit", "built", "clang", "architectures")}}
        self.steps = self.earlier()

    def earlier(self):
        try:
            content = json.loads(self.json_file.read_text())
            same = all(content[key] == value for key, value in self.head.items())
            return content["steps"] if same else {}
        except (OSError, ValueError, KeyError):
            return {}

    def add(self, name, outcome):
        self.steps[name] = outcome

    def write(self, goals):
        content = {**self.head, "goals": goals, "steps": self.steps}
        for file, text in ((self.json_file, json.dumps(content, indent=1) + "\n"), (self.markdown_file, markdown(content))):
            part = file.with_name(file.name + ".part")
            part.write_text(text)
            part.rename(file)


def table(header, rows):
    cells = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in row) + " |" for row in cells) + "\n"


def markdown(content):
    maker = makers.named(content["machine"]["maker"])
    parts = [heading(content, maker), goals(content["goals"]), steps(content["steps"])]
    sections = {"peers": peers, "nested": nested, "epcc": epcc}
    parts += [section(content["steps"][name], maker) for name, section in sections.items() if name in content["steps"]]
    return "\n".join(part for part in [*parts, failures(content["steps"])] if part)


def heading(content, maker):
    machine, bundle = content["machine"], content["bundle"]
    gpus = "; ".join(f"{gpu['name']}, {gpu['architecture']}, {gpu['units']} {maker.units}, "
                     f"{gpu['memory'] / 2**30:.0f} GiB" for gpu in machine["gpus"])
    settings = ", ".join(f"{name}={value}" for name, value in machine["settings"].items())
    rows = [("GPU", gpus or "none: a dry run, no figure is a GPU's"), ("driver", machine["driver"]),
            ("kernel driver", machine["kernel driver"]), ("settings", settings or "none"), ("host", machine["host"]),
            *((name, path or "missing") for name, path in machine["tools"].items()),
            ("bundle", f"commit {bundle['commit'][:12]}, built {bundle['built']}, {bundle['clang']}")]
    return "# GPU check\n\n" + table(("what", "is"), rows)


def number(value):
    return "unmeasured" if value is None else f"{value:.3g}"


def goals(judged):
    words = {True: "met", False: "missed", None: "unmeasured"}
    rows = [(goal["goal"], number(goal["measured"]), f"{goal['sign']} {goal['bound']}", words[goal["met"]]) for goal in judged]
    return "## Goals\n\n" + table(("goal", "measured", "bound", ""), rows)


def steps(outcomes):
    rows = [(name, outcome["status"], outcome["seconds"], outcome["why"].splitlines()[0] if outcome["why"] else "",
             outcome["date"]) for name, outcome in outcomes.items()]
    return "## Steps\n\n" + table(("step", "", "seconds", "why", "date"), rows)


def peers(outcome, maker):
    rows, both = [], (OPENMP, BY_HAND)
    for what, sides in outcome.get("figures", {}).items():
        medians = {side: statistics.median(line["ns"]) if line else None for side, line in sides.items()}
        size = max(line["bytes"] for line in sides.values() if line)
        rate = [f"{size / medians[side]:.4g}" if size and medians[side] else "" for side in both]
        ratio = f"{medians[OPENMP] / medians[BY_HAND]:.3g}" if all(medians[side] for side in both) else ""
        rows.append((what, *(f"{medians[side] / 1e3:.4g}" if medians[side] else "" for side in both), *rate, ratio))
    name = maker.language
    header = ("what", "OpenMP µs", f"{name} µs", "OpenMP GB/s", f"{name} GB/s", f"OpenMP / {name}, time")
    return f"## Next to {name} by hand\n\nMedians.\n\n" + table(header, rows) if rows else ""


def nested(outcome, _):
    report = outcome.get("report")
    if not report:
        return ""
    rows = [(kernel["kernel"], kernel["paper"], kernel["outer"], kernel["inner"], f"{kernel['spmd_ns']['median'] / 1e3:.4g}",
             f"{kernel['nested_ns']['median'] / 1e3:.4g}", f"{kernel['speedup']:.3g}") for kernel in report["kernels"]]
    rows.append(("geometric mean", "", "", "", "", "", number(report["geometric_mean"])))
    header = ("kernel", "Table II", "outer", "inner", "SPMD µs", "nested µs", "speedup")
    return f"## Nested over SPMD, size {report['size']}\n\n" + table(header, rows)


def epcc(outcome, _):
    rows = [(row["suite"], row["construct"], row["parameter"] or "", row["mode"], row["teams"], row["threads"],
             f"{row['cycles']['mean']:.0f} ± {row['cycles']['half_width']:.0f}",
             f"{row['ns']['mean']:.0f} ± {row['ns']['half_width']:.0f}") for row in outcome.get("rows", [])]
    header = ("suite", "construct", "size", "mode", "teams", "threads", "cycles", "ns")
    return "## EPCC overheads\n\nMeans with 95 % confidence intervals.\n\n" + table(header, rows) if rows else ""


def failures(outcomes):
    said = []
    for name, outcome in outcomes.items():
        bad = [part for part in outcome.get("programs", []) if part["status"] != PASSED]
        said += [f"### {name}: {part['name']}\n\n```\n{part['why']}\n```\n" for part in bad]
        if outcome["status"] not in (PASSED, "skipped") and not bad:
            said.append(f"### {name}\n\n```\n{outcome['why']}\n```\n")
    return "## Failures\n\n" + "\n".join(said) if said else ""
