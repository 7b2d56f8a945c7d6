import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { troubleIn } from "../../drivers/system-error.js";
import { HouseTime } from "../wire/house-time.js";
import { photoUri } from "../wire/names.js";
import type { Photo, PhotoList, TakenPhoto } from "../wire/plants.js";
import { CommandError, wrongUse } from "./failure.js";
import { isNamed, overviewOf, plantArgument, type Remote } from "./remote.js";
import { openFile } from "./terminal.js";

interface PhotoOptions {
  readonly plant?: string;
  /** Takes a new photo instead of showing the newest. */
  readonly take?: boolean;
  /** Opens it with this computer's program for pictures. */
  readonly open?: boolean;
  readonly save?: string;
}

/** A photo taken now, or from the list. */
type Shown = TakenPhoto | Photo;

/** The newest photo of a plant, or a new one if there is none: its caption and link. */
export async function photo(
  remote: Remote,
  { plant, take = false, open = false, save }: PhotoOptions,
  opener = openFile,
): Promise<string> {
  const { zone, plants } = await overviewOf(remote);
  const argument = plantArgument(plants, plant);
  const found = take ? undefined : await newest(remote, argument);
  const shown = found ?? (await remote.call<TakenPhoto>("capture_photo", argument));
  const id = plants.find((each) => plant === undefined || isNamed(each, plant))?.plant ?? "";
  const lines = [captionOf(shown, id, new HouseTime(zone))];
  if (!open && save === undefined) return [...lines, `  ${shown.url}`].join("\n");
  const file = save ?? join(tmpdir(), `tendril-photo-${id}.jpg`);
  await write(file, await pictureOf(remote, id, shown), save === undefined);
  if (save !== undefined) lines.push(`saved as ${file}`);
  if (open && !(await opener(file)))
    lines.push(`nothing on this computer opens pictures: the file is ${file}, the link ${shown.url}`);
  return lines.join("\n");
}

async function newest(remote: Remote, argument: { plant?: string }): Promise<Photo | undefined> {
  const { photos } = await remote.call<PhotoList>("get_recent_photos", { ...argument, n: 1 });
  return photos.find(({ url }) => url !== null);
}

function captionOf({ timestamp, light_on, dark }: Shown, plant: string, time: HouseTime): string {
  const seen = [...(light_on ? ["light on"] : []), ...(dark ? ["too dark to see anything"] : [])];
  const more = seen.length > 0 ? `, ${seen.join(", ")}` : "";
  return `photo of ${plant} at ${time.minute(timestamp)} ${time.zone}${more}`;
}

async function pictureOf(remote: Remote, plant: string, { timestamp }: Shown): Promise<Uint8Array> {
  const picture = await remote.resource(photoUri(plant, timestamp));
  if (picture) return picture;
  throw new CommandError(`the picture of ${timestamp} no longer exists: take a new one with --take`);
}

/** Never replaces a file of the person; replaces the one in the temporary folder. */
async function write(file: string, picture: Uint8Array, mayReplace: boolean): Promise<void> {
  await writeFile(file, picture, { flag: mayReplace ? "w" : "wx", mode: 0o600 }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") throw wrongUse(`${file} exists already: name another file`);
      throw wrongUse(`the picture was not saved: ${troubleIn(error, file) ?? error.message}`);
    },
  );
}
