//! Which types cross. Only these do: what is not in the list below has no way to the page, and each of them has a TypeScript type.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{
    AblationReport, CasesDone, CheckOptions, CompareEvent, ConfigureOptions, CreateOptions, DotProduct,
    DotProductRequest, LoadOptions, ModelReport, OrdersRequest, TemplateFailure,
};
use crate::compare::ablation::Outcome;
use crate::compare::corruption::Judgement;
use crate::compare::dissection::DissectEvent;
use crate::compare::{CompareRequest, Comparison, DissectionReport, ShapeCheck, TwinCheck};
use crate::error::Explained;
use crate::generate::ModelCheck;
use crate::gpu::DeviceReport;
use crate::lesson::{LessonReply, LessonRequest};
use crate::model::LoadProgress;

/// What the page is given.
pub trait ToPage: Serialize {}

/// What the page gives.
pub trait FromPage: DeserializeOwned {}

impl<T: ToPage> ToPage for Option<T> {}

macro_rules! crossing {
    (from_page: [$($given:ty),* $(,)?], to_page: [$($told:ty),* $(,)?] $(,)?) => {
        $(impl FromPage for $given {})*
        $(impl ToPage for $told {})*

        /// Shows a visitor each of them.
        #[cfg(all(test, not(target_arch = "wasm32")))]
        pub(super) fn visit_all(visitor: &mut impl ts_rs::TypeVisitor) {
            $(visitor.visit::<$given>();)*
            $(visitor.visit::<$told>();)*
        }
    };
}

crossing!(
    from_page: [
        CreateOptions,
        CheckOptions,
        LoadOptions,
        ConfigureOptions,
        CompareRequest,
        OrdersRequest,
        LessonRequest,
        DotProductRequest,
        TemplateFailure,
    ],
    to_page: [
        Explained,
        DeviceReport,
        ModelCheck,
        LoadProgress,
        ModelReport<'_>,
        CompareEvent,
        Comparison,
        DissectEvent,
        DissectionReport<'_>,
        CasesDone,
        AblationReport,
        Outcome,
        ShapeCheck,
        TwinCheck,
        Judgement,
        LessonReply,
        DotProduct,
    ],
);
