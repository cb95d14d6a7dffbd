import { expect, test } from 'vitest'
import { joinModules } from './join-modules.ts'

const [conversation, error] = ['conversation.js', 'error.js'].map(
  (name) => new URL(`../elements/loader/${name}`, import.meta.url),
) as [URL, URL]

test('modules are joined if each stands after those that it imports, and refused if one is missing', () => {
  expect(joinModules([error, conversation])).not.toMatch(/^(?:import|export) /m)
  expect(() => joinModules([conversation])).toThrow('imports ./error.js, which is not joined before it')
  expect(() => joinModules([conversation, error])).toThrow('which is not joined before it')
})
