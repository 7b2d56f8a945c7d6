import { z } from "zod";
import { mailAddress } from "../../wire/mail.js";
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
    .url({ protocol: /^https?$/ })
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
export type MailServer = z.output<typeof mailServer>;

export const secretsOf = ({ password, oauth2 }: MailServer): string[] =>
  [password, oauth2?.client_secret, oauth2?.refresh_token].filter((each) => each !== undefined);
