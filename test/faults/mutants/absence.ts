import type { Mutant } from "./mutant.js";
import { HANDLERS, KINDS } from "./places.js";

const ENVELOPE = "sdk/dist/cjs/core/envelope.js";

/** Mutants that read, delete, or detect a deletion wrongly. */
export const absence: readonly Mutant[] = [
  {
    name: "any-404-is-gone",
    breaks: "takes any 404 for the proof that the resource does not exist",
    changes: [
      { file: ENVELOPE, find: `(status === 404 && serviceCode !== "RESOURCE_NOT_FOUND") || `, replace: "" },
    ],
    foundBy: ["lost", "destroyed"],
    hunts: [
      {
        mode: "conventional",
        scenario: /^(database|server|link|webhook|inbox)\/refresh$/,
        fault: /^gateway-404/,
      },
    ],
  },
  {
    name: "one-look-is-enough",
    breaks: "takes a resource that one stale read does not show out of the state",
    changes: [
      {
        file: "provider/dist/kernel/lifecycle/read.js",
        find: "const PAUSES = [1_000, 2_000, 3_000, 4_000];",
        replace: "const PAUSES = [];",
      },
    ],
    foundBy: ["lost"],
    hunts: [{ scenario: /^(link|link-slug|inbox)\/create$/, fault: /^stale-next-3/ }],
  },
  {
    name: "401-is-gone",
    breaks: "takes a refused key for the proof that the resource does not exist",
    changes: [
      {
        file: ENVELOPE,
        find: "new errors_js_1.AuthenticationError(",
        replace: "new errors_js_1.NotFoundError(",
      },
    ],
    foundBy: ["lost"],
    hunts: [
      {
        mode: "conventional",
        scenario: /^(database|server|link|webhook|inbox)\/refresh$/,
        fault: /^key-revoked/,
      },
    ],
  },
  {
    name: "another-key-404-is-gone",
    breaks: "takes a resource for deleted that another account's key cannot see",
    changes: [
      {
        file: "provider/dist/kernel/state/guard.js",
        add: `wrap(exports, "sameKey", () => () => true);`,
      },
    ],
    foundBy: ["lost"],
    hunts: [
      { mode: "conventional", scenario: /^(database|server|link|webhook)\/refresh$/, fault: /^key-other/ },
    ],
  },
  {
    name: "404-on-delete-fails",
    breaks: "fails to delete what is deleted already",
    changes: [
      {
        file: HANDLERS,
        add: `for (const kind of [${KINDS}]) wrap(kind, "delete", (real) => (api, id) => real(api, id).catch((error) => {
          throw error.status === 404 ? new Error(error.message) : error;
        }));`,
      },
    ],
    foundBy: ["recovery"],
    hunts: [
      {
        mode: "conventional",
        scenario: /^(database|server|link|webhook|inbox)\/destroy$/,
        fault: /^deleted-behind/,
      },
    ],
  },
  {
    name: "believes-first-page",
    breaks: "believes that the first page of a list is the whole of it",
    changes: [
      {
        file: "sdk/dist/cjs/core/pages.js",
        find: `const hasMore = typeof more === "boolean" ? more : given !== undefined;`,
        replace: "const hasMore = false;",
      },
    ],
    foundBy: ["lost", "doubled"],
    hunts: [
      {
        mode: "conventional",
        scenario: /^(database|server)\/create$/,
        fault: /^kill-(provider|engine)-after-commit/,
        request: /^POST/,
        beside: "pages-of-one",
      },
    ],
  },
  {
    name: "missing-is-removed",
    breaks: "drops a field that a response omits",
    changes: [
      {
        file: HANDLERS,
        add: `for (const kind of [${KINDS}]) for (const output of Object.values(kind.outputs))
          wrap(output, "from", (real) => (remote) => real(remote) ?? null);`,
      },
    ],
    foundBy: ["forgotten", "agreement"],
    hunts: [
      {
        mode: "conventional",
        scenario: /^(server|database|link)\/refresh$/,
        fault: /^field-(missing|null):(ipv4|created_at|host|username|short_url)/,
      },
    ],
  },
  {
    name: "believes-a-mask",
    breaks: "keeps the mask that the service shows in the place of the secret",
    changes: [
      {
        file: "provider/dist/kernel/state/masks.js",
        add: `wrap(exports, "isMasked", () => () => false);
          wrap(exports, "isTruncated", () => () => false);`,
      },
    ],
    foundBy: ["agreement"],
    hunts: [{ mode: "conventional", scenario: /^database\/refresh$/, fault: /^masked/ }],
  },
  {
    name: "forgets-to-resume",
    breaks: "takes an unfinished resource for finished once it was refreshed",
    changes: [
      {
        file: HANDLERS,
        add: `for (const handler of Object.values(exports.handlers)) wrap(handler, "read", (real) => async (id, props) => {
          const [baseUrl, key, entry, urn, chosen, rest] = JSON.parse(props.__state ?? "[]");
          if (rest?.ready !== false) return real(id, props);
          const finished = { ...rest, ready: true, everReady: true };
          return { id, props: { ...props, __state: JSON.stringify([baseUrl, key, entry, urn, chosen, finished]) } };
        });`,
      },
    ],
    foundBy: ["agreement"],
    hunts: [
      {
        mode: "conventional",
        scenario: /^(database|server)\/create$/,
        fault: /^50[0-4]-before:every/,
        request: /^GET .*:id$/,
      },
    ],
  },
];
