//! The host CPU's identity, for the cache key. Code is compiled for exactly the features of that CPU.

#[cfg_attr(target_arch = "x86_64", path = "x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
mod architecture;

pub use architecture::identity;

#[cfg(test)]
mod tests {
    #[test]
    fn identity_is_the_same_on_every_core() {
        let here = super::identity();
        let handles: Vec<_> = (0..16)
            .map(|_| std::thread::spawn(super::identity))
            .collect();
        handles
            .into_iter()
            .for_each(|handle| assert_eq!(handle.join().unwrap(), here));
    }
}
