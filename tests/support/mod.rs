//! What integration tests share: a device that must be there, and a model on it.

use lastbit::gpu::{Device, DeviceOptions};
use lastbit::model::{Model, ModelLoader};

/// The adapter; a test without one fails.
pub(crate) async fn device() -> Device {
    Device::open(DeviceOptions::default())
        .await
        .expect("a Vulkan adapter: install mesa-vulkan-drivers (make test does)")
}

/// Loads a GGUF file of these bytes.
pub(crate) async fn load(device: &Device, bytes: impl AsRef<[u8]>) -> Model {
    let bytes = bytes.as_ref();
    let mut loader = ModelLoader::new(device, Some(bytes.len() as u64));
    for piece in bytes.chunks(1 << 20) {
        loader.push(piece).await.expect("the file is a model");
    }
    loader.finish(None).await.expect("the file is complete")
}
