//! Round trips, determinism and refusals of the container.

mod common;

use std::path::Path;

use common::{arena, kernel, launch, model};
use sinter_model::hazard::{Hazard, hazards};
use sinter_model::{
    BufferRef, Container, Disjoint, Error, Extent, Manifest, Record, check_writable, to_bytes,
    write, write_bytes,
};

const OBJECT: &[u8] = b"not really an ELF file";

fn bytes() -> Vec<u8> {
    let (manifest, weights) = model();
    to_bytes(&manifest, OBJECT, weights.bytes()).unwrap()
}

#[test]
fn a_file_gives_back_what_was_written() {
    let (manifest, weights) = model();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.sinter");
    write(&path, &manifest, OBJECT, weights.bytes()).unwrap();
    let container = Container::open(&path).unwrap();
    assert_eq!(container.manifest(), &manifest);
    assert_eq!(container.object(), OBJECT);
    assert_eq!(container.weights(), weights.bytes());
    assert_eq!(container.weights().as_ptr() as usize % 4096, 0);
    assert_eq!(std::fs::read(&path).unwrap(), bytes());
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        1,
        "no temporary file is left"
    );
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    assert_eq!(bytes(), bytes());
}

#[test]
fn a_failed_write_leaves_the_old_file() {
    let (mut manifest, weights) = model();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.sinter");
    write(&path, &manifest, OBJECT, weights.bytes()).unwrap();
    manifest.kernels.clear();
    assert!(write(&path, &manifest, OBJECT, weights.bytes()).is_err());
    assert_eq!(std::fs::read(&path).unwrap(), bytes());
    let missing = folder.path().join("no/such/folder.sinter");
    let (manifest, weights) = model();
    let error = write(&missing, &manifest, OBJECT, weights.bytes()).unwrap_err();
    assert!(error.to_string().starts_with("cannot write "), "{error}");
}

#[test]
fn what_cannot_be_written_is_found_before_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |path: &Path| {
        let before = check_writable(path).unwrap_err().to_string();
        assert_eq!(write_bytes(path, &bytes()).unwrap_err().to_string(), before);
        before
    };
    let absent = folder.path().join("no/such/model.sinter");
    let message = refused(&absent);
    let expected = format!(
        "cannot write {}: No such file or directory",
        absent.display()
    );
    assert!(message.starts_with(&expected), "{message}");
    let message = refused(folder.path());
    assert!(message.ends_with("is a directory"), "{message}");
    let new = folder.path().join("new.sinter");
    check_writable(&new).unwrap();
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn devices_and_links_stay() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    let null = Path::new("/dev/null");
    write_bytes(null, &bytes()).unwrap();
    assert!(
        std::fs::metadata(null)
            .unwrap()
            .file_type()
            .is_char_device()
    );

    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("file"), folder.path().join("link"));
    std::fs::write(&file, "old").unwrap();
    symlink(&file, &link).unwrap();
    write_bytes(&link, &bytes()).unwrap();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(std::fs::read(&file).unwrap(), bytes());
}

#[test]
fn each_kind_of_damage_has_its_message() {
    let whole = bytes();
    let refused = |bytes: &[u8]| Container::from_bytes(bytes).unwrap_err();
    assert!(matches!(refused(b""), Error::NotAModel));
    assert!(matches!(refused(b"\x7fELF and more"), Error::NotAModel));
    assert!(matches!(refused(&whole[..20]), Error::Truncated { .. }));
    assert!(matches!(
        refused(&whole[..whole.len() - 1]),
        Error::Truncated { .. }
    ));
    let mut longer = whole.clone();
    longer.push(0);
    assert!(matches!(refused(&longer), Error::Corrupt { .. }));
    let mut other = whole.clone();
    other[8] = 9;
    let error = refused(&other);
    assert!(matches!(error, Error::Version { found: 9 }));
    assert!(
        error.to_string().contains("compile the model again"),
        "{error}"
    );
    let mut flipped = whole.clone();
    *flipped.last_mut().unwrap() ^= 1;
    let error = refused(&flipped);
    assert!(error.to_string().contains("weights section"), "{error}");
    for error in [
        refused(b""),
        refused(&whole[..20]),
        refused(&longer),
        refused(&other),
    ] {
        assert!(!error.to_string().contains('\n'), "{error}");
    }
}

#[test]
fn a_missing_file_is_named() {
    let error = Container::open("/nonexistent/m.sinter".as_ref()).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("cannot open /nonexistent/m.sinter"),
        "{error}"
    );
}

/// Applies a change and gives the reason of the refusal.
fn refusal(change: impl FnOnce(&mut Manifest)) -> String {
    let (mut manifest, weights) = model();
    change(&mut manifest);
    match to_bytes(&manifest, OBJECT, weights.bytes()) {
        Err(Error::Invalid { detail }) => detail,
        other => panic!("not refused: {other:?}"),
    }
}

fn with_args(args: Vec<BufferRef>) -> String {
    refusal(|m| m.program.push(launch(1, args)))
}

#[test]
fn inconsistent_manifests_are_refused() {
    let y = || BufferRef::Output(0);
    let x = || BufferRef::Input(0);
    let cases = [
        (refusal(|m| m.format = 2), "format 2"),
        (refusal(|m| m.symbols[0].min = 9), "symbol `n`"),
        (
            refusal(|m| m.inputs[0].element = "f33".into()),
            "unknown element type `f33`",
        ),
        (
            refusal(|m| m.inputs[0].shape[1] = i64::MAX.into()),
            "shape without a size",
        ),
        (
            refusal(|m| m.inputs[0].shape[1] = Extent::symbol(7, 1)),
            "shape without a size",
        ),
        (refusal(|m| m.arena_bytes = (-1).into()), "the arena's size"),
        (refusal(|m| m.scratch_bytes = u64::MAX), "the scratch size"),
        (refusal(|m| m.spaces[0].index = 0), "memory space `ub`"),
        (
            refusal(|m| m.spaces.push(m.spaces[0].clone())),
            "memory space `ub`",
        ),
        (refusal(|m| m.statistics.gap = f64::NAN), "statistics"),
        (
            refusal(|m| m.kernels[1].symbol = "a\0b".into()),
            "no usable name",
        ),
        (
            refusal(|m| m.kernels[0].in_place[0].output = 1),
            "in-place pair",
        ),
        (refusal(|m| m.kernels[0].outputs = u32::MAX), "more than"),
        (refusal(|m| m.kernels[0].price_ns = f64::INFINITY), "price"),
        (
            refusal(|m| m.program.push(launch(2, vec![]))),
            "names kernel 2 of 2",
        ),
        (with_args(vec![y()]), "has 1 buffers, the kernel takes 2"),
        (with_args(vec![BufferRef::Input(1), y()]), "input 1 of 1"),
        (with_args(vec![x(), BufferRef::Output(2)]), "output 2 of 2"),
        (
            with_args(vec![x(), x()]),
            "input of the model, which is constant",
        ),
        (
            with_args(vec![
                x(),
                BufferRef::Weights {
                    offset: 0,
                    bytes: 4,
                },
            ]),
            "weights, which are",
        ),
        (
            with_args(vec![
                BufferRef::Weights {
                    offset: 4,
                    bytes: 4,
                },
                y(),
            ]),
            "misaligned",
        ),
        (
            with_args(vec![
                BufferRef::Weights {
                    offset: 128,
                    bytes: 65,
                },
                y(),
            ]),
            "out of bounds",
        ),
        (
            with_args(vec![
                BufferRef::Weights {
                    offset: 64,
                    bytes: u64::MAX,
                },
                y(),
            ]),
            "out of bounds",
        ),
        (
            with_args(vec![arena(0.into(), 129.into()), y()]),
            "out of bounds",
        ),
        (
            with_args(vec![arena(32.into(), 4.into()), y()]),
            "misaligned",
        ),
        (
            with_args(vec![arena((-64).into(), 4.into()), y()]),
            "negative",
        ),
        (
            with_args(vec![arena(Extent::symbol(0, 128), 1.into()), y()]),
            "out of bounds",
        ),
        (
            with_args(vec![
                arena(
                    0.into(),
                    Extent {
                        constant: 0,
                        terms: vec![(0, 1), (0, 1)],
                    },
                ),
                y(),
            ]),
            "no value",
        ),
        (
            refusal(|m| {
                let (source, destination) = (BufferRef::arena(0, 128), BufferRef::Output(1));
                m.program.push(Record::Copy {
                    source,
                    destination,
                });
            }),
            "larger than its destination",
        ),
        (
            refusal(|m| {
                for _ in 0..20 {
                    let body = std::mem::take(&mut m.program);
                    m.program = vec![Record::Loop {
                        count: 1.into(),
                        body,
                    }];
                }
            }),
            "nests deeper",
        ),
    ];
    for (detail, expected) in &cases {
        assert!(
            detail.contains(expected),
            "`{detail}` does not say `{expected}`"
        );
    }
}

#[test]
fn hazards_are_found() {
    let (mut manifest, _) = model();
    assert_eq!(hazards(&manifest, &[8]), vec![]);
    manifest.program = vec![
        launch(1, vec![BufferRef::arena(0, 128), BufferRef::arena(128, 64)]),
        launch(1, vec![BufferRef::arena(64, 64), BufferRef::arena(0, 64)]),
        Record::Barrier,
        launch(
            1,
            vec![BufferRef::arena(64, 64), BufferRef::arena(127 - 63, 64)],
        ),
        launch(
            0,
            vec![
                BufferRef::arena(256, 64),
                BufferRef::arena(320, 64),
                BufferRef::arena(256, 64),
            ],
        ),
    ];
    assert_eq!(
        hazards(&manifest, &[8]),
        vec![
            Hazard::Race {
                first: 0,
                second: 1
            },
            Hazard::Alias {
                step: 3,
                output: 1,
                other: 0
            },
        ],
        "the in-place pair of step 4 is listed"
    );
    let one = vec![BufferRef::arena(0, 64), BufferRef::arena(0, 64)];
    manifest.program = vec![launch(1, one)];
    let alias = Hazard::Alias {
        step: 0,
        output: 1,
        other: 0,
    };
    assert_eq!(hazards(&manifest, &[8]), vec![alias]);
    manifest.kernels[1].disjoint.push(Disjoint {
        other: 0,
        output: 1,
    });
    assert_eq!(hazards(&manifest, &[8]), vec![]);
    manifest.kernels.push(kernel("k", 0, 1));
    manifest.program = vec![
        launch(2, vec![BufferRef::Output(0)]),
        launch(2, vec![BufferRef::Output(1)]),
        launch(2, vec![BufferRef::Output(0)]),
    ];
    assert_eq!(
        hazards(&manifest, &[8]),
        vec![Hazard::Race {
            first: 0,
            second: 2
        }]
    );
}
