import type { PrivateKind } from "../../wire/web-search.js";
import type { PrivateWords } from "../module.js";

/** Words that name no house: kinds of plants, rooms, what things are like. A name made of these alone is nobody's secret. */

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** A choice: the plants that are kept in houses and gardens most, by English, Spanish, Portuguese, German and Latin names. */
const PLANTS = words(`
  agave aglaonema allium aloe alocasia alpine amaryllis anthurium arrowhead asparagus avocado azalea bamboo banana
  basil basilikum albahaca manjericao bay bean begonia bell bergamot berry bird bonsai bougainvillea boston bromeliad
  bulb cacti cactus kaktus cacto caladium calathea camellia carnation carrot cast catnip cherry chili chilli chive
  chives chlorophytum chrysanthemum cilantro citrus clematis clivia clover coffee coleus coriander corn crassula croton
  cucumber cyclamen cymbidium daffodil dahlia daisy date dieffenbachia dill dracaena echeveria edelweiss elephant
  epipremnum eucalyptus euphorbia farn helecho samambaia fennel fern ficus fiddle fig flower foxglove freesia fuchsia
  gardenia garlic geranium ginger ginseng grass guzmania haworthia heather hedera herb hibiscus holly hosta hoya
  hyacinth hydrangea hypoestes iris ivy jade jasmine juniper kalanchoe kale laurel lavender lavendel lavanda leaf
  lemon lemongrass lettuce lilac lily lime lithops lucky magnolia maidenhair mandarin mango maple maranta marigold
  marjoram melissa mimosa mint minze menta money monkey monstera moss moth myrtle nasturtium nephrolepis nerve nettle
  olive onion orange orchid orchidee oregano oxalis palm palme palmera pansy papaya papyrus paprika parlour parlor
  parsley petersilie perejil salsa passion pea peace peach peony peper pepper peperomia persian petunia phalaenopsis
  philodendron pilea pine pineapple plant pflanze planta polka poppy potato pothos prayer primrose primula pumpkin
  radish rhododendron rhubarb rose rosemary rosmarin romero alecrim rubber rue sage salvia sansevieria saxifraga
  schefflera schlumbergera sedum seedling sempervivum shamrock snake snapdragon spathiphyllum spider spinach
  squash stephanotis strawberry string succulent suculenta sukkulente sunflower syngonium thyme thymian tillandsia
  tobacco tomato tomate tradescantia tulip umbrella vanilla venus vera verbena vine violet violets wandering watercress
  weeping willow wisteria yam yucca zamioculcas zebra zinnia zucchini zz`);

/** Rooms and places in most houses, in the same languages. */
const ROOMS = words(`
  attic balcony basement bath bathroom bedroom box cellar conservatory corridor desk dining door garage garden
  greenhouse hall hallway home house indoor kitchen laundry living loft lounge nursery office outdoor pantry patio
  porch room shed shelf sill stairs study terrace tent toilet window windowsill workshop yard bad balkon buro diele
  fenster flur garten gewachshaus kuche keller regal schlafzimmer terrasse wohnzimmer zimmer balcon bano cocina
  cuarto dormitorio estudio jardin oficina patio sala salon ventana banheiro cozinha escritorio jardim janela quarto
  varanda estante`);

/** What such names are made of beside that: size, colour, number, side, devices of any house, roles of tokens. */
const OTHERS = words(`
  a an and the my our of in on at by for with de la el las los do da der die das am im und y e
  big small large little tall tiny old new young left right middle front back upper lower top bottom east west north
  south first second third one two three four red green blue yellow white black pink purple orange brown dark bright
  lamp light lights bulb strip switch plug socket fan heater sensor moisture temperature humidity pump valve camera
  thermostat blind blinds curtain speaker television tv radio alarm lock motion smoke water soil air outlet
  agent human observer owner person admin user guest test bridge tendril raspberrypi raspberry pi localhost server
  everybody family household`);

export const PLAIN_WORDS: ReadonlySet<string> = new Set([...PLANTS, ...ROOMS, ...OTHERS]);

/** Whether a word names no house. Lower case, without accents; a plural counts too. */
export const isPlain = (word: string): boolean =>
  /^\d+$/.test(word) || PLAIN_WORDS.has(word) || PLAIN_WORDS.has(word.replace(/e?s$/, ""));

/** Where something private stands in a text. `to` is behind it. */
export interface Found {
  readonly kind: PrivateKind;
  readonly from: number;
  readonly to: number;
}

/** A choice: "Bo" is a name, and a single letter is not. */
const SHORTEST = 2;
/** A name's part that is looked for alone. A choice: "de" and "von" are in many texts. */
const SHORTEST_PART = 3;

interface Wanted {
  readonly kind: PrivateKind;
  readonly pattern: RegExp;
  /** Also a usual word: it only counts where it stands as a name does. */
  readonly isUsual: boolean;
}

/** Finds the names of this house in a text: without regard to case and accents, whole words, with a genitive. */
export class HouseWords {
  private readonly wanted: readonly Wanted[];

  constructor(names: Iterable<PrivateWords>) {
    const seen = new Map<string, Wanted>();
    for (const { kind, words } of names)
      for (const parts of phrasesOf(kind, words)) {
        const isUsual = parts.every(isPlain) && !isIdentifier(kind, words);
        if (!isUsual || kind === "person") seen.set(parts.join(" "), wantedOf(kind, parts, isUsual));
      }
    this.wanted = [...seen.values()];
  }

  find(text: string): readonly Found[] {
    const { folded, origin } = foldedWithOrigin(text);
    return this.wanted.flatMap(({ kind, pattern, isUsual }) =>
      [...folded.matchAll(pattern)].flatMap(({ index, 0: match }) => {
        const found = { kind, from: origin[index] ?? 0, to: origin[index + match.length] ?? text.length };
        return isUsual && !isNameAt(text, found) ? [] : [found];
      }),
    );
  }
}

/** "light.kitchen" and "pi-7" are no usual words, whatever they are made of. */
const isIdentifier = (kind: PrivateKind, name: string): boolean =>
  (kind === "entity" || kind === "device") && /[._]|\p{L}-?\d/u.test(name);

/** A whole name; of a person each part of it too. */
function phrasesOf(kind: PrivateKind, name: string): readonly (readonly string[])[] {
  const parts = wordsOf(name);
  if (parts.join("").length < SHORTEST) return [];
  if (kind !== "person" || parts.length === 1) return [parts];
  return [parts, ...parts.filter(({ length }) => length >= SHORTEST_PART).map((part) => [part])];
}

const wordsOf = (text: string): readonly string[] =>
  foldedWithOrigin(text).folded.match(/[\p{L}\p{N}]+/gu) ?? [];

const wantedOf = (kind: PrivateKind, parts: readonly string[], isUsual: boolean): Wanted => ({
  kind,
  isUsual,
  pattern: new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${parts.join("[\\s._'’-]*")}${spelled(parts)})(?:['’]?s)?(?![\\p{L}\\p{N}])`,
    "gu",
  ),
});

/** "a.n.n.a": every letter apart, of a name that is long enough to be meant. */
const spelled = (parts: readonly string[]): string => {
  const letters = [...parts.join("")];
  return letters.length >= SHORTEST_PART ? `|${letters.join("[\\s._*-]+")}` : "";
};

const PARTS =
  /^ (?:leaf|leaves|roots?|stems?|flowers?|buds?|blossoms?|soil|pot|bark|shoots?|tips?|fruits?|growth)(?!\p{L})/iu;

/** "a gift for Rose", "Rose's gift"; not "rose pruning", "Rose pruning" or "a rose's leaves". */
const isNameAt = (text: string, { from, to }: Found): boolean =>
  (/['’]s$/.test(text.slice(from, to)) && !PARTS.test(text.slice(to))) ||
  (from > 0 && /^\p{Lu}/u.test(text.slice(from)));

/** Lower case without accents, and where each code unit of that stands in the text. */
function foldedWithOrigin(text: string): { folded: string; origin: readonly number[] } {
  const origin: number[] = [];
  let folded = "";
  let at = 0;
  for (const character of text) {
    const plain = character.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase().replaceAll("ß", "ss");
    folded += plain;
    for (let unit = 0; unit < plain.length; unit += 1) origin.push(at);
    at += character.length;
  }
  return { folded, origin: [...origin, text.length] };
}
