// The style of the viewer. A page may set the properties `--trace-view-…`.

const DARK = `
  color-scheme: dark; --theme: dark;
  --page: var(--trace-view-page, #15181c); --names: var(--trace-view-names, #1a1e23);
  --head: var(--trace-view-head, #252b32); --line: var(--trace-view-line, #2b3138);
  --text: var(--trace-view-text, #e1e5ea); --dim: var(--trace-view-dim, #98a2ad);
  --instant: var(--trace-view-instant, #a3adb8); --accent: var(--trace-view-accent, #6cb0ff);
  --hit: var(--trace-view-hit, #ff8d85); --range: var(--trace-view-range, #00000066);
  --float: var(--trace-view-float, #262c34f5);
`;

export const STYLE = `
:host { display: block; position: relative; height: 400px; container-type: inline-size; }
:host([hidden]) { display: none; }
#pane {
  color-scheme: light; --theme: light;
  --page: var(--trace-view-page, #fff); --names: var(--trace-view-names, #f8f9fb);
  --head: var(--trace-view-head, #e9edf1); --line: var(--trace-view-line, #e1e5ea);
  --text: var(--trace-view-text, #1f2328); --dim: var(--trace-view-dim, #5d6772);
  --instant: var(--trace-view-instant, #57606a); --accent: var(--trace-view-accent, #0a58ca);
  --hit: var(--trace-view-hit, #c01622); --range: var(--trace-view-range, #0a1a3014);
  --float: var(--trace-view-float, #fffffff5);
}
@media (prefers-color-scheme: dark) { #pane:not([data-theme=light]) { ${DARK} } }
#pane[data-theme=dark] { ${DARK} }
@media (forced-colors: active) { :is(#pane, #pane[data-theme]) {
  --page: Canvas; --names: Canvas; --head: Canvas; --line: GrayText; --text: CanvasText; --dim: CanvasText;
  --instant: CanvasText; --accent: Highlight; --hit: Mark; --range: transparent; --float: Canvas;
} }
* { box-sizing: border-box; }
#pane {
  height: 100%; position: relative;
  display: flex; flex-direction: column; overflow: hidden;
  background: var(--page); color: var(--text); font: 13px/1.4 system-ui, "Segoe UI", "DejaVu Sans", sans-serif;
}
header { display: flex; align-items: center; gap: 4px 10px; padding: 5px 10px; border-bottom: 1px solid var(--line); flex-wrap: wrap; }
h1 { margin: 0; font-size: 14px; font-weight: 600; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; max-width: 30cqw; }
#about { margin: 0; flex: 1 1 120px; min-width: 0; color: var(--dim); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
#hint { margin: 0; padding: 4px 10px; background: var(--head); display: flex; justify-content: space-between; gap: 10px; }
#find-box { display: flex; align-items: center; gap: 8px; min-width: 0; }
#hits { color: var(--dim); white-space: nowrap; font-variant-numeric: tabular-nums; overflow: hidden; text-overflow: ellipsis; }
#find { width: 180px; min-width: 80px; }
input, select, button {
  padding: 2px 8px; border: 1px solid var(--line); border-radius: 5px; background: var(--names); color: inherit; font: inherit;
}
button { cursor: pointer; white-space: nowrap; }
:is(#tools, #tabs) button { flex: none; }
#growth[aria-pressed=true] { color: var(--accent); }
button:hover { border-color: var(--dim); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -1px; }
#tools { display: flex; gap: 4px; flex-wrap: wrap; }
#overview { height: 36px; width: 100%; flex: none; border-bottom: 1px solid var(--line); touch-action: none; cursor: crosshair; }
#main { flex: 1; min-height: 60px; position: relative; overflow: hidden auto; overflow-anchor: none; overscroll-behavior: none; }
#timeline { position: sticky; top: 0; left: 0; display: block; touch-action: none; outline: none; }
#drawer { display: flex; flex-direction: column; height: 32%; max-height: 80%; border-top: 1px solid var(--line); background: var(--names); }
[hidden] { display: none !important; }
#drawer-edge { height: 6px; flex: none; cursor: ns-resize; touch-action: none; }
#drawer-head { display: flex; padding: 0 8px; border-bottom: 1px solid var(--line); flex: none; }
#tabs { display: flex; gap: 2px; flex: 1; overflow-x: auto; }
#tabs button { border: 0; border-bottom: 2px solid var(--names); border-radius: 0; background: none; white-space: nowrap; }
#tabs button[aria-selected=true] { border-bottom-color: var(--accent); }
#drawer-head > button { border: 0; background: none; }
#panel { flex: 1; overflow: auto; padding: 6px 12px; }
#panel.details { display: flex; flex-wrap: wrap; gap: 4px 36px; align-content: flex-start; }
#panel.details > div { max-width: 100%; min-width: 0; }
h2, h3 { margin: 2px 0; font-size: 13px; overflow-wrap: anywhere; }
h3 { color: var(--dim); }
p { margin: 2px 0; }
.dim { color: var(--dim); }
dl { display: grid; grid-template-columns: max-content minmax(0, max-content); gap: 0 12px; margin: 2px 0; }
dt { color: var(--dim); }
dd { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; }
#panel .lines { white-space: pre-wrap; overflow-wrap: anywhere; }
dd, td, .list, #tabs, .graph-tip, #hits { font-variant-numeric: tabular-nums; }
.list { display: flex; flex-direction: column; align-items: flex-start; }
.list button, tbody th button { white-space: normal; }
.list button { border: 0; background: none; padding: 1px 4px; text-align: left; overflow-wrap: anywhere; }
.list button:hover, .list .current, .commands button:hover, tbody tr:hover { background: var(--head); }
#panel p > * { margin: 1px 6px 1px 0; }
table { border-collapse: collapse; }
th, td { padding: 0 10px 0 0; text-align: right; white-space: nowrap; }
th:first-child { text-align: left; white-space: normal; overflow-wrap: anywhere; min-width: min(28cqw, 16em); max-width: 60cqw; }
thead th { position: sticky; top: -6px; background: var(--names); }
th button { border: 0; background: none; padding: 1px 0; text-align: left; font-weight: inherit; }
tbody th { font-weight: 400; }
thead th:last-child:not(:has(button)) { text-align: left; }
td button { border: 0; background: none; padding: 0; }
caption { padding: 8px 0 2px; text-align: left; font-weight: 600; white-space: nowrap; }
.swatch { display: inline-block; width: 10px; height: 10px; margin-right: 6px; }
button[aria-pressed=true] { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
.bars button { font: inherit; white-space: pre; }
#panel.durations dl { grid-template: auto auto / none; grid-auto-flow: column; grid-auto-columns: max-content; gap: 0 20px; overflow-x: auto; }
.ends { display: flex; }
.ends input { flex: 1; min-width: 0; padding: 0; }
.bars { text-align: left; font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; }
.share { background: linear-gradient(var(--line), var(--line)) no-repeat left / 0 100%; }
.long { position: relative; }
.long > * { position: absolute; left: 0; right: 0; margin: 0; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.long .go { padding: 0 4px; border: 0; background: none; font: inherit; color: inherit; }
.long .go:hover { background: var(--head); }
.long .hit { display: grid; grid-template-columns: 6em 6em 9em 8em minmax(12em, 2fr) minmax(8em, 1fr); gap: 0 10px; border: 0; padding: 1px 4px; background: none; text-align: left; }
.long .hit > * { overflow: hidden; text-overflow: ellipsis; }
.long .hit :nth-child(-n+1), .long .hit :nth-child(3), .long .hit :nth-child(4) { text-align: right; }
.long .hit:hover, .long .hit.current { background: var(--head); }
.long .head { font-weight: 600; }
.long [aria-pressed] { padding: 0 4px; border: 0; background: none; color: var(--dim); }
.long [aria-pressed=true] { color: var(--accent); font-weight: 700; }
.long .off { color: var(--dim); text-decoration: line-through; }
.entries .row { display: grid; grid-template-columns: var(--columns); width: max-content; min-width: 100%; line-height: 24px; }
.entries .row > span { padding-right: 10px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.entries .row:hover, .entries .current { background: var(--head); }
.entries .current { box-shadow: inset 3px 0 var(--accent); }
.entries .long .row { height: 24px; cursor: pointer; font-variant-numeric: tabular-nums; }
.entries .head-row { position: sticky; top: -6px; z-index: 1; background: var(--names); }
.entries .head-row > span { font-weight: 600; } /* the row has the font of the others, of which columns have a number of digits */
.entries .number { text-align: right; }
.entries .row button { padding: 0; border: 0; background: none; font-weight: inherit; min-height: 0; min-width: 0; }
.entries details { margin: 2px 0; }
.entries details:not([open]) { display: none; }
.entries label { margin-right: 14px; white-space: nowrap; }
.questions textarea { display: block; box-sizing: border-box; width: 100%; resize: vertical; font: 12px/1.4 ui-monospace, monospace; }
.calls-of { margin-left: 6px; }
.calls-of::before { content: '⇅'; }
.tree { --columns: minmax(280px, 1fr) 10ch 8ch 10ch 8ch 10ch; }
.tree .turn { display: inline-block; width: 1.4em; text-align: center; }
.graphs canvas { width: 100%; display: block; cursor: pointer; }
.graph-tip { min-height: 1.4em; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
#tip {
  position: absolute; z-index: 3; max-width: min(460px, 90cqw); max-height: 60%; padding: 5px 9px; pointer-events: none; overflow: hidden;
  background: var(--float); border: 1px solid var(--line); border-radius: 6px; box-shadow: 0 3px 14px #0003; overflow-wrap: anywhere;
}
#meter { position: absolute; right: 18px; top: 90px; z-index: 2; margin: 0; padding: 6px 10px; background: var(--float); border: 1px solid var(--line); font-size: 12px; pointer-events: none; }
#live { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
dialog { border: 1px solid var(--line); border-radius: 8px; background: var(--page); color: inherit; padding: 10px; width: min(640px, 94cqw); }
dialog input { width: 100%; }
.commands { max-height: 70vh; overflow: auto; margin-top: 6px; }
.commands button { display: flex; gap: 6px; width: 100%; border: 0; background: none; text-align: left; }
.commands button span { flex: 1; }
.settings label { display: flex; justify-content: space-between; align-items: center; gap: 12px; margin: 6px 0; }
kbd { padding: 0 5px; border: 1px solid var(--line); border-radius: 4px; font: 11px ui-monospace, Menlo, Consolas, monospace; }
#welcome { margin: auto; padding: 24px 32px; text-align: center; max-width: 44em; border: 2px dashed var(--line); border-radius: 12px; }
#welcome button { margin: 0 3px; }
#trace { display: contents; }
#pane:not(.open) > #trace { display: none; }
#pane.open > #welcome { display: none; }
#notice { display: flex; align-items: center; gap: 10px; padding: 6px 10px; background: var(--head); border-bottom: 1px solid var(--line); }
#notice p { flex: 1; min-width: 0; }
#notice progress { width: min(240px, 30cqw); }
.error { color: var(--hit); overflow-wrap: anywhere; }
#pane.dropping { outline: 3px dashed var(--accent); outline-offset: -6px; }
@container (max-width: 600px) {
  h1 { max-width: 40cqw; }
  #about { display: none; }
  #find-box { flex: 1 1 120px; }
  #find { flex: 1; }
  #drawer { height: 44%; }
  #tools { flex: 1 1 100%; order: 4; flex-wrap: nowrap; overflow-x: auto; }
  table { margin-left: -12px; }
  th:first-child { position: sticky; left: -12px; background: var(--names); min-width: 28cqw; max-width: 42cqw; padding-left: 12px; }
}
@media (pointer: coarse) {
  button, select, input { min-height: 44px; min-width: 44px; }
  #drawer-edge { height: 16px; }
  .entries .long .row { height: 44px; line-height: 44px; }
}
`;
