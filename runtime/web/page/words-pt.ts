import { roomInWords } from "../../../drivers/room-quantities.js";
import { ALL_OFF, BACK_IN_POT, HELD, LONGEST_CHAT_TEXT, OFF_REASON, OUT_OF_POT } from "../../wire/names.js";
import { textBy } from "../../wire/phrases.js";
import type { StatusProblem } from "../../wire/status-problems.js";
import type { WaterReason } from "../../wire/why-water.js";
import { beginning, oneComma, span, whole } from "./figures.js";
import { type AskedFor, byCode, type RecurrenceUnit, type Words } from "./words.js";

const PROBE_TROUBLES = {
  PROBE_DISCONNECTED: "Não dá sinal: está desligada?",
  PROBE_IMPLAUSIBLE: "A sua leitura é impossível.",
  PROBE_STUCK: "A sua leitura não se move.",
};

/** Every word of the page in Portuguese. */
export const PT: Words = {
  language: "pt",
  quotes: "«»",
  tabs: { now: "Agora", story: "História", photos: "Fotos", chat: "Chat", lists: "Listas", house: "Casa" },
  messages: "Relatórios e mensagens",
  views: "Vistas",
  off: "Desligar tudo",
  offBusy: "A desligar…",
  offDone: {
    held: "Tudo está desligado e em pausa até uma pessoa retomar.",
    off: "Tudo está desligado. Um agente pode voltar a ligar; uma pessoa pode pôr uma pausa.",
    failed:
      "Este navegador não conseguiu desligar. Prima o botão de paragem junto à planta, tire a ficha ou execute: tendril off",
  },
  offRefused: "O que esperava um sim fica recusado.",
  dismiss: "Fechar esta nota",
  connecting: "A ligar…",
  lost: "Sem ligação. O que vê é antigo.",
  lostFor: (seconds) => `Sem ligação há ${seconds} s. O que vê é antigo.`,
  lostKept: (when) =>
    `Sem ligação. O que vê é de ${when}. Agora nada pode ser mudado; «Desligar tudo» é tentado mesmo assim.`,
  needsConnection: "Para isto é precisa a ligação. Aparece sozinho assim que houver uma.",
  healthUnknown: "Sem ligação não se sabe como tudo está.",
  observer: "Este ecrã só mostra. Para mudar algo, abra a página como pessoa.",
  leave: "Terminar sessão",
  speak: "Idioma",
  speakAuto: "automático",
  whom: {
    ...{ human: "uma pessoa", agent: "um agente", runtime: "este servidor" },
    ...{ observer: "um ecrã comum", bridge: "uma ponte" },
    somebody: "alguém no computador do servidor",
  },
  holders: { human: "o dono", agent: "o agente", observer: "um ecrã comum" },
  actsAs: (who) => `Está aqui como ${who}.`,
  bench: "simulado",
  outTitle: "Este é um servidor do Tendril",
  outWhy: "Cuida de plantas. Este navegador ainda não tem acesso.",
  outEnded: "A sessão deste navegador foi terminada.",
  outHow: "No computador do servidor, escreva",
  outThen: "e abra a ligação que aparece, ou leia o código com um telefone.",
  linkFailed: "A ligação não funcionou:",
  linkOpening: "A abrir…",
  photoSpan: "Período das fotos",
  photoSpans: { week: "Última semana", month: "Último mês", year: "Último ano" },
  photoHour: "Hora do dia",
  aboutHour: (hour) => `cerca das ${hour}:00`,
  noPhotos: "Não há fotos deste período. O agente tira-as quando olha para a planta.",
  photoLimit: (megabytes) =>
    `As fotos podem ocupar ${megabytes} MB do disco. Para além disso as mais antigas são apagadas. Para mudar, escreva photos: { keep_megabytes: … } em tendril.yaml.`,
  photoCount: (count) => (count === 1 ? "Até agora há uma foto." : `${count} fotos: uma de cada dia.`),
  photosOfOneDay: (count) => `${count} fotos de um dia. Mais tarde verá uma de cada dia.`,
  photoAt: "Foto",
  play: "Ver como filme",
  pause: "Pausa",
  compare: "Comparar",
  compareEnd: "Deixar de comparar",
  compareHow:
    "Esquerda: a primeira foto escolhida, ou a mais antiga. Direita: a mais recente; escolha outra em baixo.",
  photoBefore: "Antes",
  photoAfter: "Depois",
  noChat: "Pergunte como está uma planta ou o que há para fazer.",
  working: "O agente prepara uma resposta.",
  waitsForYes: "O agente espera o seu sim ou não. Depois responde aqui.",
  waitsForPeople: "O agente espera o sim ou não de uma pessoa. Depois responde aqui.",
  waitsForAgent: "Espera pelo agente. Se nenhum estiver a correr, ninguém responde.",
  stopped:
    "As bombas e as luzes estão desligadas. O cuidado continua, e o agente pode voltar a ligá-las. «Desligar tudo», no topo de cada vista, mantém-nas desligadas.",
  turnFailed: "O agente não conseguiu responder. Tenta de novo por si.",
  noPhoto: "Ainda sem foto: o agente tira-a quando olha para a planta",
  noCamera: "Sem câmara",
  dark: "às escuras",
  darkAt: (when) => `às escuras: ${when}; de dia:`,
  ago: (ms) => (ms < 60_000 ? "agora mesmo" : `há ${span(ms)}`),
  moisture: "Humidade do solo",
  noReading: "ainda sem medição",
  percent: (value) => `${oneComma(value)} %`,
  notAbove: (limit) => `sem água acima de ${whole(limit)} %`,
  isWet: (limit) => `acima de ${whole(limit)} %: não corre água`,
  water: "Água",
  budget: (left, all) => `restam ${whole(left)} de ${whole(all)} ml`,
  budgetAssumed: (ml) => `não resta nada: ${whole(ml)} ml contam como regados porque se perdeu um registo`,
  budgetFull: "nada regado em 24 h",
  grows: (ml, when) => `+${whole(ml)} ml a partir de: ${when}`,
  pouring: "a regar",
  pour: {
    open: "Regar",
    amount: "Quanto",
    means: "A bomba começa logo. «Desligar tudo» para-a.",
    now: (ml) => `Regar ${ml} ml agora`,
    done: (ml, left) => `Correram ${whole(ml)} ml. Restam ${whole(left)} ml para 24 horas.`,
    lost: (ml) => `A resposta sobre ${ml} ml perdeu-se. Prima outra vez: rega-se uma só vez.`,
    wet: (percent, limit) =>
      `O solo tem ${oneComma(percent)} %. Acima de ${oneComma(limit)} % não corre água. Toque na terra: se está seca, a sonda engana-se, e pode regar mesmo assim.`,
    allTheSame: (ml) => `Regar ${ml} ml mesmo assim`,
    cancel: "Não regar",
  },
  light: "Luz",
  lightOn: (today) => `acesa · ${today} min hoje`,
  lightOff: (today) => `apagada · ${today} min hoje`,
  lightRest: (minutes) => `pode ser acesa em ${minutes} min`,
  lightReady: "pode ser acesa",
  notFitted: "não instalado",
  tank: (name) => `Depósito «${name}»`,
  tankEmpty: "vazio: encha-o",
  tankOk: "tem água",
  unanswered: (ml, minutes) =>
    `A terra não reagiu a ${whole(ml)} ml em ${minutes} min: veja o tubo, o depósito e a sonda.`,
  inputs: {
    stop: (name) => `O botão de paragem «${name}» está premido: solte-o e retome.`,
    leak: (name) =>
      `O sensor de fugas «${name}» está molhado: procure a fuga, seque o sensor e limpe a falha.`,
  },
  plan: "O agente",
  states: {
    healthy: "acha-a saudável",
    stressed: "acha-a em stress",
    concerning: "está preocupado",
    critical: "acha-a crítica",
    unknown: "não sabe",
  },
  plans: (steps) => `planeia: ${steps}`,
  plansNothing: "não planeia nada",
  step: (action, value) => {
    const name = { water: "água", light: "luz", observe: "observar", alert: "avisar" }[action] ?? action;
    return value === undefined ? name : `${name} ${whole(value)} ${action === "light" ? "min" : "ml"}`;
  },
  refusedStatus: (reason) => `O servidor recusou o plano: ${reason}`,
  planProblem: problemInPortuguese,
  noStatus: "Nenhum agente a viu ainda. No computador do servidor inicia-o: tendril agent",
  uncared: (hours) => `Ninguém cuida dela há ${hours} horas. O agente está a correr?`,
  hold: (since, by, reason) => `Em pausa desde ${since} por ${by}: ${reason}`,
  reasons: {
    [OFF_REASON]: "desligado na página",
    [OUT_OF_POT]: "a sonda de humidade está fora do vaso para ser calibrada",
    [BACK_IN_POT]: "a sonda de humidade está de novo no vaso",
    "by a button or a command": "com um botão ou um comando",
    "in a conversation": "numa conversa",
    "put on hold": "em pausa",
    "the probe works again": "a sonda funciona de novo",
    "the camera works again": "a câmara funciona de novo",
    "the runtime was off": "o servidor esteve desligado",
    "a person asked for it": "uma pessoa pediu-o",
    "a person has looked at it": "uma pessoa verificou",
    'stop button "" pressed': 'botão de paragem "" premido',
    'the leak sensor "" was wet': 'o sensor de fugas "" estava molhado',
    'the leak sensor "" is wet': 'o sensor de fugas "" está molhado',
    'the tank "" is empty': 'o depósito "" está vazio',
    'the tank "" is filled': 'o depósito "" está cheio',
  },
  refusals: byCode({
    TEXT_TOO_LONG: `A mensagem é demasiado longa: pode ter ${LONGEST_CHAT_TEXT} caracteres. Encurte-a ou envie-a por partes.`,
    INVALID_ARGUMENT: "O que escreveu não é aceite: talvez seja demasiado longo ou falte algo",
    ALREADY_EXISTS: "Já existe algo com este nome: use-o ou escolha outro nome",
    AMBIGUOUS_NAME: "Vários têm esse nome: escolha um na lista",
    "NOT_FOUND UNKNOWN_TASK UNKNOWN_MEMORY UNKNOWN_MESSAGE UNKNOWN_PLACE UNKNOWN_FIELD":
      "Já não existe: talvez alguém o tenha apagado",
    UNKNOWN_PLANT: "Essa planta já não está na configuração",
    "UNKNOWN_TOOL MODULE_OFF": "Essa parte está desativada na configuração",
    "RESULT_TOO_LARGE TOO_MANY_BUCKETS HISTORY_THINNED":
      "É demasiado de uma vez: escolha um tempo mais curto",
    "TOO_MANY_TASKS TOO_MANY_LISTS LIST_FULL TOO_MANY_MEMORIES PROFILE_FULL":
      "Não cabe mais: apague o que já não faz falta",
    "TOO_MANY_CHATS TOO_MANY_CHAT_MESSAGES TOO_MANY_MESSAGES":
      "São demasiadas mensagens para hoje: espere, ou diga mais numa só",
    MAIL_LIMIT: "São demasiados e-mails para hoje",
    APPROVAL_NEEDED: "Espera o sim de uma pessoa",
    APPROVAL_DENIED: "O pedido a uma pessoa foi recusado",
    APPROVAL_EXPIRED: "Ninguém disse sim a tempo",
    UNKNOWN_APPROVAL: "Alguém já respondeu, ou o prazo acabou",
    SOIL_WET: "A terra está demasiado húmida",
    BUDGET_EXCEEDED: "Resta muito pouco da quantidade de 24 horas: peça menos ou espere",
    AWAITING_SOIL: "A sonda ainda não mostra a última dose: espere um minuto ou dois",
    PROBE_FAULT: "A sonda de humidade falha: veja a sonda e os fios",
    HOLD: "Está em pausa: «Retomar», na planta, termina-a",
    NO_RESPONSE: "A terra não reagiu às últimas doses: veja o tubo, o depósito e a sonda, e limpe a falha",
    LEAK: "Um sensor de fugas detetou água: procure a fuga, seque o sensor e limpe a falha",
    "INTERLOCK INTERLOCK_FAULT": "O encravamento parou-o: resolva o que ele indica e limpe a falha",
    "INTERLOCK_LOST INTERLOCK_PORT": "O encravamento não responde: veja a alimentação e os fios",
    INTERLOCK_BUDGET: "O encravamento não dá mais tempo à bomba por hoje",
    "INTERLOCK_LIMITS RELAY_WELDED PIN_FAILED":
      "Falha um relé ou o encravamento: «O doutor», em «Casa», ajuda",
    TANK_EMPTY: "O depósito está vazio: encha-o",
    "INPUT_ACTIVE PULSE_INHIBITED": "Um botão ou um sensor para-o",
    PLAN_EXCEEDED: "Era mais do que o planeado",
    NO_CYCLE: "O agente não tinha escrito um plano",
    CYCLE_EXPIRED: "O plano do agente era demasiado antigo",
    CYCLE_REFUSED: "O plano do agente estava recusado",
    CARE_TAKEN: "Outro agente cuida dela agora",
    PAUSED: "Os agentes estão em pausa",
    PUMP_BUSY: "A bomba está a trabalhar: espere que acabe",
    "GUARD_LOST PULSE_BUSY PULSE_STALE INTERLOCK_REST INTERLOCK_REFUSED":
      "A bomba não se ligou e não correu água: tente outra vez",
    CANCELLED: "Parou antes do fim; a história diz quanta água correu",
    DOSE_UNCERTAIN: "Não se sabe quanta água correu: conta toda. Veja a planta",
    LEDGER_UNAVAILABLE: "Sem o livro da água não corre água: veja o cartão",
    LIGHT_ALREADY_ON: "A luz já está acesa",
    LIGHT_COOLDOWN: "A luz ainda descansa",
    NOT_FITTED: "Essa parte não está instalada",
    "BUS_NACK BUS_FAILED BUS_TIMEOUT CONVERSION_TIMEOUT SENSOR_FAULT SENSOR_IMPLAUSIBLE SENSOR_STUCK":
      "O sensor não responde bem: veja os fios",
    ...PROBE_TROUBLES,
    "CAMERA_FAILED CAMERA_PROGRAM_MISSING": "A câmara falha",
    "OUTCOME_UNKNOWN IDEMPOTENCY_CONFLICT RESULT_ERASED JOB_UNKNOWN":
      "Não se sabe se foi feito: veja como está antes de repetir",
    "BRIDGE_AWAY BRIDGE_TAKEN JOB_FAILED JOB_UNANSWERED JOBS_BUSY PROVIDER_CHANGED PROVIDER_REFUSED":
      "A ponte para a internet não o pôde fazer agora",
    FORBIDDEN: "Este acesso não o pode fazer",
    "UNAUTHORIZED SESSION_REFUSED":
      "Esse link ou esse acesso não serve: no computador do servidor, tendril open dá outro",
    PAGE_REFUSED: "Abra a página no endereço do próprio servidor",
    RATE_LIMITED: "É demasiado seguido: tente mais tarde",
    "STORE_FAILED NO_ROOM TOKENS_UNREAD":
      "O servidor não consegue guardar: veja se o cartão está cheio ou estragado",
    STATE_IN_USE: "Outro servidor usa a mesma pasta: pare um dos dois",
    BACKUP_FAILED: "Não se conseguiu com as cópias: no computador do servidor, tendril backup diz porquê",
    DOCTOR_FAILED: "O doutor não pôde ver: no computador do servidor execute tendril doctor",
    TOO_LATE: "Chegou tarde demais porque o cartão era muito lento, e nada se ligou: tente outra vez",
    STOPPING: "O servidor reinicia-se: tente daqui a pouco",
    INTERNAL: "Um defeito do Tendril: o log do servidor diz mais",
    MEDIA_FULL: "Não há mais espaço para ficheiros: apague memórias com ficheiros",
    MEDIA_REFUSED: "Só servem fotos, PDF e texto",
    REQUEST_TOO_LARGE: "É demasiado grande: um ficheiro pode ter 10 MB",
    TIME_NOT_UNDERSTOOD: "Essa hora não foi entendida. Escreva-a em inglês: tomorrow at 9.",
    TIME_AMBIGUOUS: "Isso pode ser mais de uma hora: diga-a com mais detalhe",
    TIME_PAST: "Essa hora já passou",
    "NOT_SIMULATED BENCH_FIXED": "Isso só se pode na bancada de npm start",
    NO_LINK: "Sem ligação: tente quando houver",
    "NO_ANSWER REQUEST_TIMEOUT": "O servidor não respondeu a tempo: veja se foi feito e tente outra vez",
  }),
  refusalsThen: byCode({
    SOIL_WET: "A terra estava demasiado húmida",
    BUDGET_EXCEEDED: "Restava muito pouco da quantidade de 24 horas",
    AWAITING_SOIL: "A sonda ainda não mostrava a última dose",
    PROBE_FAULT: "A sonda de humidade falhava",
    HOLD: "Estava em pausa",
    "INTERLOCK_LOST INTERLOCK_PORT": "O encravamento não respondia",
    TANK_EMPTY: "O depósito estava vazio",
    "INPUT_ACTIVE PULSE_INHIBITED": "Um botão ou um sensor parava-o",
    CARE_TAKEN: "Outro agente cuidava dela",
    PAUSED: "Os agentes estavam em pausa",
  }),
  holdMeans: "Nada é ligado até uma pessoa retomar.",
  holdWould:
    "Em pausa nada é ligado até uma pessoa retomar. O que está ligado continua até ao fim: «Desligar tudo» desliga-o antes.",
  isHeld: "Em pausa",
  probeIsFaulty: "A sonda de humidade está avariada",
  toNow: "Ver em «Agora»",
  toTasks: "Ir para as tarefas",
  andMore: (count) => `e mais ${count}`,
  resume: "Retomar",
  clear: "Já tratei disso: limpar",
  locked: {
    NO_RESPONSE: "Não há mais água: o solo não reagiu às últimas doses",
    LEAK: "Não há mais água: um sensor de fugas detetou água",
    INTERLOCK: "Nem água nem luz: o encravamento parou-as",
  },
  lockedElse: "Não há mais água: algo falha",
  whatToDo: {
    NO_RESPONSE: "Veja o tubo, o depósito e a sonda; depois limpe.",
    LEAK: "Procure a fuga e seque o sensor; depois limpe.",
    INTERLOCK: "Resolva o que o encravamento indica; depois limpe.",
  },
  probe: (since) =>
    `A sonda de humidade falha desde ${since}. Veja a sonda e os fios; «O doutor», em «Casa», ajuda.`,
  probeTroubles: PROBE_TROUBLES,
  failed: "Não funcionou. O servidor diz, em inglês:",
  failedAs: {},
  asks: "Espera o seu sim",
  asksPeople: "Espera o sim de uma pessoa",
  wants: (agent, words, plant) => `${agent} quer: ${words}${plant ? ` (${plant})` : ""}`,
  afterReading: (sources) =>
    `Leu antes palavras de fora: ${sources.join(", ")}. Podem tê-lo levado a pedir isto.`,
  because: (reasoning) => `O motivo: ${reasoning}`,
  wish: wishInPortuguese,
  scope: ({ tool, scope }, plant) =>
    `Um sim vale para ${{ turn_on_light: `toda a luz de ${plant} neste ciclo`, dispense_water: `toda a água para ${plant} neste ciclo` }[tool] ?? scope}.`,
  expires: (seconds) =>
    `Sem resposta em ${seconds > 90 ? `${Math.round(seconds / 60)} min` : `${seconds} s`} conta como não.`,
  approve: "Permitir",
  refuse: "Recusar",
  answered: (isYes, what) => `${isYes ? "Permitido" : "Recusado"}: ${what}`,
  cameOf: {
    approved: "O agente ainda não usou o seu sim.",
    used: "O agente usou o seu sim.",
  },
  another: (count, planned) =>
    planned === undefined
      ? `Este é um novo pedido: antes ${count === 2 ? "houve um igual" : `houve ${count - 1} iguais`}.`
      : `Esta é a dose ${count} de ${planned} do plano do agente.`,
  warnings: "Sobre o computador",
  rooms: "Divisões",
  room: (figures) => roomInWords(figures, ",", { humidity: "de humidade" }),
  roomFault: "sensor avariado",
  ranges: { hour: "Hora", day: "Dia", week: "Semana", month: "Mês", year: "Ano", all: "Tudo" },
  range: "Período",
  plant: "Planta",
  airOf: "Ar de",
  earlier: "Antes",
  later: "Depois",
  chart: (name, from, to) =>
    `Humidade do solo de ${name} de ${from} a ${to}, com doses e ciclos. O mesmo está em baixo como lista.`,
  coverage: (having, all, since) => {
    if (having === 0) return "Não há medições deste tempo.";
    const share = `de ${whole((100 * having) / all)} %`;
    if (since === undefined) return `Medições ${share} deste tempo.`;
    return having === all
      ? `Medições desde ${since}.`
      : `Medições desde ${since}: ${share} do tempo desde então.`;
  },
  dosesHidden: (count) => `Mais ${count} doses estão demasiado perto de outras para a lista.`,
  sums: "Em mais de uma semana cada barra é a soma de um tempo, desenhada nas suas doses; a lista não tem doses nem ciclos avulsos.",
  whyNot: "Porque não regaste?",
  whyWater: "Porque regaste?",
  fromRecord: "Do registo:",
  yesterday: "Ontem",
  lastDay24: "Últimas 24 horas",
  reason: reasonInPortuguese,
  table: "Tabela do gráfico",
  csv: "Guardar como CSV",
  csvEvents: "Guardar os acontecimentos como CSV",
  note: "Nota",
  noteAbout: "O que fez ou viu, por exemplo: transplantada. O agente lê e fica na história.",
  noteLabel: "A sua nota",
  noteSave: "Guardar",
  addFile: "Foto ou ficheiro",
  removeFile: (name) => `Retirar ${name}`,
  filesOf: (count) => (count === 0 ? "" : ` (${count === 1 ? "com um ficheiro" : `com ${count} ficheiros`})`),
  remember: "Algo para lembrar",
  columns: ["De", "Até", "Humidade", "Medições", "Água", "Doses"],
  events: "O que aconteceu",
  quietCycles: (count, since) =>
    count === 1 ? "um ciclo que não planeou nada" : `${count} ciclos que não planearam nada, desde ${since}`,
  noEvents: "Nada está registado neste tempo.",
  dose: (ml) => `${whole(ml)} ml de água`,
  doseAsked: (ml) => `pedido: ${whole(ml)} ml`,
  outcomes: {
    ...{ stopped: "parada antes do fim", uncertain: "incerta: conta por inteiro" },
    ...{
      pending: "ainda a decorrer",
      refused: "recusada",
      ledger_lost: "contada depois de se perder o registo",
    },
  },
  by: (who) => `por ${who}`,
  cycle: "Ciclo",
  cyclePlan: (ml, minutes) => {
    const parts = [
      ...(ml > 0 ? [`${whole(ml)} ml`] : []),
      ...(minutes > 0 ? [`${whole(minutes)} min de luz`] : []),
    ];
    return parts.length === 0 ? "nada planeado" : `planeou ${parts.join(", ")}`;
  },
  cycleRefused: "plano recusado",
  doseRefused: (ml) => `${whole(ml)} ml recusados`,
  askedBy: (asker, refuser) =>
    `pedidos por ${asker}, ${refuser === undefined ? "sem resposta de ninguém" : `recusados por ${refuser}`}`,
  wasOff: (since, until) =>
    since === undefined
      ? "O servidor voltou: esteve desligado"
      : `Nada foi medido de ${since} a ${until}: o servidor esteve desligado`,
  faultSince: (when) => `falhava desde ${when}`,
  lockedSince: (when) => `bloqueio desde ${when}`,
  probeMeans: "Sem a sonda não corre água, seja quem for que a peça.",
  outages: { probe: "a sonda falha", off: "servidor desligado" },
  control: {
    hold: "Em pausa",
    resume: "Retomado",
    fault: "Falha",
    clear: "Falha limpa",
    all_off: "Tudo desligado",
    tank_empty: "Depósito vazio",
    tank_filled: "Depósito cheio",
    probe_fault: "A sonda falha",
    probe_ok: "A sonda funciona de novo",
    camera_fault: "A câmara falha",
    camera_ok: "A câmara funciona de novo",
  },
  status: "Estado",
  thought: "Pensamento",
  hypothesis: "Suspeita",
  doubts: "Dúvidas",
  calls: "Chamadas",
  modelCost: (model, tokens, money) =>
    `${model}: ${tokens} tokens${money === null ? "" : `, custo ${money}`}`,
  callNames: {},
  callTitles: byCode({
    dispense_water: "regar",
    turn_on_light: "acender a luz",
    capture_photo: "foto",
    write_plant_status: "estado",
    get_overview: "resumo",
    get_care_record: "registo",
    read_moisture: "humidade",
    get_moisture_history: "humidade até agora",
    "get_water_usage_24h get_water_history": "água até agora",
    "get_light_status get_light_history": "luz até agora",
    turn_off_light: "apagar a luz",
    stop_all: "desligar tudo",
    list_tool: "listas",
    "task_tool add_task scheduleAgentTask": "tarefas",
    "search_knowledge_base retrieve_knowledge": "o que a casa sabe",
    "search_memories recall_user_context save_memory add_memory list_memories": "memórias",
    "get_user_profile update_user_profile": "perfil",
    search_web: "pesquisa",
    sendEmail: "e-mail",
    "call_ha_service get_entity_state get_ha_entities": "a casa",
    "send_message_to_human send_chat_message list_chat_messages": "mensagens",
    "log_thought save_notes fetch_notes": "notas",
    get_current_time: "horas",
  }),
  callOutcomes: { running: "…", done: "feito" },
  noMore: "Não há mais nada registado.",
  byPerson: "Uma pessoa regou.",
  outsideCycle: "Foi regada fora de um ciclo.",
  key: {
    ...{ air: "ar, °C", photo: "foto" },
    ...{ moisture: "humidade", dose: "dose", light: "luz", cycle: "ciclo", refused: "recusado" },
    ...{ fault: "falha", hold: "em pausa", over: "resolvido", note: "nota" },
  },
  benchTitle: "A bancada",
  benchAbout: "Estas plantas são simuladas. Estrague algo e veja o que o servidor faz.",
  benchTruth: (truth, said) => `o solo tem na verdade ${truth}; a sonda disse ${said}`,
  benchSpeed: "A que velocidade passa o seu tempo",
  benchTimes: (speed) => (speed === 1 ? "tempo real" : `${speed} vezes`),
  troubles: {
    probe_unplugged: {
      breaks: "Desligar a sonda",
      mends: "Ligar a sonda outra vez",
      expect: "Num minuto a sonda conta como avariada. Até voltar não corre água, peça quem pedir.",
    },
    probe_stuck: {
      breaks: "Congelar a sonda",
      mends: "Deixar a sonda medir outra vez",
      expect:
        "A leitura não muda e não mostra nenhuma dose. Após uns 60 ml sem resposta a bomba é bloqueada e recebe um aviso.",
    },
    tube_off: {
      breaks: "Tirar o tubo",
      mends: "Pôr o tubo outra vez",
      expect:
        "A água cai fora do vaso. Após uns 60 ml sem resposta do solo a bomba fica bloqueada até limpar a falha.",
    },
    tank_empty: {
      breaks: "Esvaziar o depósito",
      mends: "Encher o depósito",
      expect: "A bomba trabalha em seco. O solo não responde e a bomba é bloqueada, como com o tubo.",
    },
    leak: {
      breaks: "Molhar o sensor de fugas",
      mends: "Secar o sensor de fugas",
      expect:
        "A bomba é bloqueada logo, também a meio de uma dose, e é avisado. Fica bloqueada até o sensor estar seco e limpar a falha.",
    },
    lamp_dead: {
      breaks: "Avariar a lâmpada",
      mends: "Trocar a lâmpada",
      expect: "O relé comuta e não há luz. Nenhum sensor vê isso: veja as fotos.",
    },
  },
  powerCut: {
    breaks: "Cortar a corrente",
    expect:
      "O servidor acaba logo, mesmo a meio de uma dose. A bomba desliga-se com ele. Volta a arrancar sozinho em alguns segundos, e uma dose cortada conta por inteiro.",
  },
  health: "Saúde",
  noTrouble: "O servidor não conhece nenhuma falha.",
  interlock: "Encravamento:",
  interlockOk: "em ordem",
  bridgeConnected: "O programa que fala com a internet está ligado.",
  bridgeAway: (since) =>
    `A ponte, o programa que fala com a internet, está ausente desde ${since}: sem mensagens, calendários ou pesquisas. Porquê, e como a iniciar: tendril status`,
  bridgeProblem: (problem) =>
    `Uma parte de bridge.yaml não funciona: ${problem}. Corrija o ficheiro e reinicie a ponte.`,
  channelWorks: (channel, since) => `${channel} funciona desde ${since}.`,
  channelDown: (channel, since, why) => `${channel} não funciona desde ${since}: ${why}.`,
  notReported: "a ponte não informou sobre ele",
  calibration: {
    title: "Calibrar uma sonda de humidade",
    about:
      "Precisa de um copo de água e de um pano. A sonda é medida seca, molhada e no vaso. No fim vê as linhas para a configuração; a página não muda nada nela. A bomba calibra-se no computador do servidor: tendril calibrate pump.",
    begin: "Começar",
    held: "A planta fica em pausa até a sonda voltar ao vaso; assim ninguém rega pelo que a sonda mede entretanto. Se sair desta página, a pausa continua.",
    heldByOthers: "A planta já estava em pausa. Continua assim.",
    steps: {
      air: "1 de 3: seca. Limpe a sonda e segure-a no ar. Melhor ainda é terra bem seca, como a do vaso.",
      water: "2 de 3: molhada. Ponha a sonda num copo de água até à marca da lâmina. A eletrónica fica seca.",
      pot: "3 de 3: ponha a sonda de novo no vaso, à profundidade definitiva.",
    },
    expect: {
      air: "Normal: cerca de 2,7 V; um seesaw, cerca de 200 contagens. O valor tem de ficar parado três segundos.",
      water:
        "Normal: cerca de 1,2 V; um seesaw, cerca de 2000 contagens. Tem de distar do seco pelo menos 0,1 V ou 100 contagens.",
      pot: "Normal: entre os dois.",
    },
    bench: "Esta sonda é simulada: vai sozinha para cada sítio.",
    measure: "Já lá está: medir",
    measureAgain: "Medir outra vez",
    again: "Recomeçar pelo seco",
    useAllTheSame: "Usar mesmo assim",
    giveUp: "Parar aqui: a sonda está de novo no vaso",
    close: "Pronto",
    left: "Saiu-se da vista.",
    waiting: (reading) => `${reading}: à espera de que fique parado…`,
    level: (place, level, spread) =>
      `${{ air: "Seca", water: "Molhada", pot: "No vaso" }[place]}: ${level}, estável em ${spread}.`,
    notSteady: (reading) =>
      `A sonda não ficou parada num minuto; o último valor foi ${reading}. Está ligada, há um fio solto, ou mexeu-se? Meça outra vez.`,
    resembles: (level) =>
      `${level} é o que dá uma entrada sem sonda, ou uma ligada à alimentação. A sonda está ligada?`,
    troubles: {
      same: "Seca e molhada dão o mesmo. A sonda está avariada, ou noutro canal, ou não foi movida.",
      close: "Seca e molhada estão demasiado perto. A sonda estava na água até à marca?",
      noisy:
        "O ruído é mais de um décimo da distância de seca a molhada: um fio solto, um cabo longo ou uma má alimentação.",
      unusual: "A maioria destas sondas vai ao contrário de seca a molhada. Trocaram-se seca e molhada?",
    },
    span: (span, noise) => `De seca a molhada: ${span}. O ruído é ${noise} % disso.`,
    inPot: (percent) => `No vaso: ${percent} %.`,
    outside: "Isso está fora de seca e molhada. A lâmina estava até à marca das duas vezes?",
    implausible:
      "Isso está tão longe de seca e molhada que o servidor não aceitaria esse valor. Calibre outra vez, com a lâmina até à marca.",
    writes:
      "Este comando escreve a calibração, depois do seu sim. Numa Pi instalada leva sudo à frente. Depois reinicie o servidor:",
    byHand: (plant) => `Ou escreva isto em tendril.yaml, em «probe» de ${plant}:`,
  },
  backups: {
    title: "Cópias de segurança",
    holds:
      "Uma cópia contém tudo o que perdura: água, luz, pausas e falhas, mensagens, tarefas, listas, memórias, medições, a configuração e todos os tokens. Guarde-a onde mais ninguém a possa ler.",
    holdsNot:
      "Não contém: as fotos (tendril backup --photos inclui-as), as sessões dos navegadores e a pasta do agente. tendril restore repõe uma.",
    make: "Fazer uma cópia agora",
    none: (folder) => `Ainda não há nenhuma cópia em ${folder}.`,
    where: (folder) =>
      `Em ${folder}, no computador do servidor. Ficam as 14 mais recentes. As cópias noutras pastas não aparecem.`,
    of: (when, megabytes) => `${when}, ${megabytes.replace(".", ",")} MB`,
    download: "Descarregar",
    noDownload:
      "Só se descarrega no próprio computador do servidor, com a sessão do dono. De outro sítio copie o ficheiro com scp.",
  },
  doctor: {
    title: "O doutor",
    names: {
      configuration: "Configuração",
      "state folder": "Pasta de estado",
      runtime: "Servidor",
      board: "Placa",
      power: "Alimentação",
      temperature: "Temperatura",
      clock: "Relógio",
      "disk space": "Espaço livre",
      "disk errors": "Erros do cartão",
      relays: "Relés",
      probes: "Sondas",
      cameras: "Câmaras",
      interlock: "Encravamento",
      bridge: "Ponte",
      channels: "Canais",
      service: "Serviço",
      backups: "Cópias",
      "user and groups": "Utilizador e grupos",
      devices: "Dispositivos",
    },
    about:
      "Verifica o computador, a pasta, os ficheiros da cablagem, a rede e a ponte. Não muda nada. Enquanto o servidor funciona, não toca no barramento nem nas câmaras. Para todas as verificações pare o servidor e execute: tendril doctor. O que ele diz está em inglês.",
    look: "Verificar agora",
    again: "Verificar outra vez",
    busy: "O doutor está a verificar. Num computador pequeno demora meio minuto.",
    summary: (wrong, when) => (wrong === 0 ? `${when}: nada a corrigir.` : `${when}: ${wrong} por resolver.`),
    fine: (count) => `${count} em ordem`,
    skipped: (count) => `${count} por verificar`,
    verdicts: { failure: "falha", warning: "aviso", skipped: "omitido" },
  },
  tokens: {
    title: "Tokens",
    about: "Um token é a chave de uma pessoa ou de um programa. O comando tendril token add faz outro.",
    roles: {
      human: "uma pessoa: pode tudo",
      agent: "um agente",
      observer: "vê e pode desligar",
      bridge: "a ponte para a internet",
      metrics: "lê as métricas",
    },
    made: (day) => `feito em ${day}`,
    used: (when) => `usado pela última vez ${when}`,
    unused: "nenhum uso conhecido",
    revoke: "Revogar",
    ends: "O que usa este token fica logo de fora: os programas e os navegadores que agem com ele. Um token revogado não volta.",
    lastWayIn:
      "Este é o seu próprio acesso. Sem ele esta página fecha-se, e o computador do servidor recusa os seus comandos. Lá, tendril token add human faz um novo, e tendril open volta a deixar entrar um navegador.",
  },
  holds: "Pausa",
  holdReason: "Motivo, por exemplo férias",
  holdAll: "Pôr tudo em pausa",
  resumeAll: "Retomar todas as plantas",
  sessions: "Navegadores com acesso",
  sessionsHow:
    "No computador do servidor, tendril open deixa entrar outro navegador; com --observer, um ecrã que todos leem.",
  sessionOf: (token, begun) => `como ${token}, desde ${begun}`,
  thisBrowser: "este navegador, agora",
  endSession: (device) => `Terminar a sessão de ${device}`,
  revoke: "Terminar",
  settings: "Definições",
  settingsHow: "Tal como valem agora. Para mudar uma, edite tendril.yaml e reinicie o servidor.",
  isDefault: "(por omissão)",
  settingValues: { null: "sem valor", "": "nenhum", true: "sim", false: "não" },
  memories: "O que o agente recorda",
  noMemories: "Ainda nada.",
  profile: "O que sabe de si e da casa",
  told: "dito",
  inferred: "suposto",
  sources: {
    CAPTURE: "de uma conversa",
    DIARY: "anotado",
    IMPORT: "importado",
    SYSTEM: "do servidor",
  },
  forget: "Esquecer",
  keep: "Manter",
  forgetMeans:
    "Esta entrada é apagada para sempre, com todas as versões anteriores. Ninguém o recupera. Só as cópias de segurança que já existem ainda o têm.",
  recalls: {
    title: "O que o agente consultou",
    about: "Cada linha diz quando um agente recebeu algo disto, e para quê.",
    turns: {
      care: "para um ciclo",
      conversation: "para uma conversa",
      task: "para uma tarefa",
      none: "fora de um ciclo",
    },
    forgotten: (count) =>
      count === 1 ? "e algo que já foi esquecido" : `e ${count} que já foram esquecidos`,
  },
  every: everyInPortuguese,
  onDays: (days) => `(${days})`,
  onMonthDays: (days) => `no ${days}`,
  dayOfMonth: (day) => (day === undefined ? "último dia" : `dia ${day}`),
  nthDay: (nth, day) => {
    const [last, ordinal] = day.endsWith("feira") ? ["última", "ª"] : ["último", "º"];
    return nth === -1 ? `${last} ${day}` : `${nth}.${ordinal} ${day}`;
  },
  atTimes: (times) => `às ${times}`,
  tasks: "Tarefas",
  noTasks: "Nenhuma tarefa aberta.",
  addTask: "Nova tarefa",
  due: "Quando (inglês: tomorrow at 9)",
  dueAt: (when) => `prazo: ${when}`,
  understood: "Entendido:",
  nextTimes: "As próximas vezes",
  addIfRight: "Se estiver certo, acrescente-a.",
  untimed: (time) => `Sem hora: ninguém é avisado. Se «${time}» é a hora:`,
  whichTime: "Isso pode ser mais do que uma hora. Qual?",
  taskTitle: "Tarefa",
  newTime: "Nova hora (vazia: não muda)",
  edit: "Mudar",
  remove: "Apagar",
  removeList: "Apagar a lista",
  taskGone: "Apagar a tarefa, com os seus avisos?",
  itemGone: "Apagar o item para sempre?",
  listGone: "Apagar a lista para sempre, com tudo o que contém?",
  undo: "Desfazer",
  changedMeanwhile: (theirs) =>
    `Entretanto alguém mudou isto. Agora é: ${theirs}. O que escreveu ainda não está guardado: «Guardar» põe-no no seu lugar.`,
  keepTheirs: "Deixar como está agora",
  afterDone: (when) => `depois de «Feito», de novo ${when}`,
  nextTime: (when) => `(de novo ${when})`,
  add: "Acrescentar",
  done: "Feito",
  noLists: "Ainda não há listas.",
  addItem: "Novo item",
  item: "Item",
  newList: "Nova lista",
  write: "Escrever ao agente",
  send: "Enviar",
  requestOver: {
    approved: "Uma pessoa disse sim.",
    used: "Uma pessoa disse sim, e foi feito.",
    denied: "A resposta foi não.",
    expired: "Ninguém respondeu a tempo: contou como um não.",
  },
  requestEndedBy: {
    [HELD]: "Foi posto em pausa: contou como um não.",
    [ALL_OFF]: "Desligou-se tudo: contou como um não.",
  },
  notAsked: (what) => `Já não se pergunta: ${what}`,
  requestEnded: "Este pedido já terminou.",
  toRequest: "Responder em «Agora»",
  messageNote: "O agente lê-o no início do próximo ciclo.",
  noMessages: "Ainda não há mensagens.",
  fromAgent: "Agente",
  fromRuntime: "Servidor",
  fromYou: "Você",
  unread: "por ler",
  of: (person) => `de ${person}`,
};

function everyInPortuguese(interval: number, unit: RecurrenceUnit): string {
  const [one, many] = {
    minute: ["a cada minuto", "minutos"],
    hour: ["a cada hora", "horas"],
    day: ["todos os dias", "dias"],
    week: ["todas as semanas", "semanas"],
    month: ["todos os meses", "meses"],
    year: ["todos os anos", "anos"],
  }[unit] as [string, string];
  return interval === 1 ? one : `a cada ${interval} ${many}`;
}

function reasonInPortuguese(reason: WaterReason, when: (iso: string) => string): string {
  const lasted = (until: string | undefined) => (until === undefined ? "" : ` (até ${when(until)})`);
  return textBy(reason, "kind", {
    watered: ({ ml, doses, last, by, isPerson, because }) =>
      `Foi regada: ${whole(ml)} ml em ${doses} ${doses === 1 ? "dose" : "doses"}, a última ${when(last)} por ${by}. ${isPerson ? "A última foi regada por uma pessoa." : because === null ? "A última foi fora de um ciclo." : `O motivo: ${because}`}`,
    earlier: ({ ml, at, because }) =>
      `Antes, o agente deu ${whole(ml)} ml (${when(at)}). O motivo: ${because}`,
    hold: ({ since, by, reason: why }) => `Em pausa desde ${when(since)} por ${by}: ${why}`,
    fault: ({ since, code, reason: why }) => `A água está bloqueada desde ${when(since)} (${code}): ${why}`,
    held: ({ count, at, by, reason: why, until }) =>
      `Foi posta em pausa${count === 1 ? `, ${when(at)},` : ` ${count} vezes, a última ${when(at)},`} por ${by}: ${why}${lasted(until)}`,
    locked: ({ count, at, code, reason: why, until }) =>
      `A água foi bloqueada${count === 1 ? `, ${when(at)}` : ` ${count} vezes, a última ${when(at)}`} (${code}): ${why}${lasted(until)}`,
    probe: ({ since, code }) =>
      `A sonda de humidade falha desde ${when(since)} (${code}). Sem ela não corre água.`,
    budget: ({ left }) => `Da quantidade de 24 horas restam só ${whole(left)} ml, menos do que uma dose.`,
    wet: ({ percent, limit }) =>
      `O solo tem ${oneComma(percent)} %. Acima de ${whole(limit)} % não corre água.`,
    decided: ({ count, at, reasoning }) =>
      `Em ${count} ${count === 1 ? "ciclo" : "ciclos"} o agente não planeou água. O último, ${when(at)}: ${reasoning}`,
    unfinished: ({ at, ml }) =>
      `${when(at)}: o agente planeou ${whole(ml)} ml e nada correu: a chamada foi recusada, ninguém disse sim ou o agente acabou.`,
    dose_refused: ({ count, at, ml, reason: why }) =>
      `${count === 1 ? "Foi recusada uma dose" : `Foram recusadas pelo menos ${count} doses, entre elas uma`} de ${whole(ml)} ml (${when(at)}): ${why}`,
    refused: ({ count, at, reason: why }) =>
      `O servidor recusou ${count} ${count === 1 ? "plano" : "planos"}. O último, ${when(at)}: ${why}`,
    waiting: ({ words }) => `O agente quer: ${words}. Espera o sim de uma pessoa.`,
    tank_was: ({ count, since, until }) =>
      `O depósito ficou vazio${count === 1 ? "" : ` ${count} vezes, a última`}: ${when(since)}${lasted(until)}.`,
    probe_was: ({ count, since, until, code }) =>
      `A sonda de humidade falhou ${count === 1 ? "" : `${count} vezes, a mais longa `}de ${when(since)} a ${when(until)} (${code}). Sem ela não corre água.`,
    off: ({ count, since, until }) => {
      const off = `O servidor esteve desligado ${count === 1 ? "" : `${count} vezes, a mais longa `}`;
      if (since === null) return `${off}até ${when(until)}.`;
      return `${off}de ${when(since)} a ${when(until)}: nada foi medido.`;
    },
    nobody: ({ isPast }) =>
      `${isPast ? "Nesse" : "Neste"} tempo nenhum agente a viu.${isPast ? "" : " Há algum a correr?"}`,
  });
}

function wishInPortuguese({ tool, arguments: args, words }: AskedFor): string {
  const { ml, minutes, paused, to, subject, body } = args;
  if (tool === "dispense_water" && ml !== undefined) return `regar ${ml} ml`;
  if (tool === "turn_on_light" && minutes !== undefined) return `acender a luz por ${minutes} min`;
  if (tool === "pause_agents" && paused !== undefined)
    return paused ? "pausar os agentes" : "deixar os agentes continuar";
  if (tool === "sendEmail" && to !== undefined)
    return `enviar um e-mail a ${to} com o assunto «${subject}» e o texto «${beginning(body, "caracteres")}»`;
  return words; // of another person's request the arguments are not shown
}

/** What the runtime found wrong in a plan. */
function problemInPortuguese(problem: StatusProblem): string {
  return textBy(problem, "is", {
    timestamp: ({ claimed, actual }) => `A sua hora é ${claimed ?? "nenhuma"}; o relógio marca ${actual}.`,
    reading_unknown: () => "O que diz da sonda não se pode verificar: não há medição dos últimos 10 minutos.",
    sensor_reading: ({ claimed, actual, noise }) =>
      `Diz que a sonda mediu ${claimed}; mediu ${actual} (± ${noise}).`,
    water_24h: ({ claimed, actual }) => `Conta ${claimed} ml de água em 24 horas; o livro tem ${actual} ml.`,
    light_today: ({ claimed, actual }) => `Conta ${claimed} min de luz hoje; foram ${actual} min.`,
    step: ({ order }) => `O passo ${order} não tem um valor possível.`,
    beyond_limit: ({ planned_ml, left_ml }) =>
      `Planeia ${planned_ml} ml; da quantidade de 24 horas restam ${left_ml} ml.`,
    probe_faulty: () => "Planeia água, e a sonda de humidade falha.",
    wet_soil: ({ percent, limit_percent }) =>
      `Planeia água, e o solo tem ${oneComma(percent)} %; acima de ${whole(limit_percent)} % não corre água.`,
    light_unavailable: ({ is_on, minutes }) =>
      `Planeia luz, e ela ${is_on ? "já está acesa" : "ainda descansa"}: mais ${minutes} min.`,
    hold: ({ reason }) => `A planta está em pausa: ${reason}.`,
    fault: ({ code }) => `Há uma falha: ${code}.`,
    not_fitted: ({ action }) => `A planta não tem ${action === "water" ? "bomba" : "luz"}.`,
  });
}
