// The browser's GPU before the engine sees it: is there an adapter, which features may the engine
// ask for, and when did the device go away. Also the failures that a test can simulate.
import type { DeviceReport, EngineError } from "../shared/engine-records";
import type { AdapterProbe, AdapterWords, Simulation } from "../shared/protocol";

/** Reports the adapter, or throws the EngineError that says why there is none. */
export async function probeAdapter(
  gpu: GPU | undefined,
  isSecureContext: boolean,
  simulation: Simulation,
): Promise<AdapterProbe> {
  const available = simulation.gpu === "off" ? undefined : gpu;
  if (!available) throw noWebGpu(isSecureContext);

  const adapter = await available.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) throw noAdapter();

  const { vendor = "", architecture = "", device = "", description = "" } = adapter.info;
  const told = { vendor, architecture, device, description };
  const name = adapterName(told);
  return {
    name,
    told,
    software: adapter.info.isFallbackAdapter === true || /swiftshader|llvmpipe|basic render/i.test(name),
    subgroups: simulation.subgroups === "auto" && adapter.features.has("subgroups"),
    shader_f16: adapter.features.has("shader-f16"),
    // What the engine asks for is what the adapter offers.
    binding_bytes: Math.min(adapter.limits.maxStorageBufferBindingSize, adapter.limits.maxBufferSize),
  };
}

function noWebGpu(isSecureContext: boolean): EngineError {
  return isSecureContext
    ? {
        code: "no-webgpu",
        message: "This browser has no WebGPU, so the page cannot reach the GPU.",
        what_to_do:
          "Open this page in a recent Chrome, Edge or Firefox, or in Safari 26 or newer, and check again.",
      }
    : {
        code: "insecure-origin",
        message: "Browsers offer WebGPU only to pages from https or from localhost.",
        what_to_do: "Open the same page as http://localhost or http://127.0.0.1, or serve it over https.",
      };
}

function noAdapter(): EngineError {
  return {
    code: "no-adapter",
    message: "This browser knows WebGPU but gave no adapter: it found no GPU that it trusts.",
    what_to_do:
      "Turn on hardware acceleration in the browser's settings and update the graphics driver. Chrome and " +
      "Edge can use a software GPU when started with --enable-unsafe-webgpu: slow, but the results are real.",
  };
}

/** The best words the browser has for the adapter: its description, its device, or its maker and kind. */
export function adapterName({ vendor, architecture, device, description }: AdapterWords): string {
  if (description.trim() !== "") return description.trim();
  const isWord = /[a-z]/i.test(device) && !/^0x/i.test(device);
  const known = [vendor, architecture, isWord ? device : ""].filter((word) => word.trim() !== "");
  return known.length > 0 ? known.join(" ") : "this browser's adapter";
}

/** The engine's report, with the probe's name where wgpu passes none on. */
export function completedReport(report: DeviceReport, probe: AdapterProbe): DeviceReport {
  return report.name.trim() === "" ? { ...report, name: probe.name } : report;
}

/** The devices that the engine was given since the page opened, newest last. */
export interface GrantedDevices {
  current: GPUDevice | null;
}

/**
 * Wraps requestDevice so that the engine's device gets `subgroups` where the adapter has it:
 * wgpu passes WGSL to the browser untouched but cannot name that feature itself.
 * Run it before the wasm starts.
 */
export function wrapRequestDevice(
  prototype: Pick<GPUAdapter, "requestDevice">,
  wantsSubgroups: boolean,
  granted: GrantedDevices,
): void {
  const requestDevice = prototype.requestDevice;
  prototype.requestDevice = async function (this: GPUAdapter, descriptor: GPUDeviceDescriptor = {}) {
    const features = new Set<GPUFeatureName>(descriptor.requiredFeatures ?? []);
    if (wantsSubgroups && this.features.has("subgroups")) features.add("subgroups");
    const device = await requestDevice.call(this, { ...descriptor, requiredFeatures: [...features] });
    granted.current = device;
    return device;
  };
}

/** The words for a device that went away. */
export function deviceLost(info: { reason: string; message: string }): EngineError {
  const detail = info.message.trim();
  return {
    code: "device-lost",
    message: detail ? `The GPU device was lost: ${detail}` : "The GPU device was lost.",
    what_to_do: "Start the GPU again and load the model again; the text so far stays on the page.",
  };
}
