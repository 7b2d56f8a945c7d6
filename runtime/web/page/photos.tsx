import { useEffect, useState } from "preact/hooks";
import type { Overview } from "../../wire/overview.js";
import { after } from "./browser-clock.js";
import { useAnswer, useShared } from "./context.tsx";
import { at, ownPath, pictureTime } from "./figures.js";
import { filmOf } from "./film.js";
import { ChoosePlant, Missing, Select } from "./parts.tsx";
import { queryPhotos, SPANS, type SpanName } from "./photo-data.js";
import { settings } from "./session.js";
import type { PhotoSeen } from "./story-data.js";

/** Hours of the day that a film can be of: those in which people look at plants. */
const HOURS = [6, 8, 10, 12, 14, 16, 18, 20, 22];
const NOON = 12;

/** One photo a day at the same hour, or all of a single day: as a strip, as a film, and two of them side by side. */
export function Photos({ overview }: { readonly overview: Overview }) {
  const { house, words, clock, now, nowMs } = useShared();
  const [chosenPlant, setPlant] = useState("");
  const [span, setSpan] = useState<SpanName>("month");
  const [hour, setHour] = useState(NOON);
  const plant = overview.plants.find((each) => each.plant === chosenPlant) ?? overview.plants[0];
  const all = useAnswer(
    () => queryPhotos(house, plant?.plant ?? "", span, now),
    [plant?.plant, span, Math.floor(nowMs / 300_000)],
  );
  if (!plant) return null;
  const film = all && filmOf(all, hour, clock);
  return (
    <section class="card wide">
      <div class="story-head">
        <ChoosePlant plants={overview.plants} plant={plant} choose={setPlant} />
        <span class="buttons pickers">
          <Select
            label={words.photoSpan}
            value={span}
            options={(Object.keys(SPANS) as SpanName[]).map((name) => [name, words.photoSpans[name]])}
            choose={setSpan}
          />
          <Select
            label={words.photoHour}
            value={String(hour)}
            options={HOURS.map((each) => [String(each), words.aboutHour(each)])}
            choose={(chosen) => setHour(Number(chosen))}
          />
        </span>
      </div>
      <Missing answer={all} />
      {film?.photos.length === 0 && <p class="quiet">{words.noPhotos}</p>}
      {film && film.photos.length > 0 && (
        <Film key={`${plant.plant} ${span} ${hour}`} name={plant.name} {...film} />
      )}
      {house.isHuman && <Limit />}
    </section>
  );
}

/** How much of the disk photos may have. */
function Limit() {
  const { words } = useShared();
  const limit = useAnswer(async () => (await settings()).find(({ key }) => key === LIMIT)?.value, []);
  return limit === undefined ? null : <p class="quiet">{words.photoLimit(limit)}</p>;
}

/** The key of the configuration. */
const LIMIT = "photos.keep_megabytes";

function Film(of: {
  readonly photos: readonly PhotoSeen[];
  readonly name: string;
  /** Of a single day: then the hour is what tells them apart. */
  readonly ofOneDay: boolean;
}) {
  const { photos, name, ofOneDay } = of;
  const { words, clock } = useShared();
  const [at_, setAt] = useState(photos.length - 1);
  const [isPlaying, setPlaying] = useState(false);
  const [other, setOther] = useState<number>();
  const shown = Math.min(at_, photos.length - 1);
  useEffect(() => {
    if (!isPlaying) return undefined;
    const isLast = shown >= photos.length - 1;
    return after(pictureTime(photos.length), () => (isLast ? setPlaying(false) : setAt(shown + 1)));
  }, [isPlaying, shown, photos.length]);
  const count = ofOneDay ? words.photosOfOneDay : words.photoCount;
  const label = (ms: number) => (ofOneDay ? clock.clock(ms) : clock.day(ms));
  const [first, last] = [at(photos[0]?.timestamp ?? ""), at(photos.at(-1)?.timestamp ?? "")];
  const play = () => {
    if (!isPlaying && shown >= photos.length - 1) setAt(0);
    setPlaying(!isPlaying);
  };
  const compare = () => {
    setPlaying(false);
    setOther(other === undefined ? (shown < photos.length - 1 ? shown : 0) : undefined);
    setAt(photos.length - 1);
  };
  return (
    <>
      <div class={other === undefined ? "screen" : "screen two"}>
        {other !== undefined && <Picture photo={photos[other]} name={name} />}
        <Picture photo={photos[shown]} name={name} />
      </div>
      {photos.length > 1 && (
        <div class="film">
          <button type="button" class="button main" onClick={play}>
            {isPlaying ? words.pause : words.play}
          </button>
          <input
            type="range"
            aria-label={words.photoAt}
            aria-valuetext={clock.minute(at(photos[shown]?.timestamp ?? ""))}
            min={0}
            max={photos.length - 1}
            value={shown}
            onInput={({ currentTarget }) => setAt(Number(currentTarget.value))}
          />
          <button type="button" class="button" aria-pressed={other !== undefined} onClick={compare}>
            {other === undefined ? words.compare : words.compareEnd}
          </button>
        </div>
      )}
      <p class="quiet">
        {other === undefined
          ? `${label(first)} – ${label(last)} · ${count(photos.length)}`
          : words.compareHow}
      </p>
      {photos.length > 1 && <Strip photos={photos} label={label} shown={shown} choose={setAt} />}
    </>
  );
}

function Strip(of: {
  readonly photos: readonly PhotoSeen[];
  /** What stands below a photo. */
  readonly label: (ms: number) => string;
  readonly shown: number;
  readonly choose: (at: number) => void;
}) {
  const { clock } = useShared();
  return (
    <ol class="strip">
      {of.photos.map(({ timestamp, url }, index) => (
        <li key={timestamp}>
          <button
            type="button"
            aria-label={clock.minute(at(timestamp))}
            aria-current={index === of.shown ? "true" : undefined}
            onClick={() => of.choose(index)}
          >
            <img src={ownPath(url)} alt="" loading="lazy" />
            <span aria-hidden="true">{of.label(at(timestamp))}</span>
          </button>
        </li>
      ))}
    </ol>
  );
}

export function Picture({
  photo,
  name,
  title,
}: {
  readonly photo: PhotoSeen | undefined;
  readonly name: string;
  readonly title?: string;
}) {
  const { words, clock } = useShared();
  if (!photo) return null;
  const when = clock.minute(at(photo.timestamp));
  return (
    <figure class="photo">
      <img src={ownPath(photo.url)} width={photo.width} height={photo.height} alt={`${name}, ${when}`} />
      <figcaption>
        <span class="fresh">
          {title !== undefined && `${title}: `}
          {when}
          {photo.dark && ` · ${words.dark}`}
        </span>
      </figcaption>
    </figure>
  );
}
