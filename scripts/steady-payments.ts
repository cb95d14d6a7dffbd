/**
 * Pays through a load balancer from eight callers for some seconds; exit code 1 unless every payment was
 * answered 201. `node scripts/steady-payments.ts URL SECONDS`, with TOKEN.
 */
const [, , url, seconds = '30'] = process.argv
const callers = 8
const until = Date.now() + Number(seconds) * 1000
const outcomes = new Map<string, number>()

const body = JSON.stringify({
  amount: 1299,
  currency: 'EUR',
  payment_method: {
    method: 'card',
    number: '4111111111111111',
    expiration_date: '12/35',
    security_code: '123',
  },
})
const headers = { authorization: `Bearer ${process.env['TOKEN']}`, 'content-type': 'application/json' }

async function pay(): Promise<string> {
  try {
    const answer = await fetch(`${url}/transactions`, { method: 'POST', headers, body })
    const { status } = (await answer.json()) as { status?: unknown }
    return `${answer.status} ${status}`
  } catch (error) {
    return String(error)
  }
}

async function call(): Promise<void> {
  while (Date.now() < until) {
    const outcome = await pay()
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  }
}

await Promise.all(Array.from({ length: callers }, call))
for (const [outcome, count] of outcomes) console.log(`${count} × ${outcome}`)
process.exitCode = outcomes.size === 1 && outcomes.has('201 authorization_succeeded') ? 0 : 1
