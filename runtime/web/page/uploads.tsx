import { useState } from "preact/hooks";
import type { Uploaded } from "../../wire/media.js";
import type { MediaLinks, MemoryItem } from "../../wire/records.js";
import { monotonic } from "./browser-clock.js";
import { useAnswer, useShared } from "./context.tsx";
import { ownPath } from "./figures.js";
import { Trouble } from "./parts.tsx";
import { uploadFile } from "./session.js";

/** Photos and files of notes and memories: chosen, made smaller, sent, and shown again. */

/** Pixels. A choice: more than a screen shows, and some 500 kB. */
const LONGEST_SIDE = 2048;
/** Bytes. A choice: a drawing or a screenshot as it is. */
const SMALL = 500_000;
const ACCEPTED = "image/*,.pdf,.txt,.md,.csv";

/** What `save_memory` takes. */
interface MediaFields {
  readonly media_path?: string;
  readonly media_type?: string;
  readonly attachments?: readonly string[];
}

/** Files that were sent for a note that was then refused are not sent again. */
const sent = new WeakMap<File, Uploaded>();

/** Sends the files one after the other. Rejects with the runtime's words. */
export async function sendFiles(files: readonly File[]): Promise<MediaFields> {
  const all: Uploaded[] = [];
  for (const file of files) {
    const uploaded = sent.get(file) ?? (await uploadFile(file.name, await smaller(file)));
    sent.set(file, uploaded);
    all.push(uploaded);
  }
  const [first] = all;
  if (!first) return {};
  return {
    media_path: first.path,
    ...{ media_type: first.type.split(";")[0] ?? first.type, attachments: all.map(({ path }) => path) },
  };
}

/**
 * A photo of a phone has more pixels than a screen, often a form that other browsers cannot show, and the place where it was
 * taken. What is drawn anew has none of these. What this browser cannot draw goes as it is.
 */
async function smaller(file: File): Promise<Blob> {
  const isPhoto = /^image\/(?:jpeg|hei[cf])$/.test(file.type);
  const isLargePicture = /^image\/(?:png|webp)$/.test(file.type) && file.size > SMALL;
  if (!isPhoto && !isLargePicture) return file;
  const picture = await createImageBitmap(file).catch(() => undefined);
  if (!picture) return file;
  const scale = Math.min(1, LONGEST_SIDE / Math.max(picture.width, picture.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(picture.width * scale);
  canvas.height = Math.round(picture.height * scale);
  canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  const drawn = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.85));
  return drawn ?? file;
}

/** What no runtime takes by its name is refused before anything is sent; the runtime looks at the bytes. */
const isTaken = ({ name, type }: File): boolean => /^image\/|\.(pdf|txt|md|csv|hei[cf])$/i.test(type + name);
const NOT_TAKEN = { code: "MEDIA_REFUSED", message: "only photos, PDF and text are taken" };

/** The button that chooses files, and those that are chosen. */
export function ChooseFiles(of: {
  readonly files: readonly File[];
  readonly choose: (files: readonly File[]) => void;
}) {
  const { words } = useShared();
  const [trouble, setTrouble] = useState<unknown>();
  const add = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => {
    const chosen = [...(currentTarget.files ?? [])];
    setTrouble(chosen.every(isTaken) ? undefined : NOT_TAKEN);
    of.choose([...of.files, ...chosen.filter(isTaken)]);
    currentTarget.value = ""; // the same file can be chosen again after it was taken away
  };
  return (
    <div class="chosen">
      <label class="button">
        {words.addFile}
        <input type="file" class="unseen" multiple accept={ACCEPTED} onChange={add} />
      </label>
      {of.files.map((file) => (
        <button
          key={`${file.name} ${file.lastModified} ${file.size}`}
          type="button"
          class="chip"
          aria-label={words.removeFile(file.name)}
          onClick={() => of.choose(of.files.filter((each) => each !== file))}
        >
          {file.name} <span aria-hidden="true">×</span>
        </button>
      ))}
      <Trouble error={trouble} />
    </div>
  );
}

type WithFiles = Pick<MemoryItem, "id" | "media_path" | "attachments">;

export const countFiles = ({ media_path, attachments }: WithFiles): number =>
  new Set([...(media_path === null ? [] : [media_path]), ...attachments]).size;

/** Milliseconds. A link lasts for an hour. */
const NEW_LINKS = 1_800_000;

/** The pictures of a note or memory, and links to its other files. */
export function Files({ of }: { readonly of: WithFiles }) {
  const { house } = useShared();
  const count = countFiles(of);
  const found = useAnswer(
    async () => (count === 0 ? [] : (await house.call<MediaLinks>("get_media_links", { id: of.id })).links),
    [of.id, count, Math.floor(monotonic() / NEW_LINKS)],
  );
  if (!found || found.length === 0) return null;
  return (
    <div class="files">
      {found.map(({ path, type, url }) => (
        <a key={path} href={ownPath(url)} target="_blank" rel="noreferrer">
          {isShown(type) ? (
            <img src={ownPath(url)} alt={calledBefore(path)} loading="lazy" />
          ) : (
            calledBefore(path)
          )}
        </a>
      ))}
    </div>
  );
}

/** Few browsers draw HEIC. */
const isShown = (type: string | null): boolean =>
  type?.startsWith("image/") === true && type !== "image/heic";

/** "uploads/fern-0123456789abcdef.jpg" as "fern.jpg". */
const calledBefore = (path: string): string =>
  (path.split("/").at(-1) ?? path).replace(/-[0-9a-f]{16}(?=\.\w+$)/, "");
