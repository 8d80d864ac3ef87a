#!/usr/bin/env bash
# Installs what the tests need from the system: Chromium with its driver, and Mesa's software Vulkan adapter.
# system_packages.sh vulkan: only the adapter.
. "$(dirname "$0")/lib.sh"

chromium_works() { command -v chromium >/dev/null && command -v chromedriver >/dev/null; }
lavapipe_works() { compgen -G '/usr/share/vulkan/icd.d/lvp_icd*.json' >/dev/null && ldconfig -p | grep -q 'libvulkan\.so\.1'; }

one_at_a_time
lavapipe_works || apt_install "the GPU tests without a GPU" mesa-vulkan-drivers libvulkan1
[ "${1:-}" = vulkan ] || chromium_works || apt_install "the browser tests" chromium chromium-driver
