import type { Mutant } from "./mutant.js";
import { HANDLERS } from "./places.js";

/** Mutants with wrong plans, requests or messages. */
export const manners: readonly Mutant[] = [
  {
    name: "deletes-first",
    breaks: "deletes the predecessor before the successor is there",
    changes: [
      {
        file: HANDLERS,
        add: `for (const handler of Object.values(exports.handlers)) wrap(handler, "diff", (real) => async (...given) =>
          ({ ...(await real(...given)), deleteBeforeReplace: true }));`,
      },
    ],
    foundBy: ["successor"],
    hunts: [{ mode: "conventional", scenario: /^(database|server)\/replace$/ }],
  },
  {
    name: "replaces-on-normalised",
    breaks: "replaces a resource because the service writes a value in another way",
    changes: [
      {
        file: "provider/dist/kernel/state/normalised.js",
        add: `wrap(exports, "reconcile", (real) => (input, answered) => {
          const found = real(input, answered);
          return found.pair === undefined ? found : { value: answered.said };
        });`,
      },
    ],
    foundBy: ["replaced", "converged"],
    hunts: [
      {
        mode: "conventional",
        scenario: /^(database|server|link|link-slug)\/(same|update|refresh)$/,
        fault: /^normalised-(case|url)/,
      },
    ],
  },
  {
    name: "forgets-outputs",
    breaks: "forgets what the service chose when it changes something in place",
    changes: [
      {
        file: HANDLERS,
        add: `for (const handler of Object.values(exports.handlers)) wrap(handler, "update", (real) => async (id, olds, news) => {
          const { outs } = await real(id, olds, news);
          return { outs: Object.fromEntries(Object.entries(outs).filter(([key]) => key in news || key === "__state")) };
        });`,
      },
    ],
    foundBy: ["forgotten", "agreement"],
    hunts: [{ mode: "conventional", scenario: /^(link|database|server)\/update$/ }],
  },
  {
    name: "ignores-retry-after",
    breaks: "does not wait as long as the service requests",
    changes: [
      {
        file: "sdk/dist/cjs/core/retry-after.js",
        add: `wrap(exports, "retryAfter", () => () => undefined);`,
      },
    ],
    foundBy: ["retry-after"],
    hunts: [{ scenario: /\/(create|update)$/, fault: /^429-(seconds|date)/ }],
  },
  {
    name: "retries-for-ever",
    breaks: "goes on sending what fails each time",
    changes: [
      {
        file: "sdk/dist/cjs/core/retry.js",
        find: "if (retries > request.maxRetries)",
        replace: "if (retries > 40)",
      },
    ],
    foundBy: ["bounds"],
    hunts: [
      { scenario: /^schedule\/(create|update)$/, fault: /^50[0-4]-before:every/, request: /^PUT/ },
      { scenario: /^(database|link)\/destroy$/, fault: /^50[0-4]-before:every/, request: /^DELETE/ },
    ],
  },
  {
    name: "polls-without-backoff",
    breaks: "polls without backoff",
    changes: [
      {
        file: "sdk/dist/cjs/core/waiter.js",
        find: "this.#pause = Math.max(this.#interval, Math.min(longest, this.#elapsed() * share));",
        replace: "this.#pause = 500;",
      },
    ],
    foundBy: ["bounds"],
    hunts: [{ mode: "conventional", scenario: /^(database|server)\/create$/, fault: /^provisioning-slow/ }],
  },
  {
    name: "races-to-configure",
    breaks: "lets a hook begin before its configuration is there",
    changes: [
      {
        file: HANDLERS,
        add: `for (const handler of Object.values(exports.handlers)) wrap(handler, "configure", (real) => async (request) => {
          for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
          return real(request);
        });`,
      },
    ],
    foundBy: ["recovery"],
    hunts: [{ scenario: /^schedule\/(refresh|destroy|same)$/ }],
  },
  {
    name: "logs-bodies",
    breaks: "prints the requests that it sends",
    changes: [
      {
        file: "sdk/dist/cjs/core/transport.js",
        add: `wrap(exports, "dispatch", (real) => (dispatcher, request) => {
          console.error(request.method, request.target, request.body);
          return real(dispatcher, request);
        });`,
      },
    ],
    foundBy: ["secrets"],
    hunts: [{ scenario: /^(link|server|webhook)\/create$/ }],
  },
  {
    name: "shows-stacks",
    breaks: "shows its own calls with an error",
    changes: [
      {
        file: HANDLERS,
        add: `for (const handler of Object.values(exports.handlers)) for (const hook of ["read", "delete"])
          wrap(handler, hook, (real) => (...given) => real(...given).catch((error) => {
            error.stack = new Error(error.message).stack;
            throw error;
          }));`,
      },
    ],
    foundBy: ["messages"],
    hunts: [{ scenario: /\/(refresh|destroy)$/, fault: /^(401|403):/ }],
  },
];
