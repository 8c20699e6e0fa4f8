// The questions that an engine answers, and its answers. A test of `spall-view` makes this file of the structs there:
// `UPDATE_GOLDEN=1 cargo test -p spall-view --lib`. What is absent is `undefined`.

/** How far a long question is: how many of something were looked at, and what that is. */
export type Tell = (done: number, what: string) => void;

/** The arguments of each question. */
export type Questions = {
  [Q in Question as Q extends string ? Q : keyof Q & string]:
    Q extends string ? [] : Q[keyof Q] extends [unknown, unknown, ...unknown[]] ? Q[keyof Q] : [Q[keyof Q]];
};

/** A function for each question. One that takes long may be given a function that is told how far it is. */
export type Asking = { [Q in keyof Questions]: (...args: [...Questions[Q], Tell?]) => Promise<Answers[Q]> };

/** The answer to each question. One that is superseded by a later one is answered with nothing. */
export type Answers = {
  about: About;
  act: Changed;
  apply: Changed;
  beside: Array<Table>;
  cancelGraph: undefined;
  cancelList: undefined;
  cancelStatistics: undefined;
  categories: Array<[string, number]>;
  compare: undefined;
  damage: Array<[string, number, Since | undefined]>;
  details: Details | undefined;
  durations: Durations | undefined;
  entries: Array<Entry>;
  find: Sought | undefined;
  findName: FoundCounts | undefined;
  frame: Frame;
  gaps: Stretches | undefined;
  graph: Shape | undefined;
  graphBox: BoxFacts | undefined;
  graphFrame: GraphFrame;
  hits: Array<Hit>;
  hitsOverview: Uint32Array;
  list: List | undefined;
  listText: string | undefined;
  longest: number | undefined;
  marks: Array<MarkFacts>;
  news: News | undefined;
  overview: Float32Array;
  path: Stretches;
  place: SlicePlace | undefined;
  snap: Since | undefined;
  statistics: Ranked | undefined;
  step: number | undefined;
  tree: SentTree | undefined;
  treeRows: TreeRows;
  treeText: string | undefined;
};

/** What is said about a trace as a whole. */
export type About = {
  /** The formats of the files. */
  format: string,
  /** How many there are of each kind of element, such as slices. */
  counts: Array<[string, number]>,
  /** Where the trace starts. */
  start: Since,
  /** Where it ends. */
  end: Since,
  /** Its duration. */
  span: Since,
  /** The shortest and the longest time that a window shows after a zoom. The middle of a window that moves stays in the trace. */
  durations: [Since, Since],
  /** What a tick is. */
  unit: TickUnit,
  /** The range to open on. It is not the whole trace if a few events lie far away from all others. */
  active: [Since, Since],
  /** What there is to say about the files and the timeline. */
  notes: Array<Note>,
  /** Where the files were put, if there are several. */
  placed: Array<Placed>,
  /** The name of the set of tracks that are added up if nobody chooses another one, and how many slices are on others. */
  tracks: string,
  /** How many slices that set leaves out. */
  leftOut: number,
  /** The names of the values that the samples have. */
  values: Array<string>,
  /** The one of them that was chosen. */
  value: string | undefined,
  /** Whether it is known what ran on processors, so that [`DerivedTrack::Cpus`](crate::DerivedTrack::Cpus) has something to show. */
  hasCpus: boolean,
  /** The processes and their tracks. */
  groups: Array<Group>,
  /** What is folded at first, because it is very high. */
  folded: Array<Item>,
  /** The colours of boxes. */
  colours: Colours,
  /** The numbers of the colours of durations, each with the shortest duration that has it. */
  durationShades: Array<[number, string]>,
  /** How far the trace has grown; `None` if it is finished. */
  growth: Growth | undefined,
  /** What a user can do with a key. */
  commands: Array<CommandInfo>,
};

/** What a user does with a pointer or in a panel. */
export type Action = { "command": Command } | { "select": [Element | undefined, Since] } | { "go": number } | { "visit": Target } | { "choose": ChosenRange | undefined } | { "fold": Item } | { "pin": Item } | { "hide": Item } | { "rows": NamedRows } | { "rate": Item } | { "share": Item } | { "move": [Item, Item | undefined] } | { "show": [Since, Since] } | { "search": string } | { "durations": [Since, Since] | undefined } | { "annotate": [number, string] } | { "unmark": number } | { "filter": [Array<string>, Array<string>] } | { "apply": Place };

/** A range of time, what of it counts, and what is added up. */
export type Area = {
  /** Where it starts. */
  start: Since,
  /** Where it ends. */
  end: Since,
  /** The tracks of these items count; for `None` those of a set. */
  items?: Array<Item> | undefined,
  /** The name of the set of tracks that count if no items are chosen; the one that
   * [`Trace::shown_tracks`](spall_trace::model::Trace::shown_tracks) says for `None`. */
  tracks?: string | undefined,
  /** The name of the measure that is added up; time for `None`. */
  measure?: string | undefined,
};

/** Which arrows of flows are drawn. */
export type Arrows = "off" | "selected" | "path" | "all";

/** What there is to say about a box. */
export type BoxFacts = {
  /** The name of the function, and its place in the source. */
  name: string,
  /** The name without its place in the source. */
  plain: string,
  /** Where the box starts on the axis. */
  start: Since,
  /** Where it ends. */
  end: Since,
  /** Its row. */
  depth: number,
  /** What is known about it. */
  facts: Array<[string, string]>,
};

/** Boxes of slices, states, objects and spans of derived tracks, or of the nodes of a graph. */
export type Boxes = {
  /** The left and the right edge of each, in columns. */
  edges: Float32Array,
  /** [`Boxes::EACH`] numbers of each: its top, height, id, name, how many elements it stands for, and its [`Style`]. */
  numbers: Uint32Array,
};

/** What the slices are put together by. */
export type By = "name" | "function";

/** What is so after the user has done something. */
export type Changed = {
  /** Whether it was something that the engine does. */
  done: boolean,
  /** How far the trace has grown; `None` if it is finished. */
  growth: Growth | undefined,
  /** What of a place the trace does not have. */
  missing: Array<string>,
  /** How many steps there were so far. */
  nSteps: number,
  /** What the user has set now. */
  place: Place,
  /** The range of time in view. */
  view: { start: Since, end: Since, },
  /** How far the timeline is scrolled down. */
  top: number,
  /** Which of the flows of the selected slice is followed, counted from 0; of fewer, the rest of a division. */
  flow: number,
  /** The hit that was gone to, or else what is selected if it was found. */
  hit: Hit | undefined,
  /** The lines of the main part. */
  main: Lines,
  /** The lines of the pinned tracks. */
  pinned: Lines,
  /** The processes and their tracks, in the order in which they are shown. */
  groups: Array<Group>,
};

/** The chart of a counter on its header. */
export type ChartPart = {
  /** The track of the counter. */
  track: number,
  /** The upper edge of the header. */
  top: number,
  /** Its height. */
  height: number,
  /** How far the left edge of the first column is from the left edge of the picture. */
  offset: number,
  /** The least value of the whole counter, at most 0; of all counters with the same scale, if it shares one. */
  least: number,
  /** The largest value of the whole counter, at least 0; of all counters with the same scale, if it shares one. */
  most: number,
  /** The least value in view, as a text; of series on top of each other, that of their sum. Empty if there is none. */
  low: string,
  /** The largest value in view, in the same way. */
  high: string,
  /** What is unusual about the chart: that it is a rate, or shares its scale. */
  note: string,
  /** Whether the series have colours that anybody can tell apart, because there are several. */
  apart: boolean,
  /** The series, the highest first. */
  layers: Array<Layer>,
};

/** How slices or instants are listed. */
export type ChosenList = {
  /** Only those of this name or function are listed, as [`Sums`](crate::Sums) calls it; all for `None`. */
  of?: string | undefined,
  /** Whether that is a name or a function. */
  by?: By,
  /** Whether only slices are listed that the search has found. */
  found?: boolean,
  /** Whether what is in view is listed, whatever range is chosen. `None` leaves it to the frontend. */
  inView?: boolean | undefined,
  /** By what they are sorted. Equal ones are in the order of time, and those of one time in the order of the trace. */
  order?: ListColumn,
  /** Whether the largest is first. What has no value is last in any case. */
  isDescending?: boolean,
  /** A pattern, as [`matcher`](crate::matcher) takes it: the name, the track, the category or the arguments match. */
  filter?: string,
  /** The keys of arguments that have columns, of which the first 24 count. `None` for those that most entries have, which are 6
   * at most. */
  keys?: Array<string> | undefined,
};

/** A range of time, and the tracks that count. */
export type ChosenRange = {
  /** Where it starts. */
  start: Since,
  /** Where it ends. */
  end: Since,
  /** The paths of the processes and tracks that count; all for `None`. */
  items?: Array<string> | undefined,
};

/** How the rows of a table are sorted, and which of them are listed. */
export type ChosenTable<O> = {
  /** By what they are sorted. */
  order?: O,
  /** Whether the smallest is first. */
  isAscending?: boolean,
  /** A text, whether in upper or in lower case: only rows with it in their names are listed. */
  filter?: string,
};

/** What slices have their colours by. */
export type ColorBy = "name" | "category" | "duration" | "track";

/** The colours of boxes, as in CSS. */
export type Colours = {
  /** On a light page. */
  light: Shades,
  /** On a dark page. */
  dark: Shades,
  /** Those that anybody can tell apart. */
  okabeIto: Shades,
  /** Those that slices have by themselves. */
  own: Array<string>,
};

/** A column of a list. */
export type ColumnFacts = {
  /** What is in it. */
  column: ListColumn,
  /** Its heading. */
  title: string,
  /** Whether it has times and numbers, which are written to the right. */
  isNumber: boolean,
};

/** Something that a user does with a key or by name. */
export type Command = "zoomIn" | "zoomOut" | "earlier" | "later" | "fit" | "fitAll" | "follow" | "back" | "forward" | "pageUp" | "pageDown" | "first" | "left" | "right" | "up" | "down" | "next" | "previous" | "nextOfName" | "previousOfName" | "flowOut" | "flowIn" | "otherFlowOut" | "otherFlowIn" | "rangeOfSelection" | "rangeOfTrack" | "mark" | "note" | "removeMarks" | "escape" | "find" | "nextHit" | "previousHit" | "fold" | "foldAll" | "pin" | "moveUp" | "moveDown" | "orderOfFile" | "hideTrack" | "counterRate" | "counterScale" | "hideName" | "hideCategory" | "showAll" | "byActivity" | "cpuTracks" | "pathTrack" | "togglePanel" | "timeline" | "flame" | "sandwich" | "bottomUp" | "callTree" | "comparison" | "statistics" | "tracks" | "categories" | "hits" | "durations" | "slices" | "instants" | "marks" | "waits" | "questions" | "nextMeasure" | "nextTracks" | "nextValue" | "frameTimes" | "help" | "savePage" | "settings";

/** What there is to say about a command. */
export type CommandInfo = {
  /** The command. */
  command: Command,
  /** The part of a list that it belongs to. */
  group: string,
  /** Its keys. Letters and digits are places on the keyboard, whatever is printed on them; `Shift+` and `Ctrl+` stand before
   * them. Everything else is a character, or the name of a key as browsers call it. */
  keys: Array<string>,
  /** What it does. */
  text: string,
};

/** A track that is derived from the trace, and stands above all others. [layout 24](spall_trace::layout::rules::layout#24)
 *
 * A place has at most one of each path. */
export type DerivedTrack = "cpus" | { "path": Selected } | { "rows": NamedRows };

/** What there is to say about an element. */
export type Details = {
  /** Its name. */
  name: string,
  /** What is known about it: what each fact is, and the fact. */
  facts: Array<[string, string]>,
  /** Its arguments: the key and the value of each. */
  args: Array<[string, string]>,
  /** The functions that were running, the innermost first. */
  stack: Array<string>,
  /** The other ends of its flows. */
  flows: Array<Link>,
};

/** How long what was found takes, whatever durations are looked for. */
export type Durations = {
  /** What is looked for, without the durations. */
  pattern: string,
  /** The edges of the bins, one more than there are bins. A duration at an edge is in the bin behind it. */
  edges: Array<Since>,
  /** Where each edge is on the axis, from 0 to 1. */
  places: Float32Array,
  /** How many slices are in each bin. */
  counts: Uint32Array,
  /** What the durations are as a whole: what each fact is, and the fact. */
  facts: Array<[string, string]>,
  /** The durations that so many of a hundred slices do not exceed: what to call each, where it is on the axis, and the text. */
  percentiles: Array<[string, number, string]>,
  /** The marks of the axis: the place of each, and its text. */
  marks: Array<[number, string]>,
  /** The stretch of the axis that is looked for, and what is in it. */
  chosen: [number, number, string] | undefined,
};

/** An element of the timeline. */
export type Element = { kind: ElementKind, id: number,
};

export type ElementKind = "slice" | "state" | "instant" | "counter" | "object" | "derived";

/** An entry of a list. */
export type Entry = {
  /** The slice or the instant. */
  element: Element,
  /** When it starts. */
  at: Since,
  /** The text of each column. */
  cells: Array<string>,
};

/** How many of each kind were found, and the headers of the tracks. */
export type FoundCounts = {
  /** The counts as a text: `14 slices, 1 instant`. */
  text: string,
  /** How many slices were found. */
  slices: number,
  /** How many instants were found. */
  instants: number,
  /** How many hits there are, of all kinds. */
  total: number,
  /** The processes, tracks and packs that were found. */
  tracks: Array<Item>,
};

/** What there is to draw. */
export type Frame = {
  /** The main part of the timeline. */
  main: Part,
  /** The pinned tracks. */
  pinned: Part,
  /** The marks of the ruler: the column of each, and its label. */
  ruler: Array<[number, string]>,
  /** Arrows: for each the column and the height of its two places, how many flows it stands for, and 1 if it is the selected
   * slice's. */
  arrows: Float32Array,
  /** How many arrows there are besides. */
  arrowsLeftOut: number,
  /** The names that are drawn and that the frontend does not have yet. */
  names: Array<[number, string]>,
  /** How far the trace has grown; `None` if it is finished. */
  growth: Growth | undefined,
};

/** The boxes of a part of a graph. */
export type GraphFrame = {
  /** The boxes. Their ids are nodes. */
  part: Boxes,
  /** The names of the boxes that are wide enough for one. */
  names: Array<[number, string]>,
};

/** The kinds of graphs. */
export type GraphKind = "flame" | "bottom-up" | "callers" | "callees" | "comparison";

/** A process and what belongs to it. What belongs to no process is a group without an item. */
export type Group = {
  /** The process. */
  item: Item | undefined,
  /** What a place calls it. */
  path: string,
  /** Its title. */
  label: string,
  /** Its id and what the file says of it. */
  detail: string,
  /** Its tracks and packs, from top to bottom. */
  members: Array<Member>,
};

/** How far a trace has grown. Everything that a frontend has of an earlier state may be another now: it asks for the
 * [news](crate::Question::News). */
export type Growth = {
  /** The number of the state, which is larger after each growth. */
  state: number,
  /** Whether nothing comes any more. */
  ended: boolean,
};

/** A header, and how far the lines below it reach. */
export type Header = {
  /** What it is the header of. */
  item: Item,
  /** Its upper edge. */
  top: number,
  /** Its height. */
  height: number,
  /** The lower edge of the last line before the next header. */
  bottom: number,
};

/** Something that was found. */
export type Hit = {
  /** What to go to. */
  target: Target,
  /** Its position among all hits. */
  rank: number,
  /** What it is, such as `slice`, `thread` or `counter`. */
  what: string,
  /** Its name, or the text of a note. */
  name: string,
  /** The path of its track; of a flow that of the track that it leaves. */
  track: string,
  /** When it starts; `None` for processes and tracks. */
  start: Since | undefined,
  /** How long it lasts, if it is no point in time. */
  duration: Since | undefined,
  /** The argument that matches, if it is not the name. */
  matched: string | undefined,
};

/** Something with a header: it can be folded, hidden and pinned. */
export type Item = { kind: ItemKind, id: number,
};

export type ItemKind = "process" | "track" | "pack" | "derived";

/** A series of a counter. */
export type Layer = {
  /** The number of its colour. */
  shade: number,
  /** Its name, if there are several. */
  name: string,
  /** For each run of columns its first one, the one behind its last, and the least and the largest value. */
  runs: Float32Array,
};

/** The lines of a part of the timeline. */
export type Lines = {
  /** How high they are together. */
  height: number,
  /** The headers, from top to bottom. */
  headers: Array<Header>,
};

/** The other end of a flow. */
export type Link = {
  /** Whether the flow leaves the slice that is described. */
  leaves: boolean,
  /** The name of the slice at the other end, and that of the flow. */
  name: string,
  /** The time from leaving to arriving. */
  takes: Since,
  /** The slice at the other end. */
  slice: number,
};

/** A list, of which the entries are asked for in pieces. */
export type List = {
  /** The number by which its entries are asked for. A later list takes its place. */
  number: number,
  /** How many entries it has. */
  count: number,
  /** How many there are with those that do not match the filter. */
  all: number,
  /** Its columns. */
  columns: Array<ColumnFacts>,
  /** The keys of the arguments of all of them, those that most have first, and how many have each. */
  keys: Array<[string, number]>,
  /** What is wrong with the filter, which then leaves out nothing. */
  fault: string | undefined,
};

/** What is known of a slice or an instant. */
export type ListColumn = "start" | "duration" | "own" | "cpu" | "name" | "track" | "category" | { "arg": string };

/** How the entries of a list are written for programs. Times are nanoseconds since tick 0, as the command writes them. */
export type ListFormat = "csv" | "tsv";

/** What is listed. */
export type ListKind = "slices" | "instants";

/** What the user has marked: a time, a range of time, or an element. With a text it is a note. */
export type Mark = {
  /** The time, or where it starts. */
  at: Since,
  /** Where it ends, if it lasts. */
  end?: Since | undefined,
  /** The element that it is about. */
  of?: Selected | undefined,
  /** What the user says about it. */
  text?: string,
};

/** What there is to say about a mark. */
export type MarkFacts = {
  /** Its position among the marks of the place. */
  number: number,
  /** Where it starts. */
  at: Since,
  /** Where it ends. */
  end: Since,
  /** When it starts, as a text. */
  time: string,
  /** How long it lasts; empty if it is a point in time. */
  takes: string,
  /** The name of what it is about; empty if it is about a time. */
  about: string,
  /** What the user says about it. */
  text: string,
  /** How long after the chosen mark it starts, or after the one before it if none is chosen. */
  distance: string,
};

/** The instants of a track on its header. */
export type Marks = {
  /** The upper edge of the header. */
  top: number,
  /** How far down the instants reach, if that is further than their header. */
  bottom: number | undefined,
  /** How far the left edge of the first column is from the left edge of the picture. */
  offset: number,
  /** For each mark its column, the number of its first instant, how many instants there are, and 1 if it was found. */
  numbers: Uint32Array,
};

/** A track, or async tracks that share lines. */
export type Member = {
  /** The track or the pack. */
  item: Item,
  /** What a place calls it. */
  path: string,
  /** Its title. Tracks below others are indented. */
  label: string,
  /** The id of the thread, or the category. */
  detail: string,
  /** What the timeline shows, such as `thread` or `counter`. */
  what: string,
  /** The part of the time in which something ran, for all tracks together. */
  busy: number,
  /** Whether nothing is on it, so that it is only shown if the user wants it. */
  empty: boolean,
};

/** Rows of times and names, such as those of a query. */
export type NamedRows = {
  /** What they are. Rows take the place of others with the same title. */
  title: string,
  /** The rows. Of more than 2000 those count that begin first. A place without them, such as that of an address, means those that
   * are shown under the title. */
  rows: Array<NamedTime>,
  /** How many rows there are besides. */
  leftOut?: number,
};

/** A time with a name. */
export type NamedTime = {
  /** When it starts. */
  start: Since,
  /** When it ends. */
  end: Since,
  /** Its name. */
  name: string,
  /** The slice that it is about, if that is there at this time. */
  slice?: number | undefined,
};

/** What has come since a state of a trace that grows. */
export type News = {
  /** How far the trace has grown. */
  growth: Growth,
  /** Where the trace starts. */
  start: Since,
  /** Where it ends. */
  end: Since,
  /** The shortest and the longest time that a window shows after a zoom. */
  durations: [Since, Since],
  /** The range of time in view. It moves while all of the trace is in view, and if the place says so. */
  view: { start: Since, end: Since, },
  /** How many there are of each kind of element, such as slices. */
  counts: Array<[string, number]>,
  /** What the last search has found by now. */
  found: FoundCounts | undefined,
  /** Why nothing comes any more, if something is wrong. */
  fault: string | undefined,
  /** What is there, if there are other lines or titles than in that state. */
  changed: Changed | undefined,
};

/** Something that is damaged or odd, or else worth knowing. */
export type Note = {
  /** A sentence. */
  text: string,
  /** Whether a file is missing or cut off, which a user should see at once. */
  isUrgent: boolean,
  /** How often that is so, if it can be counted. */
  count: number | undefined,
  /** The place of the first of them in the file, in bytes. */
  byte: number | undefined,
};

/** The objects of one type in one process, or a line of a derived track. */
export type ObjectLines = {
  /** The upper edge of their lines. */
  top: number,
  /** The height of all their lines. */
  height: number,
  /** The name of the type, and how many objects are left out, or what is on the line. */
  label: string,
};

/** By what sums are sorted. */
export type Order = "name" | "count" | "unmeasured" | "total" | "own" | "mean" | "min" | "max";

/** Everything of one part of the timeline but arrows. */
export type Part = {
  /** The instants of tracks. */
  marks: Array<Marks>,
  /** The instants of processes and of the whole trace, which are as high as what they are about. */
  wide: Array<Marks>,
  /** How busy folded processes and tracks are. */
  strips: Array<Strip>,
  /** Counters. */
  charts: Array<ChartPart>,
  /** The types of objects, and what is on lines of derived tracks. */
  objects: Array<ObjectLines>,
  /** The left and the right edge of each, in columns. */
  edges: Float32Array,
  /** [`Boxes::EACH`] numbers of each: its top, height, id, name, how many elements it stands for, and its [`Style`]. */
  numbers: Uint32Array,
};

/** Everything that a user can set: what is in view, selected, marked, found, hidden, pinned and so on.
 *
 * It is the state of a viewer, of a link to it, of a saved page and of a session. Tracks are told by their paths, which are the
 * same in the next trace of a program. [`Engine::apply`](crate::Engine::apply) shows a trace as a place says. */
export type Place = {
  /** The files of the trace, in the order in which they were opened. */
  files?: Array<PlaceFile>,
  /** The value of the samples, if it is not the one that the files say. */
  value?: string | undefined,
  /** The range of time in view; what is active in the trace for `None`. */
  view?: { start: Since, end: Since, } | undefined,
  /** Whether the range of time in view ends where a trace that grows does. It keeps its duration. */
  follows?: boolean,
  /** How far the timeline is scrolled down, in the unit of the heights. */
  top?: number,
  /** What is selected. */
  selected?: Selected | undefined,
  /** The range of time that statistics and call trees are about; the whole trace for `None`. */
  range?: ChosenRange | undefined,
  /** Times that the user has marked, in the order in which that was done. */
  marks?: Array<Mark>,
  /** The paths of the processes and tracks that are folded; what is very high for `None`. */
  folded?: Array<string> | undefined,
  /** The paths of what is not shown. */
  hidden?: Array<string>,
  /** The paths of what stays in sight. */
  pinned?: Array<string>,
  /** The paths of the counters of which the change per second is shown. */
  rates?: Array<string>,
  /** The paths of the counters that have one scale together. */
  shared?: Array<string>,
  /** The categories that are hidden. */
  categories?: Array<string>,
  /** The names of slices and instants that are hidden. */
  names?: Array<string>,
  /** Whether the busiest processes and tracks come first. */
  byActivity?: boolean,
  /** The paths of what the user has moved, in the order in which that was done: each before another one of its list, or to the
   * end. */
  moves?: Array<[string, string | undefined]>,
  /** The tracks that are derived from the trace, from top to bottom. They stand above all others. */
  derived?: Array<DerivedTrack>,
  /** Whether tracks are shown with nothing on them. */
  showsEmpty?: boolean,
  /** What is looked for: [`matcher`](crate::matcher). */
  search?: string,
  /** What slices have their colours by. */
  colorBy?: ColorBy,
  /** Which arrows of flows are drawn. */
  arrows?: Arrows,
  /** The name of what is added up; time if it is empty. */
  measure?: string,
  /** The name of the [set of tracks](spall_trace::model::TrackSet) that are added up; the set that
   * [`Trace::shown_tracks`](spall_trace::model::Trace::shown_tracks) says if it is empty. */
  tracks?: string,
  /** Whether the durations of what was found are on a linear axis instead of a logarithmic one. */
  linearDurations?: boolean,
  /** Whether sums are those of names or of functions. */
  sumsBy?: By,
  /** How sums are listed. */
  sums?: ChosenTable<Order>,
  /** Functions with this in their name or source are left out of call trees; none if it is empty. */
  without?: string,
  /** How the rows of a call tree are listed. */
  tree?: ChosenTable<TreeOrder>,
  /** How slices are listed. */
  slices?: ChosenList,
  /** How instants are listed. */
  instants?: ChosenList,
  /** The panel that is open, as the frontend calls it. */
  panel?: string,
};

/** A file of a place. */
export type PlaceFile = {
  /** Its name. */
  name: string,
  /** The nanoseconds that the user has added to its times. They are serialised as text, as they may be too large for a number
   * of JavaScript. */
  offset?: string | undefined,
};

/** A file among several, and how many nanoseconds were added to its times. */
export type Placed = {
  /** The name of the file. */
  name: string,
  /** A whole number, as text, because it may be too large for a number of JavaScript. */
  offset: string,
};

/** What a frontend asks. Each question is a function of [`Engine`], which says what it does. */
export type Question = "about" | { "act": [Action, Seen | undefined] } | { "apply": [Place, Seen | undefined] } | { "beside": Area } | "cancelGraph" | "cancelList" | "cancelStatistics" | "categories" | { "compare": SentTree } | "damage" | { "details": [Element, Since] } | { "durations": WantedDurations } | { "entries": [number, number, number] } | { "find": string | undefined } | { "findName": number } | { "frame": WantedFrame } | { "gaps": Area } | { "graph": [number, Area, WantedGraph] } | { "graphBox": [number, number] } | { "graphFrame": [number, Since, Since, number, number, number] } | { "hits": [number, number] } | { "hitsOverview": [Since, Since, number] } | { "list": WantedList } | { "listText": [number, ListFormat, number, number] } | { "longest": [number, Area] } | { "marks": number | undefined } | { "news": number } | { "overview": [Since, Since, number] } | { "path": number } | { "place": number } | { "snap": [Since, Since, number, number] } | { "statistics": [Area, By, Ranking] } | { "step": [number, Step] } | "tree" | { "treeRows": [number, WantedTreeRows, number, number] } | { "treeText": [number, WantedTreeRows, ListFormat, number, number] };

/** The sums that are wanted. */
export type Ranked = {
  /** In the order that is wanted. */
  rows: Array<Sums>,
  /** How many there are with those that are beyond the limit. */
  count: number,
  /** The self times of all, whether they pass the filter or not. */
  own: Since,
};

/** Which sums are wanted, and in what order. */
export type Ranking = {
  /** How they are sorted, and which of them are wanted. */
  table: ChosenTable<Order>,
  /** How many are wanted at most. */
  most: number,
};

/** What a frontend shows of the timeline when it asks for something, if it moves by itself between its questions. */
export type Seen = {
  /** The range of time in view, if it has moved since the engine has said it. */
  view?: { start: Since, end: Since, } | undefined,
  /** How far the timeline is scrolled down. */
  top: number,
  /** How many columns it has. */
  columns: number,
  /** How high it is, without the ruler. */
  height: number,
  /** The time under the pointer. */
  pointer?: Since | undefined,
  /** The item on whose lines the pointer is. */
  item?: Item | undefined,
  /** The panel that is open. */
  panel: string,
};

/** What is selected. */
export type Selected = {
  /** The element. */
  element: Element,
  /** When it starts; for a counter, the time at which it was pointed at. */
  at: Since,
  /** Its name, so that another trace does not show something else. */
  name: string,
};

/** A call tree in a form that the engine of another trace takes. */
export type SentTree = {
  /** The names of functions and files. */
  names: Array<string>,
  /** Eight numbers for each node: its parent, name, URL, line and column, how often it was called, and its self time, as
   * how many times 2³² ticks it has and what is left. Those that may be absent are greater by one, and 0 if they
   * are. */
  numbers: Float64Array,
};

/** The colours of one theme. */
export type Shades = {
  /** Those of boxes, by number. */
  shades: Array<string>,
  /** That of the text in boxes. */
  text: string,
};

/** How large a graph is. */
export type Shape = {
  /** The sum of all roots, which is the length of the axis. */
  total: Since,
  /** How many slices have no value of what is added up. */
  unmeasured: number,
  /** The number of rows. */
  rows: number,
  /** The function whose callers or callees it shows. */
  of: string,
};

/** A time, as ticks since the origin of an [`Engine`](crate::Engine).
 *
 * It is serialised as a number. A reader whose numbers have 53 bits, such as JavaScript, gets it exactly up to 2⁵³ ticks from
 * the origin; a time beyond that is rounded. A fraction of a tick that is read is cut. */
export type Since = number;

/** Where a slice is. */
export type SlicePlace = {
  /** When it starts. */
  start: Since,
  /** When it ends. */
  end: Since,
  /** The track or pack. */
  item: Item,
  /** The process. */
  process: Item | undefined,
  /** The upper edge and the height of its line, which may be a header; `None` if its track is hidden. */
  line: [number, number] | undefined,
  /** Whether the line is that of its own row. */
  shown: boolean,
};

/** What a search answers. */
export type Sought = FoundCounts | { error: string,
};

/** A slice beside another one. */
export type Step = "next" | "previous" | "parent" | "child";

/** A time on a track. */
export type Stretch = {
  /** When it starts. */
  start: Since,
  /** When it ends. */
  end: Since,
  /** The slice at its end; `None` where a path begins with a thread that was in no slice. */
  slice: number | undefined,
  /** The text of each column. */
  cells: Array<string>,
};

/** Times on tracks, such as gaps. */
export type Stretches = {
  /** The heading of each column. */
  columns: Array<string>,
  /** The longest first, or in the order of time. */
  rows: Array<Stretch>,
};

/** How busy the tracks of a header are. */
export type Strip = {
  /** The upper edge of the header. */
  top: number,
  /** Its height. */
  height: number,
  /** How far the left edge of the first column is from the left edge of the picture. */
  offset: number,
  /** For each column how many lanes are busy. */
  busy: Float32Array,
};

/** The sums of one name or function, in ticks or what else is added up. */
export type Sums = {
  /** The number of the name, if this is about a name. */
  id: number | undefined,
  /** The name, and the place in the source if this is about a function that has one. */
  name: string,
  /** How many slices there are. */
  count: number,
  /** How many of them have no value of what is added up. */
  unmeasured: number,
  /** The sum of their durations, once where one lies inside another one. */
  total: Since,
  /** What of it is not their children's. */
  own: Since,
  /** The mean of their durations. */
  mean: Since,
  /** The shortest duration. */
  min: Since,
  /** The longest duration. */
  max: Since,
  /** How many slices took how long, for the sums that are wanted: the number for each power of two from `first` on. */
  counts: Array<number>,
  /** The first power of two of `counts`. */
  first: number,
};

/** Facts that are written below headings. The first cell of a row says what the row is about. */
export type Table = {
  /** What it is about. */
  title: string,
  /** The heading of each column. */
  columns: Array<string>,
  /** The rows. */
  rows: Array<TableRow>,
  /** How many rows there are besides. */
  leftOut: number,
};

/** A row of a [`Table`]. */
export type TableRow = {
  /** The text of each column. */
  cells: Array<string>,
  /** The number of the colour that its chart has for it, among those that anybody can tell apart. */
  shade: number | undefined,
};

/** Something that can be gone to. */
export type Target = { kind: TargetKind, id: number,
};

export type TargetKind = "process" | "track" | "pack" | "derived" | "slice" | "instant" | "flow" | "note";

/** What a tick is: a number of nanoseconds, or one of the things with a name. */
export type TickUnit = number | string;

/** By what the rows of a call tree are sorted. */
export type TreeOrder = "total" | "own" | "count" | "name";

/** A row of a call tree. */
export type TreeRow = {
  /** The node. */
  node: number,
  /** How many rows it is below of. */
  depth: number,
  /** The name of the function, and its place in the source. */
  name: string,
  /** The name without its place in the source. */
  plain: string,
  /** Whether there is something below it; `None` if there is not, and otherwise whether that is shown. */
  isOpen: boolean | undefined,
  /** The part that its total has of the whole tree, from 0 to 1. */
  share: number,
  /** The total, its share, the self time, its share, and how many slices there are. */
  cells: [string, string, string, string, string],
};

/** Rows of a call tree. */
export type TreeRows = {
  /** How many rows there are. */
  count: number,
  /** Those that were asked for. */
  rows: Array<TreeRow>,
};

/** A wish for a histogram. */
export type WantedDurations = {
  /** The range of time that slices touch, and their tracks. */
  area: Area,
  /** How many bins there are at most. */
  bins: number,
  /** The shortest and the longest duration that the axis has; those of the slices for `None`. */
  axis?: { start: Since, end: Since, } | undefined,
};

/** What a frontend wants a picture of: a range of time in columns, and a range of heights of each part of the timeline. */
export type WantedFrame = {
  /** The time at the left edge. */
  start: Since,
  /** The time from the left edge to the right one. */
  duration: Since,
  /** How many columns there are. */
  columns: number,
  /** From how many columns on boxes are told apart. */
  boxWidth: number,
  /** The heights of the main part that are visible. */
  main: { start: number, end: number, },
  /** The heights of the pinned part that are visible. */
  pinned: { start: number, end: number, },
  /** The slice whose arrows lie over the others. */
  selected?: number | undefined,
  /** Which arrows are drawn. */
  arrows: Arrows,
  /** The fewest columns between marks of the ruler. */
  betweenMarks: number,
  /** The fewest columns of a box that has a label. */
  labelWidth: number,
  /** What slices have their colours by. */
  colorBy: ColorBy,
  /** Whether slices have the colours that the file asks for. */
  ownColors: boolean,
};

/** What a graph shows. */
export type WantedGraph = {
  /** The kind of graph. */
  graph: GraphKind,
  /** The function whose callers or callees are wanted: a node of the graph in the first place. */
  node?: number | undefined,
  /** A slice whose function is wanted. */
  slice?: number | undefined,
  /** A function that is wanted, as its box or its [`Sums`](crate::Sums) call it, or its name. */
  of?: string | undefined,
  /** What is left out of the tree, and so of the one that it is compared with. */
  without: string,
};

/** A wish for a list. */
export type WantedList = {
  /** What is listed. */
  kind: ListKind,
  /** The range of time and its tracks. Of instants, and of what was found, all tracks count if no items are chosen. */
  area: Area,
  /** How it is listed. */
  chosen: ChosenList,
};

/** Which rows of a call tree are wanted, and in what order. */
export type WantedTreeRows = {
  /** The node whose part of the tree is shown; the whole tree for `None`. */
  root?: number | undefined,
  /** The nodes that are open; if all are, those that are closed. */
  turned: Array<number>,
  /** Whether all nodes are open. Of an inverted tree these are the ones that its picture has. */
  isOpen: boolean,
  /** How the rows below one node are sorted, of which equal ones are in the order of the tree. Only functions with the filter in
   * their name or source are shown, and what they are below. */
  table: ChosenTable<TreeOrder>,
};
