import { type Answer, askPatiently, type Client, isAcknowledged, type Sent } from './client.ts'
import { type Findings, type Shown, statusKept, transactionKept } from './oracle.ts'
import { maySitPending, transactionOf } from './requests.ts'

/** Runs `work` on each item, a few at a time. */
async function each<T>(items: Iterable<T>, work: (item: T) => Promise<void>, atATime = 16): Promise<void> {
  const left = [...items].values()
  const go = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: atATime }, go))
}

/** Every transaction in the list, with these statuses or any. */
export async function listTransactions(
  client: Client,
  statuses: readonly string[] = [],
): Promise<Map<string, Shown>> {
  const filter = statuses.map((status) => `&status=${status}`).join('')
  const found = new Map<string, Shown>()
  for (let cursor: string | null = null; ; ) {
    const { status, body } = await client.get(
      `/transactions?limit=100${filter}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
    )
    if (status !== 200) throw new Error(`the list was answered ${status} ${JSON.stringify(body)}`)
    for (const item of body.items) found.set(item.id, item)
    cursor = body.next_cursor
    if (!cursor) return found
  }
}

const acknowledgedOf = (log: readonly Sent[]) => log.filter(isAcknowledged)

/** The refunds in an answer. */
const refundsOf = ({ action, answer }: Sent & { answer: Answer }): { id: string; status: string }[] =>
  action === 'refund' ? [answer.body] : action === 'refund-all' ? answer.body.items : []

/** Actions that are answered with their own resource, without the transaction. */
const standsAlone = (action: Sent['action']) =>
  action === 'refund' || action === 'refund-all' || action === 'payout'

/** Checks that every acknowledged effect is in the API now. */
export async function stillThere(client: Client): Promise<Findings> {
  const found: Findings = []
  const acknowledged = acknowledgedOf(client.log)
  const shown = await listTransactions(client)
  // a transaction that changes while the list is read moves to its front, where it is missed
  const unseen = new Set(
    acknowledged.flatMap(({ action, answer }) => (standsAlone(action) ? [] : transactionOf(answer).id)),
  ).difference(shown)
  await each(unseen, async (id) => {
    const { status, body } = await client.get(`/transactions/${id}`)
    if (status === 200) shown.set(id, body)
  })
  for (const sent of acknowledged) {
    const transaction = standsAlone(sent.action) ? undefined : transactionOf(sent.answer)
    if (transaction) found.push(...transactionKept(transaction, shown.get(transaction.id)))
  }
  await each(acknowledged.flatMap(refundsOf), async (refund) => {
    const now = await client.get(`/refunds/${refund.id}`)
    found.push(...statusKept(`refund ${refund.id}`, refund.status, now.body.status))
  })
  await each(
    acknowledged.filter(({ action }) => action === 'payout'),
    async ({ answer: { body } }) => {
      const now = await client.get(`/payouts/${body.id}`)
      found.push(...statusKept(`payout ${body.id}`, body.status, now.body.status))
    },
  )
  await each(
    acknowledged.filter(({ action }) => action === 'capture'),
    async ({ answer, transactionId }) => {
      const now = await client.get(`/transactions/${transactionId}/captures/${answer.body.capture_id}`)
      found.push(...statusKept(`capture ${answer.body.capture_id}`, answer.body.status, now.body.status))
    },
  )
  for (const { action, answer } of acknowledged) {
    if (action !== 'void' || answer.body.status !== 'succeeded') continue
    const now = shown.get(answer.body.transaction.id)?.status
    if (now !== 'authorization_voided')
      found.push(`transaction ${answer.body.transaction.id} was acknowledged as voided and is ${now}`)
  }
  return found
}

/** Repeats requests under their keys: the answers must be equal to the byte. */
export async function replaysEqual(client: Client): Promise<{ replays: number; findings: Findings }> {
  const findings: Findings = []
  const keyed = acknowledgedOf(client.log).filter(({ key }) => key)
  await each(keyed, async ({ action, path, body, key, answer }) => {
    const again = await client.post(path, body, key)
    if (again.status !== answer.status || again.text !== answer.text)
      findings.push(
        `${action} with key ${key} was answered ${answer.status} ${answer.text}, and then ${again.status} ${again.text}`,
      )
  })
  return { replays: keyed.length, findings }
}

const undecidedStatuses = ['processing', 'capture_pending', 'authorization_void_pending']

/**
 * Payments that a reviewer has accepted and that did not go on. A rejected payment whose void is refused may
 * stay as it is.
 */
async function acceptedAndHeld(client: Client): Promise<string[]> {
  const shown = [...(await listTransactions(client, ['authorization_succeeded'])).values()] as (Shown &
    Reviewed)[]
  return shown
    .filter(({ pending_review, anti_fraud_decision: decision }) => pending_review && decision === 'accept')
    .map(({ id }) => id)
}

interface Reviewed {
  pending_review: boolean
  anti_fraud_decision: string | null
}

/**
 * Transactions, refunds and payouts that are undecided although no payment service left them pending. A
 * pending one is decided by a notification, which may have been lost with the process: see `askAboutPending`.
 */
export async function undecided(client: Client): Promise<string[]> {
  const pending = new Set(
    client.log.filter(maySitPending).map((sent) => sent.transactionId ?? sent.answer?.body?.id),
  )
  const pendingMarks = new Set(
    client.log.filter((sent) => sent.action === 'create' && maySitPending(sent)).map(({ mark }) => mark),
  )
  const transactions = [...(await listTransactions(client, undecidedStatuses)).values()] as (Shown & {
    external_identifier: string | null
  })[]
  const left = transactions
    .filter(({ id, external_identifier: mark }) => !pending.has(id) && !(mark && pendingMarks.has(mark)))
    .map(({ id }) => id)
  left.push(...(await acceptedAndHeld(client)))
  left.push(...(await client.get('/payouts?status=pending')).body.items.map(({ id }: { id: string }) => id))
  const refunds = acknowledgedOf(client.log)
    .filter((sent) => !maySitPending(sent))
    .flatMap(refundsOf)
    .filter(({ status }) => status === 'processing')
  await each(refunds, async ({ id }) => {
    const { body } = await client.get(`/refunds/${id}`)
    if (body.status === 'processing') left.push(body.id)
  })
  return left
}

/**
 * Syncs every transaction with an operation that the payment service may have left pending, as a merchant
 * that misses a notification does.
 */
export async function askAboutPending(client: Client): Promise<void> {
  const asked = new Set(
    client.log.filter(maySitPending).flatMap((sent) => sent.transactionId ?? sent.answer?.body?.id ?? []),
  )
  for (const id of (await listTransactions(client, [...undecidedStatuses, 'buyer_approval_pending'])).keys())
    asked.add(id)
  await each(asked, async (id) => {
    // the first lookup of a pending operation still says pending
    for (let times = 0; times < 2; times++) await askPatiently(() => client.post(`/transactions/${id}/sync`))
  })
}
