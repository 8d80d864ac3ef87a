import { describe, expect, test } from "vitest";
import type { DeviceReport } from "../../src/shared/engine-records";
import { engineErrorFrom, whyBrokenOff } from "../../src/worker/errors";
import {
  adapterName,
  completedReport,
  deviceLost,
  type GrantedDevices,
  probeAdapter,
  wrapRequestDevice,
} from "../../src/worker/gpu";

const REAL = { gpu: "real", engine: "real", subgroups: "auto" } as const;

function adapter(features: string[], info: Partial<GPUAdapterInfo> = {}): GPUAdapter {
  return {
    features: new Set(features),
    limits: { maxStorageBufferBindingSize: 1 << 30, maxBufferSize: 1 << 28 },
    info: { vendor: "acme", architecture: "rocket", description: "", isFallbackAdapter: false, ...info },
  } as unknown as GPUAdapter;
}

const gpuWith = (found: GPUAdapter | null) => ({ requestAdapter: async () => found }) as unknown as GPU;

describe("probe", () => {
  test("names the adapter and its features", async () => {
    expect(await probeAdapter(gpuWith(adapter(["subgroups", "shader-f16"])), true, REAL)).toEqual({
      name: "acme rocket",
      told: { vendor: "acme", architecture: "rocket", device: "", description: "" },
      software: false,
      subgroups: true,
      shader_f16: true,
      binding_bytes: 1 << 28,
    });
  });

  test.each([
    [{ isFallbackAdapter: true }],
    [{ description: "SwiftShader Device" }],
    [{ vendor: "mesa", architecture: "llvmpipe" }],
  ])("%o is a software GPU", async (info) => {
    expect((await probeAdapter(gpuWith(adapter([], info)), true, REAL)).software).toBe(true);
  });

  test("subgroups can be turned off", async () => {
    const off = { ...REAL, subgroups: "off" } as const;
    expect((await probeAdapter(gpuWith(adapter(["subgroups"])), true, off)).subgroups).toBe(false);
  });

  test.each([
    ["no API", undefined, true, REAL, "no-webgpu"],
    ["no API on an insecure address", undefined, false, REAL, "insecure-origin"],
    ["no adapter", gpuWith(null), true, REAL, "no-adapter"],
    ["simulated", gpuWith(adapter([])), true, { ...REAL, gpu: "off" } as const, "no-webgpu"],
  ])("%s has its own words", async (_, gpu, isSecure, simulation, code) => {
    await expect(probeAdapter(gpu, isSecure, simulation)).rejects.toMatchObject({
      code,
      message: expect.any(String),
      what_to_do: expect.any(String),
    });
  });
});

describe("the adapter's name", () => {
  const nothing = { vendor: "", architecture: "", device: "", description: "" };
  test.each([
    [{ ...nothing, vendor: "google", architecture: "swiftshader" }, "google swiftshader"],
    [{ ...nothing, vendor: "acme", description: " Rocket 9 Pro " }, "Rocket 9 Pro"],
    [{ ...nothing, vendor: "acme", device: "0x2684" }, "acme"],
    [{ ...nothing, vendor: "acme", device: "Rocket 9" }, "acme Rocket 9"],
    [nothing, "this browser's adapter"],
  ])("of %o is %s", (told, name) => expect(adapterName(told)).toBe(name));

  test("completes a report that has none, and no other", () => {
    const features = { software: false, subgroups: false, shader_f16: false };
    const probe = { name: "Rocket 9", told: nothing, ...features, binding_bytes: 1 };
    const report = { name: "", family: "gpu-plain" } as DeviceReport;
    expect(completedReport(report, probe)).toEqual({ ...report, name: "Rocket 9" });
    expect(completedReport({ ...report, name: "Vulkan adapter" }, probe).name).toBe("Vulkan adapter");
  });
});

describe("requestDevice", () => {
  async function featuresAsked(wants: boolean, has: string[], asked: string[]): Promise<string[]> {
    let got: string[] = [];
    const device = {} as GPUDevice;
    const prototype = {
      requestDevice: async (descriptor?: GPUDeviceDescriptor) => {
        got = [...(descriptor?.requiredFeatures ?? [])];
        return device;
      },
    };
    const granted: GrantedDevices = { current: null };
    wrapRequestDevice(prototype, wants, granted);
    const descriptor = { requiredFeatures: asked as GPUFeatureName[] };
    await prototype.requestDevice.call(adapter(has), descriptor);
    expect(granted.current).toBe(device);
    return got;
  }

  test("gains subgroups where the adapter has them", async () =>
    expect(await featuresAsked(true, ["subgroups"], ["shader-f16"])).toEqual(["shader-f16", "subgroups"]));
  test("stays as it is where the adapter has none", async () =>
    expect(await featuresAsked(true, [], ["shader-f16"])).toEqual(["shader-f16"]));
  test("stays as it is when they are turned off", async () =>
    expect(await featuresAsked(false, ["subgroups"], [])).toEqual([]));
});

test("errors of the engine stay, everything else becomes one", () => {
  const lost = deviceLost({ reason: "unknown", message: " driver reset " });
  expect(lost.message).toBe("The GPU device was lost: driver reset");
  expect(engineErrorFrom(lost)).toBe(lost);
  expect(engineErrorFrom(new TypeError("x is undefined"))).toMatchObject({
    code: "internal",
    message: "TypeError: x is undefined",
  });
  expect(engineErrorFrom(undefined)).toMatchObject({ code: "internal", message: "undefined" });
});

test("a comparison that broke off keeps the engine's code, unless the device was lost", () => {
  const full = { code: "context-full", message: "m", what_to_do: "w" };
  const lost = deviceLost({ reason: "unknown", message: "" });
  expect(whyBrokenOff(full, null)).toBe(full);
  expect(whyBrokenOff(full, lost)).toBe(lost);
  expect(whyBrokenOff(null, null)).toMatchObject({ code: "run-failed" });
});
