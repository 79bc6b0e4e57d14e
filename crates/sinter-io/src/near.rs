//! Names that are like one which is not known.

/// How alike two names are at least, of one.
const ALIKE: f64 = 0.6;

/// `; did you mean 'NAME'?` with the name that is most like one, if any is; for the end of a message.
///
/// ```
/// use sinter_io::did_you_mean;
///
/// assert_eq!(did_you_mean("reluu", ["add", "relu"]), "; did you mean 'relu'?");
/// assert_eq!(did_you_mean("warp", ["add", "relu"]), "");
/// ```
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let alike = known
        .into_iter()
        .map(|k| (strsim::normalized_damerau_levenshtein(name, k), k))
        .filter(|(alike, _)| *alike >= ALIKE);
    let best = alike.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1)));
    best.map_or(String::new(), |(_, k)| format!("; did you mean '{k}'?"))
}
