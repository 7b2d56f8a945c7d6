import type { HistoryQuery, HistoryResult } from "./bucket.js";
import type { Database } from "./database.js";
import { type HistorySource, queryHistory } from "./history.js";

export interface Photo {
  readonly id: number;
  readonly plant: string;
  /** Wall time, epoch milliseconds. */
  readonly at: number;
  /** Name in the photos folder; null once the picture was deleted to make room. */
  readonly file: string | null;
  readonly light_on: boolean;
  /** The picture is too dark to show anything. */
  readonly dark: boolean;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Size of the file. */
  readonly bytes: number;
}

type PhotoRow = Omit<Photo, "light_on" | "dark"> & { readonly light_on: number; readonly dark: number };

const COLUMNS = "id, plant, at, file, light_on, dark, width, height, bytes";

/** What is known of the photos; the pictures are files. */
export class PhotoStore {
  /** By plant: what agents ask for in every cycle. */
  private readonly newest = new Map<string, Photo>();

  constructor(private readonly database: Database) {}

  async add({ plant, at, file, light_on, dark, width, height, bytes }: Omit<Photo, "id">): Promise<void> {
    const sql = `INSERT INTO photos (plant, at, file, light_on, dark, width, height, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
    const values = [plant, Math.trunc(at), file, Number(light_on), Number(dark), width, height, bytes];
    await this.database.run(sql, values);
    this.newest.delete(plant); // after it, so that no question on its way can bring the last one back
  }

  /** A page from the end, chronological; `offset` counts from the end, past it the page is empty. */
  async recent(n: number, offset: number, plant: string): Promise<Photo[]> {
    const known = n === 1 && offset === 0 ? this.newest.get(plant) : undefined;
    if (known) return [known];
    const page = await this.page(n, offset, plant);
    const newest = offset === 0 ? page.at(-1) : undefined;
    if (newest) this.newest.set(plant, newest);
    return page;
  }

  private async page(n: number, offset: number, plant: string): Promise<Photo[]> {
    const sql = `SELECT ${COLUMNS} FROM photos WHERE plant = ? ORDER BY id DESC LIMIT ? OFFSET ?`;
    return (await this.database.all<PhotoRow>(sql, [plant, n, offset])).reverse().map(photoOf);
  }

  async byTimestamp(plant: string, at: number): Promise<Photo | undefined> {
    const row = await this.database.get<PhotoRow>(
      `SELECT ${COLUMNS} FROM photos WHERE plant = ? AND at = ?`,
      [plant, at],
    );
    return row && photoOf(row);
  }

  /** The first and the last since then that are still there and show something; one if they are the same. */
  async firstAndLast(plant: string, since: number): Promise<Photo[]> {
    const sql = `SELECT ${COLUMNS} FROM photos WHERE plant = ? AND at >= ? AND file IS NOT NULL AND dark = 0 ORDER BY id`;
    const both = await Promise.all(
      ["", "DESC"].map((order) => this.database.get<PhotoRow>(`${sql} ${order} LIMIT 1`, [plant, since])),
    );
    const rows = both.filter((row) => row !== undefined);
    return rows.filter(({ id }, index) => index === 0 || id !== rows[0]?.id).map(photoOf);
  }

  /** The oldest pictures, as many as are too many for `keepBytes` in all. */
  beyond(keepBytes: number): Promise<{ id: number; file: string }[]> {
    const newerThan = "sum(bytes) OVER (ORDER BY id DESC)";
    const sql = `SELECT id, file FROM (SELECT id, file, ${newerThan} AS kept FROM photos WHERE file IS NOT NULL) WHERE kept > ? ORDER BY id`;
    return this.database.all(sql, [keepBytes]);
  }

  /** The picture is gone, its record stays. */
  async forgetFile(id: number): Promise<void> {
    await this.database.run("UPDATE photos SET file = NULL WHERE id = ?", [id]);
    this.newest.clear();
  }

  /** Whole records are `Photo`s. Throws TOO_MANY_BUCKETS, UNKNOWN_FIELD, INVALID_ARGUMENT. */
  history(query: HistoryQuery): Promise<HistoryResult> {
    return queryHistory(this.database, sourceOf(query.plant), query);
  }
}

const photoOf = (row: PhotoRow): Photo => ({ ...row, light_on: row.light_on === 1, dark: row.dark === 1 });

const sourceOf = (plant: string | undefined): HistorySource => ({
  table: "photos",
  sequence: "id",
  where: plant === undefined ? "true" : "plant = ?2",
  params: plant === undefined ? [] : [plant],
  body: `json_object(${COLUMNS.split(", ")
    .map((name) => `'${name}', ${name}`)
    .join(", ")})`,
  decode: (body) => ({ ...photoOf(JSON.parse(body) as PhotoRow) }),
});
