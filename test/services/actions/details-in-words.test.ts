import t from "tap";
import { detailsInWords } from "../../../runtime/services/actions/index.js";

t.test("an action is found in words, without its links", async (t) => {
  const photo = { url: "http://127.0.0.1:8731/photos/a.jpg?signature=b", light_on: true, dark: null };
  t.equal(
    detailsInWords({ plant: "Basil", ml: 15, steps: ["look", { at: "noon" }], result: photo }),
    "plant: Basil, ml: 15, steps: look, at: noon, light on: true",
  );
  t.equal(detailsInWords({}), "");
});
