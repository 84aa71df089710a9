use super::*;

struct Fixture {
    buffer: Buffer,
    memory: Vec<u64>,
}

fn buffer(words: usize) -> Fixture {
    let mut memory = vec![0xaaaa_aaaa_aaaa_aaaa; words];
    let buffer = Buffer::new();
    buffer.base.store(memory.as_mut_ptr() as u64, Relaxed);
    buffer.size.store(words as u64 * 8, Relaxed);
    Fixture { buffer, memory }
}

/// Arguments as LLVM packs them: aligned to 4.
#[derive(Default)]
struct Packed(Vec<u8>);

impl Packed {
    fn int(mut self, value: i32) -> Packed {
        self.0.extend(value.to_ne_bytes());
        self
    }
    fn wide(mut self, value: u64) -> Packed {
        self.0.extend(value.to_ne_bytes());
        self
    }
}

/// The words of a string field.
fn string(text: &str) -> Vec<u64> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let words = bytes
        .chunks(8)
        .map(|chunk| u64::from_ne_bytes(chunk.try_into().expect("8 bytes")));
    core::iter::once(text.len() as u64 + 1)
        .chain(words)
        .collect()
}

fn print(fixture: &Fixture, format: &core::ffi::CStr, arguments: &Packed) -> i32 {
    // SAFETY: the tests pass what their formats take.
    unsafe {
        fixture
            .buffer
            .print(format.as_ptr().cast(), arguments.0.as_ptr())
    }
}

#[test]
fn a_record_has_the_format_and_every_argument() {
    let fixture = buffer(100);
    let text = c"a string of 22 letters";
    let arguments = Packed::default()
        .int(-5)
        .wide(7)
        .wide(1.5f64.to_bits())
        .int(9)
        .int(3)
        .wide(text.as_ptr() as u64)
        .wide(0)
        .int(66)
        .wide(0x1234);
    let format = c"%d %5lu%% %+.3e|%*.*s|%s %hhx %p";
    assert_eq!(print(&fixture, format, &arguments), 9);
    let fields = [
        string("%d %5lu%% %+.3e|%*.*s|%s %hhx %p"),
        vec![-5i64 as u64, 7, 1.5f64.to_bits(), 9, 3],
        string("a string of 22 letters"),
        vec![0, 66, 0x1234],
    ]
    .concat();
    let bytes = (fields.len() as u64 + 2) * 8;
    assert_eq!(fixture.buffer.used.load(Relaxed), bytes);
    assert_eq!(fixture.memory[..2], [bytes, PRINT]);
    assert_eq!(fixture.memory[2..2 + fields.len()], fields);
    assert_eq!(fixture.memory[2 + fields.len()], 0xaaaa_aaaa_aaaa_aaaa);
}

#[test]
fn every_length_and_conversion_takes_what_c_says() {
    let takes = |format: &core::ffi::CStr| -> Vec<Argument> {
        Conversions {
            rest: format.as_ptr().cast(),
            inside: false,
            wide: false,
        }
        .collect()
    };
    use Argument::{Int, Text, Wide};
    assert_eq!(takes(c"plain %% text"), []);
    assert_eq!(takes(c"%d%i%u%o%x%X%c%hd%hhu"), [Int; 9]);
    assert_eq!(takes(c"%ld%lli%zu%jd%tx%f%F%e%E%g%G%a%A%Lf%p"), [Wide; 15]);
    assert_eq!(takes(c"%-*.*f%.*s%5s"), [Int, Int, Wide, Int, Text, Text]);
    // Neither a conversion that C has not nor a format that breaks off takes anything.
    assert_eq!(takes(c"%d %y %d"), [Int]);
    assert_eq!(takes(c"%d %"), [Int]);
    assert_eq!(takes(c"%5.l"), []);
}

#[test]
fn what_has_no_room_is_counted() {
    let fixture = buffer(8);
    assert_eq!(print(&fixture, c"1234567", &Packed::default()), 0);
    assert_eq!(
        print(&fixture, c"%d%d%d", &Packed::default().int(1).int(2).int(3)),
        -1
    );
    assert_eq!(print(&fixture, c"7654321", &Packed::default()), 0);
    assert_eq!(
        (
            fixture.buffer.used.load(Relaxed),
            fixture.buffer.lost.load(Relaxed)
        ),
        (64, 1)
    );
    assert_eq!(print(&buffer(0), c"", &Packed::default()), -1);
}

#[test]
fn a_failure_says_what_and_where() {
    let fixture = buffer(20);
    // SAFETY: C strings, and a null pointer.
    unsafe {
        fixture.buffer.fail(
            c"broken".as_ptr().cast(),
            c"f.c".as_ptr().cast(),
            17,
            core::ptr::null(),
        );
    }
    let fields = [string("broken"), string("f.c"), vec![17, 0]].concat();
    assert_eq!(fixture.memory[..2], [fields.len() as u64 * 8 + 16, FAILURE]);
    assert_eq!(fixture.memory[2..2 + fields.len()], fields);
}

#[test]
fn records_of_many_threads_do_not_mix() {
    let fixture = buffer(8 * 1000 * 8);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let fixture = &fixture;
            scope.spawn(move || {
                for turn in 0..1000 {
                    assert_eq!(
                        print(fixture, c"%d %d", &Packed::default().int(thread).int(turn)),
                        2
                    );
                }
            });
        }
    });
    let mut seen = [0; 8];
    let (mut at, used) = (0, fixture.buffer.used.load(Relaxed) as usize / 8);
    while at < used {
        let words = fixture.memory[at] as usize / 8;
        let (thread, turn) = (
            fixture.memory[at + words - 2],
            fixture.memory[at + words - 1],
        );
        assert_eq!(
            turn, seen[thread as usize],
            "each thread's records are in its order"
        );
        seen[thread as usize] += 1;
        at += words;
    }
    assert_eq!(seen, [1000; 8]);
}
