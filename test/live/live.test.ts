import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ProviderHttp, providerHttp } from '../../src/connectors/wire/http.ts'
import { launch } from '../crash/process.ts'
import { type RunningFake, startFake } from '../fakes/server.ts'
import { type Env, type Http, type LiveName, liveNames, problemsOf, providers } from './providers.ts'
import { runSuite, steps } from './suite.ts'

let http: ProviderHttp
beforeAll(() => {
  http = providerHttp(5_000)
})
afterAll(() => http.close())

/** Five tokens of the fake's browser script. */
async function tokensOf({ url }: RunningFake): Promise<string> {
  const made = Array.from({ length: 5 }, async () => {
    const body = new URLSearchParams({ number: '4543474002249996' })
    const answer = await fetch(`${url}/fake/token`, { method: 'POST', body })
    const { token }: { token?: string } = Object(await answer.json())
    return token
  })
  return (await Promise.all(made)).join(',')
}

/** Runs the suite of a provider; its host is the fake. */
async function runAgainst(name: LiveName, change?: Http) {
  const fake = await startFake(name)
  const lines: string[] = []
  const env: Env = {
    ...fake.credentials,
    ...(name === 'mollie' && { MOLLIE_CARD_TOKENS: await tokensOf(fake) }),
  }
  expect(problemsOf(providers[name], env)).toEqual([])
  const hasPassed = await runSuite(providers[name], {
    env,
    http: change ?? ((request) => http.request(request)),
    baseUrl: fake.url,
    print: (line) => lines.push(line),
    buyer: async (page, decision) => {
      const body = new URLSearchParams({ decision })
      await fetch(page, { method: 'POST', redirect: 'manual', body })
    },
    pollMs: 100,
    patienceMs: change ? 500 : 10_000,
  })
  const effects = fake.effects().map(({ kind, amount }) => `${kind} ${amount}`)
  await fake.close()
  return { hasPassed, lines, effects }
}

describe.each(liveNames)('the suite for %s', (name) => {
  test('passes against the fake, and moves each amount once', async () => {
    const { hasPassed, lines, effects } = await runAgainst(name)
    expect(lines.join('\n')).not.toContain('FAIL')
    expect(hasPassed).toBe(true)
    expect(lines).toHaveLength(Object.keys(steps).length + 1)
    expect(effects.filter((each) => each === 'authorize 1000')).toHaveLength(4)
    expect(effects.filter((each) => each.startsWith('void'))).toHaveLength(3)
    expect(effects).toEqual(expect.arrayContaining(['capture 1000', 'refund 400']))
    expect(effects).toHaveLength(9)
  })

  test('fails when the provider does not answer', async () => {
    const { hasPassed, lines } = await runAgainst(name, async () => ({
      lost: true,
      sent: false,
      reason: 'ECONNREFUSED',
    }))
    expect(hasPassed).toBe(false)
    expect(lines.filter((line) => line.startsWith('FAIL'))).toHaveLength(Object.keys(steps).length)
  })

  test('does not run without keys, says which are missing, and does not count as passed', async () => {
    const { code, output } = await launch(['test/live/run.ts', name], {}, /(?!)/).ended
    expect(code).toBe(2)
    expect(output).toContain(`The suite against ${name} did NOT run`)
    for (const { name: variable, optional } of providers[name].variables)
      if (!optional) expect(output).toContain(`${variable} is missing`)
  })
})

test('a live key is refused, and is not printed', async () => {
  const live = {
    stripe: { STRIPE_SECRET_KEY: 'sk_live_51abc' },
    adyen: { ADYEN_API_KEY: 'AQE', ADYEN_MERCHANT_ACCOUNT: 'Shop', ADYEN_CLIENT_KEY: 'live_ABC' },
    checkout: { CHECKOUT_SECRET_KEY: 'sk_abcdef', CHECKOUT_PUBLIC_KEY: 'pk_abcdef' },
    mollie: { MOLLIE_API_KEY: 'live_abc', MOLLIE_CARD_TOKENS: 'tkn_1,tkn_2,tkn_3,tkn_4,tkn_5' },
  } satisfies Record<LiveName, Env>
  for (const name of liveNames) {
    const problems = problemsOf(providers[name], live[name])
    expect(problems.length, name).toBeGreaterThan(0)
    for (const value of Object.values(live[name])) expect(problems.join()).not.toContain(value)
  }
  const { code, output } = await launch(['test/live/run.ts', 'stripe'], live.stripe, /(?!)/).ended
  expect({ code, output }).toMatchObject({ code: 2, output: expect.stringContaining('is a live key') })
})
