import fc from "fast-check";
import { expect, test } from "vitest";
import { Agenda } from "./agenda.js";

test("appointments come in order of time, and equal times in order of adding", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 })), (times) => {
      const agenda = new Agenda<number>();
      times.forEach((at, index) => {
        agenda.add(at, index);
      });
      const taken = [];
      for (let next = agenda.take(); next; next = agenda.take()) taken.push(next);
      const expected = times.map((at, what) => ({ at, what })).sort((a, b) => a.at - b.at || a.what - b.what);
      expect(taken).toEqual(expected);
    }),
  );
});
