import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../src/', import.meta.url))

/** What the service runs, by its path in src. */
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (path) => /\.[jt]s$/.test(path) && !path.endsWith('.test.ts'),
)
const outside = sources.filter((path) => !path.startsWith('vault/'))
const mentioning = (pattern: RegExp) =>
  outside.filter((path) => pattern.test(readFileSync(join(root, path), 'utf8')))

test('the walk sees the sources, and the vault among them', () => {
  expect(sources).toEqual(
    expect.arrayContaining([
      'main.js',
      'vault/envelope.ts',
      'transactions/outcome/record-payment-outcome.ts',
    ]),
  )
  expect(outside.length).toBeGreaterThan(100)
})

test('nothing outside src/vault opens an envelope, or imports what does', () => {
  expect(mentioning(/\bopenEnvelope\b|vault\/envelope/)).toEqual([])
})

test('nothing outside src/vault unwraps a data key, or decrypts by itself, but for the cipher of secret fields', () => {
  expect(mentioning(/\.unwrap\(/)).toEqual([])
  expect(mentioning(/\bcreateDecipheriv\b|subtle\.decrypt/)).toEqual(['base/cipher.ts'])
})
