//! Which groups of kernels to compile before they are asked for.
//!
//! Programs launch kernels largely in the order in which they define them. While a program waits for a group, another
//! CPU has nothing to do. So when groups are asked for in order, those that come next are compiled at the same time.

/// Most groups at a time. Each takes tens of megabytes.
const MOST: usize = 8;

/// What has been asked for.
pub struct Ahead {
    /// Whether each group has been.
    asked: Vec<bool>,
    last: Option<usize>,
    /// How many in order, without the first.
    run: usize,
    most: usize,
}

impl Ahead {
    /// Nothing yet, of so many groups, where there are so many CPUs.
    pub fn new(groups: usize, cpus: usize) -> Ahead {
        Ahead {
            asked: vec![false; groups],
            last: None,
            run: 0,
            most: (cpus - 1).min(MOST),
        }
    }

    /// Notes that a group is asked for, and gives those to compile ahead. They are at most half as many as have been
    /// asked for in order: who stops after a few does not pay for many.
    pub fn asked(&mut self, group: usize) -> Vec<usize> {
        let expected = self.last.and_then(|last| self.behind(last).next());
        let is_expected = expected == Some(group);
        self.run = if is_expected { self.run + 1 } else { 0 };
        self.last = Some(group);
        self.asked[group] = true;
        let window = self.run.div_ceil(2).min(self.most);
        self.behind(group).take(window).collect()
    }

    /// The groups behind one that have not been asked for.
    fn behind(&self, group: usize) -> impl Iterator<Item = usize> {
        (group + 1..self.asked.len()).filter(|&it| !self.asked[it])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_in_order_gets_more_and_more_ahead() {
        let mut ahead = Ahead::new(20, 4);
        let given: Vec<_> = (0..8).map(|group| ahead.asked(group)).collect();
        assert!(given[0].is_empty());
        assert_eq!(given[1], [2]);
        assert_eq!(given[2], [3]);
        assert_eq!(given[3], [4, 5]);
        assert_eq!(given[7], [8, 9, 10], "one CPU is for what was asked for");
    }

    #[test]
    fn who_asks_here_and_there_gets_nothing() {
        let mut ahead = Ahead::new(20, 4);
        assert!([2, 5, 7, 6, 4].iter().all(|&it| ahead.asked(it).is_empty()));
        assert!(ahead.asked(9).is_empty(), "8 comes behind 4");
    }

    #[test]
    fn what_was_asked_for_is_passed_over() {
        let mut ahead = Ahead::new(20, 4);
        ahead.asked(3);
        ahead.asked(1);
        assert_eq!(ahead.asked(2), [4]);
        assert_eq!(ahead.asked(4), [5]);
    }

    #[test]
    fn one_cpu_has_enough_to_do() {
        let mut ahead = Ahead::new(20, 1);
        assert!((0..20).all(|group| ahead.asked(group).is_empty()));
    }
}
