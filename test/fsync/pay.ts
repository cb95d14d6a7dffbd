import { Agent } from 'undici'
import { card } from '../railyard.ts'

interface Paying {
  url: string
  token: string
  payments: number
  /** How many are under way at a time. */
  workers: number
}

/** Makes so many payments, and answers the ids of those that were answered 201. */
export async function pay({ url, token, payments, workers }: Paying): Promise<string[]> {
  const agent = new Agent({ connections: workers })
  const ids: string[] = []
  let begun = 0
  const work = async () => {
    while (begun++ < payments) {
      const answer = await agent.request({
        origin: url,
        path: '/transactions',
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ amount: 12_99, currency: 'USD', country: 'US', payment_method: card }),
      })
      const text = await answer.body.text()
      if (answer.statusCode !== 201) throw new Error(`a payment was answered ${answer.statusCode} ${text}`)
      ids.push(JSON.parse(text).id)
    }
  }
  await Promise.all(Array.from({ length: workers }, work)).finally(() => agent.destroy())
  return ids
}
