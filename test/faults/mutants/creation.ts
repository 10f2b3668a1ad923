import type { Mutant } from "./mutant.js";
import { HANDLERS, KINDS } from "./places.js";

/** Mutants that do not create a resource exactly once. */
export const creation: readonly Mutant[] = [
  {
    name: "takes-a-rival-for-its-own",
    breaks: "offers after a lost response what differs in a returned field",
    changes: [
      {
        file: "provider/dist/kernel/lifecycle/ownership.js",
        add: `wrap(exports, "isDifferentResource", () => () => false);`,
      },
    ],
    // Adoption runs the same check, so the stack gets stuck when adoption is the way out.
    foundBy: ["foreign", "recovery"],
    hunts: [
      {
        mode: "conventional",
        scenario: /^(database|server)-named\/create$/,
        fault: /^rival-and-lost-before/,
      },
    ],
  },
  {
    name: "keeps-any-id",
    breaks: "keeps an id in the state that no request can be made about",
    changes: [
      {
        file: "sdk/dist/cjs/core/identifier.js",
        add: `wrap(exports, "isIdentifier", () => (id) => typeof id === "string");`,
      },
    ],
    foundBy: ["lost", "recovery", "agreement"],
    hunts: [
      { mode: "conventional", scenario: /^(link|database|server)\/create$/, fault: /^field-hostile:id/ },
    ],
  },
  {
    name: "blind-post",
    breaks: "sends a POST again although nothing shows that the first had no effect",
    changes: [
      {
        file: "sdk/dist/cjs/core/retry-policy.js",
        add: "wrap(exports, 'isRetryable', (real) => (error) => real(error, true));",
      },
    ],
    foundBy: ["resent"],
    hunts: [
      {
        scenario: /^(database|server|webhook)\/create$/,
        fault: /^(502-after|reset-after):once/,
        request: /^POST/,
      },
    ],
  },
  {
    name: "forgets-id",
    breaks: "loses the id when waiting for the new resource fails",
    changes: [
      {
        file: HANDLERS,
        add: `for (const handler of Object.values(exports.handlers)) wrap(handler, "create", (real) => async (inputs) => {
          try { return await real(inputs); }
          catch (error) { delete error.id; throw error; }
        });`,
      },
    ],
    foundBy: ["lost"],
    hunts: [
      { scenario: /^(database|server)\/create$/, fault: /^50[0-4]-before:every/, request: /^GET .*:id$/ },
    ],
  },
  {
    name: "loses-id-in-outputs",
    breaks: "loses the id when the response cannot be converted to outputs",
    changes: [
      {
        file: HANDLERS,
        add: `for (const handler of Object.values(exports.handlers)) wrap(handler, "create", (real) => async (inputs) => {
          const made = await real(inputs);
          for (const value of Object.values(made.outs)) if (typeof value === "string") decodeURIComponent(value);
          return made;
        });`,
      },
    ],
    foundBy: ["lost"],
    hunts: [
      {
        scenario: /^(database|server|link)\/create$/,
        fault: /^field-hostile:(created_at|connection_uri|status)/,
      },
    ],
  },
  {
    name: "adopts-by-name",
    breaks: "takes whatever has the name, the slug or the address that it would create",
    changes: [
      {
        file: "provider/dist/kernel/lifecycle/create-once.js",
        add: `wrap(exports, "createOnce", (real) => async (operation, values, parse, ...rest) => {
          const wanted = parse(values);
          const known = operation.kind.list ? await operation.kind.list(operation.session.api, { limit: 100 }).toArray() : [];
          const same = (field) => (remote) => wanted[field] !== undefined && remote[field] === wanted[field];
          const found = known.find(same("name")) ?? known.find(same("url")) ?? known.find(same("slug"));
          return found ? { remote: found, resumed: false } : real(operation, values, parse, ...rest);
        });`,
      },
    ],
    foundBy: ["foreign"],
    hunts: [{ mode: "conventional", scenario: /^(webhook|database-named|server-named)\/create$/ }],
  },
  {
    name: "adopts-predecessor",
    breaks: "takes the resource that it is to replace for its successor",
    changes: [
      {
        file: "provider/dist/kernel/lifecycle/create-once.js",
        add: `wrap(exports, "createOnce", (real) => async (operation, values, parse, ...rest) => {
          const { kind, session } = operation;
          const known = kind.list ? await kind.list(session.api, { limit: 100 }).toArray() : [];
          const found = known.find((remote) => session.claims.isManaged(kind.name, kind.id(remote)));
          return found ? { remote: found, resumed: false } : real(operation, values, parse, ...rest);
        });`,
      },
    ],
    foundBy: ["agreement", "successor", "lost"],
    hunts: [{ mode: "conventional", scenario: /^(database|server)\/replace$/ }],
  },
  {
    name: "does-not-look",
    breaks: "creates without looking whether an interrupted run has left one",
    changes: [
      { file: HANDLERS, add: `for (const kind of [${KINDS}]) if (!kind.documented?.list) delete kind.list;` },
    ],
    foundBy: ["doubled"],
    hunts: [
      {
        mode: "conventional",
        scenario: /^(database|server)\/create$/,
        fault: /^kill-(provider|engine)-after-commit/,
        request: /^POST/,
      },
    ],
  },
  {
    name: "takes-doubt-for-failure",
    breaks: "reports a creation whose response was lost as failed",
    changes: [
      {
        file: "provider/dist/kernel/diagnostics/errors.js",
        add: `wrap(exports, "isAmbiguous", () => () => false);`,
      },
    ],
    foundBy: ["doubled", "lost"],
    hunts: [
      {
        scenario: /^(database|server|webhook)\/create$/,
        fault: /^(500|502|503)-after:once/,
        request: /^POST/,
      },
    ],
  },
  {
    name: "does-not-wait",
    breaks: "takes a database for ready as soon as it is created",
    changes: [
      {
        file: HANDLERS,
        add: `for (const kind of [${KINDS}]) delete kind.readiness;`,
      },
    ],
    foundBy: ["agreement"],
    hunts: [{ mode: "conventional", scenario: /^(database|server)\/create$/ }],
  },
  {
    name: "never-ready-after-adoption",
    breaks: "goes on taking an adopted resource for unfinished",
    changes: [
      {
        file: HANDLERS,
        add: `for (const handler of Object.values(exports.handlers)) wrap(handler, "create", (real) => async (inputs) => {
          const made = await real(inputs);
          if (inputs.adopt === undefined) return made;
          const [baseUrl, key, entry, urn, chosen, rest] = JSON.parse(made.outs.__state);
          const unfinished = { ...rest, ready: false, everReady: false };
          made.outs.__state = JSON.stringify([baseUrl, key, entry, urn, chosen, unfinished]);
          return made;
        });`,
      },
    ],
    foundBy: ["converged", "replaced"],
    hunts: [{ mode: "conventional", scenario: /^(link|database|server)\/adopt$/ }],
  },
  {
    name: "acts-again",
    breaks: "repeats an action whose response was lost",
    changes: [
      {
        file: HANDLERS,
        add: `wrap(exports.handlers.VpsAction, "create", (real) => (inputs) => real(inputs).catch(() => real(inputs)));`,
      },
    ],
    foundBy: ["resent"],
    hunts: [
      { scenario: /^action\/create$/, fault: /^(50[0-4]|reset)-after:once/, request: /^POST .*actions$/ },
    ],
  },
];
