/**
 * The page's style sheet. Colours are variables: the light and the dark theme set them, and `accentStyle`
 * sets those of the merchant's colour over both.
 */
export const style = `
:root {
  color-scheme: light dark;
  --paper: #f5f6f8; --card: #ffffff; --ink: #15171c; --soft: #555c68; --line: #dfe3e9; --edge: #7d8592;
  --bar: #fdf0c8; --bar-ink: #5c4300; --bad: #a8101b; --bad-paper: #fdeeed; --good: #0b6b3a;
  --fill: #0b51c1; --on-fill: #ffffff; --accent: #0b51c1;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #101216; --card: #1b1e24; --ink: #eef0f3; --soft: #adb4bf; --line: #343943; --edge: #858e9b;
    --bar: #3a2f0b; --bar-ink: #f6dd93; --bad: #ffb3ae; --bad-paper: #44191b; --good: #8fdcae; --accent: #a9c7ff;
  }
}
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
body {
  display: flex; flex-direction: column; min-height: 100vh; margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: anywhere;
}
h1, h2, p, ul, fieldset { margin: 0; padding: 0; }
a { color: var(--accent); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.bar { padding: .25rem 1rem; background: var(--bar); color: var(--bar-ink); font-size: .8125rem; text-align: center; }
.banner { display: block; width: 100%; height: clamp(5rem, 14vw, 9rem); object-fit: cover; background: var(--line); }
.brand, main, footer { width: min(100% - 2rem, 62rem); margin-inline: auto; }
.brand { display: flex; align-items: center; gap: .75rem; padding-block: 1.25rem; font-weight: 650; font-size: 1.0625rem; line-height: 1.3; }
.brand img, .initial { flex: none; width: 2rem; height: 2rem; border-radius: .5rem; object-fit: contain; }
.initial { display: grid; place-content: center; background: var(--fill); color: var(--on-fill); text-transform: uppercase; border: 1px solid var(--line); }
main { display: grid; gap: 1.25rem; align-items: start; }
.about { display: grid; gap: 1.5rem; min-width: 0; }
.intro { display: grid; gap: .25rem; }
h1 { font-size: 1.125rem; line-height: 1.35; font-weight: 500; color: var(--soft); }
h2 { font-size: 1rem; font-weight: 650; }
.total { font-size: clamp(2.25rem, 8vw, 3rem); line-height: 1.15; font-weight: 700; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
.message { margin-top: .5rem; white-space: pre-line; }
.soft, .hint, small { color: var(--soft); font-size: .875rem; }
.summary { display: grid; gap: .875rem; }
.lines { display: grid; gap: .75rem; list-style: none; }
.lines li, .due { display: flex; justify-content: space-between; gap: 1.5rem; }
.lines small, .choice small { display: block; }
.amount { flex: none; font-variant-numeric: tabular-nums; }
.due { padding-top: .875rem; border-top: 1px solid var(--line); font-weight: 650; }
.card { display: grid; gap: 1.125rem; padding: 1.25rem; min-width: 0; background: var(--card); border: 1px solid var(--line); border-radius: 1rem; box-shadow: 0 1px 2px rgb(0 0 0 / .04), 0 8px 24px rgb(0 0 0 / .05); }
form { display: grid; gap: 1.25rem; min-width: 0; }
.choices { min-width: 0; border: 1px solid var(--line); border-radius: .75rem; overflow: clip; }
.way + .way { border-top: 1px solid var(--line); }
.choice { display: flex; align-items: center; gap: .75rem; min-height: 3.5rem; padding: .625rem 1rem; cursor: pointer; }
.choice input { flex: none; width: 1.25rem; height: 1.25rem; margin: 0; accent-color: var(--accent); }
.choice:has(:checked) { font-weight: 600; }
.choice small { font-weight: 400; }
.icon { flex: none; width: 1.5rem; height: 1.5rem; color: var(--soft); }
.choice:has(:checked) .icon { color: var(--accent); }
.choice:has(:focus-visible) { outline: 3px solid var(--accent); outline-offset: -3px; border-radius: .75rem; }
.choice :focus-visible { outline: none; }
.more { display: none; padding: .25rem 1rem 1.125rem; }
.way:has(.choice :checked) .more { display: block; }
.fields { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem .75rem; }
.field { display: grid; gap: .3125rem; align-content: start; min-width: 0; }
.number, .name, #card, .fields .soft { grid-column: 1 / -1; }
/* the place of the frame, so that nothing moves when it has loaded */
#card { min-height: 12.5rem; }
.field label { font-size: .875rem; font-weight: 550; }
.field input {
  width: 100%; min-height: 3rem; padding: .5rem .875rem; font: inherit; font-variant-numeric: tabular-nums; color: var(--ink);
  background: var(--card); border: 1px solid var(--edge); border-radius: .5rem;
}
.field input::placeholder { color: var(--soft); opacity: 1; }
.field input:focus-visible { outline: 3px solid var(--accent); outline-offset: -1px; }
.field input[aria-invalid] { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad); }
.field { position: relative; }
.scheme { position: absolute; inset: 0 0 auto auto; color: var(--accent); font-size: .875rem; font-weight: 600; }
.mistake { color: var(--bad); font-size: .875rem; }
.notice { display: grid; gap: .125rem; padding: .75rem 1rem; color: var(--bad); background: var(--bad-paper); border-radius: .625rem; }
.notice:focus { outline: none; }
button, .button {
  display: block; width: 100%; min-height: 3.25rem; padding: .75rem 1.25rem; font: inherit; font-weight: 650; text-align: center; text-decoration: none;
  color: var(--ink); background: transparent; border: 1px solid var(--edge); border-radius: .75rem; cursor: pointer;
}
button:hover, .button:hover { border-color: var(--ink); }
.primary { color: var(--on-fill); background: var(--fill); border-color: color-mix(in srgb, var(--fill) 60%, var(--edge)); font-variant-numeric: tabular-nums; }
.primary:hover { box-shadow: inset 0 0 0 2px color-mix(in srgb, var(--on-fill) 35%, transparent); }
.wallets { display: grid; gap: .75rem; }
.wallets:not(:has(> :not([hidden]))) { display: none; }
.google-pay { height: 3.25rem; }
.apple-pay { color: #fff; background: #000; border-color: #000; }
.apple-pay:hover { border-color: #000; }
@media (prefers-color-scheme: dark) { .apple-pay { color: #000; background: #fff; } }
@supports (appearance: -apple-pay-button) {
  .apple-pay { appearance: -apple-pay-button; -apple-pay-button-type: pay; -apple-pay-button-style: black; font-size: 0; }
  @media (prefers-color-scheme: dark) { .apple-pay { -apple-pay-button-style: white; } }
}
button:disabled { cursor: progress; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.accept { font-size: .875rem; text-align: center; }
.accept a { color: var(--soft); }
.private { display: flex; gap: .5rem; align-items: center; justify-content: center; color: var(--soft); font-size: .8125rem; }
.private .icon { width: 1.125rem; height: 1.125rem; }
.ending { justify-items: center; width: min(100%, 30rem); margin: clamp(1.5rem, 9vh, 6rem) auto; padding: 2.5rem 1.5rem; text-align: center; }
.ending h1 { font-size: 1.5rem; font-weight: 650; color: var(--ink); }
.ending p { color: var(--soft); }
.ending > .icon { width: 3.5rem; height: 3.5rem; color: var(--soft); stroke-width: 1.25; }
.ending.good > .icon { color: var(--good); }
.ways { display: grid; gap: .75rem; width: 100%; margin-top: .5rem; }
.receipt { display: grid; gap: .875rem; width: 100%; margin-top: 1rem; padding-top: 1.25rem; border-top: 1px solid var(--line); text-align: start; }
dl { display: grid; margin: 0; font-size: .875rem; }
dt { color: var(--soft); }
dd { margin: 0; font-variant-numeric: tabular-nums; }
dd:not(:last-child) { margin-bottom: .5rem; }
.spinner { width: 3.25rem; height: 3.25rem; border: 4px solid var(--line); border-top-color: var(--accent); border-radius: 50%; }
footer { margin-top: auto; padding-block: 2rem 1.5rem; font-size: .875rem; text-align: center; }
@media (min-width: 30rem) {
  dl { grid-template-columns: auto 1fr; column-gap: 1.25rem; }
  dd { text-align: end; }
}
@media (min-width: 52rem) {
  main:has(.about) { grid-template-columns: minmax(0, 1fr) minmax(0, 27rem); column-gap: clamp(2rem, 6vw, 5rem); padding-top: 1rem; }
  .card { padding: 1.75rem; }
}
@media (prefers-reduced-motion: no-preference) {
  .spinner { animation: turn 1s linear infinite; }
  button, .button, .field input { transition: border-color .12s, box-shadow .12s; }
}
@media print {
  :root { color-scheme: light; --paper: #fff; --card: #fff; --ink: #000; --soft: #444; --good: #0b6b3a; }
  .ways, #print, footer { display: none; }
  .card { box-shadow: none; }
}
@keyframes turn { to { transform: rotate(1turn); } }
`
