//! Metadata: the key-value part of a GGUF file, in file order, with typed access that says what it misses.

use super::{GgufError, MetadataArray, Texts};

/// One value; arrays are stored as vectors of one type.
#[derive(Clone, Debug, PartialEq)]
pub enum MetadataValue {
    /// Unsigned 8 bits.
    U8(u8),
    /// Signed 8 bits.
    I8(i8),
    /// Unsigned 16 bits.
    U16(u16),
    /// Signed 16 bits.
    I16(i16),
    /// Unsigned 32 bits.
    U32(u32),
    /// Signed 32 bits.
    I32(i32),
    /// 32-bit float.
    F32(f32),
    /// Truth value.
    Bool(bool),
    /// Text.
    String(String),
    /// A string that is not UTF-8, kept as it is: harmless in a description, an error where text is needed.
    InvalidUtf8(Vec<u8>),
    /// Unsigned 64 bits.
    U64(u64),
    /// Signed 64 bits.
    I64(i64),
    /// 64-bit float.
    F64(f64),
    /// Many values of one type.
    Array(MetadataArray),
}

impl MetadataValue {
    /// Type and, where it is short, value, for messages: `u32 7`, `array of 3 strings`.
    pub fn describe(&self) -> String {
        match self {
            MetadataValue::U8(value) => format!("u8 {value}"),
            MetadataValue::I8(value) => format!("i8 {value}"),
            MetadataValue::U16(value) => format!("u16 {value}"),
            MetadataValue::I16(value) => format!("i16 {value}"),
            MetadataValue::U32(value) => format!("u32 {value}"),
            MetadataValue::I32(value) => format!("i32 {value}"),
            MetadataValue::F32(value) => format!("f32 {value}"),
            MetadataValue::Bool(value) => format!("bool {value}"),
            MetadataValue::String(value) => format!("string of {} bytes", value.len()),
            MetadataValue::InvalidUtf8(bytes) => {
                format!("string of {} bytes that is not UTF-8", bytes.len())
            }
            MetadataValue::U64(value) => format!("u64 {value}"),
            MetadataValue::I64(value) => format!("i64 {value}"),
            MetadataValue::F64(value) => format!("f64 {value}"),
            MetadataValue::Array(array) => {
                format!("array of {} {}", array.len(), array.type_name())
            }
        }
    }

    /// The text of a string, wrong bytes shown as replacement marks; for display only.
    pub fn lossy_text(&self) -> Option<std::borrow::Cow<'_, str>> {
        match self {
            MetadataValue::String(text) => Some(text.as_str().into()),
            MetadataValue::InvalidUtf8(bytes) => Some(String::from_utf8_lossy(bytes)),
            _ => None,
        }
    }

    /// A float, or an integer that is not negative.
    pub fn number(&self) -> Option<f64> {
        match *self {
            MetadataValue::F32(value) => Some(value.into()),
            MetadataValue::F64(value) => Some(value),
            _ => Some(self.as_u64()? as f64),
        }
    }

    /// Any integer type, when it is not negative and fits.
    fn as_u64(&self) -> Option<u64> {
        match *self {
            MetadataValue::U8(value) => Some(value.into()),
            MetadataValue::U16(value) => Some(value.into()),
            MetadataValue::U32(value) => Some(value.into()),
            MetadataValue::U64(value) => Some(value),
            MetadataValue::I8(value) => value.try_into().ok(),
            MetadataValue::I16(value) => value.try_into().ok(),
            MetadataValue::I32(value) => value.try_into().ok(),
            MetadataValue::I64(value) => value.try_into().ok(),
            _ => None,
        }
    }
}

/// The entries of a file, in file order, each key once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    entries: Vec<(String, MetadataValue)>,
    /// Places in `entries`, ordered by key: a key may be long and is held once.
    by_key: Vec<u32>,
}

impl Metadata {
    /// Adds an entry; gives back `false`, changing nothing, when the key is there already.
    pub fn insert(&mut self, key: String, value: MetadataValue) -> bool {
        let Err(place) = self.place_of(&key) else { return false };
        let position = u32::try_from(self.entries.len()).expect("as many keys as the reader's cap allows");
        self.by_key.insert(place, position);
        self.entries.push((key, value));
        true
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All entries in file order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &MetadataValue)> {
        self.entries.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&MetadataValue> {
        let place = self.place_of(key).ok()?;
        Some(&self.entries[self.by_key[place] as usize].1)
    }

    /// Where a key stands in `by_key`, or where it would.
    fn place_of(&self, key: &str) -> Result<usize, usize> {
        self.by_key.binary_search_by(|position| self.entries[*position as usize].0.as_str().cmp(key))
    }

    /// A number that fits `u32`, stored as any integer type.
    ///
    /// # Errors
    /// [`GgufError::MissingKey`], [`GgufError::WrongType`].
    pub fn u32(&self, key: &str) -> Result<u32, GgufError> {
        required(key, self.optional_u32(key)?)
    }

    /// As [`Metadata::u32`], `None` when the key is missing.
    ///
    /// # Errors
    /// [`GgufError::WrongType`].
    pub fn optional_u32(&self, key: &str) -> Result<Option<u32>, GgufError> {
        self.typed(key, "an integer from 0 to 4294967295", |value| value.as_u64()?.try_into().ok())
    }

    /// A number that fits `u32` and holds for every layer: given once, or for each layer and everywhere the same.
    ///
    /// # Errors
    /// [`GgufError::MissingKey`], [`GgufError::WrongType`].
    pub fn u32_of_all_layers(&self, key: &str) -> Result<u32, GgufError> {
        required(key, self.optional_u32_of_all_layers(key)?)
    }

    /// As [`Metadata::u32_of_all_layers`], `None` when the key is missing.
    ///
    /// # Errors
    /// [`GgufError::WrongType`].
    pub fn optional_u32_of_all_layers(&self, key: &str) -> Result<Option<u32>, GgufError> {
        let expected = "an integer from 0 to 4294967295, or an array of one such integer over and over";
        self.typed(key, expected, |value| match value {
            MetadataValue::Array(MetadataArray::U32(values)) => constant(values),
            MetadataValue::Array(MetadataArray::I32(values)) => constant(values)?.try_into().ok(),
            value => value.as_u64()?.try_into().ok(),
        })
    }

    /// A number that fits `u64`, stored as any integer type.
    ///
    /// # Errors
    /// [`GgufError::MissingKey`], [`GgufError::WrongType`].
    pub fn u64(&self, key: &str) -> Result<u64, GgufError> {
        required(key, self.optional_u64(key)?)
    }

    /// As [`Metadata::u64`], `None` when the key is missing.
    ///
    /// # Errors
    /// [`GgufError::WrongType`].
    pub fn optional_u64(&self, key: &str) -> Result<Option<u64>, GgufError> {
        self.typed(key, "an integer that is not negative", MetadataValue::as_u64)
    }

    /// A float; an `f64` is rounded to `f32`. It may be NaN or infinite.
    ///
    /// # Errors
    /// [`GgufError::MissingKey`], [`GgufError::WrongType`].
    pub fn f32(&self, key: &str) -> Result<f32, GgufError> {
        required(key, self.optional_f32(key)?)
    }

    /// As [`Metadata::f32`], `None` when the key is missing.
    ///
    /// # Errors
    /// [`GgufError::WrongType`].
    pub fn optional_f32(&self, key: &str) -> Result<Option<f32>, GgufError> {
        self.typed(key, "a float", |value| match *value {
            MetadataValue::F32(value) => Some(value),
            MetadataValue::F64(value) => Some(value as f32),
            _ => None,
        })
    }

    /// A truth value.
    ///
    /// # Errors
    /// [`GgufError::MissingKey`], [`GgufError::WrongType`].
    pub fn bool(&self, key: &str) -> Result<bool, GgufError> {
        required(key, self.optional_bool(key)?)
    }

    /// As [`Metadata::bool`], `None` when the key is missing.
    ///
    /// # Errors
    /// [`GgufError::WrongType`].
    pub fn optional_bool(&self, key: &str) -> Result<Option<bool>, GgufError> {
        self.typed(key, "a bool", |value| match *value {
            MetadataValue::Bool(value) => Some(value),
            _ => None,
        })
    }

    /// A text.
    ///
    /// # Errors
    /// [`GgufError::MissingKey`], [`GgufError::WrongType`] (also when it is not UTF-8).
    pub fn string(&self, key: &str) -> Result<&str, GgufError> {
        required(key, self.optional_string(key)?)
    }

    /// As [`Metadata::string`], `None` when the key is missing.
    ///
    /// # Errors
    /// [`GgufError::WrongType`] (also when it is not UTF-8).
    pub fn optional_string(&self, key: &str) -> Result<Option<&str>, GgufError> {
        self.typed(key, "a UTF-8 string", |value| match value {
            MetadataValue::String(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// An array of texts.
    ///
    /// # Errors
    /// [`GgufError::MissingKey`], [`GgufError::WrongType`].
    pub fn strings(&self, key: &str) -> Result<&Texts, GgufError> {
        required(key, self.optional_strings(key)?)
    }

    /// As [`Metadata::strings`], `None` when the key is missing.
    ///
    /// # Errors
    /// [`GgufError::WrongType`].
    pub fn optional_strings(&self, key: &str) -> Result<Option<&Texts>, GgufError> {
        self.typed(key, "an array of strings", |value| match value {
            MetadataValue::Array(MetadataArray::String(values)) => Some(values),
            _ => None,
        })
    }

    /// An array of `f32`.
    ///
    /// # Errors
    /// [`GgufError::MissingKey`], [`GgufError::WrongType`].
    pub fn f32s(&self, key: &str) -> Result<&[f32], GgufError> {
        required(key, self.optional_f32s(key)?)
    }

    /// As [`Metadata::f32s`], `None` when the key is missing.
    ///
    /// # Errors
    /// [`GgufError::WrongType`].
    pub fn optional_f32s(&self, key: &str) -> Result<Option<&[f32]>, GgufError> {
        self.typed(key, "an array of f32", |value| match value {
            MetadataValue::Array(MetadataArray::F32(values)) => Some(values.as_slice()),
            _ => None,
        })
    }

    /// An array of `i32`.
    ///
    /// # Errors
    /// [`GgufError::MissingKey`], [`GgufError::WrongType`].
    pub fn i32s(&self, key: &str) -> Result<&[i32], GgufError> {
        required(key, self.optional_i32s(key)?)
    }

    /// As [`Metadata::i32s`], `None` when the key is missing.
    ///
    /// # Errors
    /// [`GgufError::WrongType`].
    pub fn optional_i32s(&self, key: &str) -> Result<Option<&[i32]>, GgufError> {
        self.typed(key, "an array of i32", |value| match value {
            MetadataValue::Array(MetadataArray::I32(values)) => Some(values.as_slice()),
            _ => None,
        })
    }

    fn typed<'a, T>(
        &'a self,
        key: &str,
        expected: &'static str,
        read: impl FnOnce(&'a MetadataValue) -> Option<T>,
    ) -> Result<Option<T>, GgufError> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        match read(value) {
            Some(typed) => Ok(Some(typed)),
            None => Err(GgufError::WrongType { key: key.to_owned(), expected, found: value.describe() }),
        }
    }
}

/// The value that all of some values are.
fn constant<T: Copy + PartialEq>(values: &[T]) -> Option<T> {
    let first = *values.first()?;
    values.iter().all(|value| *value == first).then_some(first)
}

fn required<T>(key: &str, value: Option<T>) -> Result<T, GgufError> {
    value.ok_or_else(|| GgufError::MissingKey { key: key.to_owned() })
}
