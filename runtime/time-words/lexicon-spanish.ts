import { numbered } from "./lexicon.js";
import type { Amount, PartOfDay, RepeatUnit } from "./meaning.js";
import type { Table } from "./rules.js";

/** Spanish words with a value, without accents, as in `lexicon.ts`. */

/** What people count hours, days and minutes by. */
export const NUMBERS: Table<number> = [
  ...numbered(
    "un/uno/una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince",
    1,
  ),
  ["veinte", 20],
  ["veinticinco", 25],
  ["treinta", 30],
  ["cuarenta", 40],
  ["cuarenta y cinco", 45],
  ["cincuenta", 50],
];

export const WEEKDAYS = numbered("lunes martes miercoles jueves viernes sabado domingo", 0);
export const PLURAL_WEEKDAYS = numbered("lunes martes miercoles jueves viernes sabados domingos", 0);
export const MONTHS = numbered(
  "enero febrero marzo abril mayo junio julio agosto septiembre/setiembre octubre noviembre diciembre",
  1,
);
export const ORDINALS: Table<number> = [...numbered("primer segundo tercer cuarto", 1), ["ultimo", -1]];

const seconds = (n: number): Amount => ({ months: 0, days: 0, seconds: n });
const days = (n: number): Amount => ({ months: 0, days: n, seconds: 0 });

export const UNITS_OF_AMOUNT: Table<Amount> = [
  ["minuto,minutos,min", seconds(60)],
  ["hora,horas,h", seconds(3600)],
  ["dia,dias", days(1)],
  ["semana,semanas", days(7)],
  ["mes,meses", { months: 1, days: 0, seconds: 0 }],
];

export const REPEAT_UNITS: Table<{ unit: RepeatUnit; times: number }> = [
  ["minuto,minutos", { unit: "minute", times: 1 }],
  ["hora,horas", { unit: "hour", times: 1 }],
  ["dia,dias", { unit: "day", times: 1 }],
  ["semana,semanas", { unit: "week", times: 1 }],
  ["mes,meses", { unit: "month", times: 1 }],
  ["ano,anos", { unit: "year", times: 1 }],
];

/** The afternoon lasts until dark: "tarde" is no hour of the evening alone. */
export const PARTS: Table<PartOfDay> = [
  ["manana", "morning"],
  ["tarde", "afternoon"],
  ["noche", "night"],
];
