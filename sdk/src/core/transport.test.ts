import type { Socket } from "node:net";
import { Agent, MockAgent } from "undici";
import { afterEach, describe, expect, it } from "vitest";
import { errorOf } from "../../../test/support/failure.js";
import { aRequest } from "../testing/requests.js";
import { closeServers, http, post, send as sendByUndici, sendFetched, tcp } from "../testing/servers.js";
import { AbortError, ConnectionError, TimeoutError, UnreadableResponseError } from "./errors.js";
import type { Fetch } from "./fetch-transport.js";
import type { OutgoingRequest } from "./request.js";

afterEach(closeServers);

describe.each([
  ["undici", sendByUndici],
  ["fetch", sendFetched],
] as const)("by %s:", (_, by) => {
  const send = (request: OutgoingRequest) => by(request);

  describe("a request", () => {
    it("sends the request unchanged and returns the whole response", async () => {
      const origin = await http((request, response) => {
        const chunks: Buffer[] = [];
        request.on("data", (chunk: Buffer) => chunks.push(chunk));
        request.on("end", () => {
          response.writeHead(201, { "x-seen": `${request.method} ${request.url}` });
          // Cut in the middle of a character.
          const body = Buffer.concat([...chunks, Buffer.from("é✓")]);
          response.write(body.subarray(0, -1));
          response.end(body.subarray(-1));
        });
      });
      const response = await send(post(origin, { body: '{"name":"ü"}', target: "/v1/databases?x=1" }));
      expect(response).toMatchObject({ status: 201, body: '{"name":"ü"}é✓' });
      expect(response.headers["x-seen"]).toBe("POST /v1/databases?x=1");
    });

    it("does not follow a redirect", async () => {
      let requests = 0;
      const origin = await http((_, response) => {
        requests += 1;
        response.writeHead(302, { location: "/elsewhere" }).end();
      });
      expect(await send(aRequest({ origin }))).toMatchObject({ status: 302 });
      expect(requests).toBe(1);
    });

    it("ignores interim responses", async () => {
      const origin = await http((_, response) => {
        response.writeEarlyHints({ link: "</x>; rel=preload" });
        response.end("{}");
      });
      expect(await send(aRequest({ origin }))).toMatchObject({ status: 200, body: "{}" });
    });
  });

  describe("a request that is not sent", () => {
    it("has the outcome notSent: a closed port", async () => {
      const closed = await tcp(() => {});
      closeServers();
      const error = await errorOf(send(post(closed)), ConnectionError);
      expect(error.outcome).toBe("notSent");
      expect(error.message).toContain("ECONNREFUSED");
    });

    it("is never sent when the signal is aborted before the call", async () => {
      const error = await errorOf(
        send(post("http://127.0.0.1:1", { signal: AbortSignal.abort() })),
        AbortError,
      );
      expect(error.outcome).toBe("notSent");
    });
  });

  describe("a request that may have succeeded", () => {
    it.each<[string, (socket: Socket) => void]>([
      [
        "a connection that is dropped without a response",
        (socket) => socket.on("data", () => socket.destroy()),
      ],
      ["a connection that is reset", (socket) => socket.on("data", () => socket.resetAndDestroy())],
      [
        "a success whose body is cut",
        (socket) =>
          socket.on("data", () => socket.end('HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\n{"status"')),
      ],
      [
        "a response that is no HTTP",
        (socket) => socket.on("data", () => socket.end("220 mail.example.com ESMTP\r\n")),
      ],
    ])("has the outcome ambiguous: %s", async (_, talk) => {
      const error = await errorOf(send(post(await tcp(talk))), ConnectionError);
      expect(error.outcome).toBe("ambiguous");
      expect(error.message).toContain("it may have succeeded");
      expect(error.advice).toBe("Check before retrying.");
    });

    it("has the outcome ambiguous: no response in time", async () => {
      const origin = await http(() => {});
      const error = await errorOf(send(post(origin, { timeout: 3_000 })), TimeoutError);
      expect(error).toMatchObject({ outcome: "ambiguous" });
    });

    it("has the outcome ambiguous: a body that never ends", async () => {
      const origin = await http((_, response) => response.write("{"));
      expect(await errorOf(send(post(origin, { timeout: 3_000 })), TimeoutError)).toMatchObject({
        outcome: "ambiguous",
      });
    });

    it("has the outcome ambiguous: an abort in flight", async () => {
      const caller = new AbortController();
      const origin = await http(() => caller.abort("enough"));
      const error = await errorOf(send(post(origin, { signal: caller.signal })), AbortError);
      expect(error).toMatchObject({ outcome: "ambiguous", cause: "enough" });
    });
  });

  describe("the id that the response to a creation shows", () => {
    const start = '{"status":"success","data":{"id":"db_1","name":"x';
    const head = "HTTP/1.1 201 Created\r\ncontent-length: 1000000000\r\n\r\n";
    const talking = (text: string, then?: (socket: Socket) => void) =>
      tcp((socket) =>
        socket.on("data", () => {
          socket.write(text);
          then?.(socket);
        }),
      );

    it("is kept when the connection breaks after it", async () => {
      const origin = await talking(head + start, (socket) => socket.end());
      const error = await errorOf(send(post(origin, { largestBody: 2e9 })), ConnectionError);
      expect(error).toMatchObject({ outcome: "ambiguous", resourceId: "db_1" });
    });

    it("is kept when the rest arrives too slowly", async () => {
      const error = await errorOf(
        send(post(await talking(head + start), { largestBody: 2e9, timeout: 3_000 })),
        TimeoutError,
      );
      expect(error).toMatchObject({ outcome: "ambiguous", resourceId: "db_1" });
    });

    it("is kept when the rest is too large", async () => {
      const origin = await talking(head + start, (socket) => socket.write(" ".repeat(3_000)));
      const error = await errorOf(send(post(origin, { largestBody: 1_000 })), UnreadableResponseError);
      expect(error).toMatchObject({ outcome: "ambiguous", resourceId: "db_1" });
    });

    it("is not read from an error response", async () => {
      const origin = await talking(head.replace("201 Created", "500 Oops") + start, (socket) => socket.end());
      const error = await errorOf(send(post(origin, { largestBody: 2e9 })), ConnectionError);
      expect(error).not.toHaveProperty("resourceId");
    });
  });

  describe("a 4xx response whose body is cut", () => {
    it("is still a rejection", async () => {
      const origin = await tcp((socket) =>
        socket.on("data", () => socket.end("HTTP/1.1 409 Conflict\r\ncontent-length: 100\r\n\r\n{")),
      );
      expect(await send(post(origin))).toMatchObject({ status: 409 });
    });
  });
});

describe("undici also knows that a request is not sent:", () => {
  const send = sendByUndici;
  it("has the outcome notSent: a name that does not resolve", async () => {
    const notFound = Object.assign(new Error("getaddrinfo ENOTFOUND nobody.invalid"), { code: "ENOTFOUND" });
    const agent = new Agent({ connect: { lookup: (_host, _options, done) => done(notFound, "", 4) } });
    const error = await errorOf(send(post("http://nobody.invalid"), agent), ConnectionError);
    expect(error).toMatchObject({ outcome: "notSent", cause: notFound });
  });

  it("has the outcome notSent: no TLS on the other side", async () => {
    const origin = await tcp((socket) =>
      socket.on("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")),
    );
    const error = await errorOf(send(post(origin.replace("http:", "https:"))), ConnectionError);
    expect(error.outcome).toBe("notSent");
  });

  it("has the outcome notSent: a handshake that never ends", async () => {
    const origin = await tcp(() => {});
    const error = await errorOf(
      send(post(origin.replace("http:", "https:"), { timeout: 100 })),
      TimeoutError,
    );
    expect(error).toMatchObject({ outcome: "notSent" });
    expect(error.message).toContain("nothing was sent");
  });

  it("is never sent after it is aborted in the queue for a connection", async () => {
    const seen: string[] = [];
    const responses: (() => void)[] = [];
    const origin = await http((request, response) => {
      seen.push(request.url ?? "");
      responses.push(() => response.end("{}"));
    });
    const agent = new Agent({ connections: 1 });
    const first = send(post(origin, { target: "/first" }), agent);
    await expect.poll(() => seen.length).toBe(1);
    const caller = new AbortController();
    const second = errorOf(
      send(post(origin, { target: "/second", signal: caller.signal }), agent),
      AbortError,
    );
    caller.abort();
    expect(await second).toMatchObject({ outcome: "notSent" });
    responses[0]?.();
    await first;
    const third = send(post(origin, { target: "/third" }), agent);
    await expect.poll(() => seen.length).toBe(2);
    responses[1]?.();
    await third;
    expect(seen).toEqual(["/first", "/third"]);
  });
});

describe("limits", () => {
  const send = sendByUndici;
  it("name the deadline of the call or the timeout of the attempt", async () => {
    const origin = await http(() => {});
    const error = await errorOf(send(post(origin, { timeout: 60_000, deadline: 120 })), TimeoutError);
    expect(error.message).toContain("its deadline of 120 ms");
  });

  it("leave no listener on the caller's signal", async () => {
    const origin = await http((_, response) => response.end("{}"));
    const caller = new AbortController();
    let listeners = 0;
    const add = caller.signal.addEventListener.bind(caller.signal);
    const remove = caller.signal.removeEventListener.bind(caller.signal);
    caller.signal.addEventListener = (...rest: Parameters<typeof add>) => {
      listeners += 1;
      add(...rest);
    };
    caller.signal.removeEventListener = (...rest: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...rest);
    };
    const agent = new Agent();
    for (let count = 0; count < 20; count += 1)
      await send(aRequest({ origin, signal: caller.signal }), agent);
    expect(listeners).toBe(0);
  });
});

describe("a custom dispatcher", () => {
  const send = sendByUndici;
  it("sends every request", async () => {
    const agent = new MockAgent();
    agent.disableNetConnect();
    agent.get("https://api.example.com").intercept({ path: "/v1/databases/db_1" }).reply(200, "{}");
    expect(await send(aRequest(), agent)).toMatchObject({ status: 200, body: "{}" });
  });
});

describe("a fetch of the caller", () => {
  const fetched = (by: Fetch) => sendFetched(aRequest(), by);

  it("may hide the status of a redirect", async () => {
    const hidden = Object.defineProperties(new Response(), {
      type: { value: "opaqueredirect" },
      status: { value: 0 },
    });
    expect(await fetched(async () => hidden)).toMatchObject({ status: 302 });
  });

  it("may return no body", async () => {
    expect(await fetched(async () => new Response(null, { status: 204 }))).toMatchObject({
      status: 204,
      body: "",
    });
  });

  it.each([
    ["ENOTFOUND", "notSent"],
    ["ConnectionRefused", "notSent"],
    ["ECONNRESET", "ambiguous"],
    [undefined, "ambiguous"],
  ])("that fails with the code %s has the outcome %s", async (code, outcome) => {
    const cause = Object.assign(new Error("why"), { code });
    const failing = () => Promise.reject(new TypeError("fetch failed", { cause }));
    expect(await errorOf(fetched(failing), ConnectionError)).toMatchObject({ outcome, cause });
  });

  it("is aborted at the timeout, also when it ignores its signal", async () => {
    let signal: AbortSignal | undefined;
    const deaf: Fetch = (_, init) => {
      signal = init.signal;
      return new Promise(() => {});
    };
    await errorOf(sendFetched(aRequest({ timeout: 50 }), deaf), TimeoutError);
    expect(signal?.aborted).toBe(true);
  });

  it("gets no headers or body but those of the request", async () => {
    const calls: unknown[] = [];
    const recording: Fetch = async (url, init) => {
      calls.push([url, { ...init, signal: undefined }]);
      return new Response("{}");
    };
    await sendFetched(aRequest({ headers: { accept: "application/json" } }), recording);
    const init = {
      method: "GET",
      headers: { accept: "application/json" },
      redirect: "manual",
      signal: undefined,
    };
    expect(calls).toEqual([["https://api.example.com/v1/databases/db_1", init]]);
  });

  it("is asked for a connection of its own for a request that changes something", async () => {
    const asked: unknown[] = [];
    const recording: Fetch = async (_, { method, keepalive }) => {
      asked.push([method, keepalive]);
      return new Response("{}");
    };
    await sendFetched(aRequest(), recording);
    await sendFetched(post("https://api.example.com"), recording);
    expect(asked).toEqual([
      ["GET", undefined],
      ["POST", false],
    ]);
  });
});
