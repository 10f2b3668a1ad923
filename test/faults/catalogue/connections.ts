import type { Fault } from "./fault.js";
import { before, html } from "./strike.js";

export function connections(): Fault[] {
  return (["once", "every"] as const).flatMap((span): Fault[] => [
    { name: "reset-before", class: "reset", span, when: "before", strike: (hop) => hop.reset() },
    {
      name: "reset-after",
      class: "reset",
      span,
      when: "after",
      strike: async (hop) => {
        await hop.forward();
        hop.reset();
      },
    },
    { name: "stall-before", class: "stall", span, when: "before", strike: (hop) => hop.stall() },
    {
      name: "stall-after",
      class: "stall",
      span,
      when: "after",
      strike: async (hop) => {
        await hop.forward();
        hop.stall();
      },
    },
    {
      name: "cut-body",
      class: "cut",
      span,
      when: "after",
      strike: async (hop) => hop.sendCut(await hop.forward(), 0.5),
    },
  ]);
}

export function outages(): Fault[] {
  return [
    // A gateway that has lost all of its routes.
    {
      name: "gateway-404-all",
      class: "body",
      span: "rest",
      when: "instead",
      strike: before(() => html(404)),
    },
    {
      name: "service-down",
      class: "down",
      span: "rest",
      when: "before",
      strike: (hop) => hop.reset(),
    },
  ];
}
