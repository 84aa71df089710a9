//! The devices on which a program would run.

use std::sync::Arc;

use device_image::Image;
use plugin_api::{Device, preferred_image};

use crate::Family;

/// A device and what it makes of a program.
pub struct Verdict<'a> {
    /// Its family's name.
    pub family: &'static str,
    /// Its number in the family.
    pub index: usize,
    /// The device.
    pub device: Arc<dyn Device>,
    /// The image that it would load, or why there is none.
    pub image: Result<Image<'a>, String>,
}

impl Verdict<'_> {
    /// Whether the program would have it.
    pub fn runs(&self) -> bool {
        self.image.is_ok()
    }
}

/// What the devices of `families` make of a program with these images. A device that only stands in for GPUs takes none
/// where another device does.
pub fn judge<'a>(families: &[Family], images: &[Image<'a>]) -> Vec<Verdict<'a>> {
    let mut verdicts: Vec<Verdict<'_>> = Vec::new();
    for family in families {
        let Ok(opened) = family.open(|_| ()) else {
            continue;
        };
        let replaced = family.stands_in() && verdicts.iter().any(Verdict::runs);
        for (index, device) in opened.plugin.devices().into_iter().enumerate() {
            let image = match replaced {
                true => Err("it stands in only where no GPU runs the program".to_owned()),
                false => choose(device.as_ref(), images),
            };
            verdicts.push(Verdict {
                family: family.name(),
                index,
                device,
                image,
            });
        }
    }
    verdicts
}

/// The image that the device prefers among those that it takes.
fn choose<'a>(device: &dyn Device, images: &[Image<'a>]) -> Result<Image<'a>, String> {
    preferred_image(device, images.iter().cloned()).ok_or_else(|| {
        let refused = images.iter().filter_map(|image| device.refusal(image));
        let refused: Vec<_> = refused.map(|why| format!("the image is {why}")).collect();
        match refused.is_empty() {
            true => "the program has no images".to_owned(),
            false => refused.join("; "),
        }
    })
}
