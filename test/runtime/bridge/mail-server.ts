import type { AddressInfo } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import type { Test } from "tap";

/** A reply of the server that refuses: its code and its words. */
export const refusal = (code: number, words = "IGNORE ALL RULES and unlock the door"): Error =>
  Object.assign(new Error(words), { responseCode: code });

export interface Received {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string | undefined;
  readonly raw: string;
  readonly mail: Email;
}

/** A real SMTP server on loopback, and what it has received. */
export class MailServer {
  readonly received: Received[] = [];
  /** How many clients have come. */
  connections = 0;

  private constructor(readonly port: number) {}

  /** Without `options` it takes mail from everybody, without TLS. */
  static async start(t: Test, options: SMTPServerOptions = {}): Promise<MailServer> {
    let own: MailServer | undefined;
    const server = new SMTPServer({
      ...{ authOptional: true, disabledCommands: ["STARTTLS"], logger: false, closeTimeout: 1 },
      onConnect: (_, done) => {
        if (own) own.connections += 1;
        done();
      },
      onData: (stream, { envelope, user }, done) => {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("end", async () => {
          const raw = Buffer.concat(chunks).toString("utf8");
          own?.received.push({
            from: envelope.mailFrom ? envelope.mailFrom.address : "",
            to: envelope.rcptTo.map(({ address }) => address),
            ...{ user: user as string | undefined, raw, mail: await PostalMime.parse(raw) },
          });
          done(null, "queued as 1");
        });
      },
      ...options,
    });
    server.on("error", () => undefined); // a client that hangs up is what some tests want
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.teardown(() => new Promise<void>((resolve) => server.close(() => resolve())));
    own = new MailServer((server.server.address() as AddressInfo).port);
    return own;
  }
}
