import { roomInWords } from "../../../drivers/room-quantities.js";
import { ALL_OFF, BACK_IN_POT, HELD, LONGEST_CHAT_TEXT, OFF_REASON, OUT_OF_POT } from "../../wire/names.js";
import { textBy } from "../../wire/phrases.js";
import type { StatusProblem } from "../../wire/status-problems.js";
import type { WaterReason } from "../../wire/why-water.js";
import { beginning, oneComma, span, whole } from "./figures.js";
import { type AskedFor, byCode, type RecurrenceUnit, type Words } from "./words.js";

const PROBE_TROUBLES = {
  PROBE_DISCONNECTED: "No da señal: ¿está desenchufada?",
  PROBE_IMPLAUSIBLE: "Su lectura es imposible.",
  PROBE_STUCK: "Su lectura no se mueve.",
};

/** Every word of the page in Spanish. */
export const ES: Words = {
  language: "es",
  quotes: "«»",
  tabs: { now: "Ahora", story: "Historia", photos: "Fotos", chat: "Chat", lists: "Listas", house: "Casa" },
  messages: "Informes y mensajes",
  views: "Vistas",
  off: "Apagar todo",
  offBusy: "Apagando…",
  offDone: {
    held: "Todo está apagado y en pausa hasta que una persona lo reanude.",
    off: "Todo está apagado. Un agente puede volver a encender; una persona puede poner una pausa.",
    failed:
      "Este navegador no pudo apagar. Pulse el botón de parada junto a la planta, desenchufe la fuente o ejecute: tendril off",
  },
  offRefused: "Lo que esperaba un sí queda rechazado.",
  dismiss: "Cerrar esta nota",
  connecting: "Conectando…",
  lost: "Sin conexión. Lo que ve es antiguo.",
  lostFor: (seconds) => `Sin conexión desde hace ${seconds} s. Lo que ve es antiguo.`,
  lostKept: (when) =>
    `Sin conexión. Lo que ve es de ${when}. Ahora no se puede cambiar nada; «Apagar todo» se intenta igualmente.`,
  needsConnection: "Para esto hace falta la conexión. Aparece solo en cuanto la haya.",
  healthUnknown: "Sin conexión no se sabe cómo está todo.",
  observer: "Esta pantalla solo muestra. Para cambiar algo, abra la página como persona.",
  leave: "Cerrar sesión",
  speak: "Idioma",
  speakAuto: "automático",
  whom: {
    ...{ human: "una persona", agent: "el agente", runtime: "el servidor" },
    ...{ observer: "una pantalla común", bridge: "el puente" },
    somebody: "alguien en el equipo del servidor",
  },
  holders: { human: "el dueño", agent: "el agente", observer: "una pantalla común" },
  actsAs: (who) => `Está aquí como ${who}.`,
  bench: "simulado",
  outTitle: "Este es un servidor de Tendril",
  outWhy: "Cuida plantas. Este navegador todavía no tiene acceso.",
  outEnded: "La sesión de este navegador se ha terminado.",
  outHow: "En el equipo del servidor, escriba",
  outThen: "y abra el enlace que muestra, o escanee su código con un teléfono.",
  linkFailed: "El enlace no funcionó:",
  linkOpening: "Abriendo…",
  photoSpan: "Periodo de las fotos",
  photoSpans: { week: "Última semana", month: "Último mes", year: "Último año" },
  photoHour: "Hora del día",
  aboutHour: (hour) => `hacia las ${hour}:00`,
  noPhotos: "No hay fotos de este periodo. El agente las hace cuando mira la planta.",
  photoLimit: (megabytes) =>
    `Las fotos pueden ocupar ${megabytes} MB del disco. Más allá se borran las más antiguas. Para cambiarlo escriba photos: { keep_megabytes: … } en tendril.yaml.`,
  photoCount: (count) => (count === 1 ? "Hasta ahora hay una foto." : `${count} fotos: una de cada día.`),
  photosOfOneDay: (count) => `${count} fotos de un día. Más adelante verá una de cada día.`,
  photoAt: "Foto",
  play: "Ver como película",
  pause: "Pausa",
  compare: "Comparar",
  compareEnd: "Dejar de comparar",
  compareHow:
    "Izquierda: la primera foto elegida, o la más antigua. Derecha: la más reciente; elija otra abajo.",
  photoBefore: "Antes",
  photoAfter: "Después",
  noChat: "Pregunte cómo está una planta o qué toca hacer.",
  working: "El agente prepara una respuesta.",
  waitsForYes: "El agente espera su sí o su no. Después responde aquí.",
  waitsForPeople: "El agente espera el sí o el no de una persona. Después responde aquí.",
  waitsForAgent: "Espera al agente. Si no hay ninguno en marcha, nadie responde.",
  stopped:
    "Las bombas y las luces están apagadas. El cuidado sigue, y el agente puede volver a encenderlas. «Apagar todo», arriba en cada vista, las deja apagadas.",
  turnFailed: "El agente no pudo responder. Lo intenta de nuevo por sí mismo.",
  noPhoto: "Aún no hay foto: el agente la hace cuando mira la planta",
  noCamera: "Sin cámara",
  dark: "a oscuras",
  darkAt: (when) => `a oscuras: ${when}; de día:`,
  ago: (ms) => (ms < 60_000 ? "ahora mismo" : `hace ${span(ms)}`),
  moisture: "Humedad del suelo",
  noReading: "aún sin medida",
  percent: (value) => `${oneComma(value)} %`,
  notAbove: (limit) => `sin agua por encima de ${whole(limit)} %`,
  isWet: (limit) => `por encima de ${whole(limit)} %: no sale agua`,
  water: "Agua",
  budget: (left, all) => `quedan ${whole(left)} de ${whole(all)} ml`,
  budgetAssumed: (ml) => `no queda nada: ${whole(ml)} ml cuentan como regados porque se perdió un registro`,
  budgetFull: "nada regado en 24 h",
  grows: (ml, when) => `+${whole(ml)} ml desde: ${when}`,
  pouring: "regando",
  pour: {
    open: "Regar",
    amount: "Cuánto",
    means: "La bomba empieza al momento. «Apagar todo» la para.",
    now: (ml) => `Regar ${ml} ml ahora`,
    done: (ml, left) => `Salieron ${whole(ml)} ml. Quedan ${whole(left)} ml para 24 horas.`,
    lost: (ml) => `La respuesta sobre ${ml} ml se perdió. Pulse otra vez: se riega una sola vez.`,
    wet: (percent, limit) =>
      `El suelo tiene ${oneComma(percent)} %. Por encima de ${oneComma(limit)} % no sale agua. Toque la tierra: si está seca, la sonda se equivoca, y puede regar de todos modos.`,
    allTheSame: (ml) => `Regar ${ml} ml de todos modos`,
    cancel: "No regar",
  },
  light: "Luz",
  lightOn: (today) => `encendida · ${today} min hoy`,
  lightOff: (today) => `apagada · ${today} min hoy`,
  lightRest: (minutes) => `se puede encender en ${minutes} min`,
  lightReady: "se puede encender",
  notFitted: "no instalado",
  tank: (name) => `Depósito «${name}»`,
  tankEmpty: "vacío: llénelo",
  tankOk: "tiene agua",
  unanswered: (ml, minutes) =>
    `La tierra no reaccionó a ${whole(ml)} ml en ${minutes} min: mire el tubo, el depósito y la sonda.`,
  inputs: {
    stop: (name) => `El botón de parada «${name}» está pulsado: suéltelo y reanude.`,
    leak: (name) =>
      `El sensor de fugas «${name}» está mojado: busque la fuga, seque el sensor y borre el fallo.`,
  },
  plan: "El agente",
  states: {
    healthy: "la encuentra sana",
    stressed: "la encuentra estresada",
    concerning: "está preocupado",
    critical: "la encuentra crítica",
    unknown: "no lo sabe",
  },
  plans: (steps) => `planea: ${steps}`,
  plansNothing: "no planea nada",
  step: (action, value) => {
    const name = { water: "agua", light: "luz", observe: "observar", alert: "avisar" }[action] ?? action;
    return value === undefined ? name : `${name} ${whole(value)} ${action === "light" ? "min" : "ml"}`;
  },
  refusedStatus: (reason) => `El servidor rechazó su plan: ${reason}`,
  planProblem: problemInSpanish,
  noStatus: "Ningún agente la ha mirado todavía. En el equipo del servidor lo inicia: tendril agent",
  uncared: (hours) => `Nadie la cuida desde hace ${hours} horas. ¿Está en marcha el agente?`,
  hold: (since, by, reason) => `En pausa desde ${since} por ${by}: ${reason}`,
  reasons: {
    [OFF_REASON]: "apagado en la página",
    [OUT_OF_POT]: "la sonda de humedad está fuera de la maceta para calibrarla",
    [BACK_IN_POT]: "la sonda de humedad está de nuevo en la maceta",
    "by a button or a command": "con un botón o una orden",
    "in a conversation": "en una conversación",
    "put on hold": "en pausa",
    "the probe works again": "la sonda vuelve a funcionar",
    "the camera works again": "la cámara vuelve a funcionar",
    "the runtime was off": "el servidor estaba apagado",
    "a person asked for it": "lo pidió una persona",
    "a person has looked at it": "una persona lo ha mirado",
    'stop button "" pressed': 'botón de parada "" pulsado',
    'the leak sensor "" was wet': 'el sensor de fugas "" estaba mojado',
    'the leak sensor "" is wet': 'el sensor de fugas "" está mojado',
    'the tank "" is empty': 'el depósito "" está vacío',
    'the tank "" is filled': 'el depósito "" está lleno',
  },
  refusals: byCode({
    TEXT_TOO_LONG: `El mensaje es demasiado largo: puede tener ${LONGEST_CHAT_TEXT} caracteres. Acórtelo o envíelo por partes.`,
    INVALID_ARGUMENT: "No se acepta lo escrito: quizá es demasiado largo o falta algo",
    ALREADY_EXISTS: "Ya existe algo con este nombre: úselo o elija otro nombre",
    AMBIGUOUS_NAME: "Varios se llaman así: elija uno en la lista",
    "NOT_FOUND UNKNOWN_TASK UNKNOWN_MEMORY UNKNOWN_MESSAGE UNKNOWN_PLACE UNKNOWN_FIELD":
      "Ya no existe: quizá alguien lo borró",
    UNKNOWN_PLANT: "Esa planta ya no está en la configuración",
    "UNKNOWN_TOOL MODULE_OFF": "Esa parte está desactivada en la configuración",
    "RESULT_TOO_LARGE TOO_MANY_BUCKETS HISTORY_THINNED": "Es demasiado a la vez: elija un tiempo más corto",
    "TOO_MANY_TASKS TOO_MANY_LISTS LIST_FULL TOO_MANY_MEMORIES PROFILE_FULL":
      "No cabe más: borre lo que ya no hace falta",
    "TOO_MANY_CHATS TOO_MANY_CHAT_MESSAGES TOO_MANY_MESSAGES":
      "Son demasiados mensajes por hoy: espere, o diga más en uno",
    MAIL_LIMIT: "Son demasiados correos por hoy",
    APPROVAL_NEEDED: "Espera el sí de una persona",
    APPROVAL_DENIED: "La petición a una persona fue rechazada",
    APPROVAL_EXPIRED: "Nadie dijo que sí a tiempo",
    UNKNOWN_APPROVAL: "Alguien ya respondió, o el plazo terminó",
    SOIL_WET: "La tierra está demasiado húmeda",
    BUDGET_EXCEEDED: "Queda muy poco de la cantidad de 24 horas: pida menos o espere",
    AWAITING_SOIL: "La sonda aún no muestra la última dosis: espere un minuto o dos",
    PROBE_FAULT: "La sonda de humedad falla: mire la sonda y su cable",
    HOLD: "Está en pausa: «Reanudar», en la planta, la termina",
    NO_RESPONSE:
      "La tierra no reaccionó a las últimas dosis: mire el tubo, el depósito y la sonda, y borre el fallo",
    LEAK: "Un sensor de fugas detectó agua: busque la fuga, seque el sensor y borre el fallo",
    "INTERLOCK INTERLOCK_FAULT": "El enclavamiento lo detuvo: resuelva lo que indica y borre el fallo",
    "INTERLOCK_LOST INTERLOCK_PORT": "El enclavamiento no responde: mire su alimentación y su cable",
    INTERLOCK_BUDGET: "El enclavamiento no deja más tiempo a la bomba por hoy",
    "INTERLOCK_LIMITS RELAY_WELDED PIN_FAILED":
      "Falla un relé o el enclavamiento: «El doctor», en «Casa», ayuda",
    TANK_EMPTY: "El depósito está vacío: llénelo",
    "INPUT_ACTIVE PULSE_INHIBITED": "Un botón o un sensor lo detiene",
    PLAN_EXCEEDED: "Era más de lo planeado",
    NO_CYCLE: "El agente no había escrito un plan",
    CYCLE_EXPIRED: "El plan del agente era demasiado viejo",
    CYCLE_REFUSED: "El plan del agente estaba rechazado",
    CARE_TAKEN: "Otro agente la cuida ahora",
    PAUSED: "Los agentes están en pausa",
    PUMP_BUSY: "La bomba está en marcha: espere a que termine",
    "GUARD_LOST PULSE_BUSY PULSE_STALE INTERLOCK_REST INTERLOCK_REFUSED":
      "La bomba no se encendió y no salió agua: inténtelo otra vez",
    CANCELLED: "Se detuvo antes del final; la historia dice cuánta agua salió",
    DOSE_UNCERTAIN: "No se sabe cuánta agua salió: cuenta toda. Mire la planta",
    LEDGER_UNAVAILABLE: "Sin el registro del agua no sale agua: mire la tarjeta",
    LIGHT_ALREADY_ON: "La luz ya está encendida",
    LIGHT_COOLDOWN: "La luz descansa todavía",
    NOT_FITTED: "Esa parte no está instalada",
    "BUS_NACK BUS_FAILED BUS_TIMEOUT CONVERSION_TIMEOUT SENSOR_FAULT SENSOR_IMPLAUSIBLE SENSOR_STUCK":
      "El sensor no responde bien: mire su cable",
    ...PROBE_TROUBLES,
    "CAMERA_FAILED CAMERA_PROGRAM_MISSING": "La cámara falla",
    "OUTCOME_UNKNOWN IDEMPOTENCY_CONFLICT RESULT_ERASED JOB_UNKNOWN":
      "No se sabe si se hizo: mire cómo está antes de repetirlo",
    "BRIDGE_AWAY BRIDGE_TAKEN JOB_FAILED JOB_UNANSWERED JOBS_BUSY PROVIDER_CHANGED PROVIDER_REFUSED":
      "El puente a internet no pudo hacerlo ahora",
    FORBIDDEN: "Este acceso no puede hacerlo",
    "UNAUTHORIZED SESSION_REFUSED":
      "Ese enlace o ese acceso no vale: en el equipo del servidor, tendril open da otro",
    PAGE_REFUSED: "Abra la página en la dirección del propio servidor",
    RATE_LIMITED: "Es demasiado seguido: inténtelo más tarde",
    "STORE_FAILED NO_ROOM TOKENS_UNREAD":
      "El servidor no puede guardar: mire si su tarjeta está llena o dañada",
    STATE_IN_USE: "Otro servidor usa la misma carpeta: pare uno de los dos",
    BACKUP_FAILED: "No se pudo con las copias: en el equipo del servidor, tendril backup dice por qué",
    DOCTOR_FAILED: "El doctor no pudo revisar: en el equipo del servidor ejecute tendril doctor",
    TOO_LATE:
      "Llegó demasiado tarde porque la tarjeta era muy lenta, y no se encendió nada: inténtelo otra vez",
    STOPPING: "El servidor se reinicia: inténtelo dentro de un momento",
    INTERNAL: "Un fallo de Tendril: el registro del servidor dice más",
    MEDIA_FULL: "No queda sitio para archivos: borre recuerdos con archivos",
    MEDIA_REFUSED: "Solo valen fotos, PDF y texto",
    REQUEST_TOO_LARGE: "Es demasiado grande: un archivo puede tener 10 MB",
    TIME_NOT_UNDERSTOOD: "No se entendió esa hora. Escríbala así: mañana a las 9, o cada lunes a las 8.",
    TIME_AMBIGUOUS: "Eso puede ser más de una hora: dígala con más detalle",
    TIME_PAST: "Esa hora ya pasó",
    "NOT_SIMULATED BENCH_FIXED": "Eso solo se puede en el banco de npm start",
    NO_LINK: "Sin conexión: inténtelo cuando la haya",
    "NO_ANSWER REQUEST_TIMEOUT": "El servidor no respondió a tiempo: mire si se hizo e inténtelo otra vez",
  }),
  refusalsThen: byCode({
    SOIL_WET: "La tierra estaba demasiado húmeda",
    BUDGET_EXCEEDED: "Quedaba muy poco de la cantidad de 24 horas",
    AWAITING_SOIL: "La sonda aún no mostraba la última dosis",
    PROBE_FAULT: "La sonda de humedad fallaba",
    HOLD: "Estaba en pausa",
    "INTERLOCK_LOST INTERLOCK_PORT": "El enclavamiento no respondía",
    TANK_EMPTY: "El depósito estaba vacío",
    "INPUT_ACTIVE PULSE_INHIBITED": "Un botón o un sensor lo detenía",
    CARE_TAKEN: "Otro agente la cuidaba",
    PAUSED: "Los agentes estaban en pausa",
  }),
  holdMeans: "Nada se enciende hasta que una persona reanude.",
  holdWould:
    "En pausa nada se enciende hasta que una persona reanude. Lo encendido sigue hasta su fin: «Apagar todo» lo apaga antes.",
  isHeld: "En pausa",
  probeIsFaulty: "La sonda de humedad falla",
  toNow: "Ver en «Ahora»",
  toTasks: "Ir a las tareas",
  andMore: (count) => `y ${count} más`,
  resume: "Reanudar",
  clear: "Ya lo he resuelto: borrar",
  locked: {
    NO_RESPONSE: "No hay más agua: el suelo no reaccionó a las últimas dosis",
    LEAK: "No hay más agua: un sensor de fugas detectó agua",
    INTERLOCK: "Ni agua ni luz: el enclavamiento las ha parado",
  },
  lockedElse: "No hay más agua: algo falla",
  whatToDo: {
    NO_RESPONSE: "Revise el tubo, el depósito y la sonda; después borre.",
    LEAK: "Busque la fuga y seque el sensor; después borre.",
    INTERLOCK: "Resuelva lo que indica el enclavamiento; después borre.",
  },
  probe: (since) =>
    `La sonda de humedad falla desde ${since}. Revise la sonda y su cable; «El doctor», en «Casa», ayuda.`,
  probeTroubles: PROBE_TROUBLES,
  failed: "No funcionó. El servidor dice, en inglés:",
  failedAs: {},
  asks: "Espera su sí",
  asksPeople: "Espera el sí de una persona",
  wants: (agent, words, plant) => `${agent} quiere: ${words}${plant ? ` (${plant})` : ""}`,
  afterReading: (sources) =>
    `Antes ha leído palabras de fuera: ${sources.join(", ")}. Pueden haberle dicho que pida esto.`,
  because: (reasoning) => `Su motivo: ${reasoning}`,
  wish: wishInSpanish,
  scope: ({ tool, scope }, plant) =>
    `Un sí vale para ${{ turn_on_light: `toda la luz de ${plant} en este ciclo`, dispense_water: `toda el agua para ${plant} en este ciclo` }[tool] ?? scope}.`,
  expires: (seconds) =>
    `Sin respuesta en ${seconds > 90 ? `${Math.round(seconds / 60)} min` : `${seconds} s`} cuenta como no.`,
  approve: "Permitir",
  refuse: "Rechazar",
  answered: (isYes, what) => `${isYes ? "Permitido" : "Rechazado"}: ${what}`,
  cameOf: {
    approved: "El agente todavía no ha usado su sí.",
    used: "El agente ha usado su sí.",
  },
  another: (count, planned) =>
    planned === undefined
      ? `Esta es otra petición: antes hubo ${count === 2 ? "una" : count - 1} igual${count === 2 ? "" : "es"}.`
      : `Esta es la dosis ${count} de ${planned} del plan del agente.`,
  warnings: "Sobre el equipo",
  rooms: "Habitaciones",
  room: (figures) => roomInWords(figures, ",", { humidity: "de humedad" }),
  roomFault: "sensor averiado",
  ranges: { hour: "Hora", day: "Día", week: "Semana", month: "Mes", year: "Año", all: "Todo" },
  range: "Periodo",
  plant: "Planta",
  airOf: "Aire de",
  earlier: "Antes",
  later: "Después",
  chart: (name, from, to) =>
    `Humedad del suelo de ${name} de ${from} a ${to}, con dosis y ciclos. Lo mismo está abajo como lista.`,
  coverage: (having, all, since) => {
    if (having === 0) return "No hay mediciones de este tiempo.";
    const share = `del ${whole((100 * having) / all)} %`;
    if (since === undefined) return `Mediciones ${share} de este tiempo.`;
    return having === all
      ? `Mediciones desde ${since}.`
      : `Mediciones desde ${since}: ${share} del tiempo desde entonces.`;
  },
  dosesHidden: (count) => `${count} dosis más están demasiado cerca de otras para la lista.`,
  sums: "En más de una semana cada barra es la suma de un tiempo, dibujada en sus dosis; la lista no tiene dosis ni ciclos sueltos.",
  whyNot: "¿Por qué no regaste?",
  whyWater: "¿Por qué regaste?",
  fromRecord: "Del registro:",
  yesterday: "Ayer",
  lastDay24: "Últimas 24 horas",
  reason: reasonInSpanish,
  table: "Tabla del gráfico",
  csv: "Guardar como CSV",
  csvEvents: "Guardar los sucesos como CSV",
  note: "Nota",
  noteAbout: "Lo que hizo o vio, por ejemplo: trasplantada. El agente lo lee y queda en la historia.",
  noteLabel: "Su nota",
  noteSave: "Guardar",
  addFile: "Foto o archivo",
  removeFile: (name) => `Quitar ${name}`,
  filesOf: (count) => (count === 0 ? "" : ` (${count === 1 ? "con un archivo" : `con ${count} archivos`})`),
  remember: "Algo para recordar",
  columns: ["Desde", "Hasta", "Humedad", "Medidas", "Agua", "Dosis"],
  events: "Qué pasó",
  quietCycles: (count, since) =>
    count === 1 ? "un ciclo que no planeó nada" : `${count} ciclos que no planearon nada, desde ${since}`,
  noEvents: "No hay nada registrado en este tiempo.",
  dose: (ml) => `${whole(ml)} ml de agua`,
  doseAsked: (ml) => `pedido: ${whole(ml)} ml`,
  outcomes: {
    ...{ stopped: "parada antes del final", uncertain: "incierta: cuenta entera" },
    ...{ pending: "aún en curso", refused: "rechazada", ledger_lost: "contada tras perderse el registro" },
  },
  by: (who) => `por ${who}`,
  cycle: "Ciclo",
  cyclePlan: (ml, minutes) => {
    const parts = [
      ...(ml > 0 ? [`${whole(ml)} ml`] : []),
      ...(minutes > 0 ? [`${whole(minutes)} min de luz`] : []),
    ];
    return parts.length === 0 ? "nada planeado" : `planeó ${parts.join(", ")}`;
  },
  cycleRefused: "plan rechazado",
  doseRefused: (ml) => `${whole(ml)} ml rechazados`,
  askedBy: (asker, refuser) =>
    `pedidos por ${asker}, ${refuser === undefined ? "sin respuesta de nadie" : `rechazados por ${refuser}`}`,
  wasOff: (since, until) =>
    since === undefined
      ? "El servidor ha vuelto: estaba apagado"
      : `Nada se midió de ${since} a ${until}: el servidor estaba apagado`,
  faultSince: (when) => `fallaba desde ${when}`,
  lockedSince: (when) => `bloqueo desde ${when}`,
  probeMeans: "Sin la sonda no sale agua, la pida quien la pida.",
  outages: { probe: "la sonda falla", off: "servidor apagado" },
  control: {
    hold: "En pausa",
    resume: "Reanudado",
    fault: "Fallo",
    clear: "Fallo borrado",
    all_off: "Todo apagado",
    tank_empty: "Depósito vacío",
    tank_filled: "Depósito lleno",
    probe_fault: "Falla la sonda",
    probe_ok: "La sonda vuelve a funcionar",
    camera_fault: "Falla la cámara",
    camera_ok: "La cámara vuelve a funcionar",
  },
  status: "Estado",
  thought: "Pensamiento",
  hypothesis: "Sospecha",
  doubts: "Dudas",
  calls: "Llamadas",
  modelCost: (model, tokens, money) =>
    `${model}: ${tokens} tokens${money === null ? "" : `, coste ${money}`}`,
  callNames: {},
  callTitles: byCode({
    dispense_water: "regar",
    turn_on_light: "encender la luz",
    capture_photo: "foto",
    write_plant_status: "estado",
    get_overview: "resumen",
    get_care_record: "registro",
    read_moisture: "humedad",
    get_moisture_history: "humedad hasta ahora",
    "get_water_usage_24h get_water_history": "agua hasta ahora",
    "get_light_status get_light_history": "luz hasta ahora",
    turn_off_light: "apagar la luz",
    stop_all: "apagar todo",
    list_tool: "listas",
    "task_tool add_task scheduleAgentTask": "tareas",
    "search_knowledge_base retrieve_knowledge": "lo que sabe la casa",
    "search_memories recall_user_context save_memory add_memory list_memories": "recuerdos",
    "get_user_profile update_user_profile": "perfil",
    search_web: "búsqueda",
    sendEmail: "correo",
    "call_ha_service get_entity_state get_ha_entities": "la casa",
    "send_message_to_human send_chat_message list_chat_messages": "mensajes",
    "log_thought save_notes fetch_notes": "notas",
    get_current_time: "hora",
  }),
  callOutcomes: { running: "…", done: "hecho" },
  noMore: "No hay nada más registrado.",
  byPerson: "Lo regó una persona.",
  outsideCycle: "Se regó fuera de un ciclo.",
  key: {
    ...{ air: "aire, °C", photo: "foto" },
    ...{ moisture: "humedad", dose: "dosis", light: "luz", cycle: "ciclo", refused: "rechazado" },
    ...{ fault: "fallo", hold: "en pausa", over: "resuelto", note: "nota" },
  },
  benchTitle: "El banco de pruebas",
  benchAbout: "Estas plantas son simuladas. Rompa algo y vea lo que hace el servidor.",
  benchTruth: (truth, said) => `el suelo tiene en verdad ${truth}; su sonda dijo ${said}`,
  benchSpeed: "A qué velocidad pasa su tiempo",
  benchTimes: (speed) => (speed === 1 ? "tiempo real" : `${speed} veces`),
  troubles: {
    probe_unplugged: {
      breaks: "Desconectar la sonda",
      mends: "Conectar la sonda otra vez",
      expect:
        "En un minuto la sonda cuenta como averiada. Hasta que vuelva no sale agua, la pida quien la pida.",
    },
    probe_stuck: {
      breaks: "Congelar la sonda",
      mends: "Dejar que la sonda mida otra vez",
      expect:
        "La lectura no cambia y no muestra ninguna dosis. Tras unos 60 ml sin respuesta la bomba se bloquea y se le avisa.",
    },
    tube_off: {
      breaks: "Quitar el tubo",
      mends: "Poner el tubo otra vez",
      expect:
        "El agua cae fuera de la maceta. Tras unos 60 ml sin respuesta del suelo la bomba se bloquea hasta que usted borre el fallo.",
    },
    tank_empty: {
      breaks: "Vaciar el depósito",
      mends: "Llenar el depósito",
      expect: "La bomba gira en seco. El suelo no responde y la bomba se bloquea, como con el tubo.",
    },
    leak: {
      breaks: "Mojar el sensor de fugas",
      mends: "Secar el sensor de fugas",
      expect:
        "La bomba se bloquea enseguida, también a mitad de una dosis, y se le avisa. Sigue bloqueada hasta que el sensor esté seco y usted borre el fallo.",
    },
    lamp_dead: {
      breaks: "Romper la lámpara",
      mends: "Cambiar la lámpara",
      expect: "El relé conmuta y no hay luz. Ningún sensor lo ve: mire las fotos.",
    },
  },
  powerCut: {
    breaks: "Cortar la corriente",
    expect:
      "El servidor termina al instante, incluso en medio de una dosis. La bomba se apaga con él. Vuelve a arrancar solo en unos segundos, y una dosis cortada cuenta entera.",
  },
  health: "Salud",
  noTrouble: "El servidor no conoce ningún fallo.",
  interlock: "Enclavamiento:",
  interlockOk: "en orden",
  bridgeConnected: "El programa que habla con internet está conectado.",
  bridgeAway: (since) =>
    `El puente, el programa que habla con internet, no está desde ${since}: no hay mensajes, calendarios ni búsquedas. Por qué, y cómo iniciarlo: tendril status`,
  bridgeProblem: (problem) =>
    `Una parte de bridge.yaml no funciona: ${problem}. Corrija el archivo y reinicie el puente.`,
  channelWorks: (channel, since) => `${channel} funciona desde ${since}.`,
  channelDown: (channel, since, why) => `${channel} no funciona desde ${since}: ${why}.`,
  notReported: "el puente no ha informado sobre él",
  calibration: {
    title: "Calibrar una sonda de humedad",
    about:
      "Necesita un vaso de agua y un paño. La sonda se mide seca, mojada y en su maceta. Al final ve las líneas para la configuración; la página no cambia nada en ella. La bomba se calibra en el equipo del servidor: tendril calibrate pump.",
    begin: "Empezar",
    held: "La planta está en pausa hasta que la sonda vuelva a su maceta; así nadie riega por lo que la sonda mide mientras tanto. Si deja esta página, la pausa sigue.",
    heldByOthers: "La planta ya estaba en pausa. Sigue así.",
    steps: {
      air: "1 de 3: seca. Seque la sonda y sosténgala en el aire. Es mejor la tierra muy seca, como la de su maceta.",
      water:
        "2 de 3: mojada. Ponga la sonda en un vaso de agua hasta la marca de la hoja. La electrónica queda seca.",
      pot: "3 de 3: devuelva la sonda a su maceta, a la profundidad definitiva.",
    },
    expect: {
      air: "Lo normal: unos 2,7 V; un seesaw, unas 200 cuentas. El valor debe quedar quieto tres segundos.",
      water:
        "Lo normal: unos 1,2 V; un seesaw, unas 2000 cuentas. Debe distar de lo seco al menos 0,1 V o 100 cuentas.",
      pot: "Lo normal: entre los dos.",
    },
    bench: "Esta sonda es simulada: va sola a cada sitio.",
    measure: "Ya está: medir",
    measureAgain: "Medir otra vez",
    again: "Empezar de nuevo por lo seco",
    useAllTheSame: "Usarlo de todos modos",
    giveUp: "Dejarlo: la sonda está otra vez en su maceta",
    close: "Listo",
    left: "Se dejó la vista.",
    waiting: (reading) => `${reading}: esperando a que quede quieto…`,
    level: (place, level, spread) =>
      `${{ air: "Seca", water: "Mojada", pot: "En su maceta" }[place]}: ${level}, estable en ${spread}.`,
    notSteady: (reading) =>
      `La sonda no quedó quieta en un minuto; lo último fue ${reading}. ¿Está enchufada, hay un cable suelto, o se movió? Mida otra vez.`,
    resembles: (level) =>
      `${level} es lo que da una entrada sin sonda, o una unida a la alimentación. ¿Está enchufada la sonda?`,
    troubles: {
      same: "Seca y mojada dan lo mismo. La sonda está rota, o en otro canal, o no se movió.",
      close: "Seca y mojada están demasiado cerca. ¿Estaba la sonda en el agua hasta la marca?",
      noisy:
        "El ruido es más de la décima parte de la distancia de seca a mojada: un cable suelto, uno largo o una mala alimentación.",
      unusual: "La mayoría de estas sondas van al revés de seca a mojada. ¿Se cambiaron seca y mojada?",
    },
    span: (span, noise) => `De seca a mojada: ${span}. El ruido es el ${noise} % de eso.`,
    inPot: (percent) => `En su maceta: ${percent} %.`,
    outside: "Eso está fuera de seca y mojada. ¿Estaba la hoja hasta la marca las dos veces?",
    implausible:
      "Eso está tan lejos de seca y mojada que el servidor no aceptaría ese valor. Calibre otra vez, con la hoja hasta la marca.",
    writes:
      "Esta orden escribe la calibración, tras su sí. En una Pi instalada va con sudo delante. Después reinicie el servidor:",
    byHand: (plant) => `O escriba esto en tendril.yaml, bajo «probe» de ${plant}:`,
  },
  backups: {
    title: "Copias de seguridad",
    holds:
      "Una copia contiene todo lo que perdura: agua, luz, pausas y fallos, mensajes, tareas, listas, recuerdos, mediciones, la configuración y todos los tokens. Guárdela donde solo usted pueda leerla.",
    holdsNot:
      "No contiene: las fotos (tendril backup --photos las incluye), las sesiones de los navegadores ni la carpeta del agente. tendril restore recupera una.",
    make: "Hacer una copia ahora",
    none: (folder) => `Aún no hay ninguna copia en ${folder}.`,
    where: (folder) =>
      `En ${folder}, en el equipo del servidor. Quedan las 14 más nuevas. Las copias de otras carpetas no aparecen.`,
    of: (when, megabytes) => `${when}, ${megabytes.replace(".", ",")} MB`,
    download: "Descargar",
    noDownload:
      "Solo se descarga en el propio equipo del servidor, con la sesión del dueño. Desde otro sitio copie el archivo con scp.",
  },
  doctor: {
    title: "El doctor",
    names: {
      configuration: "Configuración",
      "state folder": "Carpeta de estado",
      runtime: "Servidor",
      board: "Placa",
      power: "Alimentación",
      temperature: "Temperatura",
      clock: "Reloj",
      "disk space": "Espacio libre",
      "disk errors": "Errores de la tarjeta",
      relays: "Relés",
      probes: "Sondas",
      cameras: "Cámaras",
      interlock: "Enclavamiento",
      bridge: "Puente",
      channels: "Canales",
      service: "Servicio",
      backups: "Copias",
      "user and groups": "Usuario y grupos",
      devices: "Dispositivos",
    },
    about:
      "Revisa el equipo, la carpeta, los archivos del cableado, la red y el puente. No cambia nada. Mientras el servidor funciona no toca el bus ni las cámaras. Para todas las pruebas pare el servidor y ejecute: tendril doctor. Sus hallazgos están en inglés.",
    look: "Revisar ahora",
    again: "Revisar otra vez",
    busy: "El doctor está revisando. En un equipo pequeño tarda medio minuto.",
    summary: (wrong, when) =>
      wrong === 0 ? `${when}: no hay nada que arreglar.` : `${when}: ${wrong} por resolver.`,
    fine: (count) => `${count} en orden`,
    skipped: (count) => `${count} sin revisar`,
    verdicts: { failure: "fallo", warning: "aviso", skipped: "omitido" },
  },
  tokens: {
    title: "Tokens",
    about: "Un token es la llave de una persona o de un programa. La orden tendril token add hace otro.",
    roles: {
      human: "una persona: puede todo",
      agent: "un agente",
      observer: "mira y puede apagar",
      bridge: "el puente a internet",
      metrics: "lee las métricas",
    },
    made: (day) => `hecho el ${day}`,
    used: (when) => `usado por última vez ${when}`,
    unused: "no se conoce ningún uso",
    revoke: "Revocar",
    ends: "Lo que usa este token queda fuera al momento: sus programas y los navegadores que actúan con él. Un token revocado no vuelve.",
    lastWayIn:
      "Este es su propio acceso. Sin él se cierra esta página, y el equipo del servidor rechaza sus órdenes. Allí tendril token add human hace uno nuevo, y tendril open deja entrar otra vez a un navegador.",
  },
  holds: "Pausa",
  holdReason: "Motivo, por ejemplo vacaciones",
  holdAll: "Poner todo en pausa",
  resumeAll: "Reanudar todas las plantas",
  sessions: "Navegadores con acceso",
  sessionsHow:
    "En el equipo del servidor, tendril open deja entrar a otro navegador; con --observer, a una pantalla que todos leen.",
  sessionOf: (token, begun) => `como ${token}, desde ${begun}`,
  thisBrowser: "este navegador, ahora",
  endSession: (device) => `Terminar la sesión de ${device}`,
  revoke: "Terminar",
  settings: "Ajustes",
  settingsHow: "Tal como valen ahora. Para cambiar uno, edite tendril.yaml y reinicie el servidor.",
  isDefault: "(por defecto)",
  settingValues: { null: "sin valor", "": "ninguno", true: "sí", false: "no" },
  memories: "Lo que recuerda el agente",
  noMemories: "Nada todavía.",
  profile: "Lo que sabe de usted y de la casa",
  told: "dicho",
  inferred: "supuesto",
  sources: {
    CAPTURE: "de una conversación",
    DIARY: "anotado",
    IMPORT: "importado",
    SYSTEM: "del servidor",
  },
  forget: "Olvidar",
  keep: "Conservar",
  forgetMeans:
    "Esta entrada se borra para siempre, con todas sus versiones anteriores. Nadie puede recuperarlo. Solo lo tienen aún las copias de seguridad que ya existen.",
  recalls: {
    title: "Lo que el agente consultó",
    about: "Cada línea dice cuándo un agente recibió algo de esto, y para qué.",
    turns: {
      care: "para un ciclo",
      conversation: "para una conversación",
      task: "para una tarea",
      none: "fuera de un ciclo",
    },
    forgotten: (count) => (count === 1 ? "y algo que ya está olvidado" : `y ${count} que ya están olvidados`),
  },
  every: everyInSpanish,
  onDays: (days) => `el ${days}`,
  onMonthDays: (days) => `el ${days}`,
  dayOfMonth: (day) => (day === undefined ? "último día" : `día ${day}`),
  nthDay: (nth, day) => (nth === -1 ? `último ${day}` : `${nth}.º ${day}`),
  atTimes: (times) => `a las ${times}`,
  tasks: "Tareas",
  noTasks: "Ninguna tarea abierta.",
  addTask: "Tarea nueva",
  due: "Cuándo (mañana a las 9)",
  dueAt: (when) => `vence: ${when}`,
  understood: "Se entendió:",
  nextTimes: "Las próximas veces",
  addIfRight: "Si es correcto, añádala.",
  untimed: (time) => `Sin hora: no se avisa a nadie. Si «${time}» es su hora:`,
  whichTime: "Eso puede ser más de una hora. ¿Cuál?",
  taskTitle: "Tarea",
  newTime: "Nueva hora (vacía: no cambia)",
  edit: "Cambiar",
  remove: "Borrar",
  removeList: "Borrar la lista",
  taskGone: "¿Borrar la tarea, con sus avisos?",
  itemGone: "¿Borrar el elemento para siempre?",
  listGone: "¿Borrar la lista para siempre, con todo lo que contiene?",
  undo: "Deshacer",
  changedMeanwhile: (theirs) =>
    `Mientras tanto alguien lo cambió. Ahora es: ${theirs}. Lo que usted escribió aún no está guardado: «Guardar» lo pone en su lugar.`,
  keepTheirs: "Dejarlo como está ahora",
  afterDone: (when) => `tras «Hecho», de nuevo ${when}`,
  nextTime: (when) => `(de nuevo ${when})`,
  add: "Añadir",
  done: "Hecho",
  noLists: "Aún no hay listas.",
  addItem: "Elemento nuevo",
  item: "Elemento",
  newList: "Lista nueva",
  write: "Escribir al agente",
  send: "Enviar",
  requestOver: {
    approved: "Una persona dijo que sí.",
    used: "Una persona dijo que sí, y se hizo.",
    denied: "La respuesta fue no.",
    expired: "Nadie respondió a tiempo: contó como un no.",
  },
  requestEndedBy: {
    [HELD]: "Se puso en pausa: contó como un no.",
    [ALL_OFF]: "Se apagó todo: contó como un no.",
  },
  notAsked: (what) => `Ya no se pregunta: ${what}`,
  requestEnded: "Esta petición ya terminó.",
  toRequest: "Responder en «Ahora»",
  messageNote: "El agente lo lee al empezar su próximo ciclo.",
  noMessages: "Aún no hay mensajes.",
  fromAgent: "Agente",
  fromRuntime: "Servidor",
  fromYou: "Usted",
  unread: "sin leer",
  of: (person) => `de ${person}`,
};

function everyInSpanish(interval: number, unit: RecurrenceUnit): string {
  const [one, many] = {
    minute: ["cada minuto", "minutos"],
    hour: ["cada hora", "horas"],
    day: ["cada día", "días"],
    week: ["cada semana", "semanas"],
    month: ["cada mes", "meses"],
    year: ["cada año", "años"],
  }[unit] as [string, string];
  return interval === 1 ? one : `cada ${interval} ${many}`;
}

function reasonInSpanish(reason: WaterReason, when: (iso: string) => string): string {
  const lasted = (until: string | undefined) => (until === undefined ? "" : ` (hasta ${when(until)})`);
  return textBy(reason, "kind", {
    watered: ({ ml, doses, last, by, isPerson, because }) =>
      `Se regó: ${whole(ml)} ml en ${doses} dosis, la última ${when(last)} por ${by}. ${isPerson ? "La última la regó una persona." : because === null ? "La última fue fuera de un ciclo." : `El motivo: ${because}`}`,
    earlier: ({ ml, at, because }) =>
      `Antes, el agente dio ${whole(ml)} ml (${when(at)}). El motivo: ${because}`,
    hold: ({ since, by, reason: why }) => `En pausa desde ${when(since)} por ${by}: ${why}`,
    fault: ({ since, code, reason: why }) => `El agua está bloqueada desde ${when(since)} (${code}): ${why}`,
    held: ({ count, at, by, reason: why, until }) =>
      `Se puso en pausa${count === 1 ? `, ${when(at)},` : ` ${count} veces, la última ${when(at)},`} por ${by}: ${why}${lasted(until)}`,
    locked: ({ count, at, code, reason: why, until }) =>
      `El agua se bloqueó${count === 1 ? `, ${when(at)}` : ` ${count} veces, la última ${when(at)}`} (${code}): ${why}${lasted(until)}`,
    probe: ({ since, code }) =>
      `La sonda de humedad falla desde ${when(since)} (${code}). Sin ella no sale agua.`,
    budget: ({ left }) => `De la cantidad de 24 horas quedan solo ${whole(left)} ml, menos que una dosis.`,
    wet: ({ percent, limit }) =>
      `El suelo tiene ${oneComma(percent)} %. Por encima de ${whole(limit)} % no sale agua.`,
    decided: ({ count, at, reasoning }) =>
      `En ${count} ${count === 1 ? "ciclo" : "ciclos"} el agente no planeó agua. El último, ${when(at)}: ${reasoning}`,
    unfinished: ({ at, ml }) =>
      `${when(at)}: el agente planeó ${whole(ml)} ml y no salió nada: la llamada fue rechazada, nadie dijo sí o el agente terminó.`,
    dose_refused: ({ count, at, ml, reason: why }) =>
      `${count === 1 ? "Se rechazó una dosis" : `Se rechazaron al menos ${count} dosis, entre ellas una`} de ${whole(ml)} ml (${when(at)}): ${why}`,
    refused: ({ count, at, reason: why }) =>
      `El servidor rechazó ${count} ${count === 1 ? "plan" : "planes"}. El último, ${when(at)}: ${why}`,
    waiting: ({ words }) => `El agente quiere: ${words}. Espera el sí de una persona.`,
    tank_was: ({ count, since, until }) =>
      `El depósito se vació${count === 1 ? "" : ` ${count} veces, la última`}: ${when(since)}${lasted(until)}.`,
    probe_was: ({ count, since, until, code }) =>
      `La sonda de humedad falló ${count === 1 ? "" : `${count} veces, la más larga `}de ${when(since)} a ${when(until)} (${code}). Sin ella no sale agua.`,
    off: ({ count, since, until }) => {
      const off = `El servidor estuvo apagado ${count === 1 ? "" : `${count} veces, la más larga `}`;
      if (since === null) return `${off}hasta ${when(until)}.`;
      return `${off}de ${when(since)} a ${when(until)}: nada se midió.`;
    },
    nobody: ({ isPast }) =>
      isPast
        ? "En ese tiempo ningún agente la miró."
        : "En este tiempo ningún agente la ha mirado. ¿Hay alguno en marcha?",
  });
}

function wishInSpanish({ tool, arguments: args, words }: AskedFor): string {
  const { ml, minutes, paused, to, subject, body } = args;
  if (tool === "dispense_water" && ml !== undefined) return `regar ${ml} ml`;
  if (tool === "turn_on_light" && minutes !== undefined) return `encender la luz durante ${minutes} min`;
  if (tool === "pause_agents" && paused !== undefined)
    return paused ? "pausar los agentes" : "dejar que los agentes sigan";
  if (tool === "sendEmail" && to !== undefined)
    return `enviar un correo a ${to} con el asunto «${subject}» y el texto «${beginning(body, "caracteres")}»`;
  return words; // of another person's request the arguments are not shown
}

/** What the runtime found wrong in a plan. */
function problemInSpanish(problem: StatusProblem): string {
  return textBy(problem, "is", {
    timestamp: ({ claimed, actual }) => `Su hora es ${claimed ?? "ninguna"}; el reloj marca ${actual}.`,
    reading_unknown: () =>
      "Lo que dice de la sonda no se puede comprobar: no hay medida de los últimos 10 minutos.",
    sensor_reading: ({ claimed, actual, noise }) =>
      `Dice que la sonda midió ${claimed}; midió ${actual} (± ${noise}).`,
    water_24h: ({ claimed, actual }) =>
      `Cuenta ${claimed} ml de agua en 24 horas; el registro tiene ${actual} ml.`,
    light_today: ({ claimed, actual }) => `Cuenta ${claimed} min de luz hoy; fueron ${actual} min.`,
    step: ({ order }) => `El paso ${order} no tiene un valor posible.`,
    beyond_limit: ({ planned_ml, left_ml }) =>
      `Planea ${planned_ml} ml; de la cantidad de 24 horas quedan ${left_ml} ml.`,
    probe_faulty: () => "Planea agua, y la sonda de humedad falla.",
    wet_soil: ({ percent, limit_percent }) =>
      `Planea agua, y el suelo tiene ${oneComma(percent)} %; por encima de ${whole(limit_percent)} % no sale agua.`,
    light_unavailable: ({ is_on, minutes }) =>
      `Planea luz, y ${is_on ? "ya está encendida" : "todavía descansa"}: ${minutes} min más.`,
    hold: ({ reason }) => `La planta está en pausa: ${reason}.`,
    fault: ({ code }) => `Hay un fallo: ${code}.`,
    not_fitted: ({ action }) => `La planta no tiene ${action === "water" ? "bomba" : "luz"}.`,
  });
}
