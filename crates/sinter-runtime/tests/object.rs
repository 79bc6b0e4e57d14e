//! Loading a shared object from a file, with the system's C compiler where there is one.

mod common;

use std::process::Command;

use common::{bytes, floats, kernel, manifest, port};
use sinter_model::{BufferRef, Record, write};
use sinter_runtime::{Error, Model, Session};

const SOURCE: &str = "
#include <stdint.h>
void scale(float *const *bufs, const int64_t *dims, uint64_t begin, uint64_t end, void *scratch) {
    (void)scratch;
    for (uint64_t block = begin; block < end; block++)
        for (int64_t i = 0; i < dims[0]; i++)
            bufs[1][block * dims[0] + i] = FACTOR * bufs[0][block * dims[0] + i];
}
";

/// Compiles the kernel, or says why not.
fn compile(factor: &str) -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let (source, object) = (folder.path().join("k.c"), folder.path().join("k.so"));
    std::fs::write(&source, SOURCE).unwrap();
    let compiler = Command::new("cc")
        .args([
            "-shared",
            "-fPIC",
            "-O1",
            &format!("-DFACTOR={factor}"),
            "-o",
        ])
        .arg(&object)
        .arg(&source)
        .status();
    match compiler {
        Ok(status) => {
            assert!(status.success(), "cc failed");
            Some(std::fs::read(object).unwrap())
        }
        Err(error) => {
            eprintln!("skipped: no C compiler `cc` ({error})");
            None
        }
    }
}

fn scale_manifest(symbol: &str) -> sinter_model::Manifest {
    let args = vec![BufferRef::Input(0), BufferRef::Output(0)];
    let dims = vec![4.into()];
    let program = vec![Record::Launch {
        kernel: 0,
        args,
        dims,
        blocks: 3.into(),
    }];
    manifest(
        (vec![port("x", 12)], vec![port("y", 12)]),
        vec![kernel(symbol, 1, 1)],
        program,
        vec![],
    )
}

#[test]
fn two_models_from_files_run_side_by_side() {
    let (Some(triple), Some(tenfold)) = (compile("3"), compile("10")) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let session = |name: &str, object: &[u8]| {
        let path = folder.path().join(name);
        write(&path, &scale_manifest("scale"), object, &[]).unwrap();
        Session::new(&Model::load(&path).unwrap(), 2).unwrap()
    };
    let x: Vec<f32> = (0..12).map(|i| i as f32).collect();
    let check = |session: &mut Session, factor: f32| {
        let mut y = vec![0; 48];
        session.run(&[&bytes(&x)], &mut [&mut y]).unwrap();
        assert_eq!(floats(&y), x.iter().map(|x| factor * x).collect::<Vec<_>>());
    };
    let (mut a, mut b) = (session("a.sinter", &triple), session("b.sinter", &tenfold));
    check(&mut a, 3.0);
    check(&mut b, 10.0);
    drop(a);
    // The descriptor's number is free again: the loader must not take one object for the other.
    let mut c = session("c.sinter", &tenfold);
    check(&mut c, 10.0);
    check(&mut b, 10.0);
}

#[test]
fn a_missing_symbol_is_named() {
    let Some(object) = compile("1") else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.sinter");
    write(&path, &scale_manifest("nowhere"), &object, &[]).unwrap();
    let error = Model::load(&path).unwrap_err();
    assert!(matches!(error, Error::Kernel { symbol } if symbol == "nowhere"));
}

#[test]
fn another_processor_is_refused_before_anything_is_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.sinter");
    let mut manifest = scale_manifest("scale");
    manifest.target.features = vec!["warp-drive".into()];
    manifest.target.cpu = "enterprise".into();
    write(&path, &manifest, b"", &[]).unwrap();
    let error = Model::load(&path).unwrap_err().to_string();
    assert!(
        error.contains("(enterprise), this machine has no warp-drive"),
        "{error}"
    );
}
