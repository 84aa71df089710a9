//! What the tests take of many combinations, so that together they end in time: a part that depends on what is tested,
//! and so is the same each time. With the variable `EVERY_CASE` they take all (docs/measuring.md).

/// The first of `all`, and one of the others. Many tests together take each.
pub fn first_and_another<T: Copy>(all: &[T], tested: &str) -> Vec<T> {
    if everything() || all.len() < 2 {
        return all.to_vec();
    }
    vec![all[0], all[1 + number(tested) % (all.len() - 1)]]
}

/// Every third of `all`.
pub fn every_third<T: Copy>(all: &[T], tested: &str) -> Vec<T> {
    if everything() {
        return all.to_vec();
    }
    all.iter()
        .skip(number(tested) % 3)
        .step_by(3)
        .copied()
        .collect()
}

fn everything() -> bool {
    std::env::var_os("EVERY_CASE").is_some()
}

/// A number for a name.
fn number(name: &str) -> usize {
    name.bytes().map(usize::from).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_taken_by_some() {
        let names: Vec<String> = (0..12).map(|number| format!("program {number}")).collect();
        for wanted in 0..4 {
            assert!(
                names
                    .iter()
                    .any(|name| first_and_another(&[0, 1, 2, 3], name).contains(&wanted))
            );
            assert!(
                names
                    .iter()
                    .any(|name| every_third(&[0, 1, 2, 3], name).contains(&wanted))
            );
        }
        assert!(
            names
                .iter()
                .all(|name| first_and_another(&[0, 1, 2, 3], name)[0] == 0)
        );
        assert_eq!(first_and_another(&[7], "program"), [7]);
    }
}
