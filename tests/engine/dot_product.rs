//! One dot product of a model, taken apart: the device's weights and the file's give the same sums of its blocks.

use lastbit::lesson::{LessonAnswer, LessonRequest, Shape, TreeRequest, answer_on_twin};
use lastbit::numerics::{Formats, Order, SumFormat};

use crate::twin_engine::twin;
use crate::{engine, wide_model};

#[test]
fn blocks_of_a_dot_product_are_those_of_the_file() {
    pollster::block_on(async {
        let bytes = wide_model();
        let (gpu, twin) =
            (engine(&bytes, Formats::F32, Order::Invariant).await, twin(&bytes, Formats::F32, Order::Invariant));
        let mut all = Vec::new();
        for id in [5, 40] {
            let on_gpu = gpu.model().dot_product(gpu.device(), id).await.expect("the token is one");
            let on_twin = twin.model().dot_product(id).expect("the token is one");
            assert_eq!(on_gpu.len(), gpu.model().config.embedding_dim as usize / 32);
            let bits = |sums: &[f32]| sums.iter().map(|sum| sum.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&on_gpu), bits(&on_twin), "token {id}");
            all.push(on_gpu);
        }
        assert_ne!(all[0], all[1], "another token, another product");
        let trees = vec![TreeRequest::Shape(Shape::Sequential), TreeRequest::Shape(Shape::Pairwise)];
        let request = LessonRequest::Trees { format: SumFormat::F32, values: all.remove(0), trees };
        let answer = answer_on_twin(&request).expect("real numbers can be added").answer;
        assert!(matches!(answer, LessonAnswer::Trees { .. }), "{answer:?}");
        assert!(gpu.model().dot_product(gpu.device(), u32::MAX).await.is_err(), "no such token");
    });
}
