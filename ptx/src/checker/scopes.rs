//! Names and what they stand for, scope by scope (PTX ISA, "Identifiers": braces begin a scope).

use std::collections::HashMap;

/// The names of a function at a place.
pub struct Scopes<'a, T> {
    stack: Vec<Scope<'a, T>>,
}

struct Scope<'a, T> {
    names: HashMap<&'a str, T>,
    /// Registers `name0` to `name(count - 1)`, by what their names begin with.
    ranges: HashMap<&'a str, (u64, T)>,
}

impl<T> Default for Scope<'_, T> {
    fn default() -> Self {
        Scope {
            names: HashMap::new(),
            ranges: HashMap::new(),
        }
    }
}

impl<'a, T: Clone> Scopes<'a, T> {
    /// The function's own scope.
    pub fn new() -> Scopes<'a, T> {
        Scopes {
            stack: vec![Scope::default()],
        }
    }

    /// A brace opens.
    pub fn open(&mut self) {
        self.stack.push(Scope::default());
    }

    /// A brace closes.
    pub fn close(&mut self) {
        self.stack.pop();
    }

    /// Declares a name. Whether it is new in its scope.
    pub fn declare(&mut self, name: &'a str, value: T) -> bool {
        let scope = self.stack.last_mut();
        scope.is_some_and(|scope| scope.names.insert(name, value).is_none())
    }

    /// Declares the names `name0` to `name(count - 1)`. Whether they are new in their scope.
    pub fn declare_range(&mut self, name: &'a str, count: u64, value: T) -> bool {
        let scope = self.stack.last_mut();
        scope.is_some_and(|scope| scope.ranges.insert(name, (count, value)).is_none())
    }

    /// What a name stands for, and how many scopes further out the one is that declares it.
    pub fn find(&self, name: &str) -> Option<(T, usize)> {
        let (prefix, index) = split_index(name);
        self.stack
            .iter()
            .rev()
            .enumerate()
            .find_map(|(out, scope)| {
                if let Some(found) = scope.names.get(name) {
                    return Some((found.clone(), out));
                }
                let (count, value) = scope.ranges.get(prefix)?;
                (index? < *count).then(|| (value.clone(), out))
            })
    }
}

/// `%r12` as `%r` and 12.
fn split_index(name: &str) -> (&str, Option<u64>) {
    let prefix = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let digits = &name[prefix.len()..];
    // `%r<3>` declares `%r0`, not `%r00`.
    let plain = digits == "0" || !digits.starts_with('0');
    (prefix, digits.parse().ok().filter(|_| plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_scopes() {
        let mut scopes = Scopes::new();
        assert!(scopes.declare_range("%r", 3, 1) && scopes.declare("a", 2));
        scopes.open();
        assert!(scopes.declare("a", 3));
        assert!(!scopes.declare("a", 4));
        assert_eq!(scopes.find("%r2"), Some((1, 1)));
        assert_eq!(scopes.find("%r3"), None);
        assert_eq!(scopes.find("%r02"), None);
        scopes.close();
        assert_eq!(scopes.find("a"), Some((2, 0)));
    }
}
