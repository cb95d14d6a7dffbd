import fc from 'fast-check'
import {
  type ApiDocument,
  type Operation,
  operationsOf,
  type Schema,
  valueFor,
} from '../support/checks/schema-values.ts'
import { addAntiFraudService } from '../support/domains/anti-fraud.ts'
import { addGiftCardService, newGiftCard } from '../support/domains/gift-cards.ts'
import { requireAuthentication } from '../support/domains/secure-shop.ts'
import { type Client, card, type TestRailyard } from '../support/railyard.ts'
import { goodClaims, signed } from '../support/tokens.ts'
import { created } from './merchant-data.ts'

export interface EmbeddedFigures {
  requests: number
  statuses: Record<number, number>
  /** The members of the requests that were sent, by operation. */
  members: number
  findings: { wrong: string; request: string }[]
}

/** A buyer with everything that an embedded caller could reach. */
interface Person {
  buyer: string
  external: string
  method: string
  giftCard: string
}

async function person(shop: Client, word: string): Promise<Person> {
  const external = `extern-${crypto.randomUUID()}`
  const billing = { first_name: word, email_address: `${word}@example.com` }
  const buyer = created(
    await shop.post('/buyers', {
      display_name: word,
      external_identifier: external,
      billing_details: billing,
    }),
  )
  const { number, expiration_date } = card
  const method = created(
    await shop.post('/payment-methods', {
      number,
      expiration_date,
      buyer_id: buyer.id,
      external_identifier: word,
    }),
  )
  const giftCard = created(await shop.post('/gift-cards', { ...newGiftCard(), buyer_id: buyer.id }))
  return { buyer: buyer.id, external, method: method.id, giftCard: giftCard.id }
}

const VICTIM = 'victim4e1c'
const NEIGHBOUR = 'neighbour4e1c'
const TERMS = { amount: 12_34, currency: 'EUR' }
/** Tokens have a rate limit, so a browser takes a new one after this many requests. */
const REQUESTS_A_TOKEN = 20

/**
 * A browser's requests: each member of the operation's body and query alone, then some at random, beside the
 * required ones.
 */
function bodiesOf(
  { id, body }: Operation,
  of: ReturnType<typeof valueFor>,
  resolved: (schema: Schema) => Schema,
): fc.Arbitrary<Record<string, unknown>> {
  const { properties = {}, required = [] } = resolved(body ?? {})
  const names = Object.keys(properties)
  const base =
    id === 'create_transaction'
      ? { ...TERMS, country: 'DE', payment_method: { ...card, redirect_url: 'https://shop.example/done' } }
      : {}
  const member = (name: string) =>
    of(properties[name] ?? {}, name).map((value): [string, unknown] => [name, value])
  const needed = required.filter((name) => !(name in base)).map(member)
  const some =
    names.length === 0
      ? fc.constant<[string, unknown][]>([])
      : fc.array(fc.constantFrom(...names).chain(member), { maxLength: 3 })
  return fc
    .tuple(fc.tuple(...needed), some)
    .map(([always, given]) => ({ ...base, ...Object.fromEntries(always), ...Object.fromEntries(given) }))
}

/** The payments that an embedded caller has made, from the tables. */
interface Made {
  id: string
  amount: number
  currency: string
  buyer: { id?: string | null } | null
  method: string | null
  merchant_initiated: boolean
  is_subsequent_payment: boolean
  payment_source: string
  service: string | null
  kinds: string[]
}

const madeBy = `
select t.id, t.amount, t.currency, t.buyer, t.payment_method->>'id' as method, t.merchant_initiated, t.is_subsequent_payment, t.payment_source,
       t.details->>'payment_service_id' as service,
       array(select o.kind from operations o where o.merchant_account_id = t.merchant_account_id and o.transaction_id = t.id order by o.id) as kinds
  from transactions t where t.merchant_account_id = $1`

/**
 * Buyers' browsers send every member of every request that their tokens allow, beside another buyer of the
 * same shop and another shop. They must reach neither, pay the token's amount, and be screened and
 * authenticated.
 */
export async function fuzzEmbedded(
  railyard: TestRailyard,
  { requests: wanted, seed }: { requests: number; seed: number },
): Promise<EmbeddedFigures> {
  const document: ApiDocument = (await railyard.send('GET', '/openapi.json')).body
  const shop = await railyard.merchant()
  await requireAuthentication(railyard, shop, shop.paymentServiceId)
  await addAntiFraudService(railyard, shop)
  await addGiftCardService(railyard, shop)
  const neighbour = await railyard.merchant()
  await addGiftCardService(railyard, neighbour)
  const [own, victim, other] = [
    await person(shop, 'own'),
    await person(shop, VICTIM),
    await person(neighbour, NEIGHBOUR),
  ]
  const { signer } = shop
  const { run } = railyard.world
  const rowsOf = async () =>
    JSON.stringify(
      await Promise.all(
        [victim, other].map(({ buyer }) =>
          Promise.all([
            run('select row_to_json(b) as row from buyers b where id = $1', [buyer]),
            run('select row_to_json(p) as row from payment_methods p where buyer_id = $1 order by id', [
              buyer,
            ]),
            run('select row_to_json(g) as row from gift_cards g where buyer_id = $1 order by id', [buyer]),
          ]),
        ),
      ),
    )
  const before = await rowsOf()
  const figures: EmbeddedFigures = { requests: 0, statuses: {}, members: 0, findings: [] }
  const sent = new Set<string>()
  const pins = [
    TERMS,
    { ...TERMS, buyer_id: own.buyer },
    { ...TERMS, buyer_external_identifier: own.external },
  ] as const
  const tokenOf = (index: number) =>
    signed(signer, goodClaims({ scopes: ['embed'], embed: pins[index % pins.length] }))
  const resolved = (schema: Schema): Schema =>
    document.components.schemas[schema.$ref?.slice(schema.$ref.lastIndexOf('/') + 1) ?? ''] ?? schema
  const opened = operationsOf(document).filter(({ id, path, method }) => {
    const scopes: unknown = Object.entries(document.paths[path]?.[method.toLowerCase()] ?? {}).find(
      ([name]) => name === 'x-scopes',
    )?.[1]
    return id !== 'activate_gift_card' && Array.isArray(scopes) && scopes.includes('embed')
  })
  const pinOf = new Map<string, (typeof pins)[number]>()

  for (let count = 0, token = '', pin: (typeof pins)[number] = pins[0]; figures.requests < wanted; count++) {
    if (count % REQUESTS_A_TOKEN === 0) {
      pin = pins[(count / REQUESTS_A_TOKEN) % pins.length] ?? pins[0]
      token = await tokenOf(count / REQUESTS_A_TOKEN)
    }
    // payments have the most members
    const operation =
      count % 2 === 0
        ? opened.find(({ id }) => id === 'create_transaction')
        : opened[((count - 1) / 2) % opened.length]
    if (!operation) throw new Error('there is no operation')
    const aim = count % 3 === 0 ? other : victim
    const of = valueFor(document, {
      ...{
        buyer_id: aim.buyer,
        buyer_external_identifier: aim.external,
        payment_method_id: aim.method,
        external_identifier: aim.external,
      },
      id: operation.id === 'list_gift_card_balances' ? aim.giftCard : aim.method,
      ...{
        gift_card_id: aim.giftCard,
        method: 'id',
        currency: 'EUR',
        country: 'DE',
        payment_service_id: shop.paymentServiceId,
      },
    })
    const [body = {}] = fc.sample(bodiesOf(operation, of, resolved), { numRuns: 1, seed: seed + count })
    const parameters = operation.parameters.filter((parameter) => parameter.in === 'query')
    const query = parameters.flatMap(({ name, schema, required }) => {
      const [value] = fc.sample(of(schema, name), { numRuns: 1, seed: seed + count })
      return required || count % 4 === 1 || name.startsWith('buyer')
        ? [`${name}=${encodeURIComponent(String(value).toWellFormed())}`]
        : []
    })
    for (const name of [...Object.keys(body), ...query]) sent.add(`${operation.id} ${name.split('=')[0]}`)
    const path = `${operation.path.replace('{payment_method_id}', aim.method)}${query.length > 0 ? `?${query.join('&')}` : ''}`
    const hasBody = operation.body !== undefined
    const answer = await railyard.send(operation.method, path, {
      headers: { authorization: `Bearer ${token}`, ...(hasBody && { 'content-type': 'application/json' }) },
      ...(hasBody && { body: JSON.stringify(body) }),
    })
    figures.requests += 1
    figures.statuses[answer.status] = (figures.statuses[answer.status] ?? 0) + 1
    const request = `${operation.method} ${path} ${JSON.stringify(body)}`.slice(0, 1_500)
    const text = JSON.stringify(answer.body ?? '')
    if (answer.status >= 500) figures.findings.push({ wrong: `a server error: ${text}`, request })
    if (text.includes(VICTIM)) figures.findings.push({ wrong: 'tells of another buyer', request })
    if (text.includes(NEIGHBOUR)) figures.findings.push({ wrong: "tells of another shop's buyer", request })
    if (answer.status === 201 && operation.id === 'create_transaction') {
      pinOf.set(answer.body.id, pin)
      const [made] =
        (await run<{ row: Made }>(`select row_to_json(m) as row from (${madeBy} and t.id = $2) m`, [
          shop.account,
          answer.body.id,
        ])) ?? []
      for (const wrong of made ? wrongWith(made.row, pin) : ['the payment is not there'])
        figures.findings.push({ wrong, request })
    }
  }
  figures.members = sent.size
  if ((await rowsOf()) !== before)
    figures.findings.push({ wrong: 'what belongs to another buyer was changed', request: '' })
  const all = await run<Made & Record<string, unknown>>(madeBy, [shop.account])
  for (const { id } of all)
    if (!pinOf.has(id))
      figures.findings.push({ wrong: `payment ${id} was made and not answered`, request: '' })
  if ((await run(madeBy, [neighbour.account])).length > 0)
    figures.findings.push({ wrong: 'another shop was paid', request: '' })
  return figures

  function wrongWith(made: Made, pin: (typeof pins)[number]): string[] {
    const hasBuyer = 'buyer_id' in pin || 'buyer_external_identifier' in pin
    const named = made.buyer?.id ?? null
    const paid = made.kinds.some((kind) => kind === 'authorize' || kind === 'sale')
    return [
      ...(made.amount === pin.amount && made.currency === pin.currency
        ? []
        : [`pays ${made.amount} ${made.currency}`]),
      ...((hasBuyer && named === own.buyer) || (!hasBuyer && named === null)
        ? []
        : [`is of the buyer ${named}`]),
      ...(made.method === victim.method || made.method === other.method
        ? ["is paid with another buyer's card"]
        : []),
      ...(made.merchant_initiated || made.is_subsequent_payment || made.payment_source !== 'ecommerce'
        ? ['says that the merchant initiated it']
        : []),
      ...(made.service === null ? [] : ['chooses the payment service']),
      ...(paid && !made.kinds.includes('screening') ? ['is paid without the anti-fraud service'] : []),
      ...(paid && !made.kinds.includes('authentication') ? ['is paid without 3-D Secure'] : []),
    ]
  }
}
