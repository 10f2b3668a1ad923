// Keeps what Node finds out about the modules that each process of the engine's plugins loads: where a request leads,
// and what V8 has compiled. Loading them takes half of the time of an operation. Node 22 can keep the compiled code
// itself (NODE_COMPILE_CACHE). Files that have changed since, and modules outside this checkout, are loaded as ever.
"use strict";
const { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } = require("node:fs");
const Module = require("node:module");
const { dirname, isAbsolute } = require("node:path");
const { Script } = require("node:vm");

const file = process.env.TEST_COMPILE_CACHE;
const isWriter = process.env.TEST_COMPILE_CACHE_WRITE === "1";

/**
 * @typedef {{
 *   files: Record<string, { start: number, end: number, changed: number }>,
 *   requests: Record<string, Record<string, string>>,
 * }} Index the compiled code and the modification time of each file; and by folder, where each request leads
 */

/** @type {{ index: Index, code: Buffer } | undefined} */
let cache = isWriter ? { index: { files: {}, requests: {} }, code: Buffer.alloc(0) } : undefined;

/** Reads the cache with the first module: some processes load none. */
function cached() {
  if (cache) return cache;
  const whole = readFileSync(file);
  const start = 4 + whole.readUInt32LE(0);
  cache = { index: JSON.parse(whole.toString("utf8", 4, start)), code: whole.subarray(start) };
  return cache;
}

/** @param {NodeModule} module @param {string} filename @param {Buffer} [cachedData] */
function run(module, filename, cachedData) {
  const content = readFileSync(filename, "utf8");
  // Compiled code that was read from a cache cannot import modules. TypeScript only contains the word.
  if (isWriter && content.includes("import(") && !filename.endsWith("/typescript.js"))
    return loadFile(module, filename);
  const script = new Script(Module.wrap(content), { filename, ...(cachedData && { cachedData }) });
  if (isWriter) scripts.set(filename, script);
  const require = (id) => module.require(id);
  require.resolve = (request, options) => Module._resolveFilename(request, module, false, options);
  require.main = process.mainModule;
  require.extensions = Module._extensions;
  require.cache = Module._cache;
  script
    .runInThisContext()
    .call(module.exports, module.exports, require, module, filename, dirname(filename));
}

/** @type {Map<string, Script>} */
const scripts = new Map();
const loadFile = Module._extensions[".js"];
const resolve = Module._resolveFilename;

if (isWriter) {
  const { requests } = cached().index;
  Module._extensions[".js"] = (module, filename) => run(module, filename);
  Module._resolveFilename = (request, parent, isMain, options) => {
    const found = resolve(request, parent, isMain, options);
    // A module without a file, such as a provider from a state, has the path ".", wherever it runs.
    if (parent && isAbsolute(parent.path) && !options && isAbsolute(found)) {
      requests[parent.path] ??= {};
      requests[parent.path][request] = found;
    }
    return found;
  };
  process.on("exit", write);
} else {
  Module._extensions[".js"] = (module, filename) => {
    const { index, code } = cached();
    const known = index.files[filename];
    if (known?.changed !== statSync(filename).mtimeMs) return loadFile(module, filename);
    run(module, filename, code.subarray(known.start, known.end));
  };
  Module._resolveFilename = (request, parent, isMain, options) =>
    (parent?.path && !options && cached().index.requests[parent.path]?.[request]) ||
    resolve(request, parent, isMain, options);
}

/**
 * What Pulumi loads in each process and uses only to serialise functions into a state, which no resource of ours needs.
 * It takes half of the time of loading Pulumi.
 */
const late = new Map([
  ["typescript", "/@pulumi/pulumi/typescript-shim.js"],
  ["@npmcli/arborist", "/@pulumi/pulumi/runtime/closure/codePaths.js"],
]);

const load = Module.prototype.require;
if (!isWriter)
  Module.prototype.require = function (request) {
    const user = late.get(request);
    if (user === undefined || !this.filename?.endsWith(user)) return load.call(this, request);
    const real = () => load.call(this, request);
    return new Proxy(
      {},
      {
        // As compiled code asks: it then takes the module as it is, without reading its members.
        get: (_, name) => (name === "__esModule" ? true : name === "default" ? real() : real()[name]),
        has: (_, name) => name in real(),
      },
    );
  };

// As `typescript: false` in Pulumi.yaml, which the host that can be built ignores (docs/engine.md): a program in
// JavaScript then starts without the compiler.
const isProgram = /[/\\]cmd[/\\]run[/\\]index\.js$/.test(process.argv[1] ?? "");
if (isProgram && !existsSync("tsconfig.json") && !readdirSync(".").some((name) => /\.[cm]?ts$/.test(name)))
  process.env.PULUMI_NODEJS_TYPESCRIPT = "false";

/** Compiled code is written at the end, when it contains the functions that were called. */
function write() {
  const { index } = cached();
  const parts = [];
  let start = 0;
  for (const [filename, script] of scripts) {
    const code = script.createCachedData();
    index.files[filename] = { start, end: start + code.length, changed: statSync(filename).mtimeMs };
    start += code.length;
    parts.push(code);
  }
  const header = Buffer.from(JSON.stringify(index));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(header.length);
  writeFileSync(`${file}.${process.pid}`, Buffer.concat([length, header, ...parts]));
  renameSync(`${file}.${process.pid}`, file);
}
