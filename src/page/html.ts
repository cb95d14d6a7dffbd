/** Markup that is safe to be put into other markup. */
export interface Html {
  readonly markup: string
}

type Part = Html | string | number | false | null | undefined

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '')

const markupOf = (part: Part | readonly Part[]): string => {
  if (part === null || part === undefined || part === false) return ''
  if (typeof part !== 'object') return escaped(String(part))
  return 'markup' in part ? part.markup : part.map(markupOf).join('')
}

/** Markup from a template. Whatever is put in is text, and shown as it is, unless it is markup itself; nothing, null and false show nothing. */
export const html = (strings: TemplateStringsArray, ...parts: (Part | readonly Part[])[]): Html => ({
  markup: strings.map((text, index) => text + markupOf(parts[index])).join(''),
})

/** Text that comes from this program and must not be escaped: a style sheet, a script. */
export const verbatim = (markup: string): Html => ({ markup })
