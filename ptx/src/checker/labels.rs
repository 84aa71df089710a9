//! Labels by their scopes: branches may go forward, so they are found before the rest.

use std::collections::{HashMap, HashSet};

use crate::error::Error;
use crate::syntax::{Local, Statement, StatementKind};

/// Label-like names of each scope, by the index of the statement that opens it; the function's own has none.
pub type Labels<'a> = HashMap<Option<usize>, HashSet<&'a str>>;

/// The labels and prototypes of a body.
pub fn labels<'a>(body: &[Statement<'a>]) -> Result<Labels<'a>, Error> {
    let mut found = Labels::new();
    let mut open = vec![None];
    for (index, statement) in body.iter().enumerate() {
        match &statement.kind {
            StatementKind::Open => open.push(Some(index)),
            StatementKind::Close => {
                open.pop();
            }
            StatementKind::Label(name)
            | StatementKind::Local(Local::Targets(name, _) | Local::Prototype(name, _)) => {
                let scope = open.last().copied().flatten();
                if !found.entry(scope).or_default().insert(name) {
                    let what = format!("the label `{name}` is there twice");
                    return Err(Error::new(statement.position, what));
                }
            }
            _ => {}
        }
    }
    Ok(found)
}
