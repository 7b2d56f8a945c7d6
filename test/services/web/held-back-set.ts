import type { PrivateKind } from "../../../runtime/wire/web-search.js";
import type { Labelled } from "./sanitizer-set.js";

/**
 * Written before the sanitizer knew names in lower case, and never used to mend it: 25 queries a language, as people type them. The
 * house is that of the other set.
 */

const has = (kind: PrivateKind, query: string, ...words: readonly string[]): Labelled => ({
  query,
  private: words.map((each) => ({ kind, words: each })),
});
const plain = (query: string): Labelled => ({ query, private: [] });

const ENGLISH = [
  has("person", "best fern for my daughter saoirse", "saoirse"),
  has("person", "plants that are safe in zeynep's room", "zeynep"),
  has("person", "birthday bouquet for aurelio", "aurelio"),
  has("person", "my husband thaddeus killed the orchid", "thaddeus"),
  has("person", "call kowalczyk about the drip hose", "kowalczyk"),
  has("person", "what did joshua parker say about pruning", "joshua parker"),
  has("person", "gardener called Oisín Ó Murchú", "Oisín Ó Murchú"),
  has("person", "my boss priyanka loves cacti", "priyanka"),
  has("person", "anna brandao watering habits", "anna brandao"),
  has("person", "is it ok if mrs haversham waters my ferns", "haversham"),
  has("person", "roommate named kofi forgets the cactus", "kofi"),
  has("phone", "text me on 555 0142 377 about the seedlings", "555 0142 377"),
  has("phone", "plumber at 020 7946 0321 for the tap", "020 7946 0321"),
  has("address", "flower delivery to 48 wisteria close flat 3", "48 wisteria close flat 3"),
  plain("aloe vera rot"),
  plain("why are rosemary's leaves yellow"),
  plain("calathea for a dark bathroom"),
  plain("fertilizer for tomatoes in pots"),
  plain("what to call a baby spider plant"),
  plain("my daughter wants a cactus"),
  plain("water for succulents in winter"),
  plain("my mother in law's tongue is drooping"),
  plain("st john's wort in shade"),
  plain("plants for north facing bedrooms"),
  plain("room for roots in a 12 cm pot"),
];

const GERMAN = [
  has("person", "geburtstagsstrauß für xaver", "xaver"),
  has("person", "die orchidee von oma hedwig", "hedwig"),
  has("person", "pflanzen für mein zimmer, meine tochter jule ist allergisch", "jule"),
  has("person", "wie gießt frau öztürk ihre farne", "öztürk"),
  has("person", "mein nachbar gökhan hat blattläuse", "gökhan"),
  has("person", "kaktus in leopolds zimmer", "leopolds"),
  has("person", "ist monstera giftig für unseren sohn bjarne", "bjarne"),
  has("person", "Blumen für Ottilie Schwarzkopf", "Ottilie Schwarzkopf"),
  has("person", "wo wohnt herr brinkmann der gärtner", "brinkmann"),
  has("person", "annas basilikum welkt", "annas"),
  has("phone", "ruf 0511 / 47 11 08 15 an gärtner", "0511 / 47 11 08 15"),
  has("phone", "handynummer 0049-171-2233445", "0049-171-2233445"),
  has("address", "lieferung nach ahornring 17", "ahornring 17"),
  has("address", "gärtnerei in 80331 München, Sendlinger Tor 4", "Sendlinger Tor 4"),
  plain("aloe vera fault an der wurzel"),
  plain("warum hat rosmarin gelbe blätter"),
  plain("dünger für tomaten"),
  plain("erde für kakteen selber mischen"),
  plain("beste pflanze für mein zimmer"),
  plain("blätter von innen braun"),
  plain("stecklinge von efeutute ziehen"),
  plain("frauenfarn oder wurmfarn"),
  plain("meine tochter möchte eine fleischfressende pflanze"),
  plain("gießkanne 1,5 liter mit langem hals"),
  plain("schädlinge von orchideen entfernen"),
];

const SPANISH = [
  has("person", "regalo de flores para itziar", "itziar"),
  has("person", "mi hija ainhoa es alérgica al polen", "ainhoa"),
  has("person", "plantas para el cuarto de nahuel", "nahuel"),
  has("person", "mi marido iker riega demasiado", "iker"),
  has("person", "la orquídea de doña remedios", "remedios"),
  has("person", "me llamo guadalupe y tengo pulgones", "guadalupe"),
  has("person", "ramo para Xóchitl Ibáñez", "Xóchitl Ibáñez"),
  has("person", "el vecino anselmo podó mi rosal", "anselmo"),
  has("person", "mi amiga yaiza tiene un potus", "yaiza"),
  has("person", "marta riega el helecho", "marta"),
  has("phone", "llámame al 654 32 10 98", "654 32 10 98"),
  has("address", "vivero cerca de camino viejo 23", "camino viejo 23"),
  has("address", "enviar macetas a av libertador 1450 piso 3", "av libertador 1450"),
  has("e-mail", "correo de la florista: flora (arroba) vivero punto es", "flora (arroba) vivero punto es"),
  plain("aloe vera podrido"),
  plain("por qué se ponen amarillas las hojas del romero"),
  plain("abono para tomates"),
  plain("plantas para el cuarto de baño"),
  plain("flores para mi abuela"),
  plain("sustrato para cactus"),
  plain("cómo se llama la planta con rayas"),
  plain("mi hija quiere una planta carnívora"),
  plain("hojas de albahaca con manchas"),
  plain("agua para orquídeas en invierno"),
  plain("cuidados de la cinta"),
];

const PORTUGUESE = [
  has("person", "flores para yasmin", "yasmin"),
  has("person", "minha filha maitê é alérgica a pólen", "maitê"),
  has("person", "plantas para o quarto do ravi", "ravi"),
  has("person", "meu marido adalberto afogou o cacto", "adalberto"),
  has("person", "a orquídea da dona conceição", "conceição"),
  has("person", "me chamo jurema e tenho pulgões", "jurema"),
  has("person", "buquê para Iracema Falcão", "Iracema Falcão"),
  has("person", "meu vizinho genivaldo podou a roseira", "genivaldo"),
  has("person", "brandão rega demais a samambaia", "brandão"),
  has("person", "minha amiga thaís tem uma jiboia", "thaís"),
  has("phone", "ligue para 11 98765-4321 jardineiro", "11 98765-4321"),
  has("address", "viveiro perto da alameda santos 1200", "alameda santos 1200"),
  has("address", "entregar vasos na trav. do comércio 12", "trav. do comércio 12"),
  has("account", "cpf 123.456.789-09 no cadastro da floricultura", "123.456.789-09"),
  plain("aloe vera apodrecendo"),
  plain("por que as folhas do alecrim ficam amarelas"),
  plain("adubo para tomate"),
  plain("plantas para quarto escuro"),
  plain("flores para minha avó"),
  plain("terra para cactos"),
  plain("como se chama a planta de folhas roxas"),
  plain("minha filha quer uma planta carnívora"),
  plain("manchas nas folhas do manjericão"),
  plain("água para orquídeas no inverno"),
  plain("mudas de samambaia"),
];

export const HELD_BACK: readonly Labelled[] = [...ENGLISH, ...GERMAN, ...SPANISH, ...PORTUGUESE];
