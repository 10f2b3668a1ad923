import type { Fault } from "./fault.js";
import { html, instead } from "./strike.js";

export function connections(): Fault[] {
  return (["once", "every"] as const).flatMap((span): Fault[] => [
    { name: "reset-before", class: "reset", span, when: "before", strike: (request) => request.reset() },
    {
      name: "reset-after",
      class: "reset",
      span,
      when: "after",
      strike: async (request) => {
        await request.forward();
        request.reset();
      },
    },
    { name: "stall-before", class: "stall", span, when: "before", strike: (request) => request.stall() },
    {
      name: "stall-after",
      class: "stall",
      span,
      when: "after",
      strike: async (request) => {
        await request.forward();
        request.stall();
      },
    },
    {
      name: "cut-body",
      class: "cut",
      span,
      when: "after",
      strike: async (request) => request.sendPartly(await request.forward(), 0.5),
    },
  ]);
}

export function outages(): Fault[] {
  return [
    // A gateway without any routes.
    {
      name: "gateway-404-all",
      class: "body",
      span: "rest",
      when: "instead",
      strike: instead(() => html(404)),
    },
    {
      name: "service-down",
      class: "down",
      span: "rest",
      when: "before",
      strike: (request) => request.reset(),
    },
  ];
}
