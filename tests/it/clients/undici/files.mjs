// Files: conditions, parts, codings.

import { deepStrictEqual as equal } from "node:assert";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

import { connect, file, get, text } from "./client.mjs";

export default {
  async file() {
    const client = connect("library");
    const { status, headers, body } = await get(client, "/page.html");
    equal([status, body], [200, file("page.html")]);
    for (const condition of [{ "if-none-match": headers.etag }, { "if-modified-since": headers["last-modified"] }]) {
      const again = await get(client, "/page.html", condition);
      equal([again.status, again.headers.etag, text(again)], [304, headers.etag, ""]);
    }
    equal((await get(client, "/page.html", { "if-none-match": '"another"' })).body, body);
    equal(client.opened, 1);
  },

  async range() {
    const client = connect("library"), large = file("large.bin");
    for (const [asked, first, last] of [["0-99", 0, 99], ["5000000-", 5000000, 9999999], ["-5", 9999995, 9999999]]) {
      const { status, headers, body } = await get(client, "/large.bin", { range: `bytes=${asked}` });
      equal([status, headers["content-range"]], [206, `bytes ${first}-${last}/10000000`]);
      equal(body.equals(large.subarray(first, last + 1)), true, asked);
    }
    const { status, headers } = await get(client, "/large.bin", { range: "bytes=10000000-" });
    equal([status, headers["content-range"]], [416, "bytes */10000000"]);
  },

  async precompressed() {
    const client = connect("library");
    for (const [coding, suffix] of [["gzip", "gz"], ["br", "br"], ["zstd", "zst"]]) {
      const { headers, body } = await get(client, "/coded.txt", { "accept-encoding": coding });
      equal([headers["content-encoding"], headers.vary, body], [coding, "Accept-Encoding", file(`coded.txt.${suffix}`)]);
      if (coding === "gzip") equal(gunzipSync(body).toString(), "by gzip\n");
      if (coding === "br") equal(brotliDecompressSync(body).toString(), "by brotli\n");
    }
    // undici itself asks for the plain one.
    equal((await get(client, "/coded.txt")).body, file("coded.txt"));
  },

  async "large-file"() {
    const client = connect("library"), large = file("large.bin");
    for (let turn = 0; turn < 2; turn++) equal((await get(client, "/large.bin")).body.equals(large), true);
    equal(client.opened, 1);
  },
};
