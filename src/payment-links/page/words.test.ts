import { expect, test } from 'vitest'
import { declineAdviceOn } from '../../checkout/decline-advice.ts'
import { errorCodes, isErrorCode } from '../../connectors/contract/error-codes.ts'
import { chooseCardWords } from '../../elements/words/choose.ts'
import { formatPrice } from '../../page/format.ts'
import { locales } from '../payment-link.rules.ts'
import { script } from './page-script.ts'
import { chooseWords, languages } from './words/choose.ts'
import type { Words } from './words/words.ts'

/** Every text, by its path. */
const textsOf = (node: unknown, path = ''): [string, string][] => {
  if (typeof node === 'function') return [[path, String(node('Aα', 'Bβ'))]]
  if (typeof node !== 'object' || node === null) return [[path, String(node)]]
  return Object.entries(node).flatMap(([key, value]) => textsOf(value, `${path}/${key}`))
}

test.each([
  ['pt-BR', undefined, 'pt-BR'],
  ['pt', 'en', 'pt'],
  [null, 'de-AT,de;q=0.9,es-MX;q=0.8', 'de'],
  [null, 'ko,es-MX;q=0.8', 'es'],
  [null, 'pt-BR,pt;q=0.9', 'pt-BR'],
  [null, 'en-GB', 'en-GB'],
  [null, 'zh', 'en'],
  [null, undefined, 'en'],
  [null, ';;,,*', 'en'],
])('a link in %s, in a browser that prefers %s, is shown in %s', (locale, accepted, lang) =>
  expect(chooseWords(locale, accepted).lang).toBe(lang),
)

const english = new Map(textsOf(languages[0]))
const translations = languages.filter(({ lang }) => !lang.startsWith('en'))

test.each(translations.map((words) => [words.lang, words]))(
  'every text is translated to %s',
  (lang, words) => {
    const same = textsOf(words).filter(([path, text]) => english.get(path) === text)
    // one word is the same in these languages
    expect(same).toEqual(['fr', 'es', 'pt', 'pt-BR'].includes(lang) ? [['/total', 'Total']] : [])
  },
)

test.each(languages.map((words) => [words.lang, words]))(
  'in %s, every text has the names, amounts and counts that it gets, and card fields speak the same language',
  (lang, words) => {
    for (const [path, text] of textsOf(words)) {
      const expected = english.get(path) ?? expect.fail(`${path} is no text of the English page`)
      for (const name of ['Aα', 'Bβ'])
        expect({ path, has: text.includes(name) }).toEqual({ path, has: expected.includes(name) })
    }
    expect([1, 2].map((count) => words.quantity(count))).toEqual([
      expect.stringMatching(/\b1$/),
      expect.stringMatching(/\b2$/),
    ])
    expect(lang).toMatch(new RegExp(`^${chooseCardWords(lang, undefined).lang}`))
  },
)

test('links accept the languages of the page, and no others', () => {
  expect([...locales].sort()).toEqual(languages.map(({ lang }) => lang).sort())
})

test('amounts are written as in the language of the page', () => {
  const pay = ({ lang, pay }: Words) => pay(formatPrice(1_234_50, 'EUR', lang)).replaceAll(/\s/g, ' ')
  expect(Object.fromEntries(languages.map((words) => [words.lang, pay(words)]))).toEqual({
    en: 'Pay €1,234.50',
    'en-GB': 'Pay €1,234.50',
    de: '1.234,50 € zahlen',
    fr: 'Payer 1 234,50 €',
    es: 'Pagar 1234,50 €',
    pt: 'Pagar € 1.234,50',
    'pt-BR': 'Pagar € 1.234,50',
    it: 'Paga 1234,50 €',
    nl: '€ 1.234,50 betalen',
    ja: '€1,234.50を支払う',
  })
})

test('each error code gives the buyer advice', () => {
  for (const code of Object.keys(errorCodes).filter(isErrorCode))
    expect(chooseWords('en', undefined).declined[declineAdviceOn(code)]).toMatch(/[.]$/)
  expect(declineAdviceOn('flow_country_blocked')).toBe('other')
  expect(declineAdviceOn('insufficient_funds')).toBe('bank')
  expect(declineAdviceOn('service_network_error')).toBe('later')
  expect(declineAdviceOn(null)).toBe('later')
})

test('the joined script has no imports, and no name twice', () => {
  expect(script).not.toMatch(/^\s*(?:import|export)\b/m)
  const names = Array.from(
    script.matchAll(/^(?:async )?(?:function|const|let|class) (\w+)/gm),
    ([, name]) => name,
  )
  expect(names.length).toBeGreaterThan(20)
  expect(new Set(names).size).toBe(names.length)
})
