import { type Html, html, verbatim } from '../../page/html.ts'
import { style } from './style.ts'

/** A page of the sandbox. `title` is the window's title. */
interface Page {
  provider: string
  mark: Html
  title: string
  main: Html
  footer?: string | false | undefined
  /** Attributes of the body, which its script reads. */
  data?: Html
  script?: string
}

/** The HTML document of all pages of the sandbox. */
export function pageDocument({ provider, mark, title, main, footer, data, script }: Page): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – ${provider}</title>
<style>${verbatim(style)}</style>
</head>
<body data-provider="${provider}"${data}>
<header>
<p class="bar">Sandbox: no money moves.</p>
<div class="brand">${mark}${provider}</div>
</header>
<main>
${main}
</main>
<footer>${footer}</footer>
${script !== undefined && html`<script>${verbatim(script)}</script>`}
</body>
</html>
`.markup
}
