// Keeps what V8 has compiled of the packages that each process of the engine's plugins loads. Loading @pulumi/pulumi
// takes half of the time of an operation, and compiling takes a third of that. Node 22 can do the same itself
// (NODE_COMPILE_CACHE). The modules of this repository are loaded without it.
"use strict";
const { readFileSync, renameSync, writeFileSync } = require("node:fs");
const Module = require("node:module");
const { dirname } = require("node:path");
const { constants, Script } = require("node:vm");

const file = process.env.TEST_COMPILE_CACHE;
const isWriter = process.env.TEST_COMPILE_CACHE_WRITE === "1";

/** @returns {[index: Record<string, [offset: number, length: number, size: number]>, code: Buffer]} */
function read() {
  const whole = readFileSync(file);
  const start = 4 + whole.readUInt32LE(0);
  return [JSON.parse(whole.toString("utf8", 4, start)), whole.subarray(start)];
}

const [index, code] = isWriter ? [{}, Buffer.alloc(0)] : read();
/** @type {Map<string, { script: Script, size: number }>} */
const compiled = new Map();
const compile = Module.prototype._compile;

Module.prototype._compile = function (content, filename, ...rest) {
  const [offset = 0, length = 0, size = -1] = index[filename] ?? [];
  const isKnown = size === content.length;
  if (!isKnown && !(isWriter && filename.includes("/node_modules/")))
    return compile.call(this, content, filename, ...rest);
  const script = new Script(Module.wrap(content), {
    filename,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(isKnown && { cachedData: code.subarray(offset, offset + length) }),
  });
  if (isWriter) compiled.set(filename, { script, size: content.length });
  const require = (id) => this.require(id);
  require.resolve = (request, options) => Module._resolveFilename(request, this, false, options);
  require.main = process.mainModule;
  require.extensions = Module._extensions;
  require.cache = Module._cache;
  return script
    .runInThisContext()
    .call(this.exports, this.exports, require, this, filename, dirname(filename));
};

if (isWriter)
  process.on("exit", () => {
    const parts = [];
    const written = {};
    let offset = 0;
    for (const [filename, { script, size }] of compiled) {
      const data = script.createCachedData();
      written[filename] = [offset, data.length, size];
      offset += data.length;
      parts.push(data);
    }
    const header = Buffer.from(JSON.stringify(written));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(header.length);
    writeFileSync(`${file}.${process.pid}`, Buffer.concat([length, header, ...parts]));
    renameSync(`${file}.${process.pid}`, file);
  });
