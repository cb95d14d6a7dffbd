import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { chromiumPath, launchBrowser } from '../../test/browser/chromium.ts'
import { freePort } from '../pay/peer.ts'
import { startNode } from '../processes.ts'
import { exactly, type Goal, number, table } from '../report.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/**
 * From a clone to a captured payment by mouse, as the README says it: the machine's part. What a person needs to read
 * comes on top of it.
 */
export async function measureNewcomer(): Promise<{ goals: Goal[]; problems: string[] }> {
  if (chromiumPath() === undefined) {
    console.error('  the first capture by mouse is left out: it needs Chromium (scripts/install-chromium.sh)')
    return { goals: [], problems: [] }
  }
  const folder = await mkdtemp(join(tmpdir(), 'railyard-bench-'))
  const clone = join(folder, 'railyard')
  const steps: { name: string; seconds: number }[] = []
  const step = async <T>(name: string, work: () => T | Promise<T>): Promise<T> => {
    const began = performance.now()
    const result = await work()
    steps.push({ name, seconds: (performance.now() - began) / 1_000 })
    return result
  }
  try {
    await step('git clone', () => execFileSync('git', ['clone', '-q', root, clone], { stdio: 'pipe' }))
    await step('npm ci', () => execFileSync('npm', ['ci'], { cwd: clone, stdio: 'pipe' }))
    const env = { PORT: `${await freePort()}`, DATABASE_URL: '' }
    const service = await step('what npm start runs, until it prints the sign-in link', () =>
      startNode(['src/main.js', 'start'], env, /http:\S+\/sign-in\/[\w-]+/, clone),
    )
    const browser = await launchBrowser()
    try {
      const page = await browser.newPage()
      await step('in the browser: sign in, pay, open the payment, capture', () =>
        captureByMouse(page, service.said.match[0]),
      )
    } finally {
      await browser.close()
      await service.stop()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  const total = steps.reduce((sum, { seconds }) => sum + seconds, 0)
  console.log('\n### From a clone to the first capture by mouse\n')
  console.log(
    table(
      ['step', 'seconds'],
      [...steps, { name: 'together', seconds: total }].map(({ name, seconds }) => [name, number(seconds)]),
    ),
  )
  return {
    problems: [],
    goals: [
      {
        name: 'U3 from a clone to the first capture by mouse',
        figure: exactly(total),
        unit: 's',
        better: 'lower',
        gate: 180,
      },
    ],
  }
}

/** The first payment by mouse, in the README's words. */
async function captureByMouse(page: Page, signInLink: string): Promise<void> {
  await page.goto(signInLink)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: 'Make a test payment' }).click()
  await page.getByRole('button', { name: 'Make the payment' }).click()
  await page.getByRole('link', { name: 'Open the payment' }).click()
  await page.getByRole('button', { name: 'Capture', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Capture' }).click()
  await page.getByRole('heading', { level: 1 }).filter({ hasText: 'Captured' }).waitFor()
}
