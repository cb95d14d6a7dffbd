/** Markup that is safe inside other markup. */
export interface Html {
  readonly markup: string
}

type Part = Html | string | number | false | null | undefined

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '')

const markupOf = (part: Part | readonly Part[]): string => {
  if (part === null || part === undefined || part === false) return ''
  if (typeof part !== 'object') return escaped(String(part))
  return 'markup' in part ? part.markup : part.map(markupOf).join('')
}

/**
 * Builds markup from a template. Parts are escaped as text unless they are `Html`; undefined, null and false
 * add nothing.
 */
export const html = (strings: TemplateStringsArray, ...parts: (Part | readonly Part[])[]): Html => ({
  markup: strings.map((text, index) => text + markupOf(parts[index])).join(''),
})

/** Text of this program that must not be escaped: a style sheet, a script. */
export const verbatim = (markup: string): Html => ({ markup })
