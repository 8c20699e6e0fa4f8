// The elements of the viewer.
export const MARKUP = `
<header part="header">
  <span id="open-place"></span>
  <h1></h1>
  <p id="about"></p>
  <button id="growth" type="button" hidden></button>
  <span id="find-box">
    <input id="find" type="search" placeholder="Find" aria-label="Find" spellcheck="false" autocomplete="off">
    <output id="hits"></output>
  </span>
  <nav id="tools" aria-label="Panels"></nav>
</header>
<p id="hint" hidden></p>
<canvas id="overview" part="overview" role="img" aria-label="Overview of the whole trace"></canvas>
<section id="main" part="timeline" aria-label="Tracks"><canvas id="timeline" tabindex="0" role="application" aria-label="Timeline"></canvas><div id="height"></div></section>
<section id="drawer" part="drawer" hidden aria-label="Panel">
  <div id="drawer-edge" role="separator" aria-label="Height of the panel"></div>
  <div id="drawer-head"><div id="tabs" role="tablist" aria-label="Panels"></div></div>
  <div id="panel" role="tabpanel" tabindex="0" aria-label="Panel"></div>
</section>
<p id="live" role="status" aria-live="polite"></p>
<pre id="meter" hidden></pre>
<div id="tip" hidden></div>
<dialog id="palette" aria-label="Keys and commands"></dialog>`;
