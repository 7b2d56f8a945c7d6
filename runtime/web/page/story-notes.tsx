import { useState } from "preact/hooks";
import type { PlantNow } from "../../wire/overview.js";
import { useShared } from "./context.tsx";
import { LineForm } from "./parts.tsx";
import { tagOf } from "./story-query.js";
import { ChooseFiles, sendFiles } from "./uploads.tsx";

/** Characters. A choice: a line of a list. */
const LONGEST_TITLE = 80;

/** A text with files that is kept among the memories. `kind`: more of the entry's fields. */
export function DiaryForm(of: {
  readonly label: string;
  readonly button: string;
  readonly kind?: object;
  readonly saved: (content: string, files: number) => unknown;
}) {
  const { house } = useShared();
  const [files, setFiles] = useState<readonly File[]>([]);
  const send = async (content: string) => {
    const media = await sendFiles(files);
    const title = content.slice(0, LONGEST_TITLE).trim();
    await house.call("save_memory", { source: "DIARY", ...of.kind, ...media, title, content });
    setFiles([]);
    await of.saved(content, files.length);
  };
  return (
    <LineForm label={of.label} button={of.button} send={send}>
      <ChooseFiles files={files} choose={setFiles} />
    </LineForm>
  );
}

/** Writes a note at this moment of the plant's time. The agent finds it among its memories, and is told of it now. */
export function NoteForm({ plant, saved }: { readonly plant: PlantNow; readonly saved: () => void }) {
  const { house, words, now } = useShared();
  const tell = (content: string, files: number) => {
    saved();
    return house.call("send_message_to_agent", {
      message: `A note on ${plant.name}${withFiles(files)}: ${content}`,
    });
  };
  return (
    <section class="card wide">
      <h2>{words.note}</h2>
      <p class="quiet">{words.noteAbout}</p>
      <DiaryForm
        label={words.noteLabel}
        button={words.noteSave}
        kind={{ section: "DIARY", tags: [tagOf(plant.plant)], event_start_at: now }}
        saved={tell}
      />
    </section>
  );
}

/** The agent is told that there is something which it cannot look at. */
const withFiles = (count: number): string =>
  count === 0 ? "" : ` (with ${count === 1 ? "a file" : `${count} files`}, for people to see)`;
