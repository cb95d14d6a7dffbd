import { readFileSync } from 'node:fs'

/** Each after what it imports. */
const modules = ['card.js', 'payment.js', 'card-form.js', 'pay.js']

const read = (name: string) => readFileSync(new URL(`script/${name}`, import.meta.url), 'utf8')

/** The modules as one: names are unique among them, so that it takes no more than leaving out what they import of each other. */
const joined = modules
  .map(read)
  .join('\n')
  .replace(/^import .*$/gm, '')
  .replace(/^export /gm, '')

/**
 * The page's script, within the page: whatever version of the server answers, the page and its script are of one. `src/payment-links/page/script` holds it as modules, which
 * have a TypeScript project of their own, for a browser.
 */
export const script = joined
