import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url))

const LIMIT_MB = 16

test('the young generation grows to 16 MB, and again each time that a process works after a rest', async () => {
  const child = spawn(
    process.execPath,
    ['--import', path('../test/support/young-generation.js'), path('main.js'), 'sandbox', '--port', '0'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const sizes: { rested: number; worked: number }[] = []
  for await (const line of createInterface(child.stdout)) {
    const [, rested, worked] = /^rested (\S+) worked (\S+)$/.exec(line) ?? []
    if (rested && worked) sizes.push({ rested: Number(rested), worked: Number(worked) })
    if (sizes.length === 2) break
  }
  expect(sizes).toHaveLength(2)
  for (const { rested, worked } of sizes) {
    expect(rested).toBeLessThan(LIMIT_MB)
    expect(worked).toBe(LIMIT_MB)
  }
})
