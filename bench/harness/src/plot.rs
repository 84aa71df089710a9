//! Pictures of measurements (SVG).

use svg::Document;
use svg::node::element::{Group, Line, Rectangle, Style, Text, Title};

const STYLE: &str = "\
svg{background:#fff}text{font:11px sans-serif;fill:#333}.h{font-size:13px}.g{stroke:#ddd}.one{stroke:#888}\
.a{fill:#3572b0}.b{fill:#2f7d4f}.m{text-anchor:middle}.e{text-anchor:end}";

const LEFT: f64 = 48.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 100.0;
const PLOT: f64 = 300.0;
const STEP: f64 = 36.0;

/// A bar. The last bars of a picture may stand for all the others (`whole`).
pub struct Bar {
    /// Written under the bar.
    pub label: String,
    /// Its height, more than 0.
    pub value: f64,
    /// Whether it summarises the others; it has another colour then.
    pub whole: bool,
}

/// A logarithmic axis over whole powers of ten.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    /// Holds 1 and all values.
    fn around(values: impl Iterator<Item = f64>) -> Axis {
        let (mut low, mut high) = (-1.0f64, 1.0f64);
        for value in values {
            low = low.min(value.log10().floor());
            high = high.max(value.log10().ceil());
        }
        Axis { low, high }
    }

    fn y(&self, value: f64) -> f64 {
        let part = (value.log10() - self.low) / (self.high - self.low);
        tenth(TOP + PLOT * (1.0 - part))
    }

    fn draw(&self, width: f64) -> Group {
        (self.low as i32..=self.high as i32).fold(Group::new(), |group, power| {
            let y = self.y(10f64.powi(power));
            let class = if power == 0 { "one" } else { "g" };
            let line = Line::new().set("class", class).set("x1", LEFT).set("y1", y);
            let label = Text::new(format!("{}", 10f64.powi(power)));
            group.add(line.set("x2", width).set("y2", y)).add(
                label
                    .set("class", "e")
                    .set("x", LEFT - 6.0)
                    .set("y", y + 4.0),
            )
        })
    }
}

/// Bars from 1 up or down, on a logarithmic scale.
pub fn ratios(title: &str, bars: &[Bar]) -> Document {
    let axis = Axis::around(bars.iter().map(|bar| bar.value));
    let width = LEFT + STEP * bars.len() as f64 + 10.0;
    let document = Document::new()
        .set("viewBox", (0, 0, width, TOP + PLOT + BOTTOM))
        .set("width", width)
        .add(Style::new(STYLE))
        .add(Text::new(title).set("class", "h").set("x", 6).set("y", 20))
        .add(axis.draw(width));
    bars.iter()
        .enumerate()
        .fold(document, |document, (index, bar)| {
            document.add(bar_at(LEFT + STEP * index as f64, bar, &axis))
        })
}

fn bar_at(x: f64, bar: &Bar, axis: &Axis) -> Group {
    let (end, one) = (axis.y(bar.value), axis.y(1.0));
    let rectangle = Rectangle::new()
        .set("class", if bar.whole { "b" } else { "a" })
        .set("x", x + 5.0)
        .set("y", end.min(one))
        .set("width", STEP - 10.0)
        .set("height", (end - one).abs().max(0.5));
    // The figure stands beyond the bar's end.
    let figure_y = if bar.value < 1.0 {
        end + 12.0
    } else {
        end - 4.0
    };
    let (label_x, label_y) = (x + STEP / 2.0 + 4.0, TOP + PLOT + 14.0);
    let label = Text::new(bar.label.as_str())
        .set("class", "e")
        .set("transform", format!("rotate(-60 {label_x} {label_y})"));
    let figure = Text::new(short(bar.value)).set("class", "m");
    Group::new()
        .add(Title::new(format!("{}: {}", bar.label, short(bar.value))))
        .add(rectangle)
        .add(figure.set("x", x + STEP / 2.0).set("y", figure_y))
        .add(label.set("x", label_x).set("y", label_y))
}

/// Two significant digits: `32`, `3.6`, `0.012`.
pub fn short(value: f64) -> String {
    let digits = (1.0 - value.log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{value:.digits$}")
}

fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(label: &str, value: f64) -> Bar {
        Bar {
            label: label.into(),
            value,
            whole: false,
        }
    }

    #[test]
    fn bars_grow_from_one() {
        let axis = Axis::around([0.02, 32.0].into_iter());
        assert_eq!((axis.low, axis.high), (-2.0, 2.0));
        assert!(axis.y(32.0) < axis.y(1.0) && axis.y(1.0) < axis.y(0.02));
        assert_eq!((axis.y(100.0), axis.y(0.01)), (TOP, TOP + PLOT));
        let picture = ratios("a title", &[bar("one", 0.02), bar("other", 32.0)]).to_string();
        for part in ["a title", "one: 0.020", "other: 32", "\n100\n", "\n0.01\n"] {
            assert!(picture.contains(part), "{part} missing in {picture}");
        }
        assert_eq!(picture.matches("<rect").count(), 2);
    }

    #[test]
    fn figures() {
        for (value, text) in [
            (32.4, "32"),
            (3.64, "3.6"),
            (0.0123, "0.012"),
            (1234.0, "1234"),
        ] {
            assert_eq!(short(value), text);
        }
    }
}
