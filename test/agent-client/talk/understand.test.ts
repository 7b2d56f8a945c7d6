import t from "tap";
import { wishesIn } from "../../../agent-client/models/caretaker/talk/talk.js";
import type { Wish } from "../../../agent-client/models/caretaker/talk/wish.js";

/** A wish in short: a reminder by the first ways to read it, which the runtime is asked one after the other. */
function short(wish: Wish): string {
  switch (wish.kind) {
    case "remind":
      return `remind ${wish.tries.map(({ title, time }) => `${title} | ${time ?? "-"}`).join(" / ")}`;
    case "add":
      return `add ${wish.items.join("+")} > ${wish.list}${wish.mustExist ? "?" : ""}`;
    case "remove":
    case "complete":
      return `${wish.kind} ${wish.item} > ${wish.list ?? "-"}`;
    case "cancel":
      return `cancel ${wish.task}`;
    case "list":
      return `list ${wish.list}${wish.item === undefined ? "" : ` ${wish.item}`}`;
    case "remember":
    case "recall":
      return `${wish.kind} ${wish.text}`;
    default:
      return wish.kind;
  }
}

/** A sentence and its wishes. Of a reminder: that one of the ways to read it is this one, before any other wrong one. */
const SENTENCES: readonly (readonly [string, ...string[]])[] = [
  [
    "remind me to mist the fern every other evening, and put perlite on the shopping list",
    "mist the fern | every other evening",
    "add perlite > shopping",
  ],
  [
    "Put perlite on the shopping list and remind me to mist the fern every other evening.",
    "add perlite > shopping",
    "mist the fern | every other evening",
  ],
  ["Could you please remind me tomorrow at 9 to call Juan?", "call Juan | tomorrow at 9"],
  ["please remind me in 2 hours that the oven is on", "the oven is on | in 2 hours"],
  ["Every Monday at 8am remind me to feed the fern", "feed the fern | Every Monday at 8am"],
  ["remind me every day to mist the fern at 8", "mist the fern | every day at 8"],
  ["don't let me forget to repot the basil on Sunday", "repot the basil | on Sunday"],
  ["set a reminder for tomorrow at 7 to buy perlite", "buy perlite | tomorrow at 7"],
  ["Create a task: clean the tank next friday", "clean the tank | next friday"],
  ["I must not forget to water the neighbour's plants tonight", "water the neighbour's plants | tonight"],
  [
    "remind me to put out the bins and check the mail at 18:00",
    "put out the bins and check the mail | at 18:00",
  ],
  ["remind me to put the pot on the balcony at 7pm please", "put the pot on the balcony | at 7pm"],
  ["remind me at 8 a.m. tomorrow to open the window", "open the window | at 8 a.m. tomorrow"],
  ["Remind us to order soil", "order soil | -"],
  ["add perlite, orchid bark and moss to my shopping list", "add perlite+orchid bark+moss > shopping"],
  ["Add perlite to the shopping list, please!", "add perlite > shopping"],
  ["can you put some perlite and bark on our shopping list for me?", "add perlite+bark > shopping"],
  ["shopping list: perlite, bark", "add perlite+bark > shopping"],
  ['Write on the packing list: tent, "salt and pepper"', "add salt and pepper > packing"],
  ["perlite on the shopping list", "add perlite > shopping"],
  ["add perlite to groceries", "add perlite > groceries?"],
  ["put the note on the table on the shopping list", "add note on the table > shopping"],
  ["add bark to the list called garden", "add bark > garden"],
  [
    "I'd like you to add bark to the shopping list and tell me what's on the shopping list",
    "add bark > shopping",
    "list shopping",
  ],
  ["remove perlite from the shopping list", "remove perlite > shopping"],
  ["take the bark off the shopping list", "remove bark > shopping"],
  ["cross off perlite on the shopping list", "complete perlite > shopping"],
  ["mark perlite as done on the shopping list", "complete perlite > shopping"],
  ["I've bought perlite", "complete perlite > -"],
  ["perlite is done", "complete perlite > -"],
  ["delete the reminder to mist the fern", "cancel mist the fern"],
  ["stop reminding me to mist the fern", "cancel mist the fern"],
  ["cancel the fern reminder", "cancel fern"],
  ["what's on the shopping list?", "list shopping"],
  ["Show me the shopping list", "list shopping"],
  ["is perlite on the shopping list?", "list shopping perlite"],
  ["which lists do I have?", "lists"],
  ["what is due today?", "tasks"],
  ["What do I have to do?", "tasks"],
  ["show my reminders", "tasks"],
  ["How is the basil?", "status"],
  ["Hi! How are my plants doing today?", "status"],
  ["does the basil need water", "status"],
  ["status", "status"],
  ["Why didn't you water the basil?", "why"],
  ["How come there was no water today", "why"],
  ["can you tell me why you watered this morning?", "why"],
  ["When did you last water?", "watering"],
  ["how much water did the basil get", "watering"],
  ["What did you do today?", "did"],
  ["what have you done yesterday", "did"],
  ["what happened today?", "did"],
  ["water the basil now", "water"],
  ["give the basil 20 ml", "water"],
  ["turn off the light", "light_off"],
  ["switch the lights on please", "light_on"],
  ["STOP", "stop"],
  ["please stop watering now!", "stop"],
  ["turn everything off", "stop"],
  ["remember that I travel in May", "remember I travel in May"],
  ["what do you know about May?", "recall May"],
  ["forget that I travel in May", "forget"],
  ["forget about the basil", "forget"],
  ["forget the reminder to mist the fern", "cancel mist the fern"],
  ["hello", "hello"],
  ["thanks!", "thanks"],
  ["what can you do?", "help"],
  ["write me a poem about love", "unknown"],
  ["Thanks! Why did you not water? And put perlite on the shopping list.", "why", "add perlite > shopping"],
];

t.test(
  `the caretaker understands ${SENTENCES.length} sentences, in any order and with politeness`,
  async (t) => {
    for (const [sentence, ...expected] of SENTENCES) {
      const found = wishesIn([sentence]).map(short);
      t.equal(found.length, expected.length, `${sentence} → ${found.join(" ; ")}`);
      for (const [index, wish] of expected.entries()) {
        const given = found[index] ?? "";
        const isIt = given.startsWith("remind ")
          ? given.slice(7).split(" / ").includes(wish)
          : given === wish;
        t.ok(isIt, `${sentence} → ${given}`);
      }
    }
  },
);

t.test(
  "several messages are several wishes, and a message of any length is understood at once",
  async (t) => {
    t.same(wishesIn(["how is the basil?", "what is due?"]).map(short), ["status", "tasks"]);
    const long = `${"remind me to a and put b, ".repeat(4000)}on the shopping list`;
    const began = process.hrtime.bigint();
    t.same(wishesIn([long]).map(short), ["unknown"]);
    wishesIn(["and to on list ".repeat(33), "a, and ".repeat(70), "remind me ".repeat(49)]);
    t.ok(process.hrtime.bigint() - began < 2_000_000_000n);
  },
);
