import type { Railyard, TransactionCreate } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { problemsOf } from '../../api/client.ts'
import { useAction, useLoad } from '../../api/use-api.ts'
import { formatAmount } from '../../format/amount.ts'
import { SelectField, TextField } from '../../parts/forms/field.tsx'
import { ErrorNotice } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card, Figure, Figures } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { Amount } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { sandboxWords } from '../../words/developers/sandbox.ts'
import { describeStatus } from '../payments/payment-status.ts'
import { PaymentTimeline } from '../payments/payment-timeline.tsx'
import { EventForm } from './event-form.tsx'

const words = sandboxWords.payment
type Method = keyof typeof words.methods

/** The simulator's cards. A person chooses one and types none: no card number is entered in the dashboard. */
const cards: Partial<Record<Method, string>> = {
  visa: '4111111111111111',
  mastercard: '5555555555554444',
  trusted: '4111111111101203',
  challenge: '4111111111181072',
}

/** A test payment, what happens to it, and what else can happen. */
export function PaymentTab(): ReactNode {
  const [params, setParams] = useSearchParams()
  const id = params.get('payment')
  const watch = (payment: string) => setParams({ tab: 'payment', payment })
  return (
    <div className="grid items-start gap-x-6 lg:grid-cols-[minmax(0,380px)_minmax(0,1fr)]">
      <div>
        <PaymentForm onMade={watch} />
        <WatchForm key={id} current={id ?? ''} onWatch={watch} />
      </div>
      {id && <Watched id={id} />}
    </div>
  )
}

interface Input {
  method: Method
  amount: number
  currency: string
  intent: 'authorize' | 'capture'
  email: string
}

async function pay(api: Railyard, input: Input, account: string, idempotencyKey: string) {
  const { method, amount, currency, intent, email } = input
  const payment_method = await paymentMethod(api, input)
  return api.transactions.create(
    {
      amount,
      currency,
      intent,
      payment_method: {
        ...payment_method,
        ...(method === 'challenge' || method === 'trusted'
          ? { redirect_url: `${location.href.split(`/${account}/`)[0]}/${account}/sandbox` }
          : {}),
      },
      ...(email && { buyer: { billing_details: { email_address: email } } }),
    } as TransactionCreate,
    { idempotencyKey },
  )
}

async function paymentMethod(api: Railyard, { method, amount, currency }: Input) {
  if (method === 'applepay') {
    const { token } = await api.sandbox.wallets.apple.token.create({ amount, currency })
    return { method, token }
  }
  if (method === 'googlepay') {
    const { token } = await api.sandbox.wallets.google.token.create({})
    return { method, token }
  }
  // the clock of the account may be ten years ahead
  const year = (new Date().getFullYear() + 11) % 100
  return { method: 'card', number: cards[method], expiration_date: `12/${year}`, security_code: '123' }
}

const emails = ['accept', 'reject', 'review', 'error', 'timeout', 'unavailable']

function PaymentForm({ onMade }: { onMade: (id: string) => void }): ReactNode {
  const { account } = useSignedIn()
  const mayUseWallets = useMay('digital-wallets.write')
  const say = useSay()
  const [method, setMethod] = useState<Method>('visa')
  const [outcome, setOutcome] = useState('1299')
  const [other, setOther] = useState('4999')
  const [currency, setCurrency] = useState('EUR')
  const [intent, setIntent] = useState<Input['intent']>('authorize')
  const [email, setEmail] = useState('')
  const make = useAction({
    run: (api, input: Input, idempotencyKey) => pay(api, input, account, idempotencyKey),
    onDone: ({ id }) => {
      say(words.made)
      onMade(id)
    },
    changes: [['transactions']],
  })
  const amount = Number(outcome || other)
  const methods = Object.entries(words.methods).filter(([each]) => each in cards || mayUseWallets)
  return (
    <Card title={words.title}>
      <form
        className="grid gap-4"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (!make.isPending) make.mutate({ method, amount, currency, intent, email })
        }}
      >
        <SelectField
          label={words.method}
          value={method}
          onChange={(next) => setMethod(next as Method)}
          options={methods}
        />
        <SelectField
          label={words.outcome}
          hint={words.amountHint}
          value={outcome}
          onChange={setOutcome}
          options={sandboxWords.outcomes.map(([each, text]) => [
            each,
            each ? `${text} (${formatAmount(Number(each), currency)})` : text,
          ])}
        />
        {outcome === '' && (
          <TextField
            label={words.amount}
            type="number"
            value={other}
            onChange={setOther}
            problem={problemsOf(make.error)['/amount']}
          />
        )}
        <div className="grid grid-cols-2 gap-4">
          <SelectField
            label={words.currency}
            value={currency}
            onChange={setCurrency}
            options={['EUR', 'USD', 'GBP'].map((each) => [each, each])}
          />
          <SelectField
            label={words.intent}
            value={intent}
            onChange={(next) => setIntent(next as Input['intent'])}
            options={[
              ['authorize', words.authorize],
              ['capture', words.capture],
            ]}
          />
        </div>
        <SelectField
          label={words.fraud}
          hint={words.fraudHint}
          value={email}
          onChange={setEmail}
          options={[
            ['', words.noBuyer],
            ...emails.map((each) => [`${each}@example.com`, `${each}@example.com`] as const),
          ]}
        />
        {make.error && <ErrorNotice error={make.error} />}
        <Button type="submit" look="primary" busy={make.isPending}>
          {words.submit}
        </Button>
      </form>
    </Card>
  )
}

function WatchForm({ current, onWatch }: { current: string; onWatch: (id: string) => void }): ReactNode {
  const [id, setId] = useState(current)
  return (
    <Card title={words.watch}>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (id.trim()) onWatch(id.trim())
        }}
      >
        <TextField label={words.watchHint} value={id} onChange={setId} className="font-mono" />
        <Button type="submit">{words.watchIt}</Button>
      </form>
    </Card>
  )
}

/** A payment as it is now; its status changes by itself. */
function Watched({ id }: { id: string }): ReactNode {
  const { account } = useSignedIn()
  const query = useLoad(['transactions', id], (api, signal) => api.transactions.get(id, { signal }), {
    refresh: 2_000,
  })
  return (
    <div className="min-w-0">
      <Loaded query={query} lines={8}>
        {(payment) => {
          const { text, tone } = describeStatus(payment)
          const { currency } = payment
          return (
            <>
              <Card
                title={words.now}
                aside={
                  <Link className="underline" to={`/${account}/payments/${id}`}>
                    {words.open}
                  </Link>
                }
              >
                <p className="flex flex-wrap items-center gap-3" aria-live="polite">
                  <span className="text-xl font-semibold">
                    <Amount of={payment.amount} currency={currency} />
                  </span>
                  <Tag tone={tone}>{text}</Tag>
                  <span className="text-xs text-ink-3">{words.refreshed}</span>
                </p>
                <Figures>
                  {(['authorized', 'captured', 'refunded', 'disputed'] as const).map((each) => (
                    <Figure key={each} name={sandboxWords.figures[each]}>
                      <Amount of={payment[`${each}_amount`]} currency={currency} />
                    </Figure>
                  ))}
                </Figures>
              </Card>
              <EventForm payment={payment} />
              <PaymentTimeline id={id} />
            </>
          )
        }}
      </Loaded>
    </div>
  )
}
