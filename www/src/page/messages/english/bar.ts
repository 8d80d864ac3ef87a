// The status bar.
export const bar = {
  device: "Device",
  model: "Model",
  formats: "Formats",
  order: "Order",
  verified: "Verified here",
  offline: "Offline",
  offlineReady: {
    nothing: "not yet",
    reading: "the first view",
    views: "all views",
    everything: "all views and the engines",
  },
  checking: "looking …",
  software: (name: string) => `${name} (software)`,
  noGpu: "no GPU",
  cpuTwin: "CPU twin",
  noModel: "none loaded",
  orders: { "by-shape": "by shape", invariant: "invariant", vector: "vector", tiled: "tiled" },
  nothingVerified: "nothing yet",
  levels: {
    L0: "repeated runs agree",
    L1: "cold = warm",
    L2: "any chunks, neighbours, reuse",
    L3: "also on another day",
    L4: "the bits of the CPU twin",
  },
  claim: (level: string, meaning: string, formats: string, order: string) =>
    `${level}, ${meaning} (${formats}, ${order})`,
};
