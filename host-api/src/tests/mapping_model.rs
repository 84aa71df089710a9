//! Property test: random data constructs against a simple model.

use plugin_api::DevicePtr;
use proptest::prelude::*;

use crate::construct::data_begin::data_begin;
use crate::construct::data_end::data_end;
use crate::construct::update::update;
use crate::device::omp_device::OmpDevice;
use crate::mapping::item_name::ItemName;
use crate::mapping::map_item::MapItem;
use crate::mapping::map_type::MapType;
use crate::mapping::table::{Count, Section};
use crate::report::error::Error;
use crate::tests::data_environment::blocking;
use crate::tests::fake_device::FakeDevice;

const BYTES: usize = 24;

/// One construct on the section `start..start + length`.
#[derive(Clone, Debug)]
enum Step {
    Enter {
        start: usize,
        length: usize,
        kind: u64,
    },
    Exit {
        start: usize,
        length: usize,
        kind: u64,
    },
    Update {
        start: usize,
        length: usize,
        kind: u64,
    },
    HostWrite {
        at: usize,
        value: u8,
    },
    DeviceWrite {
        at: usize,
        value: u8,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let section =
        (0..BYTES, 1usize..9).prop_map(|(start, length)| (start, length.min(BYTES - start)));
    let step = prop_oneof![
        4 => (section.clone(), 0u64..8).prop_map(|((start, length), kind)| Step::Enter { start, length, kind }),
        4 => (section.clone(), 0u64..16).prop_map(|((start, length), kind)| Step::Exit { start, length, kind }),
        2 => (section, 1u64..3).prop_map(|((start, length), kind)| Step::Update { start, length, kind }),
        2 => (0..BYTES, any::<u8>()).prop_map(|(at, value)| Step::HostWrite { at, value }),
        2 => (0..BYTES, any::<u8>()).prop_map(|(at, value)| Step::DeviceWrite { at, value }),
    ];
    proptest::collection::vec(step, 1..60)
}

/// The device side as OpenMP describes it: sections with a count and their bytes.
#[derive(Default)]
struct Model {
    host: [u8; BYTES],
    mapped: Vec<ModelSection>,
}

struct ModelSection {
    start: usize,
    bytes: Vec<u8>,
    count: u64,
}

enum Hit {
    Inside(usize),
    Overlaps,
    Absent,
}

impl Model {
    fn hit(&self, start: usize, length: usize) -> Hit {
        for (index, section) in self.mapped.iter().enumerate() {
            let end = section.start + section.bytes.len();
            if start >= section.start && start + length <= end {
                return Hit::Inside(index);
            }
            if start < end && section.start < start + length {
                return Hit::Overlaps;
            }
        }
        Hit::Absent
    }

    /// False: the construct is an error.
    fn enter(&mut self, start: usize, length: usize, kind: MapType) -> bool {
        let (index, is_new) = match self.hit(start, length) {
            Hit::Overlaps => return false,
            Hit::Inside(index) => {
                self.mapped[index].count += 1;
                (index, false)
            }
            Hit::Absent => {
                self.mapped.push(ModelSection {
                    start,
                    bytes: vec![0xa5; length],
                    count: 1,
                });
                (self.mapped.len() - 1, true)
            }
        };
        if kind.contains(MapType::TO) && (is_new || kind.contains(MapType::ALWAYS)) {
            self.copy_in(index, start, length);
        }
        true
    }

    fn exit(&mut self, start: usize, length: usize, kind: MapType) {
        let Hit::Inside(index) = self.hit(start, length) else {
            return;
        };
        let section = &mut self.mapped[index];
        section.count = if kind.contains(MapType::DELETE) {
            0
        } else {
            section.count - 1
        };
        let gone = section.count == 0;
        if kind.contains(MapType::FROM) && (gone || kind.contains(MapType::ALWAYS)) {
            self.copy_out(index, start, length);
        }
        if gone {
            self.mapped.swap_remove(index);
        }
    }

    fn copy_in(&mut self, index: usize, start: usize, length: usize) {
        let section = &mut self.mapped[index];
        let offset = start - section.start;
        section.bytes[offset..offset + length].copy_from_slice(&self.host[start..start + length]);
    }

    fn copy_out(&mut self, index: usize, start: usize, length: usize) {
        let section = &self.mapped[index];
        let offset = start - section.start;
        self.host[start..start + length].copy_from_slice(&section.bytes[offset..offset + length]);
    }
}

/// The host array as the runtime sees it: an address.
struct HostArray(*mut u8);

impl HostArray {
    fn item(&self, start: usize, length: usize, kind: u64) -> MapItem {
        let base = self.0 as u64;
        let (begin, kind) = (base + start as u64, MapType::from_bits_retain(kind));
        MapItem {
            base,
            begin,
            size: length as u64,
            kind,
            name: ItemName::default(),
            mapper: None,
        }
    }

    fn bytes(&self) -> [u8; BYTES] {
        // SAFETY: the array lives as long as the test case.
        unsafe { self.0.cast::<[u8; BYTES]>().read() }
    }
}

fn device_place(device: &OmpDevice, host: u64) -> Option<DevicePtr> {
    device
        .table
        .find(Section::inside(host, 1))
        .map(|mapping| mapping.device_address(host))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn constructs_agree_with_the_model(steps in steps()) {
        let (device, fake) = FakeDevice::openmp(1 << 20);
        let mut storage = [0u8; BYTES];
        let array = HostArray(storage.as_mut_ptr());
        let mut model = Model::default();
        for step in steps {
            match step {
                Step::Enter { start, length, kind } => {
                    let items = [array.item(start, length, kind)];
                    // SAFETY: the section lies in the array.
                    let outcome = blocking(&device, |work| unsafe { data_begin(work, &items) });
                    let allowed = model.enter(start, length, MapType::from_bits_retain(kind));
                    let extends = matches!(outcome, Err(Error::Extends { .. }));
                    prop_assert_eq!((outcome.is_ok(), extends), (allowed, !allowed));
                }
                Step::Exit { start, length, kind } => {
                    // SAFETY: the section lies in the array.
                    blocking(&device, |work| unsafe { data_end(work, &[array.item(start, length, kind)]) }).unwrap();
                    model.exit(start, length, MapType::from_bits_retain(kind));
                }
                Step::Update { start, length, kind } => {
                    // SAFETY: the section lies in the array.
                    blocking(&device, |work| unsafe { update(work, &[array.item(start, length, kind)]) }).unwrap();
                    if let Hit::Inside(index) = model.hit(start, length) {
                        if MapType::from_bits_retain(kind).contains(MapType::TO) {
                            model.copy_in(index, start, length);
                        } else {
                            model.copy_out(index, start, length);
                        }
                    }
                }
                Step::HostWrite { at, value } => {
                    // SAFETY: `at` lies in the array.
                    unsafe { array.0.add(at).write(value) };
                    model.host[at] = value;
                }
                Step::DeviceWrite { at, value } => {
                    let place = device_place(&device, array.0 as u64 + at as u64);
                    let hit = model.hit(at, 1);
                    prop_assert_eq!(place.is_some(), matches!(hit, Hit::Inside(_)));
                    if let (Some(place), Hit::Inside(index)) = (place, hit) {
                        fake.poke(place, &[value]);
                        let offset = at - model.mapped[index].start;
                        model.mapped[index].bytes[offset] = value;
                    }
                }
            }
            prop_assert_eq!(array.bytes(), model.host);
            model.mapped.sort_by_key(|section| section.start);
            let table = device.table.snapshot();
            prop_assert_eq!(table.len(), model.mapped.len());
            prop_assert_eq!(fake.live(), model.mapped.len());
            for (line, section) in table.iter().zip(&model.mapped) {
                prop_assert_eq!(line.mapping.host.start, array.0 as u64 + section.start as u64);
                prop_assert_eq!(line.dynamic, Count::Finite(section.count));
                prop_assert_eq!(fake.peek(line.mapping.address, section.bytes.len()), section.bytes.clone());
            }
        }
    }
}
