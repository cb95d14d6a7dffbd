import { expect, test } from 'vitest'
import { errorCodes, isErrorCode } from '../../connectors/error-codes.ts'
import { declineAdviceOn } from './decline-advice.ts'
import { script } from './page-script.ts'
import { chooseWords } from './words/choose.ts'

/** Every text, by its place. */
const textsOf = (node: unknown, place = ''): [string, string][] => {
  if (typeof node === 'function') return [[place, String(node('A', 'B'))]]
  if (typeof node !== 'object' || node === null) return [[place, String(node)]]
  return Object.entries(node).flatMap(([key, value]) => textsOf(value, `${place}/${key}`))
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
])('a link in %s, in a browser that asks for %s, is written in %s', (locale, wanted, lang) => expect(chooseWords(locale, wanted).lang).toBe(lang))

test.each(['es', 'pt', 'pt-BR'])('everything is translated: %s', (lang) => {
  const english = new Map(textsOf(chooseWords('en', undefined)))
  const same = textsOf(chooseWords(lang, undefined)).filter(([place, text]) => english.get(place) === text)
  // a word that the languages share
  expect(same).toEqual([['/total', 'Total']])
})

test('whatever a payment was refused with, the buyer is told what to do', () => {
  for (const code of Object.keys(errorCodes).filter(isErrorCode)) expect(chooseWords('en', undefined).declined[declineAdviceOn(code)]).toMatch(/[.]$/)
  expect(declineAdviceOn('flow_country_blocked')).toBe('other')
  expect(declineAdviceOn('insufficient_funds')).toBe('bank')
  expect(declineAdviceOn('service_network_error')).toBe('later')
  expect(declineAdviceOn(null)).toBe('later')
})

test('the modules of the script are one: nothing is imported, and no name is there twice', () => {
  expect(script).not.toMatch(/^\s*(?:import|export)\b/m)
  const names = Array.from(script.matchAll(/^(?:async )?(?:function|const|let|class) (\w+)/gm), ([, name]) => name)
  expect(names.length).toBeGreaterThan(20)
  expect(new Set(names).size).toBe(names.length)
})
