//! A picture of overheads by number of threads, with a panel per mode, like *fork-join*'s Fig. 4. Of two measurements,
//! the second is dashed.

use std::collections::BTreeSet;

use svg::Document;
use svg::node::element::{Group, Line, Polyline, Rectangle, Style, Text, Title};

use super::Quantity;
use super::report::{OVERSUBSCRIBE, REFERENCE, Report, Row, TWO_BARRIERS};

const STYLE: &str = "\
svg{background:#fff}text{font:12px sans-serif;fill:#333}.h{font-weight:bold}.g{stroke:#e4e4e4}\
polyline{fill:none;stroke-width:2}.b{stroke-dasharray:6 4}.r{stroke-dasharray:2 3}";

/// A colour per construct. The first ones are distinct for colour-blind readers (Okabe and Ito), then come darker ones.
const COLOURS: [&str; 12] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#7a5195", "#8c564b",
    "#003f5c", "#7f7f00", "#ff6361", "#2f4f4f",
];
/// The constructs that are drawn for a whole measurement.
const FIGURE_4: [&str; 10] = [
    "parallel",
    "parallel for",
    "for",
    "for nowait",
    "barrier",
    "single",
    "critical",
    "reduction double",
    OVERSUBSCRIBE,
    TWO_BARRIERS,
];

const WIDTH: f64 = 860.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 210.0;
const PANEL: f64 = 330.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;

/// One line of a panel.
struct Curve {
    title: String,
    colour: &'static str,
    class: &'static str,
    /// Threads and figure.
    points: Vec<(f64, f64)>,
}

/// Draws the picture. `chosen` are the constructs that the user has named.
pub fn draw(
    reports: &[&Report],
    quantity: Quantity,
    chosen: &[String],
) -> Result<Document, String> {
    let groups: Vec<(&str, u32)> = reports[0].groups();
    let panels: Vec<(String, Vec<Curve>)> = groups
        .into_iter()
        .map(|(mode, teams)| {
            let teams_text = if teams == 1 {
                "1 team".to_owned()
            } else {
                format!("{teams} teams")
            };
            (
                format!("{mode} mode, {teams_text}"),
                curves(reports, (mode, teams), quantity, chosen),
            )
        })
        .filter(|(_, curves)| !curves.is_empty())
        .collect();
    if panels.is_empty() {
        return Err(format!("there is nothing to draw with {}", quantity.name()));
    }
    let height = PANEL * panels.len() as f64;
    let mut document = Document::new()
        .set("viewBox", (0, 0, WIDTH, height))
        .set("width", WIDTH)
        .set("height", height)
        .add(Style::new(STYLE));
    for (index, (title, curves)) in panels.iter().enumerate() {
        let names: Vec<&str> = reports.iter().map(|report| report.label.as_str()).collect();
        let title = format!(
            "{}, {title} ({})",
            quantity.name(),
            names.join("; dashed: ")
        );
        document = document.add(panel(&title, curves, PANEL * index as f64));
    }
    Ok(document)
}

fn curves(
    reports: &[&Report],
    group: (&str, u32),
    quantity: Quantity,
    chosen: &[String],
) -> Vec<Curve> {
    let wanted = |row: &Row| {
        let case = &row.case;
        let named = if chosen.is_empty() {
            FIGURE_4.contains(&case.construct.as_str())
        } else {
            case.suite == REFERENCE
                || chosen
                    .iter()
                    .any(|name| *name == case.suite || *name == case.construct)
        };
        named && (case.mode.as_str(), case.teams) == group
    };
    let mut titles: Vec<String> = Vec::new();
    for row in reports
        .iter()
        .flat_map(|report| &report.rows)
        .filter(|row| wanted(row))
    {
        if !titles.contains(&row.case.title()) {
            titles.push(row.case.title());
        }
    }
    let mut curves = Vec::new();
    for (number, report) in reports.iter().enumerate() {
        for (index, title) in titles.iter().enumerate() {
            let rows = report
                .rows
                .iter()
                .filter(|row| wanted(row) && row.case.title() == *title);
            let mut points: Vec<(f64, f64)> = rows
                .filter_map(|row| Some((f64::from(row.case.threads), row.figure(quantity)?.0)))
                .collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            let reference = [OVERSUBSCRIBE, TWO_BARRIERS].contains(&title.as_str());
            if !points.is_empty() {
                curves.push(Curve {
                    title: title.clone(),
                    colour: COLOURS[index % COLOURS.len()],
                    class: if number > 0 {
                        "b"
                    } else if reference {
                        "r"
                    } else {
                        "a"
                    },
                    points,
                });
            }
        }
    }
    curves
}

/// The mapping from figures to the picture. It is logarithmic, as constructs differ by orders of magnitude.
struct Scale {
    most_threads: f64,
    least: f64,
    most: f64,
    top: f64,
}

impl Scale {
    /// A figure that is not above 0 (a difference within the noise) lies on the lowest line.
    fn of(curves: &[Curve], top: f64) -> Scale {
        let figures = || curves.iter().flat_map(|curve| &curve.points);
        let positive = || {
            figures()
                .map(|point| point.1)
                .filter(|figure| *figure > 0.0)
        };
        let least = positive().fold(f64::INFINITY, f64::min).min(1e12);
        let most = positive().fold(least, f64::max);
        Scale {
            most_threads: figures().map(|point| point.0).fold(1.0, f64::max),
            least: 10_f64.powf(least.log10().floor()),
            most: 10_f64.powf(most.log10().floor() + 1.0),
            top,
        }
    }

    fn x(&self, threads: f64) -> f64 {
        LEFT + threads / self.most_threads * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, figure: f64) -> f64 {
        let part = (figure.max(self.least) / self.least).ln() / (self.most / self.least).ln();
        self.top + PANEL - BOTTOM - part * (PANEL - BOTTOM - TOP)
    }
}

fn panel(title: &str, curves: &[Curve], top: f64) -> Group {
    let scale = Scale::of(curves, top);
    let mut group = Group::new().add(text(title, (LEFT, top + 24.0), "start", "h"));
    let mut mark = scale.least;
    while mark <= scale.most * 1.001 {
        group = group
            .add(line((LEFT, scale.y(mark)), (WIDTH - RIGHT, scale.y(mark))))
            .add(text(
                &format!("{mark}"),
                (LEFT - 8.0, scale.y(mark) + 4.0),
                "end",
                "n",
            ));
        mark *= 10.0;
    }
    let threads: BTreeSet<u32> = curves
        .iter()
        .flat_map(|curve| &curve.points)
        .map(|point| point.0 as u32)
        .collect();
    let mut last = f64::NEG_INFINITY;
    for threads in threads {
        let (x, y) = (scale.x(threads.into()), top + PANEL - BOTTOM);
        group = group.add(line((x, top + TOP), (x, y)));
        // Small numbers are close together: some are left out.
        if x - last > 26.0 {
            group = group.add(text(&threads.to_string(), (x, y + 18.0), "middle", "n"));
            last = x;
        }
    }
    let middle = (LEFT + WIDTH - RIGHT) / 2.0;
    group = group.add(text("threads", (middle, top + PANEL - 12.0), "middle", "n"));
    for curve in curves {
        group = group.add(drawn(curve, &scale));
    }
    curves
        .iter()
        .enumerate()
        .fold(group, |group, (index, curve)| {
            group.add(legend(curve, top + TOP + 14.0 * index as f64))
        })
}

fn drawn(curve: &Curve, scale: &Scale) -> Group {
    let points: Vec<String> = curve
        .points
        .iter()
        .map(|point| format!("{:.1},{:.1}", scale.x(point.0), scale.y(point.1)))
        .collect();
    let line = Polyline::new()
        .set("points", points.join(" "))
        .set("stroke", curve.colour)
        .set("class", curve.class);
    let figures: Vec<String> = curve
        .points
        .iter()
        .map(|point| format!("{}: {:.1}", point.0, point.1))
        .collect();
    Group::new()
        .add(Title::new(format!(
            "{}\n{}",
            curve.title,
            figures.join("\n")
        )))
        .add(line)
}

fn legend(curve: &Curve, y: f64) -> Group {
    let x = WIDTH - RIGHT + 14.0;
    let line = Polyline::new()
        .set("points", format!("{x:.1},{y:.1} {:.1},{y:.1}", x + 28.0))
        .set("stroke", curve.colour)
        .set("class", curve.class);
    // The title needs a rectangle under the pointer.
    let area = Rectangle::new()
        .set("x", x)
        .set("y", y - 7.0)
        .set("width", 28)
        .set("height", 14)
        .set("fill", "none");
    Group::new()
        .add(line)
        .add(area)
        .add(text(&curve.title, (x + 34.0, y + 4.0), "start", "n"))
}

fn line(from: (f64, f64), to: (f64, f64)) -> Line {
    Line::new()
        .set("x1", from.0)
        .set("y1", from.1)
        .set("x2", to.0)
        .set("y2", to.1)
        .set("class", "g")
}

fn text(content: &str, at: (f64, f64), anchor: &str, class: &str) -> Text {
    Text::new(content)
        .set("x", at.0)
        .set("y", at.1)
        .set("text-anchor", anchor)
        .set("class", class)
}
