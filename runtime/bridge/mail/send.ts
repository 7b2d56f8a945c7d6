import { Readable } from "node:stream";
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import type XOAuth2 from "nodemailer/lib/xoauth2";
import { z } from "zod";
import type { Clock } from "../../../drivers/ports.js";
import { seconds } from "../../../drivers/units.js";
import { mailAddress } from "../../wire/mail.js";
import { JobFailure } from "../adapter.js";
import { isOwnHost, mayBeAsked, pageLink } from "../http/address.js";

/** Ports for handing in mail (RFC 8314, 7.3; RFC 6409, 3.1). */
const PORTS = { tls: 465, starttls: 587, none: 25 } as const;

const text = z
  .string()
  .min(1)
  .max(4000)
  .refine((value) => !/\p{Cc}/u.test(value), { error: "must be one line" });

const oauth2 = z.strictObject({
  client_id: text,
  client_secret: text.optional(),
  refresh_token: text,
  token_url: z
    .url({ protocol: /^https?$/, abort: true, error: "must be an address that begins with https://" })
    .refine((url) => mayBeAsked(new URL(url), false), { error: "must begin with https://" }),
});

/** `mail:` of bridge.yaml: the server that takes the mails of this house. */
export const mailServer = z
  .strictObject({
    server: z.string().regex(/^[A-Za-z0-9.:-]{1,255}$/, { error: "must be a host name or an address" }),
    port: z.int().min(1).max(65_535).optional(),
    security: z.enum(["tls", "starttls", "none"]).optional(),
    from: mailAddress,
    from_name: text.max(60).default("Tendril"),
    user: text.optional(),
    password: text.optional(),
    oauth2: oauth2.optional(),
    link: pageLink.optional(),
  })
  .superRefine(({ server, security, user, password, oauth2 }, ctx) => {
    const complain = (path: string, message: string) =>
      ctx.addIssue({ code: "custom", path: [path], message });
    if (security === "none" && !isOwnHost(server))
      complain(
        "security",
        "none is for a server on this computer: others on the network would read all of it",
      );
    if (password !== undefined && oauth2)
      complain("oauth2", "stands beside a password: take one of them out");
    if ((password !== undefined || oauth2) && user === undefined) complain("user", "is missing: who logs in");
    if (user !== undefined && password === undefined && !oauth2)
      complain("password", "is missing: a password, or oauth2");
  })
  .transform(({ security, port, ...rest }) => {
    const chosen = security ?? (port === PORTS.tls || port === undefined ? "tls" : "starttls");
    return { ...rest, security: chosen, port: port ?? PORTS[chosen] };
  });
type MailServer = z.output<typeof mailServer>;

export const secretsOf = ({ password, oauth2 }: MailServer): string[] =>
  [password, oauth2?.client_secret, oauth2?.refresh_token].filter((each) => each !== undefined);

/** Shown in the HTML as `cid:NAME`. */
export type MailPicture = { readonly name: string; readonly caption: string } & (
  | { readonly jpeg: string }
  | { readonly png: string }
);

/** A mail to one person. */
export interface Outgoing {
  /** What comes before the @ of its Message-ID. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string | undefined;
  /** Mail programs show it as important. */
  readonly isUrgent?: boolean;
  readonly pictures?: readonly MailPicture[];
}

/** Without a byte. A choice: a busy server answers within seconds, and the job's own end comes later. */
const PATIENCE = seconds(25);
/** A server's answer is a line or two; one with more wants our memory. */
const LONGEST_REPLY = 65_536;

/** Hands mails to one SMTP server, each over a connection of its own. */
export class Mailer {
  private oauth2: XOAuth2 | undefined;

  constructor(
    private readonly server: MailServer,
    private readonly clock: Clock,
  ) {}

  /** Resolves with the Message-ID once the server has taken the mail. Throws JobFailure. */
  async send(mail: Outgoing, signal: AbortSignal): Promise<string> {
    const { from } = this.server;
    const messageId = `<${mail.id}@${from.slice(from.lastIndexOf("@") + 1)}>`;
    const stream = Readable.from([await this.compose(mail, messageId)]);
    let isWhole = false;
    stream.once("end", () => {
      isWhole = true;
    });
    await this.connected(
      signal,
      (connection) => step((done) => connection.send({ from, to: [mail.to] }, stream, done)),
      () => isWhole,
    );
    return messageId;
  }

  /** That the server is there and lets us in. Sends nothing. Throws JobFailure. */
  async check(signal: AbortSignal): Promise<void> {
    await this.connected(signal, async () => undefined);
  }

  /** `isWhole`: the server may have got all of a mail. */
  private async connected(
    signal: AbortSignal,
    work: (connection: SMTPConnection) => Promise<void>,
    isWhole = () => false,
  ): Promise<void> {
    const { default: Connection } = await import("nodemailer/lib/smtp-connection");
    const connection = new Connection(this.options());
    try {
      await until(connection, signal, async () => {
        await step((done) => connection.connect(done));
        if (this.server.user !== undefined) await this.login(connection);
        await work(connection);
      });
    } catch (error) {
      throw smtpFailure(error as SmtpError, { isWhole: isWhole(), isLate: signal.aborted });
    } finally {
      connection.close();
    }
  }

  private options(): ConstructorParameters<typeof SMTPConnection>[0] {
    const { server: host, port, security } = this.server;
    return {
      host,
      port,
      secure: security === "tls",
      requireTLS: security === "starttls",
      ignoreTLS: security === "none",
      // not this computer's own name, which is nobody's business (RFC 5321, 4.1.3)
      name: "[127.0.0.1]",
      connectionTimeout: PATIENCE,
      greetingTimeout: PATIENCE,
      socketTimeout: PATIENCE,
      dnsTimeout: PATIENCE,
      maxResponseSize: LONGEST_REPLY,
    };
  }

  private async login(connection: SMTPConnection): Promise<void> {
    const { user, password } = this.server;
    const oauth2 = await this.tokens();
    const auth = oauth2 ? { user, oauth2 } : { user, pass: password };
    await step((done) => connection.login(auth, done));
  }

  /** Kept, so that an access token is used as long as it lasts. */
  private async tokens(): Promise<XOAuth2 | undefined> {
    const { oauth2, user } = this.server;
    if (!oauth2 || this.oauth2) return this.oauth2;
    const { default: Tokens } = await import("nodemailer/lib/xoauth2");
    const {
      client_id: clientId,
      client_secret: clientSecret,
      refresh_token: refreshToken,
      token_url,
    } = oauth2;
    this.oauth2 = new Tokens({ user, clientId, clientSecret, refreshToken, accessUrl: token_url });
    this.oauth2.on("error", () => undefined); // the login fails too, and says so
    return this.oauth2;
  }

  private async compose(mail: Outgoing, messageId: string): Promise<Buffer> {
    const { default: Composer } = await import("nodemailer/lib/mail-composer");
    const { from: address, from_name: name } = this.server;
    const { to, subject, text, html, pictures = [] } = mail;
    const composer = new Composer({
      from: { name, address },
      to: { name: "", address: to },
      ...{ subject, text, messageId, ...(html !== undefined && { html }) },
      date: new Date(this.clock.now()),
      // so that no holiday notice answers it (RFC 3834, 5)
      headers: { "Auto-Submitted": "auto-generated" },
      ...(mail.isUrgent && { priority: "high" as const }),
      attachments: pictures.map(attached),
      // no word of the mail names a file or an address to fetch
      ...{ disableFileAccess: true, disableUrlAccess: true },
    });
    return composer.compile().build();
  }
}

function attached({ name: cid, ...picture }: MailPicture) {
  const [ending, type, content] =
    "png" in picture ? ["png", "image/png", picture.png] : ["jpg", "image/jpeg", picture.jpeg];
  return { cid, filename: `${cid}.${ending}`, contentType: type, content, encoding: "base64" };
}

/** A step of the connection, which answers a callback. */
const step = (begin: (done: (error?: Error | null) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => begin((error) => (error ? reject(error) : resolve())));

/** Ends with the first error of the connection, whether a step waits for it or not, and when the signal is aborted. */
async function until(
  connection: SMTPConnection,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  const broken = new Promise<never>((_, reject) => {
    connection.once("error", reject);
    connection.once("end", () => reject(new Error("the connection ended")));
    signal.addEventListener("abort", () => reject(new Error("its time is over")), { once: true });
    if (signal.aborted) reject(new Error("its time is over"));
  });
  broken.catch(() => undefined);
  await Promise.race([work(), broken]);
}

/** What nodemailer says of a failure. Its message has the server's words, so nobody is shown it. */
interface SmtpError extends Error {
  readonly code?: string;
  /** The system's own code, if `code` is nodemailer's. */
  readonly originalCode?: string;
  /** The server's reply, if it gave one (RFC 5321, 4.2). */
  readonly responseCode?: number;
  readonly command?: string;
}

const REFUSED: Readonly<Record<string, { readonly code: string; readonly what: string }>> = {
  "RCPT TO": { code: "RECIPIENT_REFUSED", what: "refused this recipient" },
  "MAIL FROM": { code: "SENDER_REFUSED", what: "refused the sender: look at `from` in bridge.yaml" },
};

/** `isWhole`: the server may have got all of the mail, and so may have taken it. */
function smtpFailure(
  error: SmtpError,
  { isWhole, isLate }: { isWhole: boolean; isLate: boolean },
): JobFailure {
  const { code = "", originalCode, responseCode } = error;
  // a reply settles it; only one with which the server hangs up may come before it has looked at the mail
  if (responseCode !== undefined && !(code === "ECONNECTION" && isWhole)) return replied(error, responseCode);
  const outcome = isWhole ? "unknown" : "failed";
  if (isLate || code === "ETIMEDOUT")
    return new JobFailure("TOO_SLOW", "the mail server took too long to answer", outcome);
  if (code === "EAUTH") return new JobFailure("LOGIN_REFUSED", LOGIN);
  return unreachable(code, originalCode ?? code) ?? new JobFailure("CUT_OFF", CUT_OFF, outcome);
}

/** Undefined if there was a connection. */
function unreachable(code: string, system: string): JobFailure | undefined {
  if (code === "ETLS" || /CERT|SELF_SIGNED|ERR_TLS|ERR_SSL|UNABLE_TO/.test(system))
    return new JobFailure("TLS_FAILED", `this computer does not trust the mail server's TLS (${system})`);
  if (code === "EDNS" || /^(ENOTFOUND|EAI_AGAIN)$/.test(system))
    return new JobFailure("UNREACHABLE", "the name of the mail server cannot be looked up");
  if (/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/.test(system))
    return new JobFailure("UNREACHABLE", `the mail server cannot be reached (${system})`);
  return undefined;
}

const CUT_OFF = "the connection to the mail server ended in the middle";
const LOGIN = "the mail server refused the login: look at user and password in bridge.yaml";

function replied({ code, command = "" }: SmtpError, reply: number): JobFailure {
  if (reply < 500) {
    const what = `the mail server says to try again later (${reply}): in ten minutes, for example`;
    return new JobFailure("TRY_LATER", what);
  }
  if (code === "EAUTH") return new JobFailure("LOGIN_REFUSED", `${LOGIN} (${reply})`);
  if (command === "STARTTLS" || code === "ETLS")
    return new JobFailure("TLS_FAILED", `the mail server has no STARTTLS (${reply}): nothing was sent`);
  const { code: refused, what } = REFUSED[command] ?? { code: "MAIL_REFUSED", what: "refused the mail" };
  return new JobFailure(refused, `the mail server ${what} (${reply})`);
}
