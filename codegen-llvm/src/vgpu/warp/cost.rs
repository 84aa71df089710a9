//! What a warp form costs the host's back end.

use crate::analysis::host_instructions;
use crate::ir::{Layout, Value};
use crate::vgpu::warp::refusal::Refusal;

/// Most instructions of the host, as [`host_instructions`] counts them, that a warp form may have.
const MAX_INSTRUCTIONS: u64 = 60_000;

/// Refuses a warp form that costs too much. `bits` are those of the host's vector registers.
pub fn check(form: Value, layout: &Layout, bits: u64) -> Result<(), Refusal> {
    let cost = host_instructions::count(form, layout, bits);
    match cost > MAX_INSTRUCTIONS {
        true => Err(Refusal::new(format!(
            "its warp form would be {cost} instructions of this CPU; {MAX_INSTRUCTIONS} are the limit"
        ))),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Context, Module};

    #[test]
    fn the_host_decides_how_much_is_too_much() {
        let sums = "  %b = add <32 x i64> %a, %a\n";
        let text = format!(
            "define void @form(<32 x i64> %a) {{\n{}  ret void\n}}\n",
            (0..4000)
                .map(|number| sums.replace("%b", &format!("%b{number}")))
                .collect::<String>()
        );
        let module = Module::parse(Context::new(), &text, "test").unwrap();
        let form = module.function("form").unwrap();
        let check = |bits| check(form, &module.layout(), bits);
        let refusal = check(128).unwrap_err().0;
        assert!(refusal.contains("would be 64001 instructions"), "{refusal}");
        assert_eq!(check(512), Ok(()));
    }
}
