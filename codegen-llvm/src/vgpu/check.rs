//! Needs: a module as read. Leaves: the certainty that it is valid IR for nvptx64 without
//! module-level assembly, and the architecture it was compiled for.

use anyhow::{Result, bail};

use super::unit::Unit;

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    let triple = unit.module.triple();
    if !triple.starts_with("nvptx64") {
        let shown = if triple.is_empty() {
            "no target triple".to_owned()
        } else {
            format!("target triple {triple}")
        };
        bail!(
            "the image has {shown}; the virtual GPU runs nvptx64 images (clang: --offload-arch=sm_80)"
        );
    }
    unit.module.verify("as it stands in the image")?;
    if !unit.module.inline_assembly().trim().is_empty() {
        bail!("the image has module-level PTX assembly, which the virtual GPU cannot run");
    }
    let archs = unit
        .module
        .definitions()
        .into_iter()
        .filter_map(|function| function.text_attribute("target-cpu"));
    unit.cuda_arch = archs.filter_map(|cpu| cuda_arch(&cpu)).max().unwrap_or(800);
    Ok(())
}

/// `sm_80` → 800, `sm_90a` → 900.
fn cuda_arch(cpu: &str) -> Option<u32> {
    let digits: String = cpu
        .strip_prefix("sm_")?
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    Some(digits.parse::<u32>().ok()? * 10)
}

#[cfg(test)]
mod tests {
    use super::cuda_arch;

    #[test]
    fn arch_is_read_from_the_cpu_name() {
        assert_eq!(cuda_arch("sm_80"), Some(800));
        assert_eq!(cuda_arch("sm_90a"), Some(900));
        assert_eq!(cuda_arch("gfx90a"), None);
    }
}
