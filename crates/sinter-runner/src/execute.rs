//! One run of a model: where its inputs come from and where its outputs go.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};
use sinter_loops::{npy, random};
use sinter_model::Port;
use sinter_runtime::{Model, Session, Transfers};

use crate::error::Error;

/// Where the values of a run come from, and how it is run.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// NumPy files by input name.
    pub inputs: BTreeMap<String, PathBuf>,
    /// Seed of the random values of the other inputs.
    pub random: Option<u64>,
    /// Most threads, of those that can run at once; all of them when absent.
    pub threads: Option<usize>,
    /// On a scratchpad device, complete each transfer as late as its wait allows.
    pub adversarial: bool,
}

/// Values from NumPy files, given as `NAME=FILE.npy`, by name.
///
/// # Errors
/// When a text is not of that form, or a name comes twice.
pub fn input_files(texts: &[String]) -> Result<BTreeMap<String, PathBuf>, Error> {
    let mut files = BTreeMap::new();
    for text in texts {
        let Some((name, file)) = text.rsplit_once('=') else {
            return Err(Error::Request(format!(
                "--input '{text}' is not NAME=FILE.npy"
            )));
        };
        if files.insert(name.to_owned(), PathBuf::from(file)).is_some() {
            return Err(Error::Request(format!("--input names '{name}' twice")));
        }
    }
    Ok(files)
}

/// Runs a model once and gives its outputs by name, in the model's order.
///
/// # Errors
/// When an input has no value or one of another type, or a transfer of a scratchpad device broke the
/// rules.
pub fn run(model: &Model, options: &RunOptions) -> Result<Vec<(String, Tensor)>, Error> {
    let inputs = inputs(model, options)?;
    let mut session = session(model, options.threads, options.adversarial)?;
    run_session(model, &mut session, &inputs)
}

/// A session for a model.
///
/// # Errors
/// When memory or threads cannot be had, or transfers are to be late on a device that has none.
pub fn session(model: &Model, threads: Option<usize>, adversarial: bool) -> Result<Session, Error> {
    let manifest = model.manifest();
    if adversarial && manifest.spaces.is_empty() {
        return Err(Error::Request(format!(
            "the model is for {}, which has no transfers: --adversarial needs a model for a scratchpad device",
            manifest.device
        )));
    }
    let transfers = if adversarial {
        Transfers::Adversarial
    } else {
        Transfers::Sequential
    };
    let threads = running(threads);
    Ok(Session::with_options(
        model,
        &sinter_runtime::Options {
            threads,
            transfers,
            ..Default::default()
        },
    )?)
}

/// Threads that can run at once.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Threads of a session that may use so many. More than can run at once would wait for each other at every barrier.
pub(crate) fn running(threads: Option<usize>) -> usize {
    threads.map_or_else(cores, |most| most.clamp(1, cores()))
}

/// The type of a port.
///
/// # Errors
/// When its element type or an extent is not known.
pub fn port_type(port: &Port) -> Result<TensorType, Error> {
    let unknown = || {
        Error::Request(format!(
            "'{}' has no fixed type: compile it again",
            port.name
        ))
    };
    let element = ElementType::from_mlir(&port.element).ok_or_else(unknown)?;
    let shape: Option<Vec<i64>> = port
        .shape
        .iter()
        .map(sinter_model::Extent::as_constant)
        .collect();
    Ok(TensorType::new(element, shape.ok_or_else(unknown)?))
}

/// Values of all inputs, in the model's order.
///
/// # Errors
/// When a name is not an input, or an input has no value or one of another type.
pub fn inputs(model: &Model, options: &RunOptions) -> Result<Vec<Tensor>, Error> {
    let ports = &model.manifest().inputs;
    if let Some(name) = options
        .inputs
        .keys()
        .find(|n| ports.iter().all(|p| p.name != **n))
    {
        let known: Vec<_> = ports.iter().map(|p| format!("'{}'", p.name)).collect();
        let known = known.join(", ");
        return Err(Error::Request(format!(
            "no input is called '{name}': the model has {known}"
        )));
    }
    let value = |port: &Port| {
        let ty = port_type(port)?;
        let name = &port.name;
        if let Some(file) = options.inputs.get(name) {
            let tensor = npy::read(file)?;
            return if *tensor.ty() == ty {
                Ok(tensor)
            } else {
                let (file, found) = (file.display(), tensor.ty());
                Err(Error::Request(format!(
                    "'{file}' is a {found}, but input '{name}' is a {ty}"
                )))
            };
        }
        match options.random {
            Some(seed) => {
                // A double per element, then the elements.
                room(ty.elements(), 8 + ty.element.bytes(), || {
                    format!("input '{name}', a {ty}")
                })?;
                Ok(random::tensor(&ty, name, seed))
            }
            None => Err(Error::Request(format!(
                "input '{name}' has no value: give --input {name}=FILE.npy or --random-inputs SEED"
            ))),
        }
    };
    ports.iter().map(value).collect()
}

/// Whether there is memory for so many elements; what they are is for the message.
fn room(elements: i64, bytes: usize, what: impl Fn() -> String) -> Result<Vec<u8>, Error> {
    let mut memory = Vec::new();
    let all = usize::try_from(elements)
        .ok()
        .and_then(|n| n.checked_mul(bytes));
    match all.map(|n| memory.try_reserve_exact(n)) {
        Some(Ok(())) => Ok(memory),
        _ => Err(Error::Request(format!(
            "there is no memory for {}: give smaller sizes",
            what()
        ))),
    }
}

/// Runs a session on tensors.
///
/// # Errors
/// When the run fails.
pub fn run_session(
    model: &Model,
    session: &mut Session,
    inputs: &[Tensor],
) -> Result<Vec<(String, Tensor)>, Error> {
    let place = |(i, port): (usize, &Port)| {
        let bytes = session.output_bytes(i);
        let mut place = room(bytes as i64, 1, || format!("output '{}'", port.name))?;
        place.resize(bytes, 0);
        Ok(place)
    };
    let ports = model.manifest().outputs.iter().enumerate();
    let mut memory: Vec<Vec<u8>> = ports.map(place).collect::<Result<_, Error>>()?;
    let views: Vec<&[u8]> = inputs.iter().map(|t| &t.bytes()[..]).collect();
    let mut places: Vec<&mut [u8]> = memory.iter_mut().map(|m| &mut m[..]).collect();
    session.run(&views, &mut places)?;
    let outputs = model.manifest().outputs.iter().zip(memory);
    outputs
        .map(|(port, bytes)| {
            Ok((
                port.name.clone(),
                Tensor::from_bytes(port_type(port)?, bytes.into()),
            ))
        })
        .collect()
}

/// Writes each output as `NAME.npy`, each file whole or not at all; `/` in a name becomes `_`.
///
/// # Errors
/// When the folder or a file cannot be written.
pub fn write_outputs(directory: &Path, outputs: &[(String, Tensor)]) -> Result<(), Error> {
    fs::create_dir_all(directory).map_err(|source| Error::Io {
        action: "create",
        path: directory.into(),
        source,
    })?;
    let mut files: BTreeMap<String, &str> = BTreeMap::new();
    for (name, tensor) in outputs {
        let file = format!("{}.npy", name.replace('/', "_"));
        let path = directory.join(&file);
        if let Some(other) = files.insert(file, name) {
            let path = path.display();
            return Err(Error::Request(format!(
                "outputs '{other}' and '{name}' would both be written to '{path}': rename one in the model"
            )));
        }
        let data = npy::format(tensor).map_err(|cause| {
            Error::Request(format!("output '{name}' cannot be written: {cause}"))
        })?;
        sinter_model::write_bytes(&path, &data)?;
    }
    Ok(())
}

/// A tensor in one line: its type, the range and mean of its finite values, and how many are not finite.
pub struct TensorSummary<'t>(pub &'t Tensor);

impl fmt::Display for TensorSummary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.0.ty().elements() as usize;
        let values = (0..all).map(|i| self.0.get_f64(i));
        let (mut min, mut max, mut sum) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
        let mut finite = 0;
        for v in values.filter(|v| v.is_finite()) {
            (min, max, sum) = (min.min(v), max.max(v), sum + v);
            finite += 1;
        }
        let broken = all - finite;
        write!(f, "{}", self.0.ty())?;
        if finite > 0 {
            write!(
                f,
                "  min {min:.6}  max {max:.6}  mean {:.6}",
                sum / finite as f64
            )?;
        }
        if broken > 0 {
            write!(f, "  not finite {broken}")?;
        }
        Ok(())
    }
}
