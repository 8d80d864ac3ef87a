//! The numeric fingerprint: what it says of the software adapters, and that it says the same each time.

use lastbit::gpu::{DeviceOptions, Fingerprint, SubgroupOrder};

use crate::support::{open, own_device};

/// What a software adapter must be for its bits to be those of the twins, which the tests beside this one rely on.
fn assert_rounds_like_the_twin(found: &Fingerprint) {
    assert_eq!(found.unlike_the_twin(), Vec::<&str>::new());
    assert!(found.rounds_like_the_twin());
    assert!(!found.multiply_add_fused && !found.fma_fused && !found.sums_regrouped && found.round_ties_to_even);
    assert_eq!((found.sums_and_products_wrong, found.f16_unpack_wrong, found.packed_dot_wrong), (0, 0, Some(0)));
    // No more than WGSL allows: 3 + 2 |x| for exp, 2 for inverseSqrt, 2.5 for a division.
    assert!(found.exp_ulp <= 9 && found.inverse_sqrt_ulp <= 2 && found.division_ulp <= 3, "{found:?}");
}

#[test]
fn software_adapters_are_as_they_were_measured() {
    let device = own_device().device;
    let report = device.report();
    let found = &report.fingerprint;
    println!("{}: {found:?}", report.name);
    if report.software {
        assert_rounds_like_the_twin(found);
    }
    if report.name.contains("llvmpipe") {
        // Mesa regroups (a * b + c * d) + e and (a + b) + constant, so no kernel writes such a sum.
        assert!(found.products_regrouped && found.constants_regrouped);
        assert!(found.subnormal_results_kept && found.subnormal_operands_kept);
        assert_eq!((found.f16_pack_wrong, found.native_f16_wrong), (0, Some(0)));
        assert_eq!((found.sin_ulp, found.subgroup_order), (0, Some(SubgroupOrder::Sequential)));
    }
    if report.name.contains("SwiftShader") {
        assert!(!found.products_regrouped && !found.constants_regrouped);
        assert!(!found.subnormal_results_kept && !found.subnormal_operands_kept);
        assert!(found.f16_pack_wrong > 0 && found.sin_ulp > 100, "{found:?}");
        assert_eq!((found.native_f16_wrong, found.subgroup_order), (None, Some(SubgroupOrder::Neighbours)));
    }
}

#[test]
fn a_device_has_one_fingerprint() {
    let (first, again) = (own_device().device, own_device().device);
    assert_eq!(first.report().fingerprint, again.report().fingerprint);
    assert_eq!(first.report().fingerprint.hash.len(), 16);
    assert_eq!(first.counters().submissions.get(), 0, "what opening costs is not counted");

    let plain = open(DeviceOptions { subgroups: false, ..DeviceOptions::default() });
    let without = &plain.report().fingerprint;
    assert_eq!(without.subgroup_order, None);
    let expected =
        Fingerprint { subgroup_order: None, hash: without.hash.clone(), ..first.report().fingerprint.clone() };
    assert_eq!(without, &expected, "subgroups change nothing else");
}
