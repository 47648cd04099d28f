// What undici sends and what must come back. Started with a JSON object of addresses; prints `ok NAME` or `FAILED NAME: why` for
// each row.

import { deepStrictEqual as equal, rejects } from "node:assert";
import diagnostics from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

// Not `import`, which does not look into NODE_PATH.
let Client;
try {
  ({ Client } = createRequire(import.meta.url)("undici"));
} catch (error) {
  console.error(`undici is missing: ./test installs it, Debian's package is node-undici (${error.message})`);
  process.exit(1);
}

const servers = JSON.parse(process.argv[2]);
// Longer than any answer takes; only a hang comes here.
const HANG = 30000;
// Many times the deadline of the hasty servers.
const MANY_DEADLINES = 3000;
const LINE = "0123456789abcdefghijklmnopqrstuvwxyz-ABCDEFGHIJKLMNOPQRSTUVWXYZ\n";

/** The bytes of /bytes/N. */
const filler = (length) => Buffer.from(LINE.repeat(length / LINE.length + 1).slice(0, length));

const clients = [];

/** A client with one connection at a time, which counts how many it opens. */
function connect(server = "boardd", options = {}) {
  const client = new Client(`http://${servers[server]}`, { headersTimeout: HANG, bodyTimeout: HANG, ...options });
  client.opened = 0;
  client.on("connect", () => client.opened++);
  clients.push(client);
  return client;
}

/** The answer once it is whole. */
async function ask(client, method, path, body = null, headers = {}, signal = null) {
  const answer = await client.request({ method, path, body, headers, signal });
  return { status: answer.statusCode, headers: answer.headers, body: Buffer.from(await answer.body.arrayBuffer()) };
}

const get = (client, path, headers) => ask(client, "GET", path, null, headers);
const text = (answer) => answer.body.toString();
const file = (name) => readFileSync(`${servers.folder}/${name}`);

function expectLast(answer, status) {
  equal([answer.status, answer.headers.connection, text(answer).slice(0, 4)], [status, "close", `${status} `]);
}

const rows = {
  async kept() {
    const library = connect("library");
    const ports = [];
    for (let turn = 0; turn < 4; turn++) ports.push(text(await get(library, "/port")));
    equal([library.opened, ports], [1, Array(4).fill(ports[0])]);
    const client = connect();
    for (let turn = 0; turn < 3; turn++) {
      equal(text(await get(client, "/plaintext")), "Hello, World!");
      equal(text(await ask(client, "POST", "/echo", "sent back")), "sent back");
    }
    equal(client.opened, 1);
  },

  async head() {
    const client = connect();
    for (const [path, status, length] of [["/json", 200, "27"], ["/bytes/1000000", 200, "1000000"], ["/nothing", 404, "14"]]) {
      const answer = await ask(client, "HEAD", path);
      equal([answer.status, answer.headers["content-length"], text(answer)], [status, length, ""]);
    }
    const library = connect("library");
    equal((await ask(library, "HEAD", "/letters/20")).headers["transfer-encoding"], "chunked");
    equal((await get(library, "/page.html")).status, 200);
  },

  async errors() {
    const client = connect();
    const asked = [
      ["GET", "/nothing", 404], ["GET", "/bytes/many", 400], ["DELETE", "/json", 405], ["BREW", "/json", 501],
      ["OPTIONS", "/json", 204], ["GET", "/json", 200],
    ];
    for (const [method, path, status] of asked) {
      const answer = await ask(client, method, path);
      equal([answer.status, answer.headers.connection === "close"], [status, false]);
      equal(answer.headers.allow, [405, 204].includes(status) ? "GET, HEAD, OPTIONS" : undefined);
    }
    equal(client.opened, 1);
    expectLast(await get(client, "/", { host: "a b" }), 400);
  },

  async query() {
    const query = new URLSearchParams({ name: '<b>Jürgen + Co & "x"</b>', x: "%41" });
    const page = text(await get(connect(), `/hello?${query}&broken=%zz`));
    for (const line of [
      "<dt>name<dd>&lt;b&gt;Jürgen + Co &amp; &quot;x&quot;&lt;/b&gt;\n", "<dt>x<dd>%41\n", "<dt>broken<dd>%zz\n",
    ]) equal(page.includes(line), true, line);
  },

  async bytes() {
    const client = connect();
    for (const length of [0, 1, 4096, 65537, 1000000]) {
      equal((await get(client, `/bytes/${length}`)).body.equals(filler(length)), true, `${length} bytes`);
    }
  },

  async json() {
    const { headers, body } = await connect().request({ method: "GET", path: "/json" });
    equal([headers["content-type"], await body.json()], ["application/json", { message: "Hello, World!" }]);
  },

  async "echo-length"() {
    const client = connect();
    for (const length of [0, 5, 1000000]) {
      equal((await ask(client, "POST", "/echo", filler(length))).body.equals(filler(length)), true, `${length} bytes`);
    }
    equal(client.opened, 1);
  },

  async "echo-chunked"() {
    const client = connect();
    for (const pieces of [[], ["he", "llo"], ["x", filler(700000), filler(299999)].map((piece) => Buffer.from(piece))]) {
      // What is iterated has no length: undici makes each piece a chunk.
      const body = (async function* () { yield* pieces; })();
      const expected = Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
      equal((await ask(client, "POST", "/echo", body)).body.equals(expected), true, `${expected.length} bytes`);
    }
    equal(client.opened, 1);
  },

  async "echo-slow"() {
    const client = connect();
    let cameBack;
    async function* body() {
      for (const piece of ["one", "and two", "and three"]) {
        const back = new Promise((resolve) => (cameBack = resolve));
        yield piece;
        equal(await back, piece);
      }
    }
    const answer = await client.request({ method: "POST", path: "/echo", body: body() });
    for await (const piece of answer.body) cameBack(piece.toString());
    equal(text(await get(client, "/plaintext")), "Hello, World!");
  },

  // Often enough that it would show if the end of the connection sometimes overtook the answer.
  async "large-body"() {
    for (let turn = 0; turn < 20; turn++) expectLast(await ask(connect(), "POST", "/echo", Buffer.alloc(32000000)), 413);
  },

  // Refused before its end is made.
  async "large-body/pieces"() {
    async function* body() {
      for (let turn = 0; turn < 15; turn++) yield Buffer.alloc(100000);
      await new Promise(() => {});
    }
    const headers = { "content-length": "32000000" };
    expectLast(await ask(connect(), "POST", "/echo", body(), headers), 413);
  },

  async "large-body/unwanted"() {
    for (const [length, opened] of [[5, 1], [60000, 1], [1000000, 2]]) {
      const client = connect();
      equal((await ask(client, "POST", "/json", Buffer.alloc(length))).status, 405);
      equal([(await get(client, "/json")).status, client.opened], [200, opened], `${length} bytes`);
    }
  },

  async "large-head"() {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, number) => [`x${number}`, "y"]));
    for (const headers of [{ x: "y".repeat(17000) }, { x: "y".repeat(70000) }, many]) {
      expectLast(await get(connect(), "/", headers), 431);
    }
  },

  async "long-target"() {
    for (const length of [8192, 70000]) expectLast(await get(connect(), "/" + "a".repeat(length)), 414);
  },

  async close() {
    const client = connect();
    for (const opened of [1, 2]) {
      const answer = await ask(client, "GET", "/json", null, { connection: "close" });
      equal([answer.status, answer.headers.connection, client.opened], [200, "close", opened]);
    }
  },

  async pipelined() {
    const client = connect("boardd", { pipelining: 10 });
    await client.request({ method: "GET", path: "/" }).then(({ body }) => body.dump());
    let waiting = 0, most = 0;
    const sent = () => (most = Math.max(most, ++waiting));
    const answered = () => waiting--;
    diagnostics.subscribe("undici:client:sendHeaders", sent);
    diagnostics.subscribe("undici:request:headers", answered);
    const lengths = Array.from({ length: 200 }, (_, turn) => (turn % 7) * 3000);
    const answers = await Promise.all(lengths.map((length) => get(client, `/bytes/${length}`)));
    diagnostics.unsubscribe("undici:client:sendHeaders", sent);
    diagnostics.unsubscribe("undici:request:headers", answered);
    answers.forEach(({ body }, turn) => equal(body.equals(filler(lengths[turn])), true, `answer ${turn}`));
    equal([client.opened, most], [1, 10]);
  },

  async parallel() {
    const paths = Array(10).fill(["/slow?ms=30", "/work?us=1000"]).flat();
    const answers = await Promise.all(paths.map((path) => get(connect(), path)));
    equal(answers.map(text), Array(20).fill("done\n"));
  },

  async events() {
    const publish = (word) => ask(connect("library"), "POST", `/publish/${word}`);
    const { headers, body } = await connect("library").request({ method: "GET", path: "/events" });
    equal(headers["content-type"], "text/event-stream");
    const pieces = body[Symbol.asyncIterator]();
    for (const word of ["one", "two"]) {
      await publish(word);
      equal((await pieces.next()).value.toString(), `data: ${word}\n\n`);
    }
    await publish("end");
    equal((await pieces.next()).done, true);
  },

  async chunked() {
    const answer = await get(connect("library"), "/letters/20");
    const letters = Array.from({ length: 20 }, (_, at) => String.fromCharCode(97 + at).repeat(at * 1000)).join("");
    equal([answer.headers["transfer-encoding"], text(answer) === letters], ["chunked", true]);
  },

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

  // Five at once: that one is told so may be luck.
  async stalled() {
    const other = connect("hasty_library");
    await get(other, "/port");
    let goOn;
    const going = new Promise((resolve) => (goOn = resolve));
    async function* body() {
      yield "half";
      await going;
      yield "more";
      await new Promise(() => {});
    }
    // Its own deadline for the answer begins with the end of the body.
    const late = AbortSignal.timeout(MANY_DEADLINES);
    const upload = () => ask(connect("hasty_library"), "POST", "/watched", body(), {}, late);
    const answers = Promise.all(Array.from({ length: 5 }, upload));
    // The handlers have it, and wait for more.
    for (let turn = 0; turn < 5; turn++) equal(text(await get(other, "/received")), "4");
    goOn();
    for (const answer of await answers) expectLast(answer, 408);
  },

  async "stalled/echo"() {
    async function* body() {
      yield "half";
      await new Promise(() => {});
    }
    const answer = await connect("hasty").request({ method: "POST", path: "/echo", body: body() });
    const got = [];
    await rejects(async () => { for await (const piece of answer.body) got.push(piece.toString()); }, { code: "UND_ERR_SOCKET" });
    equal(got, ["half"]);
  },

  async drain() {
    const kept = connect("draining"), busy = connect("draining");
    for (const client of [kept, busy]) await get(client, "/plaintext");
    const slow = get(busy, "/slow?ms=1500");
    // Looked at in the end.
    slow.catch(() => {});
    process.kill(servers.draining_pid, "SIGTERM");
    // On the connection that it has: another one would be the next request's.
    while ((await get(kept, "/plaintext")).headers.connection !== "close");
    equal(kept.opened, 1);
    // Who came in time is answered; everybody else is refused, and nobody is left without a word.
    const newcomers = async () => { for (;;) equal((await get(connect("draining"), "/plaintext")).status, 200); };
    await rejects(newcomers, { code: "ECONNREFUSED" });
    const answer = await slow;
    equal([text(answer), answer.headers.connection], ["done\n", "close"]);
  },
};

for (const [name, row] of Object.entries(rows)) {
  try {
    await row();
    console.log(`ok ${name}`);
  } catch (error) {
    console.log(`FAILED ${name}: ${String(error.stack).replace(/\s+/g, " ")}`);
  }
}
// Some bodies never end.
process.exit(0);
