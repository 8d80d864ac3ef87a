//! Random bytes, random damage to good files, random good files, held to what the fuzzer holds them to.

use crate::fuzz_targets::container::check_bytes;
use crate::raw::{Raw, good};
use lastbit::gguf::{GgufFile, GgufWriter, MetadataArray, MetadataValue, load};
use lastbit::quant::TensorType;
use lastbit::tiny_model::TinyModel;
use proptest::prelude::*;

/// Numbers that break careless arithmetic.
fn interesting() -> impl Strategy<Value = u64> {
    let edges = [0, 1, 2, 31, 32, 33, 255, 1 << 16, 1 << 31, 1 << 32, (1 << 32) + 3, 1 << 53, 1 << 63, u64::MAX - 31];
    prop_oneof![proptest::sample::select(edges.to_vec()), any::<u64>(), Just(u64::MAX)]
}

/// Overwrites some bytes at a place, relative to the part that is parsed.
fn damage() -> impl Strategy<Value = (f64, u64, usize)> {
    (0.0..1.0, interesting(), proptest::sample::select(vec![1usize, 4, 8]))
}

fn damaged(mut file: Vec<u8>, header_bytes: usize, damages: &[(f64, u64, usize)]) -> Vec<u8> {
    for &(place, value, width) in damages {
        let start = (place * header_bytes as f64) as usize;
        let end = (start + width).min(file.len());
        file[start..end].copy_from_slice(&value.to_le_bytes()[..end - start]);
    }
    file
}

fn value() -> impl Strategy<Value = MetadataValue> {
    use MetadataArray as A;
    use MetadataValue as V;
    fn many<T: std::fmt::Debug>(element: impl Strategy<Value = T>) -> impl Strategy<Value = Vec<T>> {
        proptest::collection::vec(element, 0..6)
    }
    prop_oneof![
        any::<u8>().prop_map(V::U8),
        any::<i8>().prop_map(V::I8),
        any::<u16>().prop_map(V::U16),
        any::<i16>().prop_map(V::I16),
        any::<u32>().prop_map(V::U32),
        any::<i32>().prop_map(V::I32),
        any::<f32>().prop_map(V::F32),
        any::<bool>().prop_map(V::Bool),
        ".{0,12}".prop_map(V::String),
        any::<u64>().prop_map(V::U64),
        any::<i64>().prop_map(V::I64),
        any::<f64>().prop_map(V::F64),
        many(any::<u8>()).prop_map(|values| V::Array(A::U8(values))),
        many(any::<i8>()).prop_map(|values| V::Array(A::I8(values))),
        many(any::<u16>()).prop_map(|values| V::Array(A::U16(values))),
        many(any::<i16>()).prop_map(|values| V::Array(A::I16(values))),
        many(any::<u32>()).prop_map(|values| V::Array(A::U32(values))),
        many(any::<i32>()).prop_map(|values| V::Array(A::I32(values))),
        many(any::<f32>()).prop_map(|values| V::Array(A::F32(values))),
        many(any::<bool>()).prop_map(|values| V::Array(A::Bool(values))),
        many(".{0,8}").prop_map(|values| V::Array(A::String(values.iter().collect()))),
        many(any::<u64>()).prop_map(|values| V::Array(A::U64(values))),
        many(any::<i64>()).prop_map(|values| V::Array(A::I64(values))),
        many(any::<f64>()).prop_map(|values| V::Array(A::F64(values))),
    ]
}

fn tensor() -> impl Strategy<Value = (Vec<u64>, TensorType)> {
    let types: Vec<TensorType> = TensorType::in_files().collect();
    (proptest::collection::vec(0u64..4, 0..3), 0u64..3, proptest::sample::select(types)).prop_map(
        |(rows, blocks, tensor_type)| {
            let row_length = blocks * tensor_type.block().elements as u64;
            (std::iter::once(row_length).chain(rows).collect(), tensor_type)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..300), piece_bytes in 1usize..100) {
        check_bytes(&bytes, piece_bytes);
    }

    #[test]
    fn any_bytes_after_a_head(
        n_tensors in 0u64..3, n_keys in 0u64..3, bytes in proptest::collection::vec(0u8..12, 0..300), piece_bytes in 1usize..100,
    ) {
        let file = Raw(b"GGUF".to_vec()).u32(3).u64(n_tensors).u64(n_keys).bytes(&bytes).0;
        check_bytes(&file, piece_bytes);
    }

    #[test]
    fn damaged_good_file(damages in proptest::collection::vec(damage(), 1..4), piece_bytes in 1usize..200) {
        let file = good();
        let header_bytes = file.len() - 52;
        check_bytes(&damaged(file, header_bytes, &damages), piece_bytes);
    }

    #[test]
    fn damaged_tiny_model(damages in proptest::collection::vec(damage(), 1..4)) {
        let file = TinyModel { n_blocks: 1, ..TinyModel::default() }.gguf_bytes();
        let header_bytes = GgufFile::parse(&file).expect("it is good").tensor_data_offset as usize;
        check_bytes(&damaged(file, header_bytes, &damages), 4096);
    }

    #[test]
    fn written_files_read_the_same(
        metadata in proptest::collection::btree_map("[a-z.]{1,8}", value(), 0..6),
        tensors in proptest::collection::vec(tensor(), 0..5),
        alignment in proptest::sample::select(vec![None, Some(1), Some(16), Some(32), Some(128)]),
        version in 2u32..4,
        trailing in 0usize..40,
    ) {
        let mut writer = GgufWriter::default();
        writer.version(version);
        for (key, value) in &metadata {
            writer.metadata(key, value.clone());
        }
        if let Some(alignment) = alignment {
            writer.alignment(alignment);
        }
        let bytes_of = |index: usize, shape: &[u64], tensor_type: TensorType| {
            let len_bytes = tensor_type.len_bytes(shape.iter().product()).expect("rows are whole blocks");
            vec![index as u8; len_bytes as usize]
        };
        for (index, (shape, tensor_type)) in tensors.iter().enumerate() {
            writer.tensor(&format!("t{index}"), shape, *tensor_type, bytes_of(index, shape, *tensor_type));
        }
        let mut file = writer.to_bytes();
        file.resize(file.len() + trailing, 0xee);

        let loaded = load(&file[..], Some(file.len() as u64)).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(loaded.header.version, version);
        prop_assert_eq!(loaded.header.metadata.len(), metadata.len() + usize::from(alignment.is_some()));
        for (key, value) in &metadata {
            // Compared as text, in which two NaNs are equal.
            prop_assert_eq!(format!("{:?}", loaded.header.metadata.get(key)), format!("{:?}", Some(value)));
        }
        prop_assert_eq!(loaded.tensors.len(), tensors.len());
        for (index, (shape, tensor_type)) in tensors.iter().enumerate() {
            let info = &loaded.header.tensors[index];
            prop_assert_eq!((&info.shape, info.tensor_type), (shape, *tensor_type));
            prop_assert_eq!(&loaded.tensors[index], &bytes_of(index, shape, *tensor_type));
        }
        prop_assert_eq!(loaded.summary.ignored_bytes, trailing as u64);
    }
}
