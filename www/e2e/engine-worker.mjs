// The engine's worker from within: what it does is counted, and what its device does is held up or refused.

export const engineWorker = (page) => page.workers().find((worker) => worker.url().includes("engine-worker"));

/** From now on nothing that the engine wants to read back from the GPU arrives, until the function that this gives is called. */
export async function holdReadbacks(page) {
  const engine = engineWorker(page);
  await engine.evaluate(() => {
    const { mapAsync } = GPUBuffer.prototype;
    const held = new Promise((resolve) => {
      globalThis.release = resolve;
    });
    GPUBuffer.prototype.mapAsync = async function (...args) {
      await held;
      return mapAsync.apply(this, args);
    };
  });
  return () => engine.evaluate(() => globalThis.release());
}

/** Counts, from now on, what the engine's worker reads of files and allocates on the GPU, and how many workers are started. */
export async function countedWork(page) {
  let workers = 0;
  page.on("worker", () => {
    workers += 1;
  });
  const engine = engineWorker(page);
  await engine.evaluate(() => {
    const counted = { bytes_read: 0, gpu_bytes: 0 };
    globalThis.counted = counted;
    const { arrayBuffer } = Blob.prototype;
    Blob.prototype.arrayBuffer = function () {
      counted.bytes_read += this.size;
      return arrayBuffer.call(this);
    };
    const { createBuffer } = GPUDevice.prototype;
    GPUDevice.prototype.createBuffer = function (descriptor) {
      counted.gpu_bytes += descriptor.size;
      return createBuffer.call(this, descriptor);
    };
  });
  return async () => ({ workers, ...(await engine.evaluate(() => globalThis.counted)) });
}

/** The next buffers whose label fits are told to be more than the device has, as a full one tells it. */
export async function refuseMemory(page, label) {
  await engineWorker(page).evaluate((label) => {
    const scopes = [];
    const device = GPUDevice.prototype;
    const { createBuffer, pushErrorScope, popErrorScope } = device;
    device.pushErrorScope = function (filter) {
      scopes.push({ filter, isFull: false });
      pushErrorScope.call(this, filter);
    };
    device.createBuffer = function (descriptor) {
      const scope = scopes.findLast(({ filter }) => filter === "out-of-memory");
      if (scope && new RegExp(label).test(descriptor.label)) scope.isFull = true;
      return createBuffer.call(this, descriptor);
    };
    device.popErrorScope = async function () {
      const scope = scopes.pop();
      const error = await popErrorScope.call(this);
      return scope?.isFull ? new GPUOutOfMemoryError("injected") : error;
    };
  }, label.source);
}

/** A driver that does not compile the kernel of this name. */
export async function refuseShader(page, name) {
  await engineWorker(page).evaluate((name) => {
    const { createShaderModule } = GPUDevice.prototype;
    GPUDevice.prototype.createShaderModule = function (descriptor) {
      const code = descriptor.label === name ? `${descriptor.code}\nfn broken( {` : descriptor.code;
      return createShaderModule.call(this, { ...descriptor, code });
    };
  }, name);
}

/** Counts, from now on, the workgroups of each submission; the function that this gives tells the most since it was asked last. */
export async function countedSubmissions(page) {
  const engine = engineWorker(page);
  await engine.evaluate(() => {
    const counted = { now: 0, most: 0, n_submissions: 0 };
    globalThis.submitted = counted;
    const { dispatchWorkgroups } = GPUComputePassEncoder.prototype;
    GPUComputePassEncoder.prototype.dispatchWorkgroups = function (x, y = 1, z = 1) {
      counted.now += x * y * z;
      return dispatchWorkgroups.call(this, x, y, z);
    };
    const { submit } = GPUQueue.prototype;
    GPUQueue.prototype.submit = function (buffers) {
      counted.most = Math.max(counted.most, counted.now);
      counted.n_submissions += 1;
      counted.now = 0;
      return submit.call(this, buffers);
    };
  });
  return () =>
    engine.evaluate(() => {
      const { most, n_submissions } = globalThis.submitted;
      Object.assign(globalThis.submitted, { now: 0, most: 0, n_submissions: 0 });
      return { most, n_submissions };
    });
}
