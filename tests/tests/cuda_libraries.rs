//! CUDA's libraries: what programs link, and what our headers say of it.

use std::collections::BTreeSet;

use e2e::{Build, Mode, dist, root};
use object::{Object, ObjectSymbol};

const LINKED: [&str; 5] = [
    "-lcublas",
    "-lcublasLt",
    "-lcurand",
    "-lcufft",
    "-lcusparse",
];

/// One program uses all libraries.
#[test]
fn the_example_runs() {
    let build = Build::new(&["examples/cuda_libraries.cu"]).flags(&LINKED);
    let outcome = build.compile(Mode::Cuda("-O1")).run(&[]);
    assert_eq!(outcome.passed("cuda_libraries"), "PASS\n");
}

/// Streams, pointer modes, bad arguments, destroyed handles; random numbers in kernels and from the host.
#[test]
fn libraries_keep_their_promises() {
    let build = Build::new(&["tests/programs/cuda/libraries.cu"]).flags(&LINKED);
    let outcome = build.compile(Mode::Cuda("-O1")).run(&[]);
    assert!(outcome.stdout.ends_with("PASS\n"), "{outcome:?}");
    assert!(
        outcome.stderr.contains("are not device memory"),
        "{outcome:?}"
    );
}

/// cuBLASLt: types, orders, batches, epilogues and their gradients; bad descriptors.
#[test]
fn products_with_epilogues() {
    let build = Build::new(&["tests/programs/cuda/cublaslt.cu"]).flags(&["-lcublasLt"]);
    let outcome = build.compile(Mode::Cuda("-O1")).run(&[]);
    assert_eq!(outcome.passed("cublaslt"), "PASS\n");
}

/// The headers declare what the libraries have, and nothing else.
#[test]
fn headers_declare_what_libraries_have() {
    for (library, headers) in [
        ("cublas.so.12", &["cublas_v2.h", "cublasLt.h"][..]),
        ("curand.so.10", &["curand.h"]),
        ("cufft.so.11", &["cufft.h", "cufftXt.h"]),
        ("cusparse.so.12", &["cusparse.h"]),
    ] {
        let (prefix, _) = library.split_once('.').expect("a name and a version");
        let read = |header: &&str| {
            let path = root().join("cudalibs/include").join(header);
            let text = std::fs::read_to_string(path).expect("the header is readable");
            // Inline functions are none of the library.
            let lines = text
                .lines()
                .filter(|line| !line.starts_with("static inline"));
            lines.map(|line| format!("{line}\n")).collect::<String>()
        };
        let text: String = headers.iter().map(read).collect();
        let calls = text.split('(').filter_map(|before| {
            let name = before
                .rsplit(|letter: char| !letter.is_alphanumeric() && letter != '_')
                .next()?;
            name.starts_with(prefix).then(|| name.to_owned())
        });
        let declared: BTreeSet<String> = calls.collect();
        let bytes = std::fs::read(dist(&format!("lib/cuda/lib{library}"))).expect("it is readable");
        let object = object::File::parse(&*bytes).expect("it is an ELF file");
        let exported: BTreeSet<String> = object
            .dynamic_symbols()
            .filter(|symbol| symbol.is_definition())
            .map(|symbol| symbol.name().expect("a name in UTF-8").to_owned())
            .filter(|name| !name.starts_with("lib") && !name.ends_with("OmptargetFront"))
            .collect();
        assert_eq!(declared, exported, "{library}");
    }
}
