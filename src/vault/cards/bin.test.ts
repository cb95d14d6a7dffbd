import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestRailyard, type TestRailyard } from '../../../test/support/railyard.ts'
import { createCache } from '../../database/cache.ts'
import { localChanges } from '../../database/changes.ts'
import { binDetails } from './bin.ts'
import { importBins, UnreadableBins } from './bin-import.ts'

let railyard: TestRailyard
let folder: string
beforeAll(async () => {
  railyard = await startTestRailyard()
  folder = await mkdtemp(join(tmpdir(), 'railyard-bins-'))
})
afterAll(async () => {
  await railyard.close()
  await rm(folder, { recursive: true })
})

const HEADER = 'bin,scheme,card_type,issuer,country'

async function load(...lines: string[]): Promise<number> {
  const file = join(folder, 'bins.csv')
  await writeFile(file, lines.join('\n'))
  return importBins(railyard.world, file)
}
const details = (number: string) => binDetails(railyard.world, number)

test('a new sandbox has the BINs of its test cards', async () => {
  expect(await details('4111111111111111')).toEqual({
    scheme: 'visa',
    additionalSchemes: [],
    cardType: 'credit',
    issuer: 'Sandbox Bank',
    country: 'US',
  })
  expect(await details('4000002500001001')).toMatchObject({
    scheme: 'visa',
    additionalSchemes: ['carte-bancaire'],
    country: 'FR',
  })
})

test('a number without a BIN in the table has only the scheme of its first digits', async () => {
  expect(await details('4929000000000000')).toEqual({
    scheme: 'visa',
    additionalSchemes: [],
    cardType: null,
    issuer: null,
    country: null,
  })
  expect(await details('999999')).toMatchObject({ scheme: 'other', cardType: null })
})

test('an import replaces the BINs of the file at once and leaves the others', async () => {
  expect(await details('4970100000000000')).toMatchObject({ issuer: null })
  expect(
    await load(HEADER, '497010,carte-bancaire visa,debit,"Banque ""Un"", Paris",FR', '', '497011,visa,,,'),
  ).toBe(2)
  expect(await details('4970100000000000')).toEqual({
    scheme: 'carte-bancaire',
    additionalSchemes: ['visa'],
    cardType: 'debit',
    issuer: 'Banque "Un", Paris',
    country: 'FR',
  })
  await load('\uFEFFcountry,bin,issuer,scheme,card_type', 'DE,497010,Bank,visa,credit')
  expect(await details('4970100000000000')).toMatchObject({
    scheme: 'visa',
    issuer: 'Bank',
    country: 'DE',
    cardType: 'credit',
  })
  expect(await details('4111111111111111')).toMatchObject({ issuer: 'Sandbox Bank' })
})

test('the last line counts for a prefix that a file names twice', async () => {
  await load(HEADER, '497020,visa,debit,First,FR', '497020,visa,debit,Second,FR')
  expect(await details('4970200000000000')).toMatchObject({ issuer: 'Second' })
})

test('a file with a wrong line changes nothing, and the error names the line', async () => {
  const good = Array.from({ length: 1_500 }, (_, index) => `${60_000_000 + index},visa,credit,Never,US`)
  const wrong: [string, RegExp][] = [
    ['12345,visa,credit,Bank,US', /^line 1502: bin must/],
    ['123456789,visa,credit,Bank,US', /^line 1502: bin must/],
    ['123456,vista,credit,Bank,US', /^line 1502: scheme is/],
    ['123456,,credit,Bank,US', /^line 1502: scheme is/],
    ['123456,visa,charge,Bank,US', /^line 1502: card_type is/],
    ['123456,visa,credit,Bank,usa', /^line 1502: country must/],
    ['123456,visa,credit,Ba\u0000nk,US', /^line 1502: issuer must/],
    ['123456,visa,credit,Bank', /^line 1502: has 4 cells/],
    ['123456,visa,credit,"Bank,US', /^line 1502: a quotation mark/],
  ]
  for (const [line, message] of wrong) {
    const refused = await load(HEADER, ...good, line).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(UnreadableBins)
    expect(String((refused as Error).message)).toMatch(message)
  }
  expect(await details('6000000000000000')).toMatchObject({ issuer: null })
  await expect(load('bin,scheme')).rejects.toThrow('line 1: the header lacks card_type, issuer, country')
  await expect(load('')).rejects.toThrow('line 1: the header')
})

test('a file of more lines than a batch is imported completely', async () => {
  expect(
    await load(
      HEADER,
      ...Array.from({ length: 2_001 }, (_, index) => `${70_000_000 + index},visa,credit,Many,US`),
    ),
  ).toBe(2_001)
  for (const number of ['70000000', '70000999', '70001000', '70002000'])
    expect(await details(number)).toMatchObject({ issuer: 'Many' })
  expect(await details('70002001')).toMatchObject({ issuer: null })
})

test('of all prefixes of a number the longest counts', async () => {
  const digits = fc.string({ unit: fc.constantFrom('1', '2'), minLength: 8, maxLength: 8 })
  const prefix = fc.string({ unit: fc.constantFrom('1', '2'), minLength: 6, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(prefix, { minLength: 1, maxLength: 12 }),
      digits,
      async (prefixes, number) => {
        await railyard.world.db.deleteFrom('bins').execute()
        await load(HEADER, ...prefixes.map((each) => `${each},visa,credit,${each},US`))
        const longest = prefixes
          .filter((each) => number.startsWith(each))
          .sort((a, b) => b.length - a.length)[0]
        expect((await details(`${number}00000000`)).issuer).toBe(longest ?? null)
      },
    ),
    { numRuns: 40 },
  )
})

test('a prefix is read from the database once', async () => {
  let statements = 0
  const { run } = railyard.world
  const cache = createCache(localChanges())
  const counting: typeof run = (text, values) => {
    statements += 1
    return run(text, values)
  }
  for (const number of ['4242424242424242', '4242424200000000', '4242424242424242'])
    await binDetails({ cache, run: counting }, number)
  expect(statements).toBe(1)
})
