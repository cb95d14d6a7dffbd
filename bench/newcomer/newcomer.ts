import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright-core'
import { chromiumPath } from '../../test/browser/chromium.ts'
import { freePort } from '../pay/peer.ts'
import { exactly, type Goal, number, table } from '../report.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/**
 * From a clone to a captured payment by mouse, as the README says it: the machine's part. What a person needs to read
 * comes on top of it.
 */
export async function measureNewcomer(): Promise<{ goals: Goal[]; problems: string[] }> {
  const executablePath = chromiumPath()
  if (executablePath === undefined) {
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
    const service = await step('npm start, until it prints the sign-in link', () => startService(clone))
    const browser = await chromium.launch({
      executablePath,
      // Chromium's own sandbox cannot run as root
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    })
    try {
      const page = await browser.newPage()
      await step('in the browser: sign in, pay, open the payment, capture', () =>
        captureByMouse(page, service.signInLink),
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

/** `npm start` as in the README, on a free port. */
async function startService(cwd: string): Promise<{ signInLink: string; stop(): Promise<void> }> {
  const child = spawn('npm', ['start'], {
    cwd,
    // npm and what it starts end together
    detached: true,
    env: { ...process.env, PORT: `${await freePort()}`, DATABASE_URL: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  let text = ''
  const signInLink = new Promise<string>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      text += chunk
      const [link] = /http:\S+\/sign-in\/[\w-]+/.exec(text) ?? []
      if (link !== undefined) resolve(link)
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('exit', () => reject(new Error(`npm start ended: ${text.slice(-2_000)}`)))
  })
  return {
    signInLink: await signInLink,
    async stop() {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
      await exited
    },
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
