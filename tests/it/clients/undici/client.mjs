// What the tables of undici share.

import { deepStrictEqual as equal } from "node:assert";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

// Not `import`, which does not look into NODE_PATH.
let Client;
try {
  ({ Client } = createRequire(import.meta.url)("undici"));
} catch (error) {
  console.error(`undici is missing: ./test installs it, Debian's package is node-undici (${error.message})`);
  process.exit(1);
}

/** Their addresses, what process is to be stopped, and the folder that the library's server serves. */
export const servers = JSON.parse(process.argv[2]);
// Longer than any answer takes, in milliseconds; only a hang comes here.
const HANG = 30000;
const LINE = "0123456789abcdefghijklmnopqrstuvwxyz-ABCDEFGHIJKLMNOPQRSTUVWXYZ\n";

/** The bytes of /bytes/N. */
export const filler = (length) => Buffer.from(LINE.repeat(length / LINE.length + 1).slice(0, length));

/** A client with one connection at a time, which counts how many it opens. */
export function connect(server = "boardd", options = {}) {
  const client = new Client(`http://${servers[server]}`, { headersTimeout: HANG, bodyTimeout: HANG, ...options });
  client.opened = 0;
  client.on("connect", () => client.opened++);
  return client;
}

/** The answer once it is whole. */
export async function ask(client, method, path, body = null, headers = {}, signal = null) {
  const answer = await client.request({ method, path, body, headers, signal });
  return { status: answer.statusCode, headers: answer.headers, body: Buffer.from(await answer.body.arrayBuffer()) };
}

export const get = (client, path, headers) => ask(client, "GET", path, null, headers);
export const text = (answer) => answer.body.toString();
export const file = (name) => readFileSync(`${servers.folder}/${name}`);

export function expectLast(answer, status) {
  equal([answer.status, answer.headers.connection, text(answer).slice(0, 4)], [status, "close", `${status} `]);
}
