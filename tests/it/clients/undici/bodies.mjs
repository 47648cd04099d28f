// Requests with bodies, and answers that are made while they are sent.

import { deepStrictEqual as equal, rejects } from "node:assert";

import { ask, connect, expectLast, filler, get, text } from "./client.mjs";

// Many times the deadline of the hasty servers, in milliseconds.
const MANY_DEADLINES = 3000;

export default {
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
};
