import t from "tap";
import { howToStart } from "../../../runtime/cli/state.js";

t.test("who has just installed the package is sent to setup, and to the service after it", async (t) => {
  t.equal(howToStart("/var/lib/tendril", false), 'nothing is set up yet: run "sudo tendril setup" first');
  t.match(howToStart("/var/lib/tendril", true), /systemctl start tendril/);
  t.match(howToStart("/home/pi/.tendril", false), /tendril serve --bench/);
});
