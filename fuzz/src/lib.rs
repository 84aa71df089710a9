//! The fuzz targets: one function each. A target takes arbitrary bytes and panics when a promise is broken. The first
//! promise is that nothing crashes, hangs or reads beyond its input. `targets/` makes fuzzers of the functions; the
//! test below replays `seeds/`.

use std::ffi::{CString, c_char, c_void};
use std::sync::OnceLock;

use device_image::Image;
use host_api::abi::{Entry, LegacyEntry};
use host_api::device::entries;
use host_api::environment::Environment;
use host_api::report::source_location;
use plugin_api::Module;
use plugin_vgpu::{Config, Engine, VirtualGpu};
use vgpu_abi::artifact::{Artifact, GlobalEntry, KernelEntry, Manifest};

/// Device images as programs carry them: `OffloadBinary`, bitcode, ELF, PTX, fat binaries.
pub fn image(data: &[u8]) {
    let Ok(images) = Image::parse(data) else {
        return;
    };
    let within = |part: &[u8]| {
        part.is_empty()
            || (data.as_ptr_range().contains(&part.as_ptr())
                && part.as_ptr_range().end <= data.as_ptr_range().end)
    };
    for image in images {
        assert!(within(image.bytes), "the image lies in its container");
        let _text = image.to_string();
        // An image taken out of its container is an image.
        Image::parse(image.bytes).expect("a checked image parses again");
    }
}

/// Compiled images (ELF relocatable objects) for the virtual GPU. They are laid out and relocated, but do not run.
pub fn object(data: &[u8]) {
    let _loads = loads(data);
}

/// Whether the virtual GPU loads an object with a kernel `entry` and a variable `counter`.
fn loads(object: &[u8]) -> bool {
    static GPU: OnceLock<VirtualGpu> = OnceLock::new();
    let gpu = GPU.get_or_init(|| {
        let config = Config {
            devices: 1,
            multiprocessors: 1,
            memory: 64 << 20,
            heap: 8 << 20,
            timeout: None,
            checks: Default::default(),
            count: false,
            through_ptx: false,
            engine: Engine::Fiber,
            schedule: plugin_vgpu::Schedule::InOrder,
            cpu: None,
            runs_constructors: true,
        };
        VirtualGpu::new(&config).expect("a small virtual GPU")
    });
    let name = |name: &str| name.to_owned();
    let manifest = Manifest {
        abi: vgpu_abi::VERSION,
        window: vgpu_abi::WINDOWS[0],
        warp_size: 32,
        default_threads: 128,
        grid_workspace: false,
        kernels: vec![KernelEntry {
            name: name("kernel"),
            symbol: name("entry"),
            max_threads: 1024,
            block: None,
            ..KernelEntry::default()
        }],
        globals: vec![GlobalEntry {
            name: name("counter"),
            symbol: name("counter"),
            size: 4,
        }],
        ..Manifest::default()
    };
    let artifact = Artifact {
        manifest,
        object: object.to_vec(),
    };
    gpu.load_artifact(artifact, None)
        .is_ok_and(|module| module.kernel("kernel").is_some() && module.global("counter").is_some())
}

/// Compiled images as the disk cache and the compiler process return them.
pub fn artifact(data: &[u8]) {
    if let Ok(artifact) = Artifact::decode(data) {
        let again = Artifact::decode(&artifact.encode()).expect("what was decoded can be encoded");
        assert_eq!(again.manifest, artifact.manifest);
        assert_eq!(again.object, artifact.object);
    }
}

/// Tables of offload entries, in both layouts: the fields are arbitrary, names are C strings or null as the linker
/// guarantees.
pub fn entries(data: &[u8]) {
    let Some((&choice, rest)) = data.split_first() else {
        return;
    };
    let name = CString::new(
        rest.iter()
            .copied()
            .take_while(|&byte| byte != 0)
            .take(40)
            .collect::<Vec<_>>(),
    )
    .expect("no NUL");
    let word = |chunk: &[u8], at: usize| {
        u64::from_le_bytes(chunk[at..at + 8].try_into().expect("8 bytes"))
    };
    let name_of = |chunk: &[u8]| {
        if chunk[31] & 1 == 0 {
            name.as_ptr()
        } else {
            std::ptr::null::<c_char>()
        }
    };
    let address = |chunk: &[u8]| word(chunk, 0) as *const c_void;
    let chunks = || rest.chunks_exact(32);
    let read = if choice & 1 == 0 {
        let table: Vec<Entry> = chunks()
            .map(|chunk| Entry {
                reserved: 0,
                version: u16::from(chunk[24]),
                kind: u16::from(chunk[25]),
                flags: word(chunk, 8) as u32,
                address: address(chunk),
                name: name_of(chunk),
                size: word(chunk, 16),
                data: word(chunk, 12),
                auxiliary: std::ptr::null(),
            })
            .collect();
        let range = table.as_ptr_range();
        // SAFETY: a table of entries whose names are C strings or null.
        unsafe { entries::read(range.start.cast(), range.end.cast()) }
    } else {
        let table: Vec<LegacyEntry> = chunks()
            .map(|chunk| LegacyEntry {
                // Never null: a null address marks the other layout.
                address: (word(chunk, 0) | 1) as *const c_void,
                name: name_of(chunk),
                size: word(chunk, 16),
                flags: word(chunk, 8) as i32,
                data: word(chunk, 12) as i32,
            })
            .collect();
        let range = table.as_ptr_range();
        // SAFETY: as above.
        unsafe { entries::read(range.start.cast(), range.end.cast()) }
    };
    let expected = name.to_string_lossy();
    assert!(read.iter().all(|entry| entry.name == expected));
}

/// Environment variables: lines `NAME=VALUE`. A value that cannot be parsed gives a warning.
pub fn environment(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let variable = |name: &str| {
        let mut values = text.lines().filter_map(|line| line.split_once('='));
        values
            .find(|(own, _)| *own == name)
            .map(|(_, value)| value.to_owned())
    };
    let read = Environment::from(variable);
    let is_zero = |text: &str| {
        let digits = text.trim().trim_start_matches(['0', 'x', 'X']);
        digits.is_empty()
    };
    for (name, value, zero_is_default) in [
        ("OMP_NUM_TEAMS", read.num_teams, false),
        ("OMP_TEAMS_THREAD_LIMIT", read.teams_thread_limit, false),
        (
            "LIBOMPTARGET_SHARED_MEMORY_SIZE",
            read.shared_memory_size,
            true,
        ),
        (
            "LIBOMPTARGET_PROFILE_GRANULARITY",
            read.profile_granularity,
            true,
        ),
    ] {
        let Some(text) = variable(name).filter(|text| !text.trim().is_empty()) else {
            continue;
        };
        let told = read
            .complaints
            .iter()
            .any(|complaint| complaint.contains(name));
        let silent = value.is_none() && !told;
        assert!(
            !silent || (zero_is_default && is_zero(&text)),
            "{name}={text} is ignored in silence"
        );
    }
    if let Ok(config) = Config::from_variables(variable) {
        assert!((1..=512).contains(&config.multiprocessors));
        assert!(config.memory >= 1 << 20 && config.heap >= 1 << 20);
    }
}

/// The strings that clang attaches to constructs and regions: source locations, expressions, symbols.
pub fn names(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let _location = source_location::SourceLocation::parse(&text).to_string();
    if let Some(location) = source_location::SourceLocation::of_region(&text) {
        assert!(
            text.contains(&location.function),
            "the function is part of the symbol"
        );
    }
    if let Some(expression) = source_location::item_expression(&text) {
        assert!(text.contains(expression));
    }
}

/// PTX, which is linked with itself, and of which LLVM assembly is made. An error names a place in the text.
pub fn ptx(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let _ = ptx::link(&[&text, &text]);
    if let Err(error) = ptx::translate(&text) {
        let lines = text.split('\n').count();
        let line = error.position.line as usize;
        assert!(
            (1..=lines).contains(&line),
            "{error}: the text has {lines} lines"
        );
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// The seed must load: a target that rejects every input finds little.
    #[test]
    fn an_object_loads() {
        assert!(super::loads(include_bytes!("../seeds/object/plain")));
        assert!(!super::loads(include_bytes!("../seeds/object/cut")));
    }

    #[test]
    fn seeds() {
        type Target = fn(&[u8]);
        let targets: [(&str, Target); 7] = [
            ("image", super::image),
            ("object", super::object),
            ("artifact", super::artifact),
            ("entries", super::entries),
            ("environment", super::environment),
            ("names", super::names),
            ("ptx", super::ptx),
        ];
        for (name, target) in targets {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("seeds")
                .join(name);
            let seeds = std::fs::read_dir(&folder).expect("every target has seeds");
            let mut count = 0;
            for seed in seeds {
                let path = seed.expect("a folder's entry").path();
                target(&std::fs::read(&path).expect("a readable seed"));
                count += 1;
            }
            assert!(count > 0, "{name} has no seeds");
        }
    }
}
