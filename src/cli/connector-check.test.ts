import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launch } from '../../test/crash/process.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'railyard-connector-check-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const check = (name: string) => launch(['src/main.js', 'connector', 'check', name], {}, /(?!)/).ended

/** A copy of the template in which one text is another. */
function templateWith(name: string, file: string, text: string, replacement: string): string {
  const path = join(folder, name)
  cpSync('connectors/_template', path, { recursive: true })
  const source = readFileSync(join(path, file), 'utf8')
  expect(source).toContain(text)
  writeFileSync(join(path, file), source.replace(text, replacement))
  return path
}

test('connector check prints what the template can do and that every check passes', async () => {
  const { code, output } = await check('./connectors/_template')
  expect(code, output).toBe(0)
  expect(output).toMatch(
    /^acme-card \(Acme\)\n {2}method {6}card\n {2}operations {2}authorize, sale, capture, /,
  )
  expect(output).toContain('  ok    capture: the answer is lost\n')
  expect(output).toMatch(/\n\d{3} checks of acme-card: 0 failed\n$/)
})

test('connector check ends with exit code 1 and names what a connector gets wrong', async () => {
  const unknown = "{ status: 'unknown', reason: answer.reason }"
  const failed = "{ status: 'failed', code: 'service_error', facts: {}, references: {} }"
  const { code, output } = await check(templateWith('defective', 'answer.ts', unknown, failed))
  expect(code).toBe(1)
  expect(output).toMatch(
    / {2}FAIL {2}capture: the answer is lost\n {10}at request 1: the capture is failed \(service_error\), and it took effect\n/,
  )
  expect(output).toMatch(/checks of acme-card: [1-9]\d* failed\n$/)
})

test('connector check refuses a package that is not there, or that has no fake, in one line', async () => {
  expect(await check('./no-such-connector')).toEqual({
    code: 1,
    output: expect.stringMatching(/^railyard: \.\/no-such-connector cannot be loaded: .*\n$/),
  })
  const without = templateWith('without-fake', 'index.ts', 'underTest:', 'other:')
  expect(await check(without)).toEqual({
    code: 1,
    output: `railyard: ${without} exports no underTest: there is no fake to check it against\n`,
  })
  const renamed = templateWith('renamed', 'definition.ts', "id: 'acme-card'", "id: 'worldline-card'")
  expect(await check(renamed)).toEqual({
    code: 1,
    output: `railyard: ${renamed}: underTest has no worldline-card: its keys are the ids of the definitions, and it has acme-card\n`,
  })
})
