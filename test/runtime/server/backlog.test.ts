import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import t from "tap";
import { listen } from "../../../runtime/server/http-server.js";

const WANTED = 1000;
/** So many the kernel keeps at most, whatever a program asks for (listen(2)). */
const KERNEL_LIMIT = Number(readFileSync("/proc/sys/net/core/somaxconn", "utf8"));

/** Connects, and prints how many connections there are once all are there, or no other has come for 2 s. */
const CONNECT = `
  const { connect } = require("node:net");
  let open = 0, end;
  const done = () => { process.stdout.write(String(open)); process.exit(); };
  const wait = () => { clearTimeout(end); end = setTimeout(done, 2000); };
  const came = () => { open += 1; if (open === ${WANTED}) done(); wait(); };
  wait();
  for (let each = 0; each < ${WANTED}; each += 1)
    connect(Number(process.argv[1]), "127.0.0.1", came).on("error", () => undefined);
`;

t.test(
  `${WANTED} connections are kept until a busy runtime comes to accept them: the kernel drops none`,
  { skip: KERNEL_LIMIT < WANTED && `net.core.somaxconn is ${KERNEL_LIMIT}` },
  async (t) => {
    const server = createServer((socket) => socket.on("error", () => undefined));
    t.teardown(() => server.close());
    const { port } = await listen(server, "127.0.0.1", 0, "--port");
    // this process accepts none of them meanwhile
    const { stdout, stderr } = spawnSync(process.execPath, ["-e", CONNECT, String(port)], {
      encoding: "utf8",
    });
    t.equal(stderr, "");
    t.equal(Number(stdout), WANTED);
  },
);
