//! User objects: what a program wants to keep as long as graphs use it. Each counts its references; the last one's end
//! calls the program's function.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::OnceLock;

use cudart::error::{Code, Result};
use parking_lot::Mutex;

/// The program's function, and what it gets.
#[derive(Clone, Copy)]
pub struct Destructor {
    /// The function.
    pub function: unsafe extern "C" fn(*mut c_void),
    /// Its argument.
    pub data: *mut c_void,
}

// SAFETY: the program promises that the function may be called on any thread.
unsafe impl Send for Destructor {}

/// Who has references.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Holder {
    /// The program.
    Program,
    /// A graph.
    Graph(usize),
    /// A graph that can be launched.
    Executable(usize),
}

#[derive(Default)]
struct Tables {
    next: usize,
    objects: HashMap<usize, Destructor>,
    /// References of each holder to each object.
    held: HashMap<(Holder, usize), u32>,
}

fn tables() -> &'static Mutex<Tables> {
    static TABLES: OnceLock<Mutex<Tables>> = OnceLock::new();
    TABLES.get_or_init(Mutex::default)
}

impl Tables {
    /// Takes references away. Gives the destructor with the last one.
    fn release(&mut self, holder: Holder, object: usize, count: u32) -> Result<Option<Destructor>> {
        let held = self.held.get_mut(&(holder, object));
        let held = held.ok_or(Code::INVALID_VALUE)?;
        *held = held.checked_sub(count).ok_or(Code::INVALID_VALUE)?;
        if *held == 0 {
            self.held.remove(&(holder, object));
        }
        let is_held = self.held.keys().any(|(_, other)| *other == object);
        Ok((!is_held).then(|| self.objects.remove(&object)).flatten())
    }
}

/// A new object with so many references of the program's.
pub fn create(destructor: Destructor, count: u32) -> Result<usize> {
    if count == 0 {
        return Err(Code::INVALID_VALUE);
    }
    let mut tables = tables().lock();
    tables.next += 1;
    let object = tables.next;
    tables.objects.insert(object, destructor);
    tables.held.insert((Holder::Program, object), count);
    Ok(object)
}

/// Gives a holder more references.
pub fn retain(holder: Holder, object: usize, count: u32) -> Result<()> {
    let mut tables = tables().lock();
    if count == 0 || !tables.objects.contains_key(&object) {
        return Err(Code::INVALID_VALUE);
    }
    let held = tables.held.entry((holder, object)).or_insert(0);
    *held = held.checked_add(count).ok_or(Code::INVALID_VALUE)?;
    Ok(())
}

/// Takes references of a holder away.
pub fn release(holder: Holder, object: usize, count: u32) -> Result<()> {
    let last = tables().lock().release(holder, object, count)?;
    call(last);
    Ok(())
}

/// Gives what a holder has to another one, too.
pub fn share(from: Holder, to: Holder) {
    let mut tables = tables().lock();
    let held = tables.held.keys().filter(|(holder, _)| *holder == from);
    let objects: Vec<usize> = held.map(|(_, object)| *object).collect();
    for object in objects {
        tables.held.entry((to, object)).or_insert(1);
    }
}

/// A holder is destroyed.
pub fn end(holder: Holder) {
    let last: Vec<_> = {
        let mut tables = tables().lock();
        let held = tables
            .held
            .iter()
            .filter(|((other, _), _)| *other == holder);
        let held: Vec<(usize, u32)> = held.map(|((_, object), count)| (*object, *count)).collect();
        let released = held.into_iter();
        released
            .filter_map(|(object, count)| tables.release(holder, object, count).ok().flatten())
            .collect()
    };
    last.into_iter()
        .for_each(|destructor| call(Some(destructor)));
}

fn call(destructor: Option<Destructor>) {
    if let Some(Destructor { function, data }) = destructor {
        // SAFETY: the program gave both for this.
        unsafe { function(data) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" fn count(data: *mut c_void) {
        // SAFETY: the test gives a number's address.
        unsafe { *data.cast::<u32>() += 1 };
    }

    #[test]
    fn the_last_reference_ends_an_object() {
        let mut ends = 0u32;
        let destructor = Destructor {
            function: count,
            data: (&raw mut ends).cast(),
        };
        let object = create(destructor, 2).unwrap();
        let (graph, launched) = (Holder::Graph(usize::MAX), Holder::Executable(usize::MAX));
        retain(graph, object, 1).unwrap();
        share(graph, launched);
        release(Holder::Program, object, 2).unwrap();
        end(graph);
        assert_eq!(ends, 0);
        assert_eq!(release(graph, object, 1), Err(Code::INVALID_VALUE));
        end(launched);
        assert_eq!(ends, 1);
        assert_eq!(retain(graph, object, 1), Err(Code::INVALID_VALUE));
    }
}
