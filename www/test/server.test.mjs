import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listen } from "../server.mjs";

let folder;
let server;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lastbit-"));
  await writeFile(join(folder, "index.html"), "<p>page</p>");
  await writeFile(join(folder, "engine.wasm"), "0123456789");
  await mkdir(join(folder, "assets"));
  for (const name of ["download-worker-Ab_1-x.js", "engine-worker-Ab_1-x.js"]) {
    await writeFile(join(folder, "assets", name), "");
  }
  server = await listen(0, { dist: folder, models: folder });
});

afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

/** A raw request: fetch would tidy the path. */
function get(path, headers = {}, method = "GET") {
  const { port } = server.address();
  return new Promise((resolve, reject) => {
    const call = request({ host: "127.0.0.1", port, path, headers, method }, (response) => {
      let body = "";
      response.on("data", (chunk) => {
        body += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, body }));
    });
    call.on("error", reject);
    call.end();
  });
}

test("the page comes with its policy", async () => {
  const { status, headers, body } = await get("/");
  expect([status, body]).toEqual([200, "<p>page</p>"]);
  expect(headers["content-security-policy"]).toContain("connect-src 'self'");
});

test("only the worker that downloads may reach other hosts, over https, and it runs nothing else", async () => {
  const policyOf = async (path) => (await get(path)).headers["content-security-policy"];
  const download = await policyOf("/assets/download-worker-Ab_1-x.js");
  expect(download).toContain("default-src 'none'");
  expect(download).toContain("connect-src 'self' https:;");
  expect(download).not.toMatch(/script-src|worker-src|unsafe|http:/);
  for (const path of ["/", "/assets/engine-worker-Ab_1-x.js", "/missing", "/models/download-worker-x.js"]) {
    expect(await policyOf(path)).toMatch(/connect-src 'self';/);
  }
});

test("the service worker reaches this server alone, and runs nothing else", async () => {
  const policy = (await get("/service-worker.js")).headers["content-security-policy"];
  expect(policy).toContain("default-src 'none'; connect-src 'self';");
  expect(policy).not.toMatch(/script-src|worker-src|unsafe|http/);
});

test("what a browser has already is not sent again", async () => {
  const { etag } = (await get("/engine.wasm")).headers;
  expect(await get("/engine.wasm", { "if-none-match": etag })).toMatchObject({ status: 304, body: "" });
  expect((await get("/engine.wasm", { "if-none-match": '"another"' })).status).toBe(200);
});

test("a part is sent of the version that was begun, or the whole file", async () => {
  const { etag, "last-modified": date } = (await get("/models/engine.wasm")).headers;
  const statusWith = async (version) =>
    (await get("/models/engine.wasm", { range: "bytes=4-", "if-range": version })).status;
  expect(await statusWith(etag)).toBe(206);
  expect(await statusWith(date)).toBe(206);
  expect(await statusWith('"another"')).toBe(200);
});

test("wasm has its type and its length", async () => {
  const { headers } = await get("/engine.wasm");
  expect(headers).toMatchObject({ "content-type": "application/wasm", "content-length": "10" });
});

test.each([
  ["bytes=4-", 206, "456789", "bytes 4-9/10"],
  ["bytes=2-3", 206, "23", "bytes 2-3/10"],
  ["bytes=8-99", 206, "89", "bytes 8-9/10"],
  ["bytes=10-", 416, "416\n", "bytes */10"],
  ["lines=1-2", 200, "0123456789", undefined],
])("range %s", async (range, status, body, contentRange) => {
  const found = await get("/models/engine.wasm", { range });
  expect(found).toMatchObject({ status, body });
  expect(found.headers["content-range"]).toBe(contentRange);
});

test.each([
  ["/../../etc/passwd", 404],
  ["/..%2f..%2fetc%2fpasswd", 404],
  ["/models/..%2f..%2f..%2fetc%2fpasswd", 404],
  ["/missing", 404],
  ["/%00", 400],
  ["/%zz", 400],
])("%s is refused", async (path, status) => expect((await get(path)).status).toBe(status));

test("only reading is allowed", async () => {
  expect((await get("/", {}, "POST")).status).toBe(405);
  expect(await get("/", {}, "HEAD")).toMatchObject({ status: 200, body: "" });
});
