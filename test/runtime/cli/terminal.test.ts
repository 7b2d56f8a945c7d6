import { PassThrough } from "node:stream";
import t from "tap";
import { Console } from "../../../runtime/cli/terminal.js";

const consoleOn = (isTTY: boolean) => {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY, columns: 20 });
  const terminal = new Console(
    input as unknown as NodeJS.ReadStream,
    output as unknown as NodeJS.WriteStream,
  );
  const typed = async (text: string) => {
    input.write(text);
    await new Promise(setImmediate);
  };
  return { terminal, typed, told: () => String(output.read() ?? "") };
};

t.test("an Enter too many, typed before a question, does not answer it", async (t) => {
  const { terminal, typed } = consoleOn(true);
  await typed("\n");
  const answer = terminal.ask("Is it there?");
  await typed("now\n");
  t.equal(await answer, "now");
  terminal.close();
});

t.test("lines in a pipe answer one question after the other", async (t) => {
  const { terminal, typed } = consoleOn(false);
  await typed("one\ntwo\n");
  t.equal(await terminal.ask("first?"), "one");
  t.equal(await terminal.ask("second?"), "two");
  terminal.close();
});

t.test("a terminal's lines are broken between words", async (t) => {
  const { terminal, told } = consoleOn(true);
  terminal.say("a line of more than twenty columns");
  t.equal(told(), "a line of more than\ntwenty columns\n");
  terminal.close();
});
