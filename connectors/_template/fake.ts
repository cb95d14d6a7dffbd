import type {
  ConnectorUnderTest,
  FakeAnswer,
  FakeEffect,
  FakeProvider,
  HttpRequest,
  NotificationForCall,
} from 'railyard/connector'
import { signatureOf } from './notification.ts'

const fields = { api_key: 'acme_test_key_1', webhook_secret: 'acme_test_secret_1' }

interface Payment {
  id: string
  currency: string
  authorized: number
  captured: number
  refunded: number
  isOpen: boolean
}

/** What Acme shows of an operation. */
interface Operation {
  [member: string]: unknown
  reference: string
  status: 'succeeded' | 'refused' | 'challenge' | 'closed'
}

const answer = (status: number, body: Record<string, unknown>): FakeAnswer => ({ status, body })
const refusal = (code: string): FakeAnswer => answer(422, { code })

/**
 * Acme in memory, written from its API reference and not from the connector: it refuses what Acme refuses,
 * and processes a reference once.
 */
export function fakeAcme(): FakeProvider {
  const payments = new Map<string, Payment>()
  const operations = new Map<string, Operation>()
  const effects: FakeEffect[] = []
  const notifications: NotificationForCall[] = []
  let ids = 0
  const nextId = (prefix: string) => {
    ids += 1
    return `${prefix}_${ids}`
  }

  const notify = (reference: string) => {
    const body = { id: nextId('evt'), reference }
    const text = JSON.stringify(body)
    const signature = signatureOf(fields.webhook_secret, text)
    notifications.push({ headers: { 'acme-signature': signature }, text, body })
  }

  function record(effect: FakeEffect): FakeAnswer {
    const { key, kind, payment, amount, currency } = effect
    effects.push(effect)
    const id = nextId(kind)
    operations.set(key, { reference: key, id, payment, status: 'succeeded', amount, currency })
    notify(key)
    return answer(201, operations.get(key) ?? {})
  }

  function open(body: Record<string, unknown>): FakeAnswer {
    const { reference, amount, currency, capture, token, challenge_return_url: returnUrl } = body
    if (typeof reference !== 'string' || typeof amount !== 'number' || typeof currency !== 'string')
      return refusal('invalid_request')
    const id = nextId('pay')
    const isChallenged = token === 'tok_challenge'
    const code = token === 'tok_funds' ? 'funds' : isChallenged && !returnUrl ? 'challenge_required' : null
    if (code) {
      operations.set(reference, { reference, payment: id, status: 'refused', code })
      return answer(201, operations.get(reference) ?? {})
    }
    const move = () => {
      const captured = capture === true ? amount : 0
      payments.set(id, { id, currency, authorized: amount, captured, refunded: 0, isOpen: !capture })
      return record({ key: reference, kind: capture ? 'sale' : 'authorize', payment: id, amount, currency })
    }
    if (!isChallenged) return move()
    const challengeUrl = `https://challenge.acme.example/${id}`
    challenges.set(challengeUrl, { reference, payment: id, move })
    operations.set(reference, { reference, payment: id, status: 'challenge', challenge_url: challengeUrl })
    return answer(201, operations.get(reference) ?? {})
  }
  const challenges = new Map<string, { reference: string; payment: string; move: () => FakeAnswer }>()

  /** Each kind of operation on a payment: its amount, or undefined if the payment does not allow it. */
  const followUps: Record<
    string,
    (payment: Payment, body: Record<string, unknown>) => FakeEffect | undefined
  > = {
    captures(payment, { reference, amount, final }) {
      if (!payment.isOpen || Number(amount) > payment.authorized - payment.captured) return undefined
      payment.captured += Number(amount)
      payment.isOpen = final !== true
      return effectOf('capture', payment, reference, Number(amount))
    },
    voids(payment, { reference }) {
      if (!payment.isOpen || payment.captured > 0) return undefined
      payment.isOpen = false
      return effectOf('void', payment, reference, payment.authorized)
    },
    refunds(payment, { reference, amount }) {
      if (Number(amount) > payment.captured - payment.refunded) return undefined
      payment.refunded += Number(amount)
      return effectOf('refund', payment, reference, Number(amount))
    },
  }
  const effectOf = (
    kind: FakeEffect['kind'],
    { id, currency }: Payment,
    reference: unknown,
    amount: number,
  ): FakeEffect => ({ key: String(reference), kind, payment: id, amount, currency })

  function followUp(id: string, action: string, body: Record<string, unknown>): FakeAnswer {
    const payment = payments.get(id)
    const move = followUps[action]
    if (!payment || !move) return answer(404, { code: 'not_found' })
    const effect = move(payment, body)
    return effect ? record(effect) : refusal('wrong_state')
  }

  function processOnce(
    { headers = {} }: HttpRequest,
    body: Record<string, unknown>,
    run: () => FakeAnswer,
  ): FakeAnswer {
    const { reference } = body
    if (typeof reference !== 'string' || headers['idempotency-key'] !== reference)
      return refusal('invalid_request')
    const earlier = operations.get(reference)
    if (earlier?.status === 'closed') return refusal('closed')
    return earlier ? answer(201, earlier) : run()
  }

  function close(reference: string): FakeAnswer {
    const closed: Operation = { reference, status: 'closed' }
    const known = operations.get(reference)
    // a challenge that no cardholder has passed is over
    const operation = known && known.status !== 'challenge' ? known : closed
    operations.set(reference, operation)
    return answer(200, operation)
  }

  return {
    receive(request) {
      const [, , resource, id = '', action = ''] = new URL(request.url).pathname.split('/')
      if (request.headers?.['authorization'] !== `Bearer ${fields.api_key}`)
        return answer(401, { code: 'unauthorized' })
      const body = isObject(request.body) ? request.body : {}
      switch (`${request.method} ${resource}`) {
        case 'GET account':
          return answer(200, { id: 'acc_1' })
        case 'GET operations': {
          const operation = operations.get(id)
          return operation ? answer(200, operation) : answer(404, { code: 'not_found' })
        }
        case 'POST operations':
          return close(id)
        case 'POST payments':
          return processOnce(request, body, () => (id === '' ? open(body) : followUp(id, action, body)))
        default:
          return answer(404, { code: 'no_such_route' })
      }
    },
    effects: () => effects,
    takeNotifications: () => notifications.splice(0),
    visit(url, decision) {
      const challenge = challenges.get(url)
      if (!challenge || decision === 'abandon') return {}
      const { reference, payment, move } = challenge
      if (operations.get(reference)?.status !== 'challenge') return {}
      if (decision === 'approve') move()
      else operations.set(reference, { reference, payment, status: 'refused', code: 'challenge_failed' })
      return { payment }
    },
    foreignNotification() {
      notify('an-operation-of-another-system')
      const [last] = notifications.splice(-1)
      if (!last) throw new Error('a notification was just written')
      return last
    },
    advance() {},
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** What `railyard connector check` runs the suite with. */
export const underTest: ConnectorUnderTest = {
  provider: fakeAcme,
  fields,
  currency: 'EUR',
  instruments: {
    approved: { instrument: { providerToken: 'tok_approved' } },
    declined: { instrument: { providerToken: 'tok_funds' } },
    challenged: { instrument: { providerToken: 'tok_challenge' } },
  },
}
