import type { PrivateKind } from "../../../runtime/wire/web-search.js";

/** The house that the set is about. */
export const NAMES = [
  { kind: "person", words: "anna" },
  { kind: "person", words: "Anna Brandão" },
  { kind: "person", words: "ben" },
  { kind: "person", words: "Rose" },
  { kind: "person", words: "marta" },
  { kind: "plant", words: "fern" },
  { kind: "plant", words: "Fernando" },
  { kind: "plant", words: "Aloe Vera" },
  { kind: "plant", words: "kitchen basil" },
  { kind: "plant", words: "Granny's Pothos" },
  { kind: "place", words: "living room" },
  { kind: "place", words: "Hobbit Hole" },
  { kind: "entity", words: "light.shelf_lamp" },
  { kind: "entity", words: "Hobbit lamp" },
  { kind: "device", words: "tendril-pi-07" },
] as const satisfies readonly { kind: PrivateKind; words: string }[];

/** A query, and what of it must go, by kind; none: nothing may go. */
export interface Labelled {
  readonly query: string;
  readonly private: readonly { readonly kind: PrivateKind; readonly words: string }[];
}

const of = (query: string, ...found: readonly (readonly [PrivateKind, string])[]): Labelled => ({
  query,
  private: found.map(([kind, words]) => ({ kind, words })),
});

/** Written by hand, in four languages. Numbers of cards and accounts are test numbers of their issuers. */
export const SET: readonly Labelled[] = [
  // what a gardener asks: nothing is private
  of("yellow leaves on a fern"),
  of("aloe vera overwatering signs"),
  of("Aloe Vera soil mix 2:1"),
  of("kitchen basil light hours"),
  of("how much lux does a monstera need, 5000 or 20000 lux"),
  of("NPK 10-10-10 vs 20-20-20 fertilizer"),
  of("moisture sensor calibration 0.25 0.50 0.75 1.00 1.25"),
  of("capacitive soil sensor ADS1115 address 0x48"),
  of("best living room plants for north window"),
  of("Rose pruning in spring"),
  of("rose black spot treatment"),
  of("franklin tree care"),
  of("Boston fern humidity percent"),
  of("frost dates 2026-11-23 Berlin"),
  of("DIN 19684-3 soil test"),
  of("ISBN 978-3-8001-0379-3 pflanzenbuch"),
  of("spider mites neem oil 5 ml per 1000 ml"),
  of("Kaktus im Winter wie oft gießen"),
  of("helecho hojas marrones riego cada 7 días"),
  of("samambaia folhas secas como recuperar"),
  of("raspberry pi gpio 17 relay not switching"),
  of("home assistant sensor.py template example"),
  of("Error ENOENT no such file tendril.yaml"),
  of("when to repot Ficus elastica"),
  of("grow lamp 12 hours on 12 hours off"),
  of("is 06.12.2025 too late to plant tulips"),
  of("organic potting mix"),
  of("basil leaves curl 3 plants close together"),
  of("Lavandula angustifolia cold hardiness zone 7"),
  of("Moosfarn Terrarium Pflege"),
  of("cheapest 500 ml watering globe"),
  of("pH 6.5 to 7.5 for violets"),
  of("Schädlinge Orchidee weiße Punkte"),
  of("ESP32 deep sleep 10 minutes battery"),
  of("how to reset forgotten wifi password router"),
  of("pump 12V 240 l/h flow rate"),
  // the house's own names
  of("why does Anna's fern wilt", ["person", "Anna's"]),
  of("gift ideas for ANNA BRANDAO", ["person", "ANNA BRANDAO"]),
  of("ben allergies pollen", ["person", "ben"]),
  of("birthday gift for Rose", ["person", "Rose"]),
  of("Rose's favourite flower", ["person", "Rose's"]),
  of("Fernando is drooping", ["plant", "Fernando"]),
  of("granny's pothos leaves yellow", ["plant", "granny's pothos"]),
  of("humidity in the hobbit hole", ["place", "hobbit hole"]),
  of("Hobbit-Lamp flickers", ["entity", "Hobbit-Lamp"]),
  of("light.shelf_lamp unavailable", ["entity", "light.shelf_lamp"]),
  of("binary_sensor.front_door_contact stuck on", ["entity", "binary_sensor.front_door_contact"]),
  of("tendril-pi-07 throttled", ["device", "tendril-pi-07"]),
  of("Marta tomato soup", ["person", "Marta"]),
  // persons whom the house does not know
  of("dermatologist Dr. Weber opening", ["person", "Weber"]),
  of("my son Tom has a rash from ficus sap", ["person", "Tom"]),
  of("meine Nachbarin Sabine Krause gießt zu viel", ["person", "Sabine Krause"]),
  of("mi vecina Lucía riega mis plantas", ["person", "Lucía"]),
  of("ask Jonathan Meyer about orchids", ["person", "Jonathan Meyer"]),
  // e-mail, telephone
  of("who is jane.doe+plants@example.co.uk", ["e-mail", "jane.doe+plants@example.co.uk"]),
  of("jürgen@gärtnerei.example", ["e-mail", "jürgen@gärtnerei.example"]),
  of("jane [at] example [dot] com", ["e-mail", "jane [at] example [dot] com"]),
  of("call +49 30 901820", ["phone", "+49 30 901820"]),
  of("number 030 90182044 plumber", ["phone", "030 90182044"]),
  of("(415) 555-0132 reviews", ["phone", "(415) 555-0132"]),
  of("0044 20 7946 0958 spam", ["phone", "0044 20 7946 0958"]),
  of("telefone (81) 99876-5432", ["phone", "(81) 99876-5432"]),
  of("tel 06 12 34 56 78", ["phone", "06 12 34 56 78"]),
  // addresses and places
  of("florist near 221B Baker Street", ["address", "221B Baker Street"]),
  of("plant shop near 12 Maple Ave", ["address", "12 Maple Ave"]),
  of("Gärtnerei nahe Lindenstraße 12a", ["address", "Lindenstraße 12a"]),
  of("Blumen Amselweg 4", ["address", "Amselweg 4"]),
  of("floristería calle de Alcalá 45", ["address", "calle de Alcalá 45"]),
  of("floricultura Rua das Flores, 25", ["address", "Rua das Flores, 25"]),
  of("nursery SW1A 1AA", ["address", "SW1A 1AA"]),
  of("frost at -8.0476, -34.8770", ["place", "-8.0476, -34.8770"]),
  // numbers with check sums
  of("4111 1111 1111 1111 declined", ["card", "4111 1111 1111 1111"]),
  of("5555555555554444", ["card", "5555555555554444"]),
  of("4111 1111 1111 1112 serial of pump"),
  of("transfer DE89 3704 0044 0532 0130 00", ["account", "DE89 3704 0044 0532 0130 00"]),
  of("gb82west12345698765432 bank", ["account", "gb82west12345698765432"]),
  of("part DE88 3704 0044 0532 0130 00"),
  // keys
  of("AKIAIOSFODNN7EXAMPLE leaked", ["key", "AKIAIOSFODNN7EXAMPLE"]),
  of("ghp_16C7e42F292c6912E7710c838347Ae178B4a invalid", ["key", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"]),
  of("sk-proj-abcDEF123456ghiJKL789 quota", ["key", "sk-proj-abcDEF123456ghiJKL789"]),
  of("bot 110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw", [
    "key",
    "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
  ]),
  of("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc123 decode", [
    "key",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc123",
  ]),
  of("my wifi password is Tr0ub4dor&3", ["key", "Tr0ub4dor&3"]),
  of("d41d8cd98f00b204e9800998ecf8427e", ["key", "d41d8cd98f00b204e9800998ecf8427e"]),
  // schedules
  of("we are away on holiday until July 14", ["schedule", "away on holiday until July"]),
  of("lamp on every day at 6:30", ["schedule", "every day at 6:30"]),
  of("light from 22:00 to 06:00 fern", ["schedule", "22:00 to 06:00"]),
  of("dentist Tuesday at 3 pm", ["schedule", "Tuesday at 3 pm"]),
  of("cron 30 6 * * 1-5 watering", ["schedule", "30 6 * * 1-5"]),
  // devices
  of("b8:27:eb:12:34:56 raspberry", ["device", "b8:27:eb:12:34:56"]),
  of("192.168.178.20 port 8731 refused", ["device", "192.168.178.20"]),
  of("plants.local not resolving", ["device", "plants.local"]),
  of("3f2504e0-4f89-11d3-9a0c-0305e82c3301", ["device", "3f2504e0-4f89-11d3-9a0c-0305e82c3301"]),
];
