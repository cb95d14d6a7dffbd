import { randomBytes } from 'node:crypto'
import { chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  addKey,
  keyFileReader,
  makeKeyFile,
  makeKeyFirst,
  readKeyFile,
  removeKeysExcept,
  removeUnusedKey,
} from './key-file.ts'
import { keyIdOf, localKeys } from './local-keys.ts'

async function keyFile() {
  const folder = mkdtempSync(join(tmpdir(), 'railyard-key-file-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'encryption_key')
  await makeKeyFile(file)
  return file
}
const idsOf = async (file: string) => (await readKeyFile(file)).map(keyIdOf)

test('only its owner can read the file, before and after a key was added', async () => {
  const file = await keyFile()
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const [first] = await idsOf(file)
  const second = await addKey(file)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(await idsOf(file)).toEqual([first, second])
  await makeKeyFirst(file, second)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(await idsOf(file)).toEqual([second, first])
})

// no other user may give a file away
test.runIf(process.getuid?.() === 0)(
  'the file stays that of the service when root adds and removes keys',
  async () => {
    const file = await keyFile()
    chownSync(file, 12_345, 12_346)
    const owner = () => {
      const { uid, gid, mode } = statSync(file)
      return { uid, gid, mode: mode & 0o777 }
    }
    const before = { uid: 12_345, gid: 12_346, mode: 0o600 }
    const second = await addKey(file)
    expect(owner()).toEqual(before)
    await makeKeyFirst(file, second)
    expect(owner()).toEqual(before)
    await removeKeysExcept(file, new Set())
    expect(owner()).toEqual(before)
  },
)

test('a new key opens before it wraps, and can be removed until it wraps', async () => {
  const file = await keyFile()
  const [first] = await idsOf(file)
  const serving = localKeys(keyFileReader(file))
  const second = await addKey(file)
  expect(await serving.names()).toEqual([first, second])
  expect((await serving.wrap(randomBytes(32), 'row')).keyId).toBe(first)
  await makeKeyFirst(file, second)
  await removeUnusedKey(file, second)
  expect(await idsOf(file)).toEqual([second, first])
  const third = await addKey(file)
  await removeUnusedKey(file, third)
  expect(await serving.names()).toEqual([second, first])
})

test('an existing file is never overwritten', async () => {
  const file = await keyFile()
  const before = readFileSync(file, 'utf8')
  await makeKeyFile(file)
  expect(readFileSync(file, 'utf8')).toBe(before)
})

test('a running process wraps with a new key as soon as it is the first, and unwraps what another process wrapped with it', async () => {
  const file = await keyFile()
  const [serving, other] = [localKeys(keyFileReader(file)), localKeys(keyFileReader(file))]
  const early = await serving.wrap(randomBytes(32), 'row')
  const second = await addKey(file)
  await makeKeyFirst(file, second)
  const late = await other.wrap(randomBytes(32), 'row')
  expect(late.keyId).toBe(second)
  expect(await serving.unwrap(late, 'row')).toHaveLength(32)
  expect((await serving.wrap(randomBytes(32), 'row')).keyId).toBe(second)
  expect(await serving.unwrap(early, 'row')).toHaveLength(32)
})

test('while the file is missing or broken sealing is a 503, and what was sealed before still opens', async () => {
  const file = await keyFile()
  const keys = localKeys(keyFileReader(file))
  const wrapped = await keys.wrap(randomBytes(32), 'row')
  writeFileSync(file, 'not a key\n')
  await expect(keys.wrap(randomBytes(32), 'row')).rejects.toMatchObject({
    status: 503,
    headers: { 'retry-after': '2' },
  })
  expect(await keys.unwrap(wrapped, 'row')).toHaveLength(32)
  rmSync(file)
  await expect(keys.wrap(randomBytes(32), 'row')).rejects.toMatchObject({
    status: 503,
    reason: expect.stringContaining('ENOENT'),
  })
})

test('the error for a broken file does not repeat its content', async () => {
  const file = await keyFile()
  const good = readFileSync(file, 'utf8').trim()
  for (const text of ['', 'secret-text', `${good}\nsecret-text`, good.slice(4), `${good}=`]) {
    writeFileSync(file, text)
    const refusal = await readKeyFile(file).catch((error: Error) => error.message)
    expect(refusal).toMatch(/encryption_key does not hold 32 bytes in base64: put the original back/)
    expect(refusal).not.toContain('secret-text')
    expect(refusal).not.toContain(good.slice(4, 20))
  }
  writeFileSync(file, `\n${good}  \r\n\n`)
  expect(await readKeyFile(file)).toEqual([Buffer.from(good, 'base64')])
})

test('keys that no secret uses are removed, but never the one that wraps', async () => {
  const file = await keyFile()
  const [first = ''] = await idsOf(file)
  const second = await addKey(file)
  const third = await addKey(file)
  await makeKeyFirst(file, third)
  expect(await removeKeysExcept(file, new Set([first]))).toEqual([second])
  expect(await idsOf(file)).toEqual([third, first])
  expect(await removeKeysExcept(file, new Set())).toEqual([first])
  expect(await removeKeysExcept(file, new Set())).toEqual([])
  expect(await idsOf(file)).toEqual([third])
})
