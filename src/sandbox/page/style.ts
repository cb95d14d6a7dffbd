/** The style sheet of the approval pages. Every colour is a variable; light and dark are two sets of them. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: #f4f5f7; --card: #ffffff; --ink: #16181d; --soft: #545b66; --line: #d9dde3; --edge: #7a828e;
  --bar: #fdf0c8; --bar-ink: #5c4300;
  --bad: #b3141f; --bad-paper: #fdeceb; --good: #0b6b3a; --good-paper: #e5f5eb;
  --accent: #0b51c1; --accent-hover: #08409b; --accent-paper: #eaf1fd; --on-accent: #ffffff;
}
[data-provider="Pay later"] { --accent: #8c1d5f; --accent-hover: #6e144a; --accent-paper: #fbecf4; }
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #111317; --card: #1b1e24; --ink: #eef0f3; --soft: #aab1bc; --line: #353a43; --edge: #818a97;
    --bar: #3a2f0b; --bar-ink: #f6dd93;
    --bad: #ffb3ae; --bad-paper: #44191b; --good: #8fdcae; --good-paper: #12331f;
    --accent: #a9c7ff; --accent-hover: #c6daff; --accent-paper: #1c2b47; --on-accent: #08265c;
  }
  [data-provider="Pay later"] { --accent: #ffb0d8; --accent-hover: #ffcde6; --accent-paper: #421a31; --on-accent: #571038; }
}
*, *::before, *::after { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: anywhere;
}
h1, h2, p, ul, dl, dd, fieldset, legend { margin: 0; padding: 0; }
.bar { padding: .25rem 1rem; background: var(--bar); color: var(--bar-ink); font-size: .8125rem; text-align: center; }
.brand, main, footer { width: min(100% - 2rem, 60rem); margin-inline: auto; }
.brand { display: flex; align-items: center; gap: .625rem; padding-block: 1.25rem; font-weight: 650; font-size: 1.125rem; }
.brand svg { width: 1.75rem; height: 1.75rem; fill: var(--accent); }
main { display: grid; gap: 1rem; align-items: start; }
h1 { font-size: 1.5rem; line-height: 1.25; font-weight: 650; }
h2, legend { font-size: 1rem; font-weight: 650; }
.intro, .steps { display: grid; gap: 1rem; min-width: 0; }
.total { font-size: 2.25rem; line-height: 1.2; font-weight: 700; font-variant-numeric: tabular-nums; }
.soft { color: var(--soft); }
.card { display: grid; gap: .875rem; padding: 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: .875rem; min-width: 0; }
.lines { display: grid; gap: .625rem; padding: 0; list-style: none; }
.lines li, .sums div { display: flex; justify-content: space-between; gap: 1rem; }
.lines small, .choice small { display: block; color: var(--soft); font-size: .875rem; }
.amount, dd { flex: none; font-variant-numeric: tabular-nums; }
.sums { display: grid; gap: .375rem; padding-top: .875rem; border-top: 1px solid var(--line); color: var(--soft); }
.sums .due { padding-top: .375rem; color: var(--ink); font-weight: 650; }
address { font-style: normal; white-space: pre-line; }
form, fieldset { display: grid; gap: .625rem; border: 0; min-width: 0; }
legend { margin-bottom: .625rem; }
.choice { display: flex; gap: .75rem; align-items: start; padding: .75rem .875rem; border: 1px solid var(--line); border-radius: .625rem; cursor: pointer; }
.choice:hover { border-color: var(--edge); }
.choice:has(:checked) { border-color: var(--accent); background: var(--accent-paper); }
.deciding { display: grid; gap: .625rem; }
.undecided { display: none; }
body:has(.choice input:checked:not([data-applied])) .undecided { display: block; }
body:has(.choice input:checked:not([data-applied])) .deciding { display: none; }
.choice input { flex: none; width: 1.25rem; height: 1.25rem; margin: .125rem 0 0; accent-color: var(--accent); }
.choice > span:first-of-type { flex: 1; }
.fields { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 11rem), 1fr)); padding-top: .75rem; }
.fields label { display: grid; gap: .25rem; font-size: .875rem; color: var(--soft); }
.fields input { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; font: inherit; font-size: 1rem; color: var(--ink); background: var(--card); border: 1px solid var(--edge); border-radius: .5rem; }
summary { padding-block: .5rem; color: var(--accent); cursor: pointer; }
button, .button {
  display: block; width: 100%; min-height: 3rem; padding: .6875rem 1.25rem; font: inherit; font-weight: 600; text-align: center; text-decoration: none;
  color: var(--ink); background: transparent; border: 1px solid var(--edge); border-radius: 1.5rem; cursor: pointer;
}
button:hover, .button:hover { border-color: var(--ink); }
.primary { color: var(--on-accent); background: var(--accent); border-color: var(--accent); }
.primary:hover { background: var(--accent-hover); border-color: var(--accent-hover); }
.quiet { color: var(--accent); border-color: transparent; text-decoration: underline; }
.quiet:hover { border-color: transparent; text-decoration-thickness: 2px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.choice:has(:focus-visible) { outline: 3px solid var(--accent); outline-offset: 2px; }
.choice :focus-visible { outline: none; }
.note { padding: .75rem 1rem; border-radius: .625rem; background: var(--accent-paper); }
.note.bad { color: var(--bad); background: var(--bad-paper); }
.note.good { color: var(--good); background: var(--good-paper); }
footer { padding-block: 1.5rem 2.5rem; color: var(--soft); font-size: .875rem; }
@media (min-width: 48rem) {
  main { grid-template: "intro summary" auto "steps summary" 1fr / minmax(0, 1fr) 22rem; column-gap: 2rem; }
  .intro { grid-area: intro; }
  .summary { grid-area: summary; }
  .steps { grid-area: steps; }
  h1 { font-size: 1.75rem; }
}
@media (prefers-reduced-motion: no-preference) { button, .button, .choice { transition: background-color .12s, border-color .12s; } }
`
