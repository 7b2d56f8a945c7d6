import t, { type Test } from "tap";
import { mailAdapter } from "../../../runtime/bridge/mail/adapter.js";
import { weekChart } from "../../../runtime/services/channels/letter-pictures.js";
import { until } from "./bridge-process.js";
import { MailServer, refusal } from "./mail-server.js";
import { codeOf, letterTo, opened, signal } from "./push-contract.js";

const LETTER = letterTo("anna@example.org");
const LINK = "https://tendril.local:8732/";

const mailTo = (t: Test, { port }: { port: number }) =>
  opened(t, mailAdapter, {
    ...{ server: "127.0.0.1", port, security: "none", from: "tendril@home.example", link: LINK },
  });

t.test(
  "a letter by mail: text and HTML, words escaped, nothing fetched from elsewhere, a link that shows",
  async (t) => {
    const server = await MailServer.start(t);
    const { deliver } = mailTo(t, server);
    const jpeg = Buffer.from("jpeg").toString("base64");
    const pictures = ["before <it>", "after"].map((caption) => ({ caption, jpeg }));
    t.same(await deliver({ ...LETTER, pictures }, signal()), { ref: null });
    const [{ mail } = { mail: undefined }] = server.received;
    t.equal(mail?.subject, "URGENT: LEAK");
    t.match(mail?.text, LETTER.text);
    const html = mail?.html ?? "";
    t.match(html, "Water at &lt;b&gt;the sensor&lt;/b&gt;.");
    t.same(html.match(/(?:src|href|action)="[^"]*"/g), [
      ...['src="cid:photo1"', 'src="cid:photo2"', `href="${LINK}"`],
    ]);
    t.match(html, 'alt="before &lt;it&gt;"');
    t.notMatch(html, /<script|<form|<link/);
    t.match(mail?.attachments, [
      { mimeType: "image/jpeg", contentId: "<photo1>" },
      { mimeType: "image/jpeg", contentId: "<photo2>" },
    ]);
  },
);

t.test("a chart is a PNG that the mail itself brings, before the photos", async (t) => {
  const server = await MailServer.start(t);
  const { deliver } = mailTo(t, server);
  const png = await weekChart([
    { day: "2026-06-01", ml: 20, moisture_percent: 41 },
    { day: "2026-06-02", ml: 0 },
  ]);
  const charts = [{ caption: "Basil, a week", png: png.toString("base64") }];
  const pictures = [{ caption: "after", jpeg: Buffer.from("jpeg").toString("base64") }];
  await deliver({ ...LETTER, charts, pictures }, signal());
  const [{ mail } = { mail: undefined }] = server.received;
  t.same(mail?.html?.match(/<img src="[^"]*" alt="[^"]*"/g), [
    '<img src="cid:chart1" alt="Basil, a week"',
    '<img src="cid:photo1" alt="after"',
  ]);
  const [chart] = mail?.attachments ?? [];
  t.match(chart, { mimeType: "image/png", contentId: "<chart1>", filename: "chart1.png" });
  t.same(Buffer.from(chart?.content as ArrayBuffer), png, "the bytes that were drawn");
});

t.test("a title or text with line breaks and control characters makes no header", async (t) => {
  const server = await MailServer.start(t);
  const { deliver } = mailTo(t, server);
  await deliver({ ...LETTER, title: "Hi\r\nBcc: eve@example.net", text: "a\u0000\u001bb" }, signal());
  const [{ mail, to } = { mail: undefined, to: [] }] = server.received;
  t.same(to, ["anna@example.org"]);
  t.notOk(mail?.bcc);
  t.equal(mail?.subject, "URGENT: Hi Bcc: eve@example.net");
  t.equal(mail?.text?.startsWith("a\ufffd\ufffdb"), true);
});

t.test("the same letter twice is one mail, and one that is tried again keeps its Message-ID", async (t) => {
  let refusals = 1;
  const seen: string[] = [];
  const server = await MailServer.start(t, {
    onData: (stream, _, done) => {
      let raw = "";
      stream.on("data", (chunk) => {
        raw += chunk;
      });
      stream.on("end", () => {
        seen.push(/^Message-ID: (.*)$/im.exec(raw)?.[1] ?? "");
        refusals -= 1;
        done(refusals >= 0 ? refusal(451) : null);
      });
    },
  });
  const { deliver } = mailTo(t, server);
  t.equal(await codeOf(deliver(LETTER, signal())), "TRY_LATER");
  t.equal(await codeOf(deliver(LETTER, signal())), "sent");
  t.equal(await codeOf(deliver(LETTER, signal())), "sent");
  t.equal(seen.length, 2);
  t.equal(
    await codeOf(mailTo(t, server).deliver(LETTER, signal())),
    "sent",
    "a bridge that was started again",
  );
  t.equal(await codeOf(deliver({ ...LETTER, letter: "13-1" }, signal())), "sent");
  t.same(seen.slice(1, 3), [seen[0], seen[0]]);
  t.not(seen[3], seen[0], "another letter has another");
});

t.test("it looks at its server when it starts, and reports what is wrong, without a secret", async (t) => {
  const { reports } = mailTo(t, { port: 1 });
  t.match(await until(() => reports[0]), { channel: "mail", state: "down", code: "UNREACHABLE" });
  const server = await MailServer.start(t, {
    ...{ authOptional: false, allowInsecureAuth: true },
    onAuth: (_, __, done) => done(refusal(535)),
  });
  const login = opened(t, mailAdapter, {
    ...{ server: "127.0.0.1", port: server.port, security: "none", from: "tendril@home.example" },
    ...{ user: "house", password: "correct-horse" },
  });
  t.match(await until(() => login.reports[0]), { state: "down", code: "LOGIN_REFUSED" });
  t.notMatch(JSON.stringify([login.reports, login.said]), /correct-horse|IGNORE/);
});

t.test(
  "a recipient whom the server refuses is told, without the address, until one gets through",
  async (t) => {
    const isGone = new Set(["ben@example.org"]);
    const server = await MailServer.start(t, {
      onRcptTo: ({ address }, _, done) => done(isGone.has(address) ? refusal(550) : null),
    });
    const { deliver, said } = mailTo(t, server);
    const ben = { ...LETTER, letter: "13-1", to: "ben@example.org" };
    await until(() => said[0]);
    t.equal(await codeOf(deliver(ben, signal())), "RECIPIENT_REFUSED");
    t.equal(await codeOf(deliver(LETTER, signal())), "sent");
    t.same(said, ["mail: connected", "mail: b…@example.org: the mail server refused this recipient (550)"]);
    isGone.clear();
    t.equal(await codeOf(deliver(ben, signal())), "sent");
    t.equal(said.at(-1), "mail: connected");
  },
);

t.test("mail without settings says so", async (t) => {
  t.equal(await codeOf(opened(t, mailAdapter, undefined).deliver(LETTER, signal())), "NOT_CONFIGURED");
});
