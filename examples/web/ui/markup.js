// The elements of the page.
export const MARKUP = `
<header>
  <span id="open-place"></span>
  <h1></h1>
  <p id="about"></p>
  <span id="space"></span>
  <span id="find-box">
    <input id="find" type="search" placeholder="Find  /" aria-label="Find" spellcheck="false" autocomplete="off">
    <output id="hits"></output>
  </span>
  <nav id="tools" aria-label="Panels"></nav>
</header>
<p id="hint" hidden></p>
<canvas id="overview" aria-label="Overview of the whole trace"></canvas>
<main><canvas id="timeline" tabindex="0" role="application" aria-label="Timeline"></canvas><div id="height"></div></main>
<section id="drawer" hidden aria-label="Panel">
  <div id="drawer-edge" role="separator" aria-label="Height of the panel"></div>
  <div id="tabs" role="tablist"></div>
  <div id="panel" tabindex="0"></div>
</section>
<p id="live" role="status" aria-live="polite"></p>
<pre id="meter" hidden></pre>
<div id="tip" hidden></div>
<dialog id="palette"></dialog>`;
