import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { startSimulator } from '../simulator.ts'
import { cardNumber, openSimulator, simulatorClient } from './simulator-client.fixture.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'sandbox-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

/** Runs `work` against a provider that has ended before this returns. */
async function session<T>(
  booksFile: string,
  timeline: (provider: ReturnType<typeof simulatorClient>) => Promise<T>,
): Promise<T> {
  const simulator = await startSimulator({ clock: systemClock, booksFile, fsync: true })
  try {
    return await timeline(simulatorClient(simulator.url, 'service-1'))
  } finally {
    await simulator.close()
  }
}

test('a restart keeps amounts, answers, closed keys and attempts', async () => {
  const file = join(folder(), 'books.jsonl')
  const [paid, closed] = [randomUUID(), randomUUID()]
  const before = await session(file, async (provider) => {
    const first = await provider.pay({ amount: 100_00 }, paid)
    await provider.pay({ amount: 100_00 }, paid)
    const payment = first.body.payment_id ?? ''
    await provider.increment(payment, 50)
    await provider.capture(payment, 60_00, false)
    await provider.refund(payment, 10_00)
    const cancelled = await provider.pay({ amount: 540001 })
    await provider.cancel(cancelled.body.payment_id ?? '')
    const settled = await provider.pay({ amount: 540001 })
    await provider.find(settled.body.key ?? '')
    await provider.close(closed)
    return { first: first.body, payment, books: await provider.books() }
  })
  await session(file, async (provider) => {
    expect(await provider.books()).toEqual(before.books)
    expect(await provider.payment(before.payment)).toMatchObject({
      authorized: 100_50,
      captured: 60_00,
      refunded: 10_00,
    })
    expect(await provider.pay({ amount: 100_00 }, paid)).toEqual({ status: 200, body: before.first })
    expect((await provider.pay({ amount: 99 }, paid)).body.code).toBe('key_reused')
    expect((await provider.pay({ amount: 100 }, closed)).status).toBe(410)
    expect((await provider.refund(before.payment, 50_01)).body.code).toBe('invalid_amount')
  })
})

test('the totals count and add up what was approved', async () => {
  const provider = await openSimulator()
  await provider.pay({ amount: 100_00 })
  await provider.pay({ amount: 23_45 })
  await provider.pay({ amount: 200_011 })
  expect(await provider.approvedTotals()).toEqual({ count: 2, amount: 123_45 })
})

test('an operation that was pending before a restart is still reported once, and becomes final by itself', async () => {
  const file = join(folder(), 'books.jsonl')
  const [told, untold] = [randomUUID(), randomUUID()]
  await session(file, async (provider) => {
    await provider.pay({ amount: 540001 }, told)
    await provider.setFaults({ operation: 'authorize', kind: 'lost' })
    await expect(provider.pay({ amount: 540001 }, untold)).rejects.toThrow()
  })
  await session(file, async (provider) => {
    expect((await provider.find(told)).body.status).toBe('approved')
    expect((await provider.find(untold)).body.status).toBe('pending')
  })
  const provider = await openSimulator({ booksFile: file, pendingMs: 10 })
  await expect.poll(async () => (await provider.booked(untold)).body.status).toBe('approved')
})

test('a line that a crash cut off is removed, and later lines follow', async () => {
  const file = join(folder(), 'books.jsonl')
  const payment = await session(file, (provider) => provider.sale(100))
  appendFileSync(file, '{"entry":"operation","res')
  await session(file, (provider) => provider.refund(payment, 40))
  await session(file, async (provider) =>
    expect(await provider.payment(payment)).toMatchObject({ captured: 100, refunded: 40 }),
  )
})

test('no card number and no security code is in any file or view of the books', async () => {
  const path = folder()
  const file = join(path, 'books.jsonl')
  const card = { number: cardNumber, expiration_date: '12/35', security_code: '9753' }
  const seen = await session(file, async (provider) => {
    const key = randomUUID()
    const answers = [
      await provider.pay(
        { amount: 100, card, merchant_advice_code: { result: '01', account_number: cardNumber } },
        key,
      ),
      await provider.pay({ amount: 101, card }, key),
      await provider.pay({ amount: 200011, card }),
      await provider.find(key),
      await provider.session({ card }),
      await provider.books(),
    ]
    return JSON.stringify(answers)
  })
  const kept = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'))
  for (const text of [seen, ...kept]) {
    expect(text).not.toContain(cardNumber)
    expect(text).not.toContain(Buffer.from(cardNumber).toString('base64').slice(0, 16))
    expect(text).not.toMatch(/"9753"/)
    expect(text).not.toMatch(/security_code|expiration_date/)
  }
})

test('the provider runs as its own process, and its answers survive kill -9', async () => {
  const file = join(folder(), 'books.jsonl')
  const start = async () => {
    const provider = spawn(process.execPath, [
      'src/main.js',
      'sandbox',
      '--port',
      '0',
      '--books',
      file,
      '--fsync',
      '--pending-ms',
      '50',
    ])
    onTestFinished(() => void provider.kill('SIGKILL'))
    const [line] = await once(provider.stdout, 'data')
    const url = /^sandbox listening on (http:\S+)\n$/.exec(String(line))?.[1] ?? ''
    return { provider, calls: simulatorClient(url, 'service-1') }
  }
  const first = await start()
  const payment = await first.calls.sale(100)
  first.provider.kill('SIGKILL')
  await once(first.provider, 'exit')
  const second = await start()
  expect(await second.calls.payment(payment)).toMatchObject({ captured: 100 })
  second.provider.kill('SIGTERM')
  expect(await once(second.provider, 'exit')).toEqual([0, null])
})
