import type { AccountUpdater, CardUpdate } from '../contract/account-updater.ts'

/** The sandbox's account updater. `baseUrl` is the simulator's, e.g. `http://127.0.0.1:9090/updater`. */
export const mockAccountUpdater = (baseUrl: string): AccountUpdater => ({
  async inquire(http, { id, number, expirationDate, simulated }) {
    const body = { id, number, expiration_date: expirationDate, simulated }
    const answer = await http({ method: 'POST', url: `${baseUrl}/inquiries`, body })
    if (answer.lost) return { status: 'unknown', reason: answer.reason }
    if (answer.status >= 400 && answer.status < 500)
      return { status: 'refused', reason: String(answer.body['code'] ?? `HTTP ${answer.status}`) }
    const value = answer.status === 200 && answer.body['id'] === id ? readCardUpdate(answer.body) : undefined
    return value ? { status: 'done', value } : { status: 'unknown', reason: `HTTP ${answer.status}` }
  },
})

function readCardUpdate({
  result,
  number,
  expiration_date: expirationDate,
}: Record<string, unknown>): CardUpdate | undefined {
  if (result === 'unchanged' || result === 'closed') return { result }
  if (result !== 'updated' || typeof number !== 'string' || typeof expirationDate !== 'string')
    return undefined
  // only a well-formed card number and date may replace the stored ones
  return /^\d{12,19}$/.test(number) && /^(0[1-9]|1[0-2])\/\d{2}$/.test(expirationDate)
    ? { result, number, expirationDate }
    : undefined
}
