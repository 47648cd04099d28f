// Requests without bodies, and what connections do between them.

import { deepStrictEqual as equal, rejects } from "node:assert";
import diagnostics from "node:diagnostics_channel";

import { ask, connect, expectLast, filler, get, servers, text } from "./client.mjs";

export default {
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

  async drain() {
    const kept = connect("draining"), busy = connect("draining");
    for (const client of [kept, busy]) await get(client, "/plaintext");
    const slow = get(busy, "/slow?ms=800");
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
