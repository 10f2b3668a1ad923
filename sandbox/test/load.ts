import { createTransport } from "nodemailer";
import { expect } from "vitest";
import { z } from "zod";

const headers = { authorization: "Bearer sandbox_local", "content-type": "application/json" };
const created = z.object({ data: z.object({ id: z.string(), short_url: z.string() }) });
const inbox = z.object({ data: z.object({ inbox_id: z.string(), email_address: z.string() }) });
const mails = z.object({ data: z.array(z.object({ subject: z.string() })) });
const page = z.object({
  data: z.array(z.object({ id: z.string(), destination_url: z.string(), clicks_count: z.int() })),
  meta: z.object({ next_cursor: z.string().nullable() }),
});

/** Acknowledged state, which must never be lost. */
export class Acknowledged {
  /** Targets of live links. */
  readonly live = new Map<string, string>();
  readonly deleted = new Set<string>();
  /** Redirected visits by link. */
  readonly visits = new Map<string, number>();
  /** Subjects of accepted mails by inbox. */
  readonly mails = new Map<string, string[]>();
  #count = 0;
  #awaited: { readonly count: number; readonly resolve: () => void } | undefined;

  /** How many responses have arrived. */
  get count(): number {
    return this.#count;
  }

  tick(): void {
    this.#count++;
    if (this.#awaited && this.#count >= this.#awaited.count) this.#awaited.resolve();
  }

  /** Resolves when this many responses have arrived. */
  async reaches(count: number): Promise<void> {
    if (this.#count < count) await new Promise<void>((resolve) => (this.#awaited = { count, resolve }));
  }
}

async function ask(url: string, method = "GET", body?: object): Promise<unknown> {
  const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(`${method} ${url} was answered with ${response.status}`);
  return response.json();
}

/** Creates, changes, visits and deletes links until the connection breaks. */
async function write(baseUrl: string, known: Acknowledged, writer: number): Promise<void> {
  const links = `${baseUrl}/shortener/links`;
  for (let turn = 0; ; turn++) {
    const url = `https://example.com/${writer}/${turn}`;
    const { id, short_url } = created.parse(await ask(links, "POST", { url })).data;
    known.live.set(id, url);
    known.tick();
    // During a change, either value is correct.
    if (turn % 4 === 1) {
      known.live.delete(id);
      await ask(`${links}/${id}`, "PATCH", { url: `${url}/changed` });
      known.live.set(id, `${url}/changed`);
      known.tick();
    } else if (turn % 4 === 2) {
      known.live.delete(id);
      await ask(`${links}/${id}`, "DELETE");
      known.deleted.add(id);
      known.tick();
    } else if (turn % 4 === 3) {
      await (await fetch(short_url, { redirect: "manual" })).arrayBuffer();
      known.visits.set(id, 1);
      known.tick();
    }
  }
}

/** Sends mails to an inbox until the connection breaks. */
async function post(baseUrl: string, smtpPort: number, known: Acknowledged): Promise<void> {
  const { inbox_id, email_address } = inbox.parse(await ask(`${baseUrl}/tempmail/inboxes`, "POST", {})).data;
  const taken: string[] = [];
  known.mails.set(inbox_id, taken);
  const transport = createTransport({ host: "127.0.0.1", port: smtpPort, ignoreTLS: true, pool: true });
  try {
    for (let turn = 0; ; turn++) {
      await transport.sendMail({
        from: "a@example.com",
        to: email_address,
        subject: `${turn}`,
        text: "hello",
      });
      taken.push(`${turn}`);
      known.tick();
    }
  } finally {
    transport.close();
  }
}

/** Puts load on the sandbox from several clients; resolves when all have lost their connection. */
export async function load(baseUrl: string, smtpPort: number, known: Acknowledged): Promise<void> {
  const writers = Array.from({ length: 6 }, (_, writer) => write(baseUrl, known, writer));
  await Promise.allSettled([...writers, post(baseUrl, smtpPort, known)]);
}

/** Expects all acknowledged state. */
export async function expectAll(baseUrl: string, known: Acknowledged): Promise<void> {
  const found = new Map<string, { destination_url: string; clicks_count: number }>();
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query = cursor === "" ? "" : `&starting_after=${cursor}`;
    const { data, meta } = page.parse(await ask(`${baseUrl}/shortener/links?limit=100${query}`));
    for (const { id, ...link } of data) found.set(id, link);
    cursor = meta.next_cursor;
  }
  for (const [id, url] of known.live) expect(found.get(id)?.destination_url).toBe(url);
  for (const id of known.deleted) expect(found.has(id)).toBe(false);
  for (const [id, visits] of known.visits) expect(found.get(id)?.clicks_count).toBe(visits);
  for (const [id, taken] of known.mails) {
    const { data } = mails.parse(await ask(`${baseUrl}/tempmail/inboxes/${id}/messages`));
    expect(data.map(({ subject }) => subject)).toEqual(expect.arrayContaining(taken));
  }
}
