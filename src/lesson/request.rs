//! What can be asked, checked and turned into work for the kernel.

use serde::Deserialize;

use super::LessonError;
use super::tree::{Tree, each_order, push_pairwise, push_sequence};
use crate::numerics::SumFormat;
use crate::reference::tree_sum::{MAX_DEPTH, kept, value_of};

/// Numbers of one question about orders: 8 have 40,320.
const MOST_ORDERED: usize = 8;
/// Numbers of one sum.
const MOST_VALUES: usize = 4096;
/// What is smaller leaves a sum subnormal, which some devices flush.
const SMALLEST: f32 = 1e-30;

/// A question.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum LessonRequest {
    /// The sums of the values along each of these trees.
    Trees {
        /// Of the sums.
        format: SumFormat,
        /// Rounded to the format first.
        values: Vec<f32>,
        /// Each has every value once.
        trees: Vec<TreeRequest>,
    },
    /// The sums of the values one after another, in every order there is.
    Orders {
        /// Of the sums.
        format: SumFormat,
        /// Rounded to the format first.
        values: Vec<f32>,
    },
    /// What a number is, how far it is to the next, and what becomes of it when something is added.
    Number {
        /// Of the number.
        format: SumFormat,
        /// The number's.
        bits: u32,
        /// What is added.
        plus: f32,
    },
}

/// A tree, or the name of one.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(untagged)]
pub enum TreeRequest {
    /// By its name.
    Shape(Shape),
    /// By its brackets; of at most 32 values.
    Tree(Tree),
}

/// A tree that exists for any number of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "TreeShape"))]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// One after another.
    Sequential,
    /// Halves added alike.
    Pairwise,
}

/// What a kernel or twin adds: every tree has as many words.
pub(super) struct Work {
    pub(super) format: SumFormat,
    pub(super) values: Vec<f32>,
    /// In postfix. // [tree, word]
    pub(super) trees: Vec<u32>,
}

impl Work {
    /// Words of one tree.
    pub(super) fn n_words(&self) -> usize {
        2 * self.values.len() - 1
    }

    /// Additions of one tree.
    pub(super) fn n_additions(&self) -> usize {
        self.values.len() - 1
    }

    pub(super) fn n_trees(&self) -> usize {
        self.trees.len() / self.n_words()
    }

    pub(super) fn n_sums(&self) -> usize {
        self.n_trees() * self.n_additions()
    }

    pub(super) fn each_tree(&self) -> impl Iterator<Item = &[u32]> {
        self.trees.chunks_exact(self.n_words())
    }
}

impl LessonRequest {
    /// Of the sums.
    pub(super) fn format(&self) -> SumFormat {
        match self {
            Self::Trees { format, .. } | Self::Orders { format, .. } | Self::Number { format, .. } => *format,
        }
    }

    /// The words of every tree that is asked for.
    pub(super) fn work(&self) -> Result<Work, LessonError> {
        let format = self.format();
        let mut words = Vec::new();
        match self {
            Self::Trees { values, trees, .. } => {
                let values = checked(format, values, MOST_VALUES, "2 to 4,096")?;
                for tree in trees {
                    push_tree(tree, values.len(), &mut words)?;
                }
                Ok(Work { format, values, trees: words })
            }
            Self::Orders { values, .. } => {
                let values = checked(format, values, MOST_ORDERED, "2 to 8")?;
                each_order(values.len() as u32, |order| push_sequence(order.iter().copied(), &mut words));
                Ok(Work { format, values, trees: words })
            }
            Self::Number { bits, plus, .. } => {
                // Numbers at the ends of the range have no sum to show.
                match checked(format, &[value_of(format, *bits), *plus], 2, "2") {
                    Ok(values) => {
                        push_sequence(0..2, &mut words);
                        Ok(Work { format, values, trees: words })
                    }
                    Err(_) => Ok(Work { format, values: vec![0.0; 2], trees: words }),
                }
            }
        }
    }
}

fn push_tree(tree: &TreeRequest, n_values: usize, words: &mut Vec<u32>) -> Result<(), LessonError> {
    match tree {
        TreeRequest::Shape(Shape::Sequential) => push_sequence(0..n_values as u32, words),
        TreeRequest::Shape(Shape::Pairwise) => push_pairwise(0, n_values as u32, words),
        TreeRequest::Tree(tree) => {
            if n_values > MAX_DEPTH {
                return Err(LessonError::Count { found: n_values, expected: "at most 32 for a tree of one's own" });
            }
            let mut leaves = tree.leaves();
            leaves.sort_unstable();
            if !leaves.into_iter().eq(0..n_values as u32) {
                return Err(LessonError::Leaves { n_values });
            }
            tree.push_words(words);
        }
    }
    Ok(())
}

/// The values as the format keeps them. Sums of them stay normal numbers, so that every device gives the same bits.
fn checked(format: SumFormat, values: &[f32], most: usize, expected: &'static str) -> Result<Vec<f32>, LessonError> {
    if values.len() < 2 || values.len() > most {
        return Err(LessonError::Count { found: values.len(), expected });
    }
    // Each addition can make a sum larger by half a step; many can do so often.
    let limit = match format {
        SumFormat::F16 if values.len() <= MAX_DEPTH => 60_000.0,
        SumFormat::F16 => 8192.0,
        SumFormat::Bf16 | SumFormat::F32 => 1e30,
    };
    let size: f32 = values.iter().map(|value| value.abs()).sum();
    let is_normal = |value: &f32| value.is_finite() && (*value == 0.0 || value.abs() >= SMALLEST);
    if !values.iter().all(is_normal) || size > limit {
        return Err(LessonError::Range { limit });
    }
    Ok(values.iter().map(|value| kept(format, *value)).collect())
}
