// Loaded into a sandbox with `--import`: writes down, in order, what it does to files and which of that it has synced.
// A sync is written down twice, because it covers what was written before it began and counts from when it ended.
import { openSync, writeSync } from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { resolve } from "node:path";

const record = openSync(process.env.RECORD_DISK, "a");
const note = (operation) => writeSync(record, `${JSON.stringify(operation)}\n`);
const original = { ...fs };
let handles = 0;

const bytesOf = (data, encoding) =>
  typeof data === "string" ? Buffer.from(data, encoding) : Buffer.from(data);

fs.open = async (path, flags = "r", mode) => {
  const file = await original.open(path, flags, mode);
  const handle = ++handles;
  note({ do: "open", handle, path: resolve(String(path)), flags });
  const { write, writeFile, truncate, sync, datasync } = file;
  file.write = async (data, offset = 0, length = data.length - offset, position = null) => {
    if (typeof data === "string" || position !== null || typeof offset !== "number")
      throw new Error("record-disk.mjs does not know this way to write");
    const done = await write.call(file, data, offset, length, position);
    const bytes = Buffer.from(data.subarray(offset, offset + done.bytesWritten)).toString("base64");
    note({ do: "write", handle, bytes });
    return done;
  };
  file.writeFile = async (data, options) => {
    await writeFile.call(file, data, options);
    note({ do: "write", handle, bytes: bytesOf(data, options?.encoding).toString("base64") });
  };
  file.truncate = async (length = 0) => {
    await truncate.call(file, length);
    note({ do: "truncate", handle, length });
  };
  const synced = (how) => async () => {
    note({ do: "sync", handle });
    await how.call(file);
    note({ do: "synced", handle });
  };
  file.sync = synced(sync);
  file.datasync = synced(datasync);
  return file;
};

fs.writeFile = async (path, data, options) => {
  await original.writeFile(path, data, options);
  note({
    do: "writeFile",
    path: resolve(String(path)),
    bytes: bytesOf(data, options?.encoding).toString("base64"),
  });
};
fs.mkdir = async (path, options) => {
  const made = await original.mkdir(path, options);
  note({ do: "mkdir", path: resolve(String(path)) });
  return made;
};
fs.rename = async (from, to) => {
  await original.rename(from, to);
  note({ do: "rename", from: resolve(from), to: resolve(to) });
};
fs.link = async (from, to) => {
  await original.link(from, to);
  note({ do: "link", from: resolve(from), to: resolve(to) });
};
fs.rm = async (path, options) => {
  await original.rm(path, options);
  note({ do: "rm", path: resolve(String(path)) });
};
for (const name of ["appendFile", "copyFile", "cp", "rmdir", "symlink", "truncate", "unlink"]) {
  fs[name] = (...given) => {
    throw new Error(`record-disk.mjs does not know ${name}(${given[0]})`);
  };
}
syncBuiltinESMExports();
