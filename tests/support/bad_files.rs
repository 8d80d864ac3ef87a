//! Rows B001 to B047 of the project's list of bad inputs as files: what the reader says of each, natively and on wasm32.

use lastbit::gguf::{self, GgufFile, GgufWriter, MetadataValue};
use lastbit::model::check_header;
use lastbit::quant::TensorType;

use crate::raw::{ARRAY, F32, Q4_1, Raw, STRING, U8, U32, good, head};

/// Numbers of value types.
const I32: u32 = 5;
const BOOL: u32 = 7;

/// A file of a row.
pub(crate) struct File {
    /// Which of the row's files.
    pub(crate) what: String,
    pub(crate) bytes: Vec<u8>,
    /// The length that its source announced.
    pub(crate) announced: Option<u64>,
    /// What is to come of it, in the words of [`verdict`].
    pub(crate) expected: &'static str,
}

/// The rows about the container.
pub(crate) const ROWS: [&str; 47] = [
    "B001", "B002", "B003", "B004", "B005", "B006", "B007", "B008", "B009", "B010", "B011", "B012", "B013", "B014",
    "B015", "B016", "B017", "B018", "B019", "B020", "B021", "B022", "B023", "B024", "B025", "B026", "B027", "B028",
    "B029", "B030", "B031", "B032", "B033", "B034", "B035", "B036", "B037", "B038", "B039", "B040", "B041", "B042",
    "B043", "B044", "B045", "B046", "B047",
];

/// The code of the refusal; `loads`; or that what loaded is no model, with that code.
pub(crate) fn verdict(file: &File) -> String {
    match gguf::load(&file.bytes[..], file.announced) {
        Err(error) => error.code().to_owned(),
        Ok(_) if file.expected == "loads" => file.expected.to_owned(),
        Ok(loaded) => match check_header(&loaded.header) {
            Ok(_) => "a model".to_owned(),
            Err(error) => format!("loads, then {}", error.code().expect("a fault of the file has a code")),
        },
    }
}

/// Whether a parser that has the whole file says the same as one that gets it in pieces and does not know where it ends.
pub(crate) fn says_the_same_of_the_whole(row: &str, file: &File) -> bool {
    match GgufFile::parse(&file.bytes) {
        // What is cut, or still being written, looks different to a parser that sees the end.
        _ if matches!(row, "B007" | "B047") => true,
        Ok(_) => file.expected.starts_with("loads"),
        Err(error) => error.code() == file.expected,
    }
}

/// The files of a row.
pub(crate) fn files_of(row: &str) -> Vec<File> {
    let file = |(what, bytes, expected): (&str, Vec<u8>, &'static str)| File {
        what: what.to_owned(),
        bytes,
        announced: None,
        expected,
    };
    let announced = |(what, bytes, expected): (&str, Vec<u8>, &'static str)| {
        let announced = Some(bytes.len() as u64);
        File { announced, ..file((what, bytes, expected)) }
    };
    let good = good();
    match row {
        "B007" => (1..good.len())
            .map(|cut| file((&format!("cut at byte {cut}"), good[..cut].to_vec(), "GGUF_TRUNCATED")))
            .collect(),
        "B009" => {
            let more_than_fit = head(0, 4_000).zeros(1_000).0;
            let mut files: Vec<File> = files_in(row).into_iter().map(file).collect();
            files.push(announced(("more than the bytes left can hold", more_than_fit, "GGUF_COUNT")));
            files
        }
        "B028" | "B037" => files_in(row).into_iter().map(announced).collect(),
        "B047" => [(1, "shrinks"), (-1, "grows")]
            .map(|(more, what)| File {
                announced: good.len().checked_add_signed(more).map(|length| length as u64),
                ..file((what, good.clone(), "FILE_CHANGED"))
            })
            .into(),
        row => files_in(row).into_iter().map(file).collect(),
    }
}

/// What a file is, its bytes, and its verdict.
type Case = (&'static str, Vec<u8>, &'static str);

fn files_in(row: &str) -> Vec<Case> {
    let number: u32 = row[1..].parse().expect("a row's number");
    match number {
        ..=9 => heads(row),
        10..=24 => metadata(row),
        _ => tensors(row),
    }
}

fn heads(row: &str) -> Vec<Case> {
    let start = |what, bytes: &[u8]| (what, Raw::default().bytes(bytes).zeros(64).0, "GGUF_MAGIC");
    let version = |what, number: u32, code| (what, Raw(b"GGUF".to_vec()).u32(number).zeros(16).0, code);
    let counts = |what, n_tensors, n_keys| (what, head(n_tensors, n_keys).0, "GGUF_COUNT");
    match row {
        "B001" => vec![("empty", Vec::new(), "GGUF_EMPTY")],
        "B002" => vec![
            start("zip", b"PK\x03\x04"),
            start("HTML", b"<!DOCTYPE html><title>404</title>"),
            start("safetensors", b"\x20\0\0\0\0\0\0\0{\"a\":"),
            start("pickle", b"\x80\x02}q"),
        ],
        "B003" => vec![start("reversed", b"FUGG")],
        "B004" => [("0", 0), ("1", 1), ("4", 4), ("2^31", 1 << 31)]
            .map(|(what, number)| version(what, number, "GGUF_VERSION"))
            .into(),
        "B005" => {
            [("3", 3_u32), ("2", 2)].map(|(what, number)| version(what, number.swap_bytes(), "GGUF_BIG_ENDIAN")).into()
        }
        "B006" => [("2", 2), ("3", 3)].map(|(what, number)| version(what, number, "loads, then MODEL_ARCH")).into(),
        "B008" => vec![counts("2^64-1", u64::MAX, 0), counts("2^63", 1 << 63, 0), counts("cap + 1", 65_537, 0)],
        "B009" => vec![counts("2^64-1", 0, u64::MAX), counts("cap + 1", 0, 4_097)],
        row => panic!("{row} is no row of this table"),
    }
}

fn metadata(row: &str) -> Vec<Case> {
    let value = |value_type: u32| head(0, 1).key("k", value_type);
    let nested = |depth| (0..depth).fold(value(ARRAY), |raw, _| raw.u32(ARRAY).u64(1));
    let keyed = |key: &[u8]| head(0, 1).string(key).u32(U32).u32(1);
    let twice = |second: u32| head(0, 2).key("k", U32).u32(1).key("k", U32).u32(second);
    let alignment = |number: u32| head(0, 1).key("general.alignment", U32).u32(number);
    let aligned = |value_type: u32| head(0, 1).key("general.alignment", value_type);
    let (code, files) = match row {
        "B010" => (
            "GGUF_LENGTH",
            vec![
                ("2^64-1", head(0, 1).u64(u64::MAX)),
                ("2^32+3", head(0, 1).u64((1 << 32) + 3).bytes(b"abc").zeros(64)),
            ],
        ),
        "B011" => ("GGUF_KEY", vec![("65,536 bytes", keyed(&[b'k'; 65_536]))]),
        "B012" => (
            "GGUF_KEY",
            vec![
                ("empty", keyed(b"")),
                ("not ASCII", keyed("schlüssel".as_bytes())),
                ("NUL", keyed(b"a\0b")),
                ("invalid UTF-8", keyed(b"a\xff")),
            ],
        ),
        "B013" => (
            "GGUF_VALUE_TYPE",
            vec![
                ("13", value(13).zeros(8)),
                ("2^32-1", value(u32::MAX).zeros(8)),
                ("in an array", value(ARRAY).u32(13).u64(1).zeros(8)),
            ],
        ),
        "B014" => return vec![("1 GiB", value(STRING).u64(1 << 30).0, "GGUF_LENGTH")],
        "B015" => return vec![("description", value(STRING).string(b"caf\xe9").0, "loads")],
        "B016" => (
            "GGUF_LENGTH",
            vec![
                ("2^64-1", value(ARRAY).u32(U8).u64(u64::MAX).zeros(8)),
                ("2^30 strings", value(ARRAY).u32(STRING).u64(1 << 30).zeros(8)),
            ],
        ),
        "B017" => ("GGUF_NESTED", vec![("1 deep", nested(1)), ("5,000", nested(5_000)), ("200,000", nested(200_000))]),
        "B018" => ("GGUF_LENGTH", vec![("2^61 of 8 bytes", value(ARRAY).u32(10).u64(1 << 61).zeros(32))]),
        "B019" => (
            "GGUF_BOOL",
            vec![("2", value(BOOL).bytes(&[2])), ("in an array", value(ARRAY).u32(BOOL).u64(2).bytes(&[1, 2]))],
        ),
        "B020" => ("GGUF_DUPLICATE", vec![("same value", twice(1)), ("other value", twice(2))]),
        "B021" => ("GGUF_ALIGNMENT", vec![("0", alignment(0))]),
        "B022" => (
            "GGUF_ALIGNMENT",
            vec![
                ("13", alignment(13)),
                ("2^31", alignment(1 << 31)),
                ("i32", aligned(I32).u32(32)),
                ("string", aligned(STRING).string("32")),
                ("array", aligned(ARRAY).u32(U32).u64(1).u32(32)),
            ],
        ),
        "B023" => {
            return [("1", 1), ("8", 8), ("64", 64), ("4096", 4096)]
                .map(|(what, alignment)| (what, padded_to(alignment), "loads"))
                .into();
        }
        "B024" => {
            let text = vec![b'x'; 1 << 20];
            let large = (0..66).fold(head(0, 66), |raw, i| raw.key(&format!("k{i}"), STRING).string(&text));
            let longest = vec![b'x'; 15 << 20];
            let few = (0..3).fold(head(0, 3), |raw, i| raw.key(&format!("k{i}"), STRING).string(&longest));
            return vec![("66 MiB", large.0, "GGUF_TOO_BIG"), ("three long texts", few.0, "GGUF_TOO_BIG")];
        }
        row => panic!("{row} is no row of this table"),
    };
    // Room for more, so that no count is refused because the file could not hold it.
    files.into_iter().map(|(what, raw)| (what, raw.zeros(64).0, code)).collect()
}

fn padded_to(alignment: u32) -> Vec<u8> {
    let mut writer = GgufWriter::default();
    writer.alignment(alignment);
    writer.tensor("a", &[3], TensorType::F32, vec![1; 12]).tensor("b", &[1], TensorType::F16, vec![2; 2]);
    writer.to_bytes()
}

fn one_tensor(shape: &[u64], tensor_type: u32) -> Vec<u8> {
    head(1, 0).tensor("t", shape, tensor_type, 0).pad().zeros(4096).0
}

/// Two tensors of 64 bytes each, the second of which lies at this offset.
fn two_tensors(second_offset: u64) -> Vec<u8> {
    head(2, 0).tensor("a", &[16], F32, 0).tensor("b", &[16], F32, second_offset).pad().zeros(4096).0
}

/// A model's description, and of its tensors the embedding in this shape.
fn embedding(shape: &[u64]) -> Vec<u8> {
    let mut writer = GgufWriter::default();
    writer.metadata("general.architecture", MetadataValue::String("llama".to_owned()));
    for (key, number) in [
        ("block_count", 1),
        ("context_length", 64),
        ("embedding_length", 32),
        ("feed_forward_length", 32),
        ("attention.head_count", 1),
    ] {
        writer.metadata(&format!("llama.{key}"), MetadataValue::U32(number));
    }
    writer.metadata("llama.attention.layer_norm_rms_epsilon", MetadataValue::F32(1e-5));
    let len_bytes = 4 * shape.iter().product::<u64>();
    writer.tensor("token_embd.weight", shape, TensorType::F32, vec![0; len_bytes as usize]);
    writer.to_bytes()
}

fn tensors(row: &str) -> Vec<Case> {
    let named = |name: &[u8]| head(1, 0).string(name).u32(1).u64(1).u32(F32).u64(0).pad().zeros(32).0;
    let of_type = |id: u32, code| ("of a type", one_tensor(&[256], id), code);
    let shaped = |what, shape: &[u64]| (what, one_tensor(shape, F32), "GGUF_SHAPE");
    let empty = || head(2, 0).tensor("zero", &[0, 4], F32, 0).tensor("scalar", &[], F32, 0).pad().bytes(&[9; 4]).0;
    match row {
        "B025" => vec![
            ("5", one_tensor(&[1; 5], F32), "GGUF_DIMS"),
            ("2^32-1", head(1, 0).string("t").u32(u32::MAX).zeros(64).0, "GGUF_DIMS"),
        ],
        "B026" => vec![shaped("-1", &[u64::MAX]), shaped("2^63", &[1 << 63]), shaped("beside 0", &[1 << 63, 0])],
        "B027" => vec![
            shaped("i64", &[1 << 32, 1 << 31]),
            shaped("u64", &[1 << 62, 4]),
            shaped("2^63 × 2", &[1 << 63, 2]),
            shaped("behind 0", &[0, 1 << 40, 1 << 40]),
        ],
        "B028" => vec![("2^32+1 elements", one_tensor(&[(1 << 32) + 1], F32), "GGUF_OFFSET")],
        "B029" => vec![shaped("2^54 bytes", &[1 << 52]), shaped("2^64 bytes", &[1 << 60, 4])],
        "B030" => vec![("unused", empty(), "loads")],
        "B031" => vec![("embedding", embedding(&[32, 0]), "loads, then MODEL_SHAPE")],
        "B032" => {
            vec![("unused", empty(), "loads"), ("embedding", embedding(&[]), "loads, then MODEL_SHAPE")]
        }
        "B033" => [4, 5, 31, 32, 33, 36, 37, 38].map(|id| of_type(id, "GGUF_TYPE")).into(),
        "B034" => [40, 41, 100, u32::MAX].map(|id| of_type(id, "GGUF_TYPE")).into(),
        "B035" => vec![of_type(29, "MODEL_QUANT"), of_type(16, "MODEL_QUANT")],
        "B036" => vec![
            ("row", one_tensor(&[33], Q4_1), "GGUF_BLOCK"),
            ("whole blocks, but not a row", one_tensor(&[16, 2], Q4_1), "GGUF_BLOCK"),
            ("scalar", one_tensor(&[], Q4_1), "GGUF_BLOCK"),
        ],
        "B037" => vec![
            ("2^64-1", two_tensors(u64::MAX), "GGUF_OFFSET"),
            ("past the end", one_tensor(&[1 << 20], F32), "GGUF_OFFSET"),
            ("one byte short", good()[..good().len() - 1].to_vec(), "GGUF_OFFSET"),
        ],
        "B038" => vec![("65", two_tensors(65), "GGUF_OFFSET")],
        "B039" => vec![("two", two_tensors(0), "GGUF_OVERLAP")],
        "B040" => {
            let entry = |raw: Raw, i| raw.tensor(&format!("t{i}"), &[1024], F32, 0);
            vec![("10,000", (0..10_000).fold(head(10_000, 0), entry).pad().zeros(4096).0, "GGUF_OVERLAP")]
        }
        "B041" => vec![("32 of 64 bytes", two_tensors(32), "GGUF_OVERLAP")],
        "B042" => vec![
            ("between", two_tensors(96), "GGUF_GAP"),
            ("of nearly 2^64", two_tensors(u64::MAX - 31), "GGUF_GAP"),
            ("before the first", head(1, 0).tensor("t", &[1], F32, 32).pad().zeros(64).0, "GGUF_GAP"),
        ],
        "B043" => {
            let two = head(2, 0).tensor("a", &[1 << 50], F32, 0).tensor("b", &[1 << 50, 2], F32, 1 << 52);
            vec![("2^52 and 2^53 bytes", two.pad().0, "GGUF_SIZE")]
        }
        "B044" => {
            let shared = head(2, 0).tensor("zero", &[32, 0], Q4_1, 0).tensor("real", &[1], F32, 0);
            vec![("same offset", shared.pad().bytes(&[9; 4]).0, "loads")]
        }
        "B045" => {
            let twice = head(2, 0).tensor("a", &[8], F32, 0).tensor("a", &[8], F32, 32).pad().zeros(64).0;
            vec![
                ("duplicate", twice, "GGUF_NAME"),
                ("empty", named(b""), "GGUF_NAME"),
                ("64 bytes", named(&[b'n'; 64]), "GGUF_NAME"),
                ("not UTF-8", named(b"a\xff"), "GGUF_NAME"),
            ]
        }
        "B046" => vec![("a zip", Raw(good()).zeros(12).bytes(b"PK\x03\x04 and more").0, "loads")],
        row => panic!("{row} is no row of this table"),
    }
}
