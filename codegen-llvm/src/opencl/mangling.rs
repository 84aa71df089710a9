//! The mangled names of OpenCL's built-in functions (Itanium C++ ABI, 5.1): as much as their parameters need.
//!
//! A name repeats no type: a second one refers to the first by number. So a name whose address spaces change is read
//! and written anew.

/// A type of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Type {
    /// By its letters; those of programs may be referred to, those of the language not.
    Named { letters: String, is_own: bool },
    /// `Dv<count>_<element>`.
    Vector(String, Box<Type>),
    /// `P<type>`.
    Pointer(Box<Type>),
    /// An address space (`U3AS<number>`; 0 for none), then what else qualifies a type, in its letters.
    Qualified(u32, String, Box<Type>),
}

/// The name with other numbers of address spaces; 0 is not written. `None`: it is no such name.
pub fn renumbered(name: &str, space: impl Fn(u32) -> u32) -> Option<String> {
    let rest = name.strip_prefix("_Z")?;
    let (function, rest) = source_name(rest)?;
    let mut reader = Reader {
        rest,
        known: Vec::new(),
    };
    let mut writer = Writer {
        text: format!("_Z{function}"),
        known: Vec::new(),
    };
    while !reader.rest.is_empty() {
        let ty = reader.ty(0)?;
        writer.ty(&changed(&ty, &space));
    }
    Some(writer.text)
}

/// A name behind its length; gives both, and what follows.
fn source_name(text: &str) -> Option<(&str, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let length: usize = text[..digits].parse().ok()?;
    text.split_at_checked(digits.checked_add(length)?)
}

fn changed(ty: &Type, space: &impl Fn(u32) -> u32) -> Type {
    let inner = |ty: &Type| Box::new(changed(ty, space));
    match ty {
        Type::Named { .. } => ty.clone(),
        Type::Vector(count, element) => Type::Vector(count.clone(), inner(element)),
        Type::Pointer(target) => Type::Pointer(inner(target)),
        Type::Qualified(number, others, target) => match space(*number) {
            0 if others.is_empty() => changed(target, space),
            number => Type::Qualified(number, others.clone(), inner(target)),
        },
    }
}

struct Reader<'a> {
    rest: &'a str,
    /// What later types may refer to.
    known: Vec<Type>,
}

impl Reader<'_> {
    fn take(&mut self, prefix: &str) -> bool {
        let rest = self.rest.strip_prefix(prefix);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn letters(&mut self, count: usize) -> Option<String> {
        let (letters, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(letters.to_owned())
    }

    fn until(&mut self, end: char) -> Option<String> {
        let (before, rest) = self.rest.split_once(end)?;
        self.rest = rest;
        Some(before.to_owned())
    }

    fn ty(&mut self, depth: usize) -> Option<Type> {
        // Names are as long as they are; types in them are not nested so deeply.
        if depth > 8 {
            return None;
        }
        let ty = match self.rest.as_bytes().first()? {
            b'S' => return self.reference(),
            b'P' => {
                self.take("P");
                Type::Pointer(Box::new(self.ty(depth + 1)?))
            }
            b'U' | b'V' | b'K' | b'r' => self.qualified(depth)?,
            b'D' if self.take("Dv") => {
                let count = self.until('_')?;
                Type::Vector(count, Box::new(self.ty(depth + 1)?))
            }
            b'0'..=b'9' => {
                let (letters, rest) = source_name(self.rest)?;
                let is_own = !letters.contains("ocl_");
                let letters = letters.to_owned();
                self.rest = rest;
                Type::Named { letters, is_own }
            }
            first => {
                let letters = self.letters(if *first == b'D' { 2 } else { 1 })?;
                return Some(Type::Named {
                    letters,
                    is_own: false,
                });
            }
        };
        if !matches!(ty, Type::Named { is_own: false, .. }) {
            self.known.push(ty.clone());
        }
        Some(ty)
    }

    fn qualified(&mut self, depth: usize) -> Option<Type> {
        let (mut number, mut others) = (0, String::new());
        loop {
            if self.take("U3AS") {
                number = self.letters(1)?.parse().ok()?;
            } else if self.take("U7_Atomic") {
                // A type of its own, behind all qualifiers.
                others += "U7_Atomic";
            } else if self.rest.starts_with(['V', 'K', 'r']) {
                others += &self.letters(1)?;
            } else {
                break;
            }
        }
        let target = self.ty(depth + 1)?;
        // The type is known with and without what qualifies it.
        Some(match others.strip_suffix("U7_Atomic") {
            Some(outer) if number != 0 || !outer.is_empty() => {
                let atomic = Type::Qualified(0, "U7_Atomic".to_owned(), Box::new(target));
                self.known.push(atomic.clone());
                Type::Qualified(number, outer.to_owned(), Box::new(atomic))
            }
            _ => Type::Qualified(number, others, Box::new(target)),
        })
    }

    /// `S_` is the first, `S0_` the second, and so on by 36.
    fn reference(&mut self) -> Option<Type> {
        self.take("S");
        let digits = self.until('_')?;
        let index = match digits.is_empty() {
            true => 0,
            false => usize::from_str_radix(&digits, 36).ok()?.checked_add(1)?,
        };
        self.known.get(index).cloned()
    }
}

struct Writer {
    text: String,
    known: Vec<Type>,
}

impl Writer {
    fn ty(&mut self, ty: &Type) {
        if let Some(index) = self.known.iter().position(|known| known == ty) {
            self.text += &match index {
                0 => "S_".to_owned(),
                // More than 36 types are in no name of a built-in function.
                index => format!(
                    "S{}_",
                    char::from_digit(index as u32 - 1, 36).unwrap_or('Z')
                )
                .to_uppercase(),
            };
            return;
        }
        match ty {
            Type::Named { letters, is_own } => {
                self.text += letters;
                if !is_own {
                    return;
                }
            }
            Type::Vector(count, element) => {
                self.text += &format!("Dv{count}_");
                self.ty(element);
            }
            Type::Pointer(target) => {
                self.text.push('P');
                self.ty(target);
            }
            Type::Qualified(number, others, target) => {
                if *number != 0 {
                    self.text += &format!("U3AS{number}");
                }
                self.text += others;
                self.ty(target);
            }
        }
        self.known.push(ty.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn for_nvptx(name: &str) -> Option<String> {
        renumbered(name, |number| match number {
            2 => 4,
            4 => 0,
            other => other,
        })
    }

    #[test]
    fn names_as_clang_has_them() {
        for (spir, nvptx) in [
            ("_Z13get_global_idj", "_Z13get_global_idj"),
            ("_Z5fractfPU3AS4f", "_Z5fractfPf"),
            ("_Z5fractDv4_fPU3AS4S_", "_Z5fractDv4_fPS_"),
            ("_Z5fractDv4_fPU3AS1S_", "_Z5fractDv4_fPU3AS1S_"),
            ("_Z6vload4mPU3AS2Kf", "_Z6vload4mPU3AS4Kf"),
            ("_Z6vload4mPU3AS4Kf", "_Z6vload4mPKf"),
            (
                "_Z21async_work_group_copyPU3AS3fPU3AS1Kfm9ocl_event",
                "_Z21async_work_group_copyPU3AS3fPU3AS1Kfm9ocl_event",
            ),
            (
                "_Z25atomic_fetch_add_explicitPU3AS4VU7_Atomicii12memory_order12memory_scope",
                "_Z25atomic_fetch_add_explicitPVU7_Atomicii12memory_order12memory_scope",
            ),
            // The third type refers to the second: its number changes with the qualified type that goes.
            ("_Z1gPU3AS4fPU3AS4fS0_", "_Z1gPfS_S_"),
        ] {
            assert_eq!(for_nvptx(spir).as_deref(), Some(nvptx), "{spir}");
        }
    }

    #[test]
    fn other_names_are_none() {
        for name in [
            "main",
            "_Z",
            "_Z9short",
            "_Z1fS_",
            "_Z1fPPPPPPPPPPPPPPPPi",
            "_Z99999999999999999999f",
        ] {
            assert_eq!(for_nvptx(name), None, "{name}");
        }
    }
}
