//! Operators of other ONNX domains, from other crates.
//!
//! An entry is a domain, an operator type and a function that translates a node, as the families here
//! have them. Entries are code: registered once for the process, before the first import.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

pub use crate::call::{Call, axes, axis};
pub use crate::error::Fault;
pub use crate::importer::{Importer, Value, as_constant};
pub use crate::ops::Handler;

/// The translation of an operator type.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Domain; not ONNX's own.
    pub domain: &'static str,
    /// Operator type.
    pub operator: &'static str,
    /// Translates a node.
    pub handler: Handler,
}

/// An entry that cannot be registered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntryError {
    /// There is one already.
    #[error("operator '{operator}' of domain '{domain}' has two translations")]
    Duplicate {
        /// Domain.
        domain: &'static str,
        /// Operator type.
        operator: &'static str,
    },
    /// ONNX's own operators are translated here.
    #[error("operator '{0}' is of ONNX's own domain, whose operators cannot be replaced")]
    OwnDomain(&'static str),
}

type Key = (&'static str, &'static str);

static ENTRIES: RwLock<BTreeMap<Key, Handler>> = RwLock::new(BTreeMap::new());

/// Adds translations, for the rest of the process.
///
/// # Errors
/// When there is one already, or the domain is ONNX's own. What comes before it is registered.
pub fn register(entries: &[Entry]) -> Result<(), EntryError> {
    let mut known = ENTRIES.write().unwrap_or_else(PoisonError::into_inner);
    for &Entry {
        domain,
        operator,
        handler,
    } in entries
    {
        if is_onnx(domain) {
            return Err(EntryError::OwnDomain(operator));
        }
        if known.contains_key(&(domain, operator)) {
            return Err(EntryError::Duplicate { domain, operator });
        }
        known.insert((domain, operator), handler);
    }
    Ok(())
}

/// Whether a domain is ONNX's default one.
pub(crate) fn is_onnx(domain: &str) -> bool {
    domain.is_empty() || domain == "ai.onnx"
}

/// The function of an operator type of another domain.
///
/// # Errors
/// When the domain or the operator is not known.
pub(crate) fn handler(domain: &str, operator: &str) -> Result<Handler, Fault> {
    let known = ENTRIES.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(handler) = known.get(&(domain, operator)) {
        return Ok(*handler);
    }
    let others: Vec<_> = known.keys().filter(|(d, _)| *d == domain).collect();
    Err(Fault::unsupported(match others.as_slice() {
        [] => format!(
            "operators of domain '{domain}' are not supported: export with standard ONNX operators"
        ),
        others => format!(
            "of domain '{domain}' only {} are known: register the operator too",
            others
                .iter()
                .map(|(_, operator)| *operator)
                .collect::<Vec<_>>()
                .join(", ")
        ),
    }))
}
