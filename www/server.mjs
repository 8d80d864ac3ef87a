// A small static server for the built page: dist/ at /, the model files at /models/, localhost only.
//   PORT             default 8080
//   LASTBIT_MODELS   folder with the model files
//   LASTBIT_DIST     folder with the built page, default dist/
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { pipeline } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".gguf": "application/octet-stream",
};

/** Nothing may be framed, no form sent, no base set, and no script made of text. */
const ALWAYS = [
  "require-trusted-types-for 'script'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/** Scripts, styles and requests from this server only; wasm may compile. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "trusted-types app-worker",
  ...ALWAYS,
].join("; ");

/**
 * A worker's policy comes with its own script. The one that downloads what a person asked for may reach other hosts,
 * over https; it can load no script and compile no wasm.
 */
export const DOWNLOAD_WORKER_POLICY = [
  "default-src 'none'",
  "connect-src 'self' https:",
  "trusted-types 'none'",
  ...ALWAYS,
].join("; ");

/** The service worker fetches this server's own files and does nothing else. */
export const SERVICE_WORKER_POLICY = [
  "default-src 'none'",
  "connect-src 'self'",
  "trusted-types 'none'",
  ...ALWAYS,
].join("; ");

/** The build names a worker after its file and its content. */
function policyFor(path) {
  if (path === "/service-worker.js") return SERVICE_WORKER_POLICY;
  return /^\/assets\/download-worker-[\w-]+\.js$/.test(path)
    ? DOWNLOAD_WORKER_POLICY
    : CONTENT_SECURITY_POLICY;
}

/** Answers one request from the two folders. */
export async function handle(request, response, { dist, models }) {
  const path = pathOf(request.url);
  response.setHeader("Content-Security-Policy", policyFor(path ?? ""));
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.setHeader("Referrer-Policy", "no-referrer");
  if (request.method !== "GET" && request.method !== "HEAD") return refuse(response, 405);

  if (path === null) return refuse(response, 400);
  const file = path.startsWith("/models/")
    ? models && inside(models, path.slice("/models/".length))
    : inside(dist, path === "/" ? "index.html" : path.slice(1));
  const info = file && (await stat(file).catch(() => null));
  if (!info?.isFile()) return refuse(response, 404);
  send(request, response, file, info);
}

function pathOf(url) {
  try {
    const path = decodeURIComponent(new URL(url, "http://localhost").pathname);
    return path.includes("\0") ? null : path;
  } catch {
    return null;
  }
}

/** The file's path, or null where it would leave the folder. */
function inside(folder, relative) {
  const root = normalize(folder + sep);
  const file = normalize(join(root, relative));
  return file.startsWith(root) ? file : null;
}

function send(request, response, file, { size, mtime }) {
  const version = {
    ETag: `"${size.toString(16)}-${mtime.getTime().toString(16)}"`,
    "Last-Modified": mtime.toUTCString(),
  };
  if (request.headers["if-none-match"] === version.ETag) {
    response.statusCode = 304;
    response.setHeader("ETag", version.ETag);
    response.setHeader("Cache-Control", "no-cache");
    return response.end();
  }
  // A part of another version than the one that was begun would be of no use.
  const wanted = request.headers["if-range"];
  const isSame = wanted === undefined || Object.values(version).includes(wanted);
  const range = isSame ? rangeOf(request.headers.range, size) : null;
  if (range === "unsatisfiable") {
    response.setHeader("Content-Range", `bytes */${size}`);
    return refuse(response, 416);
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  response.statusCode = range ? 206 : 200;
  response.setHeader("Content-Type", TYPES[extname(file)] ?? "application/octet-stream");
  response.setHeader("Content-Length", end - start + 1);
  response.setHeader("Accept-Ranges", "bytes");
  for (const [name, value] of Object.entries(version)) response.setHeader(name, value);
  response.setHeader("Cache-Control", "no-cache");
  if (range) response.setHeader("Content-Range", `bytes ${start}-${end}/${size}`);
  if (request.method === "HEAD" || size === 0) return response.end();
  pipeline(createReadStream(file, { start, end }), response, () => {});
}

/** One range of bytes, from a start to an optional end; anything else asks for the whole file. */
function rangeOf(header, size) {
  const match = /^bytes=(\d+)-(\d*)$/.exec(header ?? "");
  if (!match) return null;
  const start = Number(match[1]);
  const end = match[2] === "" ? size - 1 : Math.min(Number(match[2]), size - 1);
  return start > end ? "unsatisfiable" : { start, end };
}

function refuse(response, status) {
  response.statusCode = status;
  response.setHeader("Content-Type", "text/plain; charset=utf-8");
  response.end(`${status}\n`);
}

/** Starts listening on 127.0.0.1; resolves with the server. */
export function listen(port, folders, handler = handle) {
  const server = createServer((request, response) => {
    handler(request, response, folders).catch((error) => {
      console.error(`${request.url}: ${error.message}`);
      if (!response.headersSent) refuse(response, 500);
      else response.destroy();
    });
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const port = Number(process.env.PORT ?? 8080);
  const dist = process.env.LASTBIT_DIST ?? fileURLToPath(new URL("dist", import.meta.url));
  const models = process.env.LASTBIT_MODELS;
  if (!models) {
    console.error("LASTBIT_MODELS must name the folder with the model file (make run sets it).");
    process.exit(2);
  }
  try {
    await listen(port, { dist, models });
  } catch (error) {
    console.error(
      error.code === "EADDRINUSE"
        ? `Port ${port} is taken: choose another one with PORT=…`
        : `Cannot listen on 127.0.0.1:${port}: ${error.message}`,
    );
    process.exit(1);
  }
  console.log(`The page is at http://127.0.0.1:${port}/ (Ctrl+C stops it)`);
}
