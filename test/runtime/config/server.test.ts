import t from "tap";
import { parseConfig } from "../../../runtime/configuration.js";

const server = (text: string) => parseConfig(`server: ${text}`, "test.yaml").server;

t.test("without a word there is no TLS; with none but its name it has all its defaults", async (t) => {
  t.equal(server("{}").tls, undefined);
  t.same(server("{ tls: {} }").tls, { host: "0.0.0.0", port: 8732 });
});

t.test("certificate and key go together, and are named by absolute paths", async (t) => {
  const both = server("{ tls: { cert: /etc/tendril/cert.pem, key: /etc/tendril/key.pem } }");
  t.match(both.tls, { cert: "/etc/tendril/cert.pem", key: "/etc/tendril/key.pem" });
  t.throws(
    () => server("{ tls: { cert: /etc/tendril/cert.pem } }"),
    /server\.tls\.cert: cert and key go together/,
  );
  t.throws(() => server("{ tls: { key: /etc/tendril/key.pem } }"), /go together/);
  t.throws(
    () => server("{ tls: { cert: cert.pem, key: key.pem } }"),
    /server\.tls\.cert: must be an absolute path/,
  );
});

t.test("with TLS or without, the plain port stays on this machine, unless it is said", async (t) => {
  for (const host of ["127.0.0.1", "127.0.0.2", "'::1'", "localhost"])
    for (const tls of ["", ", tls: {}"]) t.ok(server(`{ host: ${host}${tls} }`), host);
  for (const host of ["0.0.0.0", "'::'", "192.168.1.20", "raspberrypi.local"]) {
    t.throws(
      () => server(`{ host: ${host}, tls: {} }`),
      /test\.yaml:1: server\.host: .*plain_too: true/,
      host,
    );
    t.throws(
      () => server(`{ host: ${host} }`),
      /server\.host: .*anybody can read the tokens.*plain_too: true/,
      host,
    );
    t.ok(server(`{ host: ${host}, plain_too: true }`).plain_too, host);
    t.ok(server(`{ host: ${host}, tls: {}, plain_too: true }`).tls, host);
  }
});
