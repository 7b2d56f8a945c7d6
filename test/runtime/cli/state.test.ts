import t from "tap";
import { howToStart, token } from "../../../runtime/cli/state.js";

t.test("who has just installed the package is sent to setup, and to the service after it", async (t) => {
  t.equal(howToStart("/var/lib/tendril", false), 'nothing is set up yet: run "sudo tendril setup" first');
  t.match(howToStart("/var/lib/tendril", true), /systemctl start tendril/);
  t.match(
    howToStart("/home/pi/.tendril", false),
    /^start it with "npm start".*"tendril serve --bench" alone.*--state \(or TENDRIL_STATE\) or --url/,
  );
});

t.test("a file that holds no token is refused, and nothing of it is shown", async (t) => {
  const folder = t.testdir({ two: "secret-token-one\nsecret-token-two\n", empty: "\n", accents: "sécret" });
  for (const name of ["two", "empty", "accents"])
    t.throws(() => token({ state: folder, tokenFile: `${folder}/${name}` }), {
      name: "CommandError",
      message: `${folder}/${name} does not hold one token on one line: name another with --token-file`,
    });
});
