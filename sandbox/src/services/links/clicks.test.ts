import { expect, test } from "vitest";
import { Store } from "../../state/store.js";
import { storeClick } from "./clicks.js";

test("the newest clicks of each link are kept", () => {
  const store = new Store();
  const visit = (seq: number, link: string) =>
    store.write("a", (transaction) =>
      storeClick(
        store.tables,
        transaction,
        { id: `${seq}`, tenant: "a", seq, link, at: seq, visitor: "v", source: "direct", device: "desktop" },
        3,
      ),
    );
  for (let seq = 1; seq <= 10; seq++) visit(seq, seq === 1 ? "rare" : "busy");
  const idsOf = (link: string) => store.tables.clicks.find("link", link).map(({ id }) => id);
  expect(idsOf("busy")).toEqual(["8", "9", "10"]);
  expect(idsOf("rare")).toEqual(["1"]);
  expect(store.before("a", 1).clicks.find("link", "busy")).toHaveLength(3);
});
