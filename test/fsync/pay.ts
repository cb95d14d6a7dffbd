import { Agent } from 'undici'
import { card } from '../support/railyard.ts'

interface Paying {
  url: string
  token: string
  payments: number
  /** The number of payments at a time. */
  workers: number
}

/**
 * Authorizes, captures and refunds this many payments and returns their ids. Throws if a request is refused.
 */
export async function pay({ url, token, payments, workers }: Paying): Promise<string[]> {
  const agent = new Agent({ connections: workers })
  const ids: string[] = []
  let begun = 0
  const ask = async (path: string, expected: number, body: object) => {
    const answer = await agent.request({
      origin: url,
      path,
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await answer.body.text()
    if (answer.statusCode !== expected)
      throw new Error(`POST ${path} was answered ${answer.statusCode} ${text}`)
    return JSON.parse(text).id
  }
  const work = async () => {
    while (begun++ < payments) {
      const id = await ask('/transactions', 201, {
        amount: 12_99,
        currency: 'USD',
        country: 'US',
        payment_method: card,
      })
      await ask(`/transactions/${id}/capture`, 200, {})
      await ask(`/transactions/${id}/refunds`, 201, {})
      ids.push(id)
    }
  }
  await Promise.all(Array.from({ length: workers }, work)).finally(() => agent.destroy())
  return ids
}
