import { expect, test } from 'vitest'
import { declineAdviceOn } from '../../checkout/decline-advice.ts'
import { errorCodes, isErrorCode } from '../../connectors/contract/error-codes.ts'
import { script } from './page-script.ts'
import { chooseWords } from './words/choose.ts'

/** Every text, by its path. */
const textsOf = (node: unknown, path = ''): [string, string][] => {
  if (typeof node === 'function') return [[path, String(node('A', 'B'))]]
  if (typeof node !== 'object' || node === null) return [[path, String(node)]]
  return Object.entries(node).flatMap(([key, value]) => textsOf(value, `${path}/${key}`))
}

test.each([
  ['pt-BR', undefined, 'pt-BR'],
  ['pt', 'en', 'pt'],
  [null, 'de-DE,de;q=0.9,es-MX;q=0.8', 'es'],
  [null, 'pt-BR,pt;q=0.9', 'pt-BR'],
  [null, 'en-GB', 'en-GB'],
  [null, 'zh', 'en'],
  [null, undefined, 'en'],
  [null, ';;,,*', 'en'],
])('a link in %s, in a browser that prefers %s, is shown in %s', (locale, accepted, lang) =>
  expect(chooseWords(locale, accepted).lang).toBe(lang),
)

test.each(['es', 'pt', 'pt-BR'])('every text is translated to %s', (lang) => {
  const english = new Map(textsOf(chooseWords('en', undefined)))
  const same = textsOf(chooseWords(lang, undefined)).filter(([path, text]) => english.get(path) === text)
  // one word is the same in all languages
  expect(same).toEqual([['/total', 'Total']])
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
