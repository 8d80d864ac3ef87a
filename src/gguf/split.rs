//! Models in several files: what a part says of itself, and the headers of all parts joined into one.
//!
//! Each part is a whole GGUF file with tensors of its own; the first may have none. The first holds the metadata. All hold
//! `split.no` (from 0), `split.count`, and `split.tensors.count`, which counts the tensors of all parts.
//! Files are named `name-00001-of-00003.gguf`, from 1.
//!
//! A model's bytes are those of its parts, one behind the other, and places in the joined header count from the first of them.

use super::{GgufError, GgufFile, Metadata, TensorInfo, limits};
use std::collections::BTreeMap;
use std::sync::Arc;

const NUMBER_KEY: &str = "split.no";
const COUNT_KEY: &str = "split.count";
const TENSORS_KEY: &str = "split.tensors.count";

/// A file with its header, which may be one of a model's parts.
#[derive(Clone, Debug)]
pub struct PartHeader {
    /// Name of the file, for messages; two names that both end in numbers must agree in what stands before.
    pub name: String,
    /// Bytes of the file.
    pub len_bytes: u64,
    /// Its header.
    pub header: Arc<GgufFile>,
}

/// What a file's name says of parts: `stem-00002-of-00003.gguf`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartName<'a> {
    /// What stands before the numbers.
    pub stem: &'a str,
    /// Which part, from 1.
    pub number: u32,
    /// Parts in all.
    pub count: u32,
}

impl<'a> PartName<'a> {
    /// Takes a name apart; `None` where it is not that of a part.
    pub fn parse(name: &'a str) -> Option<PartName<'a>> {
        let (rest, count) = name.strip_suffix(".gguf")?.rsplit_once("-of-")?;
        let (stem, number) = rest.rsplit_once('-')?;
        let five_digits = |digits: &str| (digits.len() == 5).then(|| digits.parse::<u32>().ok()).flatten();
        let (number, count) = (five_digits(number)?, five_digits(count)?);
        (1..=count).contains(&number).then_some(PartName { stem, number, count })
    }

    /// The names of all parts, in order.
    pub fn all(&self) -> impl Iterator<Item = String> + use<'a> {
        let PartName { stem, count, .. } = *self;
        (1..=count).map(move |number| format!("{stem}-{number:05}-of-{count:05}.gguf"))
    }
}

/// Which of several parts a file is.
#[derive(Clone, Copy)]
struct Place {
    /// From 0.
    number: u64,
    count: u64,
    /// Tensors of all parts.
    n_tensors: u64,
}

impl Place {
    /// `None` for a file that is whole.
    fn read(metadata: &Metadata) -> Result<Option<Place>, GgufError> {
        let count = metadata.optional_u64(COUNT_KEY)?.unwrap_or(0);
        if count <= 1 {
            return Ok(None);
        }
        let place = Place { number: metadata.u64(NUMBER_KEY)?, count, n_tensors: metadata.u64(TENSORS_KEY)? };
        if place.number >= count || count > limits::PARTS {
            let found = place.number.saturating_add(1);
            return Err(wrong(format!(
                "the file says that it is part {found} of {count}, of at most {}",
                limits::PARTS
            )));
        }
        Ok(Some(place))
    }
}

impl GgufFile {
    /// Checks that the tensors of all parts are here, where the model has several.
    ///
    /// # Errors
    /// [`GgufError::Shards`] that names the missing parts.
    pub fn check_whole(&self) -> Result<(), GgufError> {
        match Place::read(&self.metadata)? {
            Some(place) if place.n_tensors != self.tensors.len() as u64 => Err(missing(place.count, &[place.number])),
            _ => Ok(()),
        }
    }
}

/// The header of a model whose files these are, in any order, and that order put right: where each part in file order stands in `parts`.
///
/// # Errors
/// [`GgufError::Shards`] where a part is missing, is there twice, or belongs to another model.
pub fn join(parts: &[PartHeader]) -> Result<(Arc<GgufFile>, Vec<usize>), GgufError> {
    let mut places = Vec::new();
    for part in parts {
        places.push(Place::read(&part.header.metadata)?);
    }
    match (parts, places.as_slice()) {
        ([], _) => return Err(GgufError::Empty),
        ([whole], [None]) => return Ok((Arc::clone(&whole.header), vec![0])),
        _ => {}
    }
    let mut numbered = Vec::new();
    for (index, (part, place)) in parts.iter().zip(&places).enumerate() {
        match place {
            Some(place) => numbered.push((*place, index)),
            None => return Err(wrong(format!("{} is a model of its own and no part of another", part.name))),
        }
    }
    numbered.sort_by_key(|(place, _)| place.number);
    check_kinship(parts, &numbered)?;
    let order: Vec<usize> = numbered.iter().map(|(_, index)| *index).collect();
    let sorted: Vec<&PartHeader> = order.iter().map(|index| &parts[*index]).collect();
    let n_tensors = numbered.first().map_or(0, |(place, _)| place.n_tensors);
    Ok((Arc::new(joined(&sorted, n_tensors)?), order))
}

/// Checks that the parts, sorted by number, are all those of one model, each once.
fn check_kinship(parts: &[PartHeader], numbered: &[(Place, usize)]) -> Result<(), GgufError> {
    let name = |index: usize| parts[index].name.as_str();
    for pair in numbered.windows(2) {
        let [(a, a_index), (b, b_index)] = pair else { continue };
        let stems = (PartName::parse(name(*a_index)), PartName::parse(name(*b_index)));
        let strangers = matches!(stems, (Some(a), Some(b)) if a.stem != b.stem);
        if strangers || a.count != b.count || a.n_tensors != b.n_tensors {
            return Err(wrong(format!("{} and {} are parts of different models", name(*a_index), name(*b_index))));
        }
        if a.number == b.number {
            let (number, count) = (a.number + 1, a.count);
            return Err(wrong(format!("{} and {} are both part {number} of {count}", name(*a_index), name(*b_index))));
        }
    }
    let present: Vec<u64> = numbered.iter().map(|(place, _)| place.number).collect();
    match numbered.first() {
        Some((place, _)) if (present.len() as u64) < place.count => Err(missing(place.count, &present)),
        _ => Ok(()),
    }
}

/// One header for all parts, which are in order and complete.
fn joined(parts: &[&PartHeader], n_tensors: u64) -> Result<GgufFile, GgufError> {
    let mut tensors: Vec<TensorInfo> = Vec::new();
    let mut position_of = BTreeMap::new();
    let mut start = 0_u64;
    for part in parts {
        check_description(parts[0], part)?;
        for tensor in &part.header.tensors {
            if position_of.insert(tensor.name.clone(), tensors.len()).is_some() {
                return Err(wrong(format!("tensor {} is in two parts, the second of them {}", tensor.name, part.name)));
            }
            // Within the part's length, as its own reader has checked.
            tensors.push(TensorInfo { offset: start + part.header.file_offset(tensor), ..tensor.clone() });
        }
        start = start.saturating_add(part.len_bytes);
        if start > limits::FILE_BYTES || tensors.len() as u64 > limits::TENSORS {
            return Err(wrong(format!("the parts up to {} are together too large", part.name)));
        }
    }
    if tensors.len() as u64 != n_tensors {
        let found = tensors.len();
        return Err(wrong(format!("the parts hold {found} tensors together, but say that they hold {n_tensors}")));
    }
    let GgufFile { version, alignment, metadata, .. } = GgufFile::clone(&parts[0].header);
    Ok(GgufFile { version, alignment, metadata, tensors, tensor_data_offset: 0, position_of })
}

/// Checks that a part says nothing of the model that the first one says otherwise. Most say nothing.
fn check_description(first: &PartHeader, part: &PartHeader) -> Result<(), GgufError> {
    let is_of_model =
        |key: &str| key == "general.architecture" || !["general.", "split."].iter().any(|of| key.starts_with(of));
    for (key, value) in part.header.metadata.iter().filter(|(key, _)| is_of_model(key)) {
        if first.header.metadata.get(key).is_some_and(|of_first| of_first != value) {
            return Err(wrong(format!("{} and {} say different things of {key}", first.name, part.name)));
        }
    }
    Ok(())
}

/// Says which parts are not `present` (numbers from 0, ascending) of `count`.
fn missing(count: u64, present: &[u64]) -> GgufError {
    let named = |numbers: Vec<u64>| {
        let shown: Vec<String> = numbers.iter().take(MOST_NAMED).map(|number| (number + 1).to_string()).collect();
        let more = numbers.len().saturating_sub(MOST_NAMED);
        let plural = if numbers.len() == 1 { "part" } else { "parts" };
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        (format!("{plural} {}{rest}", shown.join(", ")), if numbers.len() == 1 { "is" } else { "are" })
    };
    let (here, be) = named(present.to_vec());
    let (absent, are) = named((0..count).filter(|number| !present.contains(number)).collect());
    wrong(format!("of the {count} parts of this model {here} {be} here, {absent} {are} missing"))
}

/// A list of more parts is cut.
const MOST_NAMED: usize = 8;

fn wrong(problem: String) -> GgufError {
    GgufError::Shards { problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_parts_are_taken_apart() {
        let part = PartName::parse("m-Q4-00002-of-00012.gguf").expect("a part's name");
        assert_eq!((part.stem, part.number, part.count), ("m-Q4", 2, 12));
        assert_eq!(part.all().nth(11).as_deref(), Some("m-Q4-00012-of-00012.gguf"));
        for name in
            ["m.gguf", "m-00002-of-00001.gguf", "m-00000-of-00001.gguf", "m-2-of-3.gguf", "m-00001-of-00002.bin"]
        {
            assert_eq!(PartName::parse(name), None, "{name}");
        }
    }
}
