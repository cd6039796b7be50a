// Shared colours and sizes.
const tokens = `
:root {
  --ink: #1b1f24; --ink-soft: #57606a; --paper: #fdfcfa; --paper-sunk: #f3f1ec; --line: #dcd8d0;
  --accent: #7a3e12; --json-name: #0b5394; --json-text: #2f6b2f; --json-word: #8a2d6b;
  --measure: 46rem; --serif: 'Iowan Old Style', 'Palatino Linotype', Georgia, serif;
  --sans: system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
  --mono: ui-monospace, 'SF Mono', Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e8e4dc; --ink-soft: #a8a299; --paper: #16181b; --paper-sunk: #1f2226; --line: #363a40;
    --accent: #e0a36b; --json-name: #8ab8e8; --json-text: #a3cf9b; --json-word: #e0a0cc;
  }
}`

/** Style sheet of the page. */
export const docsStyle = `${tokens}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0 auto; max-width: 78rem; padding: 0 1.25rem; background: var(--paper); color: var(--ink); font: 1rem/1.6 var(--sans); }
header { padding: 2rem 0 1rem; border-bottom: 1px solid var(--line); }
footer { margin: 3rem 0 2rem; border-top: 1px solid var(--line); }
h1, h2 { font-family: var(--serif); font-weight: 600; line-height: 1.2; }
h1 { margin: 0; font-size: 2rem; }
h1 a { color: inherit; text-decoration: none; }
h2 { margin: 3rem 0 0.5rem; padding-bottom: 0.25rem; border-bottom: 1px solid var(--line); font-size: 1.6rem; }
h3 { margin: 2rem 0 0.25rem; font-size: 1.15rem; }
h4 { margin: 1.5rem 0 0.25rem; font-size: 1rem; }
p { max-width: var(--measure); margin: 0.5rem 0; }
a { color: var(--accent); text-underline-offset: 0.15em; }
a:focus-visible, summary:focus-visible, pre:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
code, pre { font-family: var(--mono); font-size: 0.875em; }
code { overflow-wrap: anywhere; }
pre { overflow-x: auto; margin: 0.25rem 0 1rem; padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: 0.375rem; background: var(--paper-sunk); line-height: 1.45; }
pre code { font-size: 0.9375em; overflow-wrap: normal; }
figure { margin: 0.75rem 0; }
figcaption, .small { color: var(--ink-soft); font-size: 0.875rem; }
.lead { font-size: 1.05rem; }
.method { color: var(--accent); font: 600 0.85em var(--mono); }
.badge { padding: 0 0.4rem; border: 1px solid var(--accent); border-radius: 1rem; color: var(--accent); font-size: 0.8rem; font-weight: 600; }
.name { color: var(--json-name); } .text { color: var(--json-text); } .word { color: var(--json-word); }
summary { cursor: pointer; color: var(--ink-soft); font-size: 0.875rem; }
table { width: 100%; margin: 0.5rem 0 1rem; border-collapse: collapse; font-size: 0.9375rem; }
th { padding: 0.25rem 0.75rem 0.25rem 0; border-bottom: 1px solid var(--line); color: var(--ink-soft); font-size: 0.8125rem; font-weight: 600; text-align: left; }
td { padding: 0.4rem 0.75rem 0.4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td > .small { display: block; }
td:nth-child(3) > .small { display: inline; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav > ul > li { margin: 0.5rem 0; font-weight: 600; }
nav ul ul { font-weight: 400; font-size: 0.9375rem; }
nav a { display: block; padding: 0.15rem 0; text-decoration: none; overflow-wrap: anywhere; }
nav a:hover { text-decoration: underline; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: 1rem; padding: 0.5rem; background: var(--paper); }
@media (min-width: 60rem) {
  .columns { display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 3rem; }
  nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding: 1.5rem 0; }
  table { table-layout: fixed; }
  th:first-child { width: 30%; } th:nth-child(2) { width: 18%; } th:nth-child(4) { width: 20%; }
}
@media (max-width: 40rem) {
  thead { position: absolute; left: -999rem; }
  table, tbody, tr, td { display: block; }
  tr { padding: 0.5rem 0; border-bottom: 1px solid var(--line); }
  td { padding: 0.1rem 0; border: 0; }
  td:empty { display: none; }
  td:not(:first-child)::before { content: attr(data-label) ': '; color: var(--ink-soft); font-size: 0.8125rem; }
}
`
